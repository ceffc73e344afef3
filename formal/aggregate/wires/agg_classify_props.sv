// agg_classify: which wire goes where between look-up, the age of connections, flushes, and those
// around them.
//
// What the three make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: agg_lookup, agg_conn_age, agg_flush.
module agg_classify_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
#(
  /// 1: the device is above others; below one.
  parameter int unsigned Tree = 1,
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, Tree, Tree, 2, 9216, Ecc)
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input ring_t       [Cfg.NumRings-1:0]  rings_i,
  input logic        [Cfg.NumRings-1:0]  columns_i,
  input core_setup_t                     setup_i,
  input command_req_t                    command_i,
  input lookup_req_t [Cfg.NumPorts-1:0]  lookup_i,
  input logic                            decide_ready_i,
  input logic                            idle_i,
  input logic        [Cfg.NumPorts-1:0]  busy_i,
  input logic                            flush_slot_ready_i
);

  ring_t       [Cfg.NumRings-1:0] rings;
  command_rsp_t                   command;
  logic        [Cfg.NumPorts-1:0] lookup_ready;
  decide_req_t                    decide;
  flush_conns_t                   flush;
  logic                           idle;
  flush_req_t                     flush_slot;
  mem_event_t                     conn_event, message_event;
  obs_flush_t                     obs;

  agg_classify #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .rings_o        (rings),
    .columns_i,
    .setup_i,
    .command_i,
    .command_o      (command),
    .lookup_i,
    .lookup_ready_o (lookup_ready),
    .decide_o       (decide),
    .decide_ready_i,
    .flush_o        (flush),
    .idle_o         (idle),
    .idle_i,
    .busy_i,
    .flush_slot_o   (flush_slot),
    .flush_slot_ready_i,
    .conn_event_o   (conn_event),
    .message_event_o(message_event),
    .obs_o          (obs)
  );

  // What a flush says of a ring's closing, without what age says beside it.
  obs_flush_t closes, told;
  always_comb begin
    closes           = u_dut.u_flush.obs_o;
    told             = obs;
    told.aged        = closes.aged;
    told.aged_ring   = closes.aged_ring;
    told.aged_rank   = closes.aged_rank;
  end

  always_ff @(posedge clk_i) begin
    // All three are reset.
    a_reset : assert (u_dut.u_lookup.rst_ni == rst_ni && u_dut.u_age.rst_ni == rst_ni &&
                      u_dut.u_flush.rst_ni == rst_ni)
    else $error("reset");
    // Look-up sees rings as a flush leaves them; so does everybody else. Age and flushes see them
    // as they are set up.
    a_rings : assert (u_dut.u_lookup.rings_i == u_dut.u_flush.rings_o &&
                      rings == u_dut.u_flush.rings_o && u_dut.u_age.rings_i == rings_i &&
                      u_dut.u_flush.rings_i == rings_i)
    else $error("other rings");
    // Registers reach who reads them.
    a_setup : assert (u_dut.u_lookup.columns_i == columns_i &&
                      u_dut.u_lookup.open_i == setup_i.open[Cfg.NumPorts-1:0] &&
                      u_dut.u_age.limit_i == setup_i.age_limit)
    else $error("other registers");
    // An answer goes to slot state, and waits for it.
    a_answer : assert (decide.valid == u_dut.u_lookup.rsp_valid_o &&
                       decide.packet == u_dut.u_lookup.rsp_o &&
                       u_dut.u_lookup.rsp_ready_i == decide_ready_i)
    else $error("another answer");

    // What software wants of a connection goes through age, and is answered by it; the entry is
    // what look-up says.
    a_command : assert (u_dut.u_age.soft_valid_i == command_i.set_valid &&
                        u_dut.u_age.soft_i == command_i.conn &&
                        command.set_ready == u_dut.u_age.soft_ready_o &&
                        command.set_error == u_dut.u_age.soft_error_o &&
                        command.set_index == u_dut.u_lookup.conn_set_index_o)
    else $error("another command");
    // Look-up hears of connections from age alone, and answers it.
    a_set : assert (u_dut.u_lookup.conn_set_valid_i == u_dut.u_age.set_valid_o &&
                    u_dut.u_lookup.conn_set_i == u_dut.u_age.set_o &&
                    u_dut.u_age.set_ready_i == u_dut.u_lookup.conn_set_ready_o &&
                    u_dut.u_age.set_error_i == u_dut.u_lookup.conn_set_error_o)
    else $error("another connection");
    // Who is alive is what look-up has seen.
    a_seen : assert (u_dut.u_age.seen_i == u_dut.u_lookup.seen_o)
    else $error("seen");
    // How full the table is, and what was found in memories, is look-up's.
    a_counts : assert (command.conns == u_dut.u_lookup.conn_count_o &&
                       conn_event == u_dut.u_lookup.conn_event_o &&
                       message_event == u_dut.u_lookup.message_event_o)
    else $error("other counts");

    // A flush that software wants goes to agg_flush, which says when it is done.
    a_wanted : assert (u_dut.u_flush.flush_valid_i == command_i.flush_valid &&
                       u_dut.u_flush.flush_ring_i == command_i.flush_ring &&
                       u_dut.u_flush.flush_free_i == command_i.flush_release &&
                       u_dut.u_flush.flush_slots_i == command_i.flush_slots &&
                       command.flush_ready == u_dut.u_flush.flush_ready_o)
    else $error("another flush");
    // It holds look-up and waits until that and whoever else is asked are idle, and no port busy.
    a_holds : assert (u_dut.u_lookup.flush_hold_i == u_dut.u_flush.hold_o &&
                      flush.hold == u_dut.u_flush.hold_o && idle == u_dut.u_lookup.idle_o &&
                      u_dut.u_flush.lookup_idle_i == idle_i &&
                      u_dut.u_flush.ports_busy_i == busy_i)
    else $error("does not wait");
    // Look-up, age and whoever is outside forget connections in the same cycle, of the same ring.
    a_forget : assert (u_dut.u_lookup.flush_conns_i == u_dut.u_flush.flush_conns_o &&
                       u_dut.u_age.flush_i == u_dut.u_flush.flush_conns_o &&
                       flush.valid == u_dut.u_flush.flush_conns_o &&
                       u_dut.u_lookup.flush_ring_i == u_dut.u_flush.flush_conns_ring_o &&
                       u_dut.u_age.flush_ring_i == u_dut.u_flush.flush_conns_ring_o &&
                       flush.ring == u_dut.u_flush.flush_conns_ring_o &&
                       u_dut.u_lookup.flush_free_i == u_dut.u_flush.flush_conns_free_o &&
                       flush.free == u_dut.u_flush.flush_conns_free_o)
    else $error("another ring");
    // Look-up says when that is done, and written down.
    a_forgotten : assert (
        u_dut.u_flush.flush_conns_done_i == u_dut.u_lookup.flush_conns_done_o &&
        u_dut.u_flush.flush_walks_i == u_dut.u_lookup.flush_walks_o)
    else $error("not done");
    // Slots that are emptied go to slot state, one after the other.
    a_slots : assert (flush_slot.valid == u_dut.u_flush.slot_valid_o &&
                      flush_slot.slot == u_dut.u_flush.slot_o &&
                      u_dut.u_flush.slot_ready_i == flush_slot_ready_i)
    else $error("another slot");

    // Who watches is told of rings that close and open by the flush, and of who ages by age.
    a_closes : assert (told == closes)
    else $error("ring %0d", obs.ring);
    a_aged : assert (obs.aged == u_dut.u_age.aged_o && obs.aged_ring == u_dut.u_age.aged_ring_o &&
                     obs.aged_rank == u_dut.u_age.aged_rank_o)
    else $error("ring %0d, rank %0d", obs.aged_ring, obs.aged_rank);

    // A connection ages while a ring is flushed.
    c_both : cover (obs.aged && flush.valid && obs.aged_ring != flush.ring);
  end

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // A port asks in its own place, for its own packet.
      a_asks : assert (u_dut.u_lookup.req_valid_i[p] == lookup_i[p].valid &&
                       u_dut.u_lookup.req_i[p] == lookup_i[p].desc)
      else $error("port %0d", p);
      // And is heard there.
      a_heard : assert (lookup_ready[p] == u_dut.u_lookup.req_ready_o[p])
      else $error("port %0d", p);
    end
  end

endmodule
