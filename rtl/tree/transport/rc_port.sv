// One Ethernet port of a tree node, and the RC connections with the neighbour behind it: frames on
// one side, packets on the other (docs/tree.md).
//
// Frames that come are never held back: what finds no room is answered "not ready" (rc_respond),
// and what is of no connection is counted and dropped. Both directions have a beat of 64 bytes a
// cycle.
module rc_port
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Connections, 1 to 8.
  parameter int unsigned NumConns = 2,
  /// Packets of a connection that may wait to be read, and to be acknowledged: powers of two.
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  /// Rows of a packet, a power of two: the longest MTU.
  parameter int unsigned MaxRows = RcMaxRows,
  /// 1: memories are corrected, or looked at (rc_conn).
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // From and to the MAC, without FCS (rc_arrive, rc_leave).
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,

  // Connections. Pulses: it begins, and is no more; what is set stands as long as it lasts, and as
  // long as frames of it leave behind that.
  input logic         [NumConns-1:0] open_i,
  input logic         [NumConns-1:0] close_i,
  input rc_conn_cfg_t [NumConns-1:0] cfg_i,
  input logic         [31:0]         time_i,   // microseconds
  // The multicast group that packets which are to be multicast are sent to; stands as `cfg_i` does.
  input logic         [15:0]         cast_group_i,
  // The parent is behind this port, and multicasts to that group: rows of what comes, and a message
  // that is whole and right, as rc_conn has them.
  input  logic                       listens_i,
  output rc_came_t                   came_o,
  output logic                       cast_valid_o,
  output logic        [12:0]         cast_len_o,

  // To who uses the connections: packets that came, rows that are to leave, faults (rc_conn).
  output rc_packet_t [NumConns-1:0]                oldest_o,
  input  logic       [NumConns-1:0]                claim_i,
  input  logic       [NumConns-1:0]                claim_drop_i,
  input  logic       [NumConns-1:0]                row_re_i,
  output logic       [NumConns-1:0][RcRowBits-1:0] row_o,
  output logic       [NumConns-1:0]                room_o,
  input  rc_row_t    [NumConns-1:0]                send_row_i,
  input  logic       [NumConns-1:0]                send_cast_i,

  output logic            [NumConns-1:0] idle_o,   // nothing of the connection is under way
  output rc_fault_e       [NumConns-1:0] fault_o,   // why it has failed
  output rc_conn_events_t [NumConns-1:0] conn_events_o,
  output rc_port_events_t                events_o,   // pulses, for the counters
  output rc_memory_t                     memory_o   // flipped bits that were read
);

  if (NumConns < 1 || NumConns > 8) begin : gen_check_conns
    $fatal(1, "%m: NumConns must be 1 to 8");
  end

  localparam int unsigned AtW = $clog2(SendRoom);
  localparam int unsigned RowW = $clog2(MaxRows);

  logic      [NumConns-1:0] open_q;
  conn_key_t [NumConns-1:0] in;
  conn_key_t                cast_in;

  always_ff @(posedge clk_i) begin
    open_q <= (open_q | open_i) & ~close_i;
    if (!rst_ni) open_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------

  rc_came_t            came;
  logic [NumConns-1:0] data_valid, answer_valid;
  rc_data_t            packet;
  rc_answer_t          answer;

  rc_arrive #(
    .NumConns(NumConns)
  ) u_arrive (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .in_i          (in),
    .open_i        (open_q),
    .clear_i       (open_i | close_i),
    .listens_i,
    .cast_in_i     (cast_in),
    .cast_from_i   (cfg_i[0].out.qpn),
    .came_o        (came),
    .data_valid_o  (data_valid),
    .data_o        (packet),
    .answer_valid_o(answer_valid),
    .answer_o      (answer),
    .cast_valid_o,
    .cast_len_o,
    .came_pulse_o  (events_o.came),
    .error_o       (events_o.frame_error),
    .bad_icrc_o    (events_o.bad_icrc),
    .stray_o       (events_o.stray)
  );

  assign cast_in = '{vlan: in[0].vlan, v6: in[0].v6, src: in[0].src,
                     dst: cast_ip(in[0].v6, cast_group_i), qpn: CastQpn};
  assign events_o.cast_in = cast_valid_o;
  assign came_o = came;

  rc_memory_t [NumConns-1:0]              memory;
  rc_memory_t                             found;
  logic     [NumConns-1:0]                ack_valid, ack_ready, send_valid, send_ready, sent_re;
  rc_ack_t  [NumConns-1:0]                ack;
  logic     [NumConns-1:0][15:0]          ack_ip_id;
  rc_send_t [NumConns-1:0]                send;
  logic     [NumConns-1:0][AtW-1:0]       send_at;
  rc_kept_t [NumConns-1:0]                sent;
  logic     [AtW-1:0]                     sent_at;
  logic     [RowW-1:0]                    sent_number;
  logic     [NumConns-1:0][RcRowBits-1:0] sent_row;

  for (genvar c = 0; c < NumConns; c++) begin : gen_conn
    assign in[c] = cfg_i[c].in;

    rc_conn #(
      .QueueRoom(QueueRoom),
      .SendRoom (SendRoom),
      .MaxRows  (MaxRows),
      .Ecc      (Ecc)
    ) u_conn (
      .clk_i,
      .rst_ni,
      .open_i          (open_i[c]),
      .close_i         (close_i[c]),
      .request_cfg_i   (cfg_i[c].request),
      .respond_cfg_i   (cfg_i[c].respond),
      .time_i,
      .oldest_o        (oldest_o[c]),
      .claim_i         (claim_i[c]),
      .claim_drop_i    (claim_drop_i[c]),
      .row_re_i        (row_re_i[c]),
      .row_o           (row_o[c]),
      .room_o          (room_o[c]),
      .send_row_i      (send_row_i[c]),
      .send_cast_i     (send_cast_i[c]),
      .came_i          (came),
      .data_valid_i    (data_valid[c]),
      .data_i          (packet),
      .answer_valid_i  (answer_valid[c]),
      .answer_i        (answer),
      .ack_valid_o     (ack_valid[c]),
      .ack_ready_i     (ack_ready[c]),
      .ack_o           (ack[c]),
      .ack_ip_id_o     (ack_ip_id[c]),
      .send_valid_o    (send_valid[c]),
      .send_ready_i    (send_ready[c]),
      .send_o          (send[c]),
      .send_at_o       (send_at[c]),
      .sent_o          (sent[c]),
      .sent_re_i       (sent_re[c]),
      .sent_at_i       (sent_at),
      .sent_number_i   (sent_number),
      .sent_row_o      (sent_row[c]),
      .idle_o          (idle_o[c]),
      .fault_o         (fault_o[c]),
      .events_o        (conn_events_o[c]),
      .memory_o        (memory[c])
    );
  end

  always_comb begin
    memory_o = '0;
    for (int unsigned c = 0; c < NumConns && Ecc != 0; c++) begin
      found            = memory[c];
      found.word.scope = (c == 0) ? OfLow : OfStreaming;
      memory_o         = both(found, memory_o);
    end
  end

  rc_leave #(
    .NumConns(NumConns),
    .Room    (SendRoom),
    .MaxRows (MaxRows),
    .RowRead (SentRow + Ecc)
  ) u_leave (
    .clk_i,
    .rst_ni,
    .open_i,
    .cfg_i,
    .cast_group_i,
    .ack_valid_i (ack_valid),
    .ack_ready_o (ack_ready),
    .ack_i       (ack),
    .ack_ip_id_i (ack_ip_id),
    .send_valid_i(send_valid),
    .send_ready_o(send_ready),
    .send_i      (send),
    .send_at_i   (send_at),
    .sent_i      (sent),
    .row_re_o    (sent_re),
    .row_at_o    (sent_at),
    .row_number_o(sent_number),
    .row_i       (sent_row),
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .left_o      (events_o.left),
    .cast_o      (events_o.cast)
  );

endmodule
