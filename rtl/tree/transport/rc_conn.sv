// One RC connection that the device ends: both decisions (rc_respond, rc_request) with the buffers
// that they decide of (rc_queue, rc_send_buffer), between who uses it and the port that its frames
// come and leave by (docs/tree.md).
module rc_conn
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Packets that may wait to be read, and packets that may wait to be acknowledged: powers of two.
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  /// Rows of a packet, a power of two: the longest MTU.
  parameter int unsigned MaxRows = RcMaxRows,
  /// 1: memories are corrected, or looked at, and rows are read a cycle later both ways.
  parameter int unsigned Ecc = 0,
  localparam int unsigned AtW = $clog2(SendRoom),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic clk_i,
  input logic rst_ni,

  // The connection begins, with nothing in its buffers; both settings stand as long as it lasts.
  // `close_i`: it is no more. Both may come at any time; see rc_queue and rc_send_buffer for who is
  // in the middle of something then.
  input logic            open_i,
  input logic            close_i,
  input rc_request_cfg_t request_cfg_i,
  input rc_respond_cfg_t respond_cfg_i,
  input logic [31:0]     time_i,          // microseconds

  // Who uses it: what came (rc_queue), and what is to leave.
  output rc_packet_t           oldest_o,
  input  logic                 claim_i,
  input  logic                 claim_drop_i,
  input  logic                 row_re_i,
  output logic [RcRowBits-1:0] row_o,
  output logic                 room_o,     // for a whole packet (rc_send_buffer)
  input  rc_row_t              send_row_i,
  input  logic                 send_cast_i,   // with `start`: the packet is multicast, too

  // The port: rows of all frames; those of this connection, a packet that is whole and right, and
  // an ACK packet. The packet comes three cycles in front of its `stop`, or four.
  input rc_came_t   came_i,
  input logic       data_valid_i,
  input rc_data_t   data_i,
  input logic       answer_valid_i,
  input rc_answer_t answer_i,

  // The port: an ACK packet may leave; what is shown may change while it is not taken.
  output logic        ack_valid_o,
  input  logic        ack_ready_i,
  output rc_ack_t     ack_o,
  output logic [15:0] ack_ip_id_o,
  // A data packet may leave; what it is comes a cycle behind it, and its rows, SentRow cycles
  // later, are read from the place that comes with it.
  output logic                 send_valid_o,
  input  logic                 send_ready_i,
  output rc_send_t             send_o,
  output logic [AtW-1:0]       send_at_o,
  output rc_kept_t             sent_o,
  input  logic                 sent_re_i,
  input  logic [AtW-1:0]       sent_at_i,
  input  logic [RowW-1:0]      sent_number_i,
  output logic [RcRowBits-1:0] sent_row_o,

  output logic            idle_o,     // all that is to leave is acknowledged
  output rc_fault_e       fault_o,    // of either half
  output rc_conn_events_t events_o,
  output rc_memory_t      memory_o
);

  rc_memory_t queue_memory, send_memory;
  logic     clears, decided;
  rc_fate_e fate;
  assign clears = open_i || close_i;

  // ---------------------------------------------------------------------------------------------
  // What comes.

  // verilator lint_off UNUSEDSIGNAL
  rc_data_t  data1_q;   // its PSN is not kept
  // verilator lint_on UNUSEDSIGNAL
  rc_kept_t  kept_q, decided_q;
  logic      gone, keep_q;
  rc_fault_e request_fault, respond_fault;

  // A packet's fate comes FateAnswer cycles behind it.
  always_ff @(posedge clk_i) begin
    data1_q <= data_i;
    kept_q  <= '{cast: 1'b0, first: begins(data1_q.opcode), last: ends(data1_q.opcode),
                 len: data1_q.len};
    // Registered, because it is the end of a long way.
    keep_q    <= decided && fate == RcTaken && !clears && rst_ni;
    decided_q <= kept_q;
  end

  rc_respond #(
    .Room(QueueRoom)
  ) u_respond (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i  (respond_cfg_i),
    .data_valid_i,
    .data_i,
    .fate_valid_o(decided),
    .fate_o      (fate),
    .gone_i (gone),
    .ack_valid_o,
    .ack_ready_i,
    .ack_o,
    .fault_o(respond_fault)
  );

  rc_queue #(
    .Room   (QueueRoom),
    .MaxRows(MaxRows),
    .Ecc    (Ecc)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i(clears),
    .came_i,
    .keep_i (keep_q),
    .kept_i (decided_q),
    .gone_o (gone),
    .oldest_o,
    .claim_i,
    .claim_drop_i,
    .row_re_i,
    .row_o,
    .memory_o(queue_memory)
  );

  // ---------------------------------------------------------------------------------------------
  // What leaves.

  logic           room, more, post, post_last;
  logic [AtW-1:0] place;

  rc_request #(
    .Room(SendRoom)
  ) u_request (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i             (request_cfg_i),
    .time_i,
    .post_i            (post),
    .post_last_i       (post_last),
    .room_o            (room),
    .more_o            (more),
    .place_o           (place),
    .send_valid_o,
    .send_ready_i,
    .send_psn_o        (send_o.psn),
    .send_at_o,
    .send_ack_request_o(send_o.ack_request),
    .answer_valid_i,
    .answer_i,
    .idle_o,
    .fault_o           (request_fault),
    .events_o          (events_o.request)
  );

  rc_send_buffer #(
    .Room   (SendRoom),
    .MaxRows(MaxRows),
    .Ecc    (Ecc)
  ) u_send_buffer (
    .clk_i,
    .rst_ni,
    .clear_i     (clears),
    .room_o,
    .row_i       (send_row_i),
    .row_cast_i  (send_cast_i),
    .room_i      (room),
    .more_i      (more),
    .place_i     (place),
    .post_o      (post),
    .post_last_o (post_last),
    .kept_re_i   (send_valid_o && send_ready_i),
    .kept_at_i   (send_at_o),
    .kept_o      (sent_o),
    .row_re_i    (sent_re_i),
    .row_at_i    (sent_at_i),
    .row_number_i(sent_number_i),
    .row_o       (sent_row_o),
    .memory_o    (send_memory)
  );

  assign memory_o = (Ecc != 0) ? both(queue_memory, send_memory) : '0;

  assign events_o.answered = answer_valid_i;
  assign events_o.acked    = ack_valid_o && ack_ready_i;
  assign events_o.decided  = decided;
  assign events_o.fate     = fate;
  assign events_o.gone     = gone;
  assign fault_o = (request_fault != RcGood) ? request_fault : respond_fault;

  // Frames of each half are counted in their IP identification, which is all that tells two
  // repetitions of a packet apart.
  logic [15:0] ack_ip_id_q, send_ip_id_q;

  always_ff @(posedge clk_i) begin
    if (ack_valid_o && ack_ready_i) ack_ip_id_q <= ack_ip_id_q + 16'd1;
    if (send_valid_o && send_ready_i) send_ip_id_q <= send_ip_id_q + 16'd1;
    if (open_i) begin
      ack_ip_id_q  <= '0;
      send_ip_id_q <= '0;
    end
  end

  assign ack_ip_id_o  = ack_ip_id_q;
  assign send_o.ip_id = send_ip_id_q;
  assign send_o.again = events_o.request.repeated;

  // ---------------------------------------------------------------------------------------------

  logic [FateAnswer-1:0] undecided_q;   // packets without a fate, by age
  always_ff @(posedge clk_i) begin
    undecided_q <= {undecided_q[FateAnswer-2:0], data_valid_i};
    if (!rst_ni) undecided_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet's fate comes at its time; else it would be another packet's.
      a_fate_time : assert (decided == undecided_q[FateAnswer-1])
      else $error("%m: a packet has no fate %0d cycles after it came", FateAnswer);
      // A packet fits its place; else what it has behind that would be missing, and be
      // acknowledged.
      a_mtu : assert (!open_i || 32'(respond_cfg_i.mtu) <= 64 * MaxRows)
      else $error("%m: an MTU of %0d bytes", respond_cfg_i.mtu);
    end
  end

endmodule
