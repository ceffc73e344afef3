// A node of aggregation trees: Ethernet ports, two RC connections with the neighbour behind each of
// them, and a pair of trees between these, the low-latency one and the streaming one, with the lock
// cells that say who may stream (docs/tree.md; SHARP Streaming-Aggregation, 3).
//
// Frames become packets of their connection (rc_port), those of connection 0 go to llt_engine,
// those of connection 1 to sat_stream. What one half needs of the other:
//
//   lock cells -> sat_stream   whose vector may come in
//   sat_stream -> lock cells   an operation has ended, and is counted
//   sat_stream -> llt_engine   whose vector streams: he does not unlock meanwhile
//   sat_stream -> llt_engine   the end of the streaming tree: neighbours are told
//   llt_engine -> sat_stream   neighbours have told of it: nothing streams any more
//
// A neighbour whose connection fails is lost: with connection 1 the streaming tree ends, with
// connection 0 both do. Connections of a streaming tree that has ended are closed, and say nothing.
module tree_node
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::sat_cfg_t;
  import sat_pkg::sat_lock_t;
  import sat_pkg::sat_end_t;
  import sat_pkg::sat_events_t;
  import sat_pkg::Groups;
  import sat_pkg::MaxPorts;
  import sat_pkg::VerdictLost;
  import llt_pkg::*;
