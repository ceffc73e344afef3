// The streaming half of a tree node: Ethernet ports, an RC connection with the neighbour behind each
// of them, and the engine between these connections (docs/tree.md; SHARP Streaming-Aggregation, 3).
//
// Frames of a port become packets of its connection (rc_port); the engine adds those of all children
// and hands the sum on (sat_stream); what it sends waits in the connection's buffer until the
// neighbour has acknowledged it. An early child waits by its credits, and nobody else waits for him.
//
// The tree and its connections begin together, and end together: a connection that fails ends the
// tree as the loss of that neighbour does, and a tree that has ended closes nothing by itself, so
// that packets on their way still leave and are acknowledged. It is the owner who closes.
module tree_streams
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::sat_cfg_t;
  import sat_pkg::sat_lock_t;
  import sat_pkg::sat_end_t;
  import sat_pkg::sat_events_t;
  import sat_pkg::VerdictLost;
#(
  /// Ports of the node, even, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// 1: a row of 16-bit elements every cycle; 0: every second one.
  parameter int unsigned WideLanes = 0,
  /// Packets of a connection that wait to be added, and to be acknowledged: powers of two.
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  /// Rows of a packet, a power of two: the longest MTU.
  parameter int unsigned MaxRows = RcMaxRows
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

  // Pulses: the tree and the connections of its neighbours begin, from nothing, and are no more.
  // What is set stands as long as they last.
  input logic                        open_i,
  input logic                        close_i,
  input sat_cfg_t                    cfg_i,
  input rc_conn_cfg_t [NumPorts-1:0] conn_cfg_i,
  input sat_lock_t                   lock_i,
  input logic         [31:0]         time_i,   // microseconds, of a clock that all share

  // The end of the tree, until it is opened anew: what the engine found, or a neighbour who is lost.
  output sat_end_t                    end_o,
  output logic       [NumPorts-1:0]   idle_o,    // all that is to leave is acknowledged
  output rc_fault_e  [NumPorts-1:0]   fault_o,   // of the port's connection
  // For counters.
  output sat_events_t                    events_o,
  output rc_conn_events_t [NumPorts-1:0] conn_events_o,
  output rc_port_events_t [NumPorts-1:0] port_events_o
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t                                   neighbours, opens, closes, claim, claim_drop, row_re;
  ports_t                                   room;
  rc_packet_t [NumPorts-1:0]                oldest;
  logic       [NumPorts-1:0][RcRowBits-1:0] row;
  rc_row_t    [NumPorts-1:0]                out;

  assign neighbours = ports_t'(cfg_i.children) |
      (cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : ports_t'(0));
  assign opens      = open_i ? neighbours : '0;
  // Who begins anew without a neighbour that he had is rid of the old connection, too.
  assign closes     = close_i ? '1 : open_i ? ~neighbours : '0;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    rc_port #(
      .NumConns (1),
      .QueueRoom(QueueRoom),
      .SendRoom (SendRoom),
      .MaxRows  (MaxRows)
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
      .open_i       (opens[p]),
      .close_i      (closes[p]),
      .cfg_i        (conn_cfg_i[p]),
      .time_i,
      .oldest_o     (oldest[p]),
      .claim_i      (claim[p]),
      .claim_drop_i (claim_drop[p]),
      .row_re_i     (row_re[p]),
      .row_o        (row[p]),
      .room_o       (room[p]),
      .send_row_i   (out[p]),
      .idle_o       (idle_o[p]),
      .fault_o      (fault_o[p+:1]),
      .conn_events_o(conn_events_o[p]),
      .events_o     (port_events_o[p])
    );
  end

  logic     open_q;
  ports_t   failed_q;
  sat_end_t engine_end, lost_q, lost;

  sat_stream #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i     (close_i || (lost_q.valid && !open_i)),
    .cfg_i,
    .lock_i,
    .time_i,
    .oldest_i    (oldest),
    .claim_o     (claim),
    .claim_drop_o(claim_drop),
    .row_re_o    (row_re),
    .row_i       (row),
    .room_i      (room),
    .out_o       (out),
    .end_o       (engine_end),
    // verilator lint_off PINCONNECTEMPTY
    .streams_o   (),
    .group_o     (),
    // verilator lint_on PINCONNECTEMPTY
    .events_o
  );

  // ---------------------------------------------------------------------------------------------
  // A neighbour who does not answer, or who breaks the rules of RC, is lost. The first cause stays.

  always_comb begin
    lost = '0;
    for (int p = NumPorts - 1; p >= 0; p--) begin
      if (failed_q[p]) begin
        lost = '{valid: 1'b1, verdict: VerdictLost, node: cfg_i.node, port: 8'(p + 1)};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      failed_q[p] <= neighbours[p] && fault_o[p] != RcGood;
    end
    if (open_q && !engine_end.valid && !lost_q.valid) lost_q <= lost;
    open_q <= open_i || (open_q && !close_i);
    if (!rst_ni || open_i) begin
      failed_q <= '0;
      lost_q   <= '0;
    end
    if (!rst_ni) open_q <= 1'b0;
  end

  assign end_o = lost_q.valid ? lost_q : engine_end;

endmodule
