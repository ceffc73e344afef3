// agg_lookup: what holds its parts together. A request moves on by a stage each cycle, and all that
// is said of it meets it in its stage; a connection is written under its own key and as what it is;
// and who waits for an empty pipeline waits for just that.
//
// What the parts say, but for agg_lookup_known, is left out of the circuit and free (`cuts` of the
// task): it holds whatever they say. Properties of each are in lookup_rules_props,
// lookup_parts_props, agg_lookup_arbiter_props, lookup_stages_props and agg_conn_table_props.
module lookup_pipe_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// 1: the tables are coded, and a request is inside for one cycle more in front of stage 1.
  parameter int unsigned Ecc = 1,
  /// 1: of some rings packets say themselves which column they are of.
  parameter int unsigned Spine = 1,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0,
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 2,
  localparam int unsigned NumRings = 2,
  localparam int unsigned NumConns = 4
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic        [NumPorts-1:0] req_valid_i,
  input frame_desc_t [NumPorts-1:0] req_i,
  input ring_t       [NumRings-1:0] rings_i,
  input logic        [NumRings-1:0] columns_i,
  input logic        [NumPorts-1:0] open_i,
  input logic                       rsp_ready_i,
  input logic                       conn_set_valid_i,
  input conn_set_t                  conn_set_i,
  input logic                       flush_hold_i,
  input logic                       flush_conns_i,
  input logic [RingW-1:0]           flush_ring_i,
  input logic                       flush_free_i
);

  logic             rsp_valid, idle, done, walks;
  lookup_rsp_t      rsp;
  logic [ConnW-1:0] index;

  // One name for all, by which the task leaves the design's own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    agg_lookup #(
      .NumPorts (NumPorts),
      .NumRanks (NumRanks),
      .NumRings (NumRings),
      .NumConns (NumConns),
      .MaxWindow(1),
      .SlotBytes(64),
      .Ecc      (Ecc),
      .Spine    (Spine),
      .Without  (Without)
    ) u_lookup (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_ready_o       (),
      .req_i,
      .rings_i,
      .columns_i,
      .open_i,
      .rsp_valid_o       (rsp_valid),
      .rsp_ready_i,
      .rsp_o             (rsp),
      .conn_set_valid_i,
      .conn_set_ready_o  (),
      .conn_set_i,
      .conn_set_error_o  (),
      .conn_set_index_o  (index),
      .conn_count_o      (),
      .conn_event_o      (),
      .message_event_o   (),
      .flush_hold_i,
      .idle_o            (idle),
      .flush_conns_i,
      .flush_ring_i,
      .flush_free_i,
      .flush_conns_done_o(done),
      .flush_walks_o     (walks),
      .seen_o            ()
    );
  end

  // ---------------------------------------------------------------------------------------------
  // Requests by the cycles since they began, and the key that was asked for last.

  localparam int unsigned Rules = 4 + Ecc;   // cycles from there to the rules, stage 4

  logic          [Rules:1] inside_q;   // one began so many cycles ago
  lookup_query_t [Rules:1] began_q;    // what came with it
  lookup_known_t           said, said_q;   // what is known of it, and goes with it into stage 4
  conn_key_t               key_q;
  logic                    keyed_q;    // some key was asked for
  logic                    alone, empty, rules;
  logic [7:0]              past_q;     // so many cycles have gone by
  logic                    flushed_q;
  initial {past_q, keyed_q} = '0;

  always_comb begin
    said = u_dut.u_lookup.u_known.known_o;
    if (Spine == 0) said.columns = 1'b0;
    alone = 1'b0;
    for (int unsigned s = 1; s <= Rules; s++) if (inside_q[s] && began_q[s].alone) alone = 1'b1;
  end
  assign empty = inside_q == '0;
  assign rules = inside_q[Rules];

  always_ff @(posedge clk_i) begin
    past_q    <= {past_q[6:0], 1'b1};
    inside_q  <= rst_ni ? {inside_q[Rules-1:1], u_dut.u_lookup.begins} : '0;
    began_q   <= {began_q[Rules-1:1], u_dut.u_lookup.s1_d};
    said_q    <= said;
    flushed_q <= rst_ni && flush_conns_i;
    if (u_dut.u_lookup.begins || u_dut.u_lookup.set_query) begin
      key_q   <= u_dut.u_lookup.key & key_kept(Without);
      keyed_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q[7]) begin
      // RingIDs are compared with that of the request in stage 1; the ring's rules with the header
      // of the one in stage 2.
      a_header : assert (u_dut.u_lookup.u_header.ina1_i == began_q[Rules-3].ina &&
                         u_dut.u_lookup.u_header.ina2_i == began_q[Rules-2].ina)
      else $error("header of another request");
      // What is said of the header and of the connection is said of the request in stage 3.
      a_third : assert (u_dut.u_lookup.u_known.req_i == began_q[Rules-1])
      else $error("another request");
      a_its_header : assert ({u_dut.u_lookup.u_known.header_known_i,
          u_dut.u_lookup.u_known.header_drop_i, u_dut.u_lookup.u_known.header_bad_i,
          u_dut.u_lookup.u_known.header_ring_i} ==
          {u_dut.u_lookup.header_known, u_dut.u_lookup.header_drop, u_dut.u_lookup.header_bad,
           u_dut.u_lookup.header_ring})
      else $error("another header");
      a_its_conn : assert ({u_dut.u_lookup.u_known.hit_i, u_dut.u_lookup.u_known.full_i,
          u_dut.u_lookup.u_known.lost_i, u_dut.u_lookup.u_known.retired_i,
          u_dut.u_lookup.u_known.conn_i, u_dut.u_lookup.u_known.ring_i,
          u_dut.u_lookup.u_known.rank_i} ==
          {u_dut.u_lookup.conn_hit, u_dut.u_lookup.table_full, u_dut.u_lookup.conn_lost,
           u_dut.u_lookup.conn_retired, u_dut.u_lookup.conn, u_dut.u_lookup.conn_ring,
           u_dut.u_lookup.conn_rank})
      else $error("another connection");
      // The rules judge a request with all that was known of it, in the cycle behind that; there is
      // one if one began as long ago.
      a_judged : assert (u_dut.u_lookup.u_rules.valid_i == rules &&
                         u_dut.u_lookup.u_rules.known_i == said_q)
      else $error("valid %b", rules);
      // And it is the one that began then.
      a_fourth : assert (u_dut.u_lookup.u_rules.known_i.req == began_q[Rules])
      else $error("another request");
      // The one in stage 4 is in front of that in stage 3 if the table has its connection; those
      // behind it are as the stages of messages say.
      a_front : assert (u_dut.u_lookup.u_known.front_valid_i ==
          {u_dut.u_lookup.front_valid, rules && said_q.hit} &&
          u_dut.u_lookup.u_known.front_conn_i == {u_dut.u_lookup.front_conn, said_q.conn})
      else $error("in front");

      // The arbiter hears what becomes of it; and of answers that leave.
      a_ends : assert ({u_dut.u_lookup.u_arbiter.end_valid_i, u_dut.u_lookup.u_arbiter.end_port_i,
                        u_dut.u_lookup.u_arbiter.end_accept_i} ==
                       {rules, began_q[Rules].port, u_dut.u_lookup.accept} &&
                       u_dut.u_lookup.u_arbiter.answer_valid_i == (rsp_valid && rsp_ready_i) &&
                       u_dut.u_lookup.u_arbiter.answer_port_i == rsp.port)
      else $error("port %0d", began_q[Rules].port);
      // Nothing begins while a flush holds or the table is not ready. Who waits for an empty
      // pipeline waits until none is in it up to stage 4; nobody begins beside one that is alone.
      a_begins : assert (u_dut.u_lookup.u_arbiter.hold_i ==
                         !(u_dut.u_lookup.table_ready && !flush_hold_i) &&
                         u_dut.u_lookup.u_arbiter.empty_i == empty &&
                         u_dut.u_lookup.u_arbiter.alone_i == alone)
      else $error("empty %b, alone %b", empty, alone);
      // A registration waits for that, and for the table.
      a_set : assert (u_dut.u_lookup.u_set.empty_i == (empty && u_dut.u_lookup.table_ready) &&
                      u_dut.u_lookup.u_arbiter.conn_set_valid_i == u_dut.u_lookup.set_valid)
      else $error("empty %b", empty);
      // Look-up is idle if nothing is inside, in any stage, and the table is ready.
      a_idle : assert (idle ==
                       (empty && u_dut.u_lookup.table_ready && u_dut.u_lookup.behind_idle))
      else $error("idle %b", idle);
      // A flush of connections is done in the cycle behind.
      a_done : assert (done == flushed_q)
      else $error("done %b", done);

      // The table is asked as a request begins, and for a registration.
      a_asked : assert (u_dut.u_lookup.u_conns.query_valid_i ==
                        (u_dut.u_lookup.begins || u_dut.u_lookup.set_query) &&
                        u_dut.u_lookup.u_conns.query_hash_i == u_dut.u_lookup.hash)
      else $error("asked");
      // For the key of whoever asked last; that is also the one which is written.
      a_key : assert (!keyed_q || (u_dut.u_lookup.u_conns.query_key_i == key_q &&
                                   u_dut.u_lookup.u_conns.set_key_i == key_q))
      else $error("another key");
      // Both write: a request that learns, and a registration.
      a_written : assert (u_dut.u_lookup.u_conns.set_i ==
                          (u_dut.u_lookup.learn || u_dut.u_lookup.set_write))
      else $error("written");
      // A request in stage 4 learns its header's rank in its ring; a registration says both.
      a_learned : assert ({u_dut.u_lookup.u_conns.set_learned_i, u_dut.u_lookup.u_conns.set_ring_i,
                           u_dut.u_lookup.u_conns.set_rank_i} ==
          (rules ? {1'b1, said_q.ring, began_q[Rules].ina.rank[RankW-1:0]} :
           {1'b0, conn_set_i.ring, conn_set_i.rank}))
      else $error("ring %0d", u_dut.u_lookup.u_conns.set_ring_i);
      // The table's own walk stands still beside one that is alone and beside a registration.
      a_pause : assert (u_dut.u_lookup.u_conns.pause_i == (alone || u_dut.u_lookup.set_valid))
      else $error("pause");
      // Flushes and what becomes of an entry reach it as they come; the entry of a registration is
      // the one that it names.
      a_acts : assert ({u_dut.u_lookup.u_conns.flush_i, u_dut.u_lookup.u_conns.flush_ring_i,
          u_dut.u_lookup.u_conns.flush_free_i, u_dut.u_lookup.u_conns.act_i,
          u_dut.u_lookup.u_conns.act_index_i, u_dut.u_lookup.u_conns.retire_i,
          u_dut.u_lookup.u_conns.release_i} ==
          {flush_conns_i, flush_ring_i, flush_free_i, u_dut.u_lookup.set_act, conn_set_i.index,
           u_dut.u_lookup.set_retire, u_dut.u_lookup.set_release} && index == u_dut.u_lookup.conn)
      else $error("acts");

      // Messages are sought of what is accepted, with its fate.
      a_sought : assert ({u_dut.u_lookup.u_message.accept_i, u_dut.u_lookup.u_message.fate_i,
          u_dut.u_lookup.u_message.learn_i} ==
          {u_dut.u_lookup.accept, u_dut.u_lookup.fate, u_dut.u_lookup.learn} &&
          u_dut.u_lookup.u_message.known_i == said_q)
      else $error("another request");
      // And forgotten as a ring is flushed or a connection registered.
      a_forgotten : assert ({u_dut.u_lookup.u_message.flush_i,
          u_dut.u_lookup.u_message.flush_ring_i, u_dut.u_lookup.u_message.set_i,
          u_dut.u_lookup.u_message.set_ring_i, u_dut.u_lookup.u_message.set_rank_i} ==
          {flush_conns_i, flush_ring_i, u_dut.u_lookup.set_write, conn_set_i.ring,
           conn_set_i.rank})
      else $error("forgets");

      // All stages are full; one is alone in the last.
      c_full : cover (inside_q == '1 && !alone);
      c_alone : cover (alone && rules && inside_q[Rules-1:1] == '0 && said_q.hit);
    end
  end

endmodule