#(
  /// Ports of the node, even, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// 1: a row of 16-bit elements of a streaming vector every cycle; 0: every second one.
  parameter int unsigned WideLanes = 0,
  /// Packets of a connection that wait to be added, and to be acknowledged: powers of two.
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  /// Rows of a packet, a power of two: the longest MTU.
  parameter int unsigned MaxRows = RcMaxRows,
  /// Lock cells.
  parameter int unsigned NumCells = 2,
  /// 1: memories of rows are corrected, the others looked at (rc_memory_t).
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // From and to the MACs, without FCS (rc_port).
  input  logic [NumPorts-1:0]                s_axis_tvalid,
  output logic [NumPorts-1:0]                s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]                s_axis_tlast,
  input  logic [NumPorts-1:0]                s_axis_tuser,
  output logic [NumPorts-1:0]                m_axis_tvalid,
  input  logic [NumPorts-1:0]                m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]                m_axis_tlast,

  // Pulses: both trees and the connections of their neighbours begin, from nothing, and are no
  // more. What is set stands as long as they last. Of a port: [0] low latency, [1] streaming.
  input logic                             open_i,
  input logic                             close_i,
  input sat_cfg_t                         cfg_i,
  input logic         [15:0]              low_tree_i,   // number of the low-latency tree
  input logic         [NumPorts-1:0]      casts_i,      // whom it multicasts its results to, too
  input logic                             listens_i,    // its parent's multicasts are taken
  input rc_conn_cfg_t [NumPorts-1:0][1:0] conn_cfg_i,
  input logic         [31:0]              time_i,       // microseconds, of a clock that all share

  // While they are open: a group of `cfg_i` is another in the cycle behind `changed_o`, or the
  // streaming tree begins once more, with the connections that are set by then; the rest runs on.
  // `changed_good_o` says whether it may.
  input  low_change_t change_i,
  output logic        changed_o,
  output logic        changed_good_o,

  // Until they are opened anew: they were torn down.
  output logic                               low_down_o,
  output logic                               sat_down_o,
  output lock_cell_t [NumCells-1:0]          cells_o,
  output logic       [NumPorts-1:0][1:0]     idle_o,    // all that is to leave is acknowledged
  output rc_fault_e  [NumPorts-1:0][1:0]     fault_o,
  // For counters.
  output node_observed_t                       observed_o,
  output low_events_t                          low_events_o,
  output sat_events_t                          sat_events_o,
  output rc_conn_events_t [NumPorts-1:0][1:0]  conn_events_o,
  output rc_port_events_t [NumPorts-1:0]       port_events_o,
  output rc_memory_t                           memory_o
);

  typedef logic [NumPorts-1:0] ports_t;

  /// From the end of an operation to a lock that counts it: llt_locks may have an answer to give.
  localparam int unsigned LockLate = 8;

  // ---------------------------------------------------------------------------------------------
  // Ports. [0] of each pair is the low-latency tree's.

  ports_t                                        neighbours, neighbours_q, opens_q, closes_q;
  rc_packet_t [1:0][NumPorts-1:0]                oldest;
  ports_t     [1:0]                              claim, claim_drop, row_re, room;
  logic       [1:0][NumPorts-1:0][RcRowBits-1:0] row;
  rc_row_t    [1:0][NumPorts-1:0]                out;
  ports_t                                        out_cast;
  ports_t                                        parent_q, cast_valid;
  rc_came_t   [NumPorts-1:0]                     came;
  logic       [NumPorts-1:0][12:0]               cast_len;
  rc_memory_t [NumPorts-1:0]                     port_memory;
  logic                                          sat_closes, sat_closes_q, sat_opens, sat_opens_q;
  logic                                          forgets_q;   // all that was under way

  assign neighbours = ports_t'(cfg_i.children) |
      (cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : ports_t'(0));

  assign sat_opens = changed_o && changed_good_o && change_i.reopen && !close_i;

  // A cycle behind the engines: so are their last claims, which of a connection that has ended
  // would find nothing; and connections were closed before they open.
  always_ff @(posedge clk_i) begin
    neighbours_q <= neighbours;
    forgets_q    <= open_i || close_i;
    opens_q      <= open_i ? neighbours : '0;
    // Who begins anew without a neighbour that he had is rid of the old connections, too.
    closes_q     <= close_i ? '1 : open_i ? ~neighbours : '0;
    sat_closes_q <= sat_closes && !open_i;
    sat_opens_q  <= sat_opens && !open_i;
    parent_q     <= (cfg_i.parent_valid && listens_i) ? ports_t'(1) << cfg_i.parent : '0;
    if (!rst_ni) begin
      opens_q      <= '0;
      closes_q     <= '0;
      sat_closes_q <= 1'b0;
      sat_opens_q  <= 1'b0;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    rc_packet_t [1:0]                port_oldest;
    logic       [1:0][RcRowBits-1:0] port_row;
    logic       [1:0]                port_room;

    assign oldest[0][p] = port_oldest[0];
    assign oldest[1][p] = port_oldest[1];
    assign row[0][p]    = port_row[0];
    assign row[1][p]    = port_row[1];
    assign room[0][p]   = port_room[0];
    assign room[1][p]   = port_room[1];

    rc_port #(
      .NumConns (2),
      .QueueRoom(QueueRoom),
      .SendRoom (SendRoom),
      .MaxRows  (MaxRows),
      .Ecc      (Ecc)
    ) u_port (
      .clk_i,
      .rst_ni,
      .s_axis_tvalid(s_axis_tvalid[p]),
      .s_axis_tready(s_axis_tready[p]),
      .s_axis_tdata (s_axis_tdata[p]),
      .s_axis_tkeep (s_axis_tkeep[p]),
      .s_axis_tlast (s_axis_tlast[p]),
      .s_axis_tuser (s_axis_tuser[p]),
      .m_axis_tvalid(m_axis_tvalid[p]),
      .m_axis_tready(m_axis_tready[p]),
      .m_axis_tdata (m_axis_tdata[p]),
      .m_axis_tkeep (m_axis_tkeep[p]),
      .m_axis_tlast (m_axis_tlast[p]),
      .open_i       ({opens_q[p] || (sat_opens_q && neighbours_q[p]), opens_q[p]}),
      .close_i      ({closes_q[p] || sat_closes_q, closes_q[p]}),
      .cfg_i        (conn_cfg_i[p]),
      .time_i,
      .cast_group_i (low_tree_i),
      .listens_i    (parent_q[p]),
      .came_o       (came[p]),
      .cast_valid_o (cast_valid[p]),
      .cast_len_o   (cast_len[p]),
      .oldest_o     (port_oldest),
      .claim_i      ({claim[1][p], claim[0][p]}),
      .claim_drop_i ({claim_drop[1][p], claim_drop[0][p]}),
      .row_re_i     ({row_re[1][p], row_re[0][p]}),
      .row_o        (port_row),
      .room_o       (port_room),
      .send_row_i   ({out[1][p], out[0][p]}),
      .send_cast_i  ({1'b0, out_cast[p]}),
      .idle_o       (idle_o[p]),
      .fault_o      (fault_o[p]),
      .conn_events_o(conn_events_o[p]),
      .events_o     (port_events_o[p]),
      .memory_o     (port_memory[p])
    );
  end

  rc_packet_t           cast_oldest;
  logic                 cast_claim, cast_row_re;
  logic [RcRowBits-1:0] cast_row;
  rc_memory_t           cast_memory;

  rc_casts #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_casts (
    .clk_i,
    .rst_ni,
    .clear_i (forgets_q),
    .parent_i(parent_q),
    .came_i  (came),
    .valid_i (cast_valid),
    .len_i   (cast_len),
    .oldest_o(cast_oldest),
    .claim_i (cast_claim),
    .row_re_i(cast_row_re),
    .row_o   (cast_row),
    .memory_o(cast_memory)
  );

  // Every message of the low-latency tree is read.
  assign claim_drop[0] = '0;

  // ---------------------------------------------------------------------------------------------
  // The low-latency half, and the lock cells.

  logic              ask_valid, ask_ready, answer_valid, streams;
  lock_ask_t         ask;
  lock_answer_t      answer;
  low_observed_t     low_observed;
  sat_lock_t         lock_q;
  logic [GroupW-1:0] streams_group;
  sat_end_t          stream_end, sat_end;
  ports_t [1:0]      failed_q;
  logic              began_q, open_q, closed_q;
  logic [Groups-1:0] holds_q;
  rc_memory_t        low_memory, stream_memory;

  llt_engine #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_low (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .tree_i         (low_tree_i),
    .time_i,
    .casts_i,
    .oldest_i       (oldest[0]),
    .claim_o        (claim[0]),
    .row_re_o       (row_re[0]),
    .row_i          (row[0]),
    .room_i         (room[0]),
    .out_o          (out[0]),
    .cast_o         (out_cast),
    .cast_oldest_i  (cast_oldest),
    .cast_claim_o   (cast_claim),
    .cast_row_re_o  (cast_row_re),
    .cast_row_i     (cast_row),
    .lock_valid_o   (ask_valid),
    .lock_ready_i   (ask_ready),
    .lock_o         (ask),
    .lock_answered_i(answer_valid),
    .lock_answer_i  (answer),
    .streams_i      (streams),
    .streams_group_i(streams_group),
    .sat_end_i      (sat_end),
    .lost_i         (failed_q[0]),
    .low_down_o,
    .sat_down_o,
    .change_i,
    .holds_i        (holds_q),
    .changed_o,
    .changed_good_o,
    .observed_o     (low_observed),
    .events_o       (low_events_o),
    .memory_o       (low_memory)
  );

  tree_cells #(
    .NumCells(NumCells)
  ) u_cells (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .ask_valid_i    (ask_valid),
    .ask_ready_o    (ask_ready),
    .ask_i          (ask),
    .answer_valid_o (answer_valid),
    .answer_o       (answer),
    .lock_o         (lock_q),
    .holds_o        (holds_q),
    .there_i        (open_q),
    .down_i         (sat_down_o),
    .streams_i      (streams),
    .streams_group_i(streams_group),
    .ended_i        (sat_events_o.done),
    .cells_o
  );

  assign observed_o = '{low: low_observed, counted: sat_events_o.done,
                        asked: ask_valid && ask_ready && ask.op inside {LockTake, LockHolds}};

  // ---------------------------------------------------------------------------------------------
  // The streaming half.

  sat_stream #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes),
    .LockLate (LockLate),
    .Ecc      (Ecc)
  ) u_stream (
    .clk_i,
    .rst_ni,
    // As its connections a cycle later, for much comes together for it to begin anew.
    .open_i      (open_i || (sat_opens_q && !close_i)),
    .close_i     ((close_i || sat_closes) && !open_i),
    .cfg_i,
    .lock_i      (lock_q),
    .time_i,
    .oldest_i    (oldest[1]),
    .claim_o     (claim[1]),
    .claim_drop_o(claim_drop[1]),
    .row_re_o    (row_re[1]),
    .row_i       (row[1]),
    .room_i      (room[1]),
    .out_o       (out[1]),
    .end_o       (stream_end),
    .streams_o   (streams),
    .group_o     (streams_group),
    .events_o    (sat_events_o),
    .memory_o    (stream_memory)
  );

  // ---------------------------------------------------------------------------------------------
  // Memories, a cycle behind what was read of them.

  rc_memory_t [15:0] found;
  always_comb begin
    found = '0;
    for (int unsigned p = 0; p < NumPorts && Ecc != 0; p++) begin
      found[p]           = port_memory[p];
      found[p].word.port = 4'(p);
    end
  end

  always_ff @(posedge clk_i) begin
    memory_o <= (Ecc != 0) ? both(both(low_memory, both(cast_memory, stream_memory)),
                                  all_of(found)) : '0;
    if (!rst_ni) memory_o <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Ends. Who does not answer, or breaks the rules of RC, is lost; of two, the lowest port's.

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      failed_q[0][p] <= open_q && neighbours_q[p] && fault_o[p][0] != RcGood;
      failed_q[1][p] <= open_q && neighbours_q[p] && fault_o[p][1] != RcGood &&
          !sat_opens && !sat_opens_q;
    end
    if (!sat_end.valid) begin
      sat_end <= stream_end;
      if (failed_q[1] != '0 && !stream_end.valid) begin
        sat_end <= '{valid: 1'b1, verdict: VerdictLost, node: cfg_i.node,
                     port: lowest_port(MaxPorts'(failed_q[1]))};
      end
    end
    closed_q <= sat_down_o;
    // Of connections that are open: what one says of the life before is gone by then.
    began_q  <= open_i && !close_i;
    open_q   <= began_q || (open_q && !open_i && !close_i);
    if (sat_opens || sat_opens_q) sat_end.valid <= 1'b0;
    if (!rst_ni || open_i || close_i) begin
      failed_q      <= '0;
      sat_end.valid <= 1'b0;
      closed_q      <= 1'b0;
    end
    if (!rst_ni) begin
      began_q <= 1'b0;
      open_q  <= 1'b0;
    end
  end

  // Once, when it is known that the streaming tree has ended.
  assign sat_closes = sat_down_o && !closed_q;

  // ---------------------------------------------------------------------------------------------

  logic streams_q;
  always_ff @(posedge clk_i) streams_q <= streams && rst_ni;

  always_ff @(posedge clk_i) begin
    if (rst_ni && open_q && !sat_down_o) begin
      // No packet is taken for a vector that does not stream.
      a_streams : assert (streams || streams_q || (claim[1] & ~claim_drop[1]) == '0)
      else $error("%m: packets of ports %b are taken for no vector", claim[1] & ~claim_drop[1]);
    end
  end

endmodule
