// Frames that leave by a port of a tree node: ACK packets and data packets of its connections take
// turns, get their headers, and an ICRC (docs/tree.md).
//
// A data packet that is to be multicast, too, is so right in front of the first time that it is
// sent: the same rows in a frame of UD, which nobody acknowledges or asks for.
//
// An ACK packet goes first, but not two in a row while data wait; connections are taken in turn.
// What a frame is is asked for when it is chosen, a frame or two before it leaves. Rows are read
// ahead of their frame (rc_ahead), without a hole, so that frames of ten beats or more follow each
// other without a gap and a beat leaves every cycle; the last beat of a frame that nothing is in
// front of waits ten cycles for its ICRC. The shortest frame has 62 bytes, so none is padded.
module rc_leave
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Connections, 1 or more.
  parameter int unsigned NumConns = 2,
  /// Packets that each of them keeps, and rows of a packet.
  parameter int unsigned Room = 64,
  parameter int unsigned MaxRows = RcMaxRows,
  /// Cycles from a read to its row.
  parameter int unsigned RowRead = SentRow,
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic clk_i,
  input logic rst_ni,

  // A connection begins; multicasts of it are counted anew.
  input logic         [NumConns-1:0] open_i,
  input rc_conn_cfg_t [NumConns-1:0] cfg_i,
  input logic         [15:0]         cast_group_i,

  // Of each connection: see rc_conn.
  input  logic     [NumConns-1:0]       ack_valid_i,
  output logic     [NumConns-1:0]       ack_ready_o,
  input  rc_ack_t  [NumConns-1:0]       ack_i,
  input  logic     [NumConns-1:0][15:0] ack_ip_id_i,
  input  logic     [NumConns-1:0]       send_valid_i,
  output logic     [NumConns-1:0]       send_ready_o,
  input  rc_send_t [NumConns-1:0]       send_i,
  input  logic     [NumConns-1:0][AtW-1:0] send_at_i,
  input  rc_kept_t [NumConns-1:0]       sent_i,
  output logic     [NumConns-1:0]       row_re_o,
  output logic     [AtW-1:0]            row_at_o,
  output logic     [RowW-1:0]           row_number_o,
  input  logic     [NumConns-1:0][RcRowBits-1:0] row_i,

  // AXI4-Stream to the MAC, without FCS. Bytes without `tkeep` are zero.
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,

  // Pulses: a frame has left, a multicast is to.
  output logic left_o,
  output logic cast_o
);

  localparam int unsigned ConnW = (NumConns > 1) ? $clog2(NumConns) : 1;
  /// Frames that are chosen and do not leave yet; with the multicasts in front of them twice as
  /// many.
  localparam int unsigned Chosen = 2;
  /// Beats between aligner and output, as roce_egress has them.
  localparam int unsigned Beats = 24;

  // ---------------------------------------------------------------------------------------------
  // Who is next: asked for in one cycle, granted in the next.

  logic [NumConns-1:0] ack_gnt, send_gnt, ack_grant_q, send_grant_q;
  logic [ConnW-1:0]    ack_idx, send_idx, granted_q;
  logic                ack_any, send_any, acks, sends, chooses, after_ack_q;
  logic                taken, taken_q;

  prim_arb_rr #(
    .N(NumConns)
  ) u_acks (
    .clk_i,
    .rst_ni,
    .req_i    (ack_valid_i),
    .advance_i(acks),
    .gnt_o    (ack_gnt),
    .idx_o    (ack_idx),
    .valid_o  (ack_any)
  );

  prim_arb_rr #(
    .N(NumConns)
  ) u_sends (
    .clk_i,
    .rst_ni,
    .req_i    (send_valid_i),
    .advance_i(sends),
    .gnt_o    (send_gnt),
    .idx_o    (send_idx),
    .valid_o  (send_any)
  );

  assign acks  = chooses && ack_any && !(after_ack_q && send_any);
  assign sends = chooses && send_any && !acks;

  always_ff @(posedge clk_i) begin
    ack_grant_q  <= acks ? ack_gnt : '0;
    send_grant_q <= sends ? send_gnt : '0;
    if (acks || sends) begin
      granted_q   <= acks ? ack_idx : send_idx;
      after_ack_q <= acks;
    end
    if (!rst_ni) begin
      ack_grant_q  <= '0;
      send_grant_q <= '0;
      after_ack_q  <= 1'b0;
    end
  end

  assign ack_ready_o  = ack_grant_q;
  assign send_ready_o = send_grant_q;
  // What was offered may have been taken back.
  assign taken        = ((ack_grant_q & ack_valid_i) | (send_grant_q & send_valid_i)) != '0;

  // What it is: of a data packet a part of it comes a cycle later.
  logic             is_ack_q;
  logic [ConnW-1:0] conn_q;
  rc_ack_t          ack_q;
  rc_send_t         send_q;
  logic [AtW-1:0]   at_q;
  logic [15:0]      ack_ip_id_q;
  rc_frame_t        frame;
  rc_kept_t         sent, sent_q;
  logic             casts, copy_q, pushes;   // a multicast; what comes behind it; either
  logic [NumConns-1:0][PsnW-1:0] cast_psn_q;

  // A multicast's packet is looked at in two cycles; nothing else is chosen meanwhile.
  assign sent   = copy_q ? sent_q : sent_i[conn_q];
  assign casts  = taken_q && !is_ack_q && sent.cast && !send_q.again;
  assign pushes = taken_q || copy_q;
  assign cast_o = casts;

  always_ff @(posedge clk_i) begin
    taken_q     <= taken;
    is_ack_q    <= ack_grant_q != '0;
    conn_q      <= granted_q;
    ack_q       <= ack_i[granted_q];
    ack_ip_id_q <= ack_ip_id_i[granted_q];
    if (!casts) begin
      send_q <= send_i[granted_q];
      at_q   <= send_at_i[granted_q];
    end
    copy_q      <= casts;
    sent_q      <= sent;
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (casts && conn_q == ConnW'(c)) cast_psn_q[c] <= cast_psn_q[c] + PsnW'(1);
      if (open_i[c]) cast_psn_q[c] <= '0;
    end
    if (!rst_ni) begin
      taken_q <= 1'b0;
      copy_q  <= 1'b0;
    end
  end

  always_comb begin
    frame.ack         = is_ack_q;
    frame.cast        = casts;
    frame.opcode      = is_ack_q ? OpAck : casts ? OpCast : send_opcode(sent.first, sent.last);
    frame.solicited   = !is_ack_q && !casts && sent.last;
    frame.ack_request = !is_ack_q && !casts && send_q.ack_request;
    frame.psn         = is_ack_q ? ack_q.psn : casts ? cast_psn_q[conn_q] : send_q.psn;
    frame.aeth        = is_ack_q ? {ack_q.syndrome, ack_q.msn} : '0;
    frame.ip_id       = is_ack_q ? ack_ip_id_q : casts ? '0 : send_q.ip_id;
    frame.len         = is_ack_q ? '0 : sent.len;
  end

  // ---------------------------------------------------------------------------------------------
  // Chosen frames, for who makes headers and for who reads rows.

  typedef struct packed {
    logic [ConnW-1:0] conn;
    rc_frame_t        is;
  } chosen_t;

  typedef struct packed {
    logic [ConnW-1:0] conn;
    logic             ack;
    logic [AtW-1:0]   at;
    logic [RowW-1:0]  last_row;
    logic [6:0]       keep;       // bytes of the last row that count
  } rows_t;

  logic    head_ready, head_valid, head_pop, rows_ready, rows_valid, rows_pop;
  chosen_t head;
  rows_t   rows_in, rows;
  logic [$clog2(2*Chosen+1)-1:0] head_count, rows_count;

  // With constants, as an addition is deeper.
  assign chooses = (ack_grant_q | send_grant_q) == '0 && (taken_q ?
      32'(head_count) < Chosen - 1 && 32'(rows_count) < Chosen - 1 :
      32'(head_count) < Chosen && 32'(rows_count) < Chosen);

  always_comb begin
    rows_in.conn     = conn_q;
    rows_in.ack      = is_ack_q;
    rows_in.at       = at_q;
    rows_in.last_row = RowW'(last_row_of(14'(frame.len)));
    // Of an ACK packet a row without a byte.
    rows_in.keep     = is_ack_q ? 7'd0 : {frame.len[5:0] == '0, frame.len[5:0]};
  end

  prim_fifo #(
    .T    (chosen_t),
    .Depth(2 * Chosen)
  ) u_heads (
    .clk_i,
    .rst_ni,
    .in_valid_i (pushes),
    .in_ready_o (head_ready),
    .in_i       ('{conn: conn_q, is: frame}),
    .out_valid_o(head_valid),
    .out_ready_i(head_pop),
    .out_o      (head),
    .count_o    (head_count)
  );

  prim_fifo #(
    .T    (rows_t),
    .Depth(2 * Chosen)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .in_valid_i (pushes),
    .in_ready_o (rows_ready),
    .in_i       (rows_in),
    .out_valid_o(rows_valid),
    .out_ready_i(rows_pop),
    .out_o      (rows),
    .count_o    (rows_count)
  );

  logic          record_valid, record_done;
  logic [1023:0] record;

  rc_header #(
    .NumConns(NumConns)
  ) u_header (
    .clk_i,
    .rst_ni,
    .cfg_i,
    .cast_group_i,
    .in_valid_i(head_valid),
    .in_ready_o(head_pop),
    .in_conn_i (head.conn),
    .in_i      (head.is),
    .valid_o   (record_valid),
    .record_o  (record),
    .done_i    (record_done)
  );

  // ---------------------------------------------------------------------------------------------
  // Rows, ahead of their frame.

  logic                row_last, row_valid, row_takes;
  logic [BeatBits-1:0] row;

  rc_ahead #(
    .NumConns(NumConns),
    .Room    (Room),
    .MaxRows (MaxRows),
    .RowRead (RowRead)
  ) u_ahead (
    .clk_i,
    .rst_ni,
    .in_valid_i  (rows_valid),
    .in_ready_o  (rows_pop),
    .in_none_i   (rows.ack),
    .in_conn_i   (rows.conn),
    .in_at_i     (rows.at),
    .in_last_i   (rows.last_row),
    .in_keep_i   (rows.keep),
    .row_re_o,
    .row_at_o,
    .row_number_o,
    .row_i,
    .out_valid_o (row_valid),
    .out_ready_i (row_takes),
    .out_last_o  (row_last),
    .out_row_o   (row)
  );

  // ---------------------------------------------------------------------------------------------
  // Headers and rows together; ICRC.

  logic                beat_valid, beat_first, beat_second, beat_last, beat_v6, beat_vlan, beat_bad;
  logic [3:0]          beat_end;
  logic [BeatBits-1:0] beat_data;
  logic                beat_pop, out_valid, out_ready;
  beat_t               out;
  // verilator lint_off UNUSEDSIGNAL
  logic                starts, drops, out_first, out_bad;   // of no use without Ecc
  logic [ConnBits-1:0] starts_conn;
  logic [23:0]         starts_psn;
  // verilator lint_on UNUSEDSIGNAL

  roce_egress_align #(
    .Beats(Beats)
  ) u_align (
    .clk_i,
    .rst_ni,
    .epoch_i       ('0),
    .header_valid_i(record_valid),
    .header_i      (record),
    .header_bad_i  (1'b0),
    .header_done_o (record_done),
    .row_valid_i   (row_valid),
    .row_ready_o   (row_takes),
    .row_i         (row),
    .row_last_i    (row_last),
    .row_bad_i     (1'b0),
    .begin_valid_o (starts),
    .begin_conn_o  (starts_conn),
    .begin_psn_o   (starts_psn),
    .drop_o        (drops),
    .beat_valid_o  (beat_valid),
    .beat_first_o  (beat_first),
    .beat_second_o (beat_second),
    .beat_last_o   (beat_last),
    .beat_end_o    (beat_end),
    .beat_v6_o     (beat_v6),
    .beat_vlan_o   (beat_vlan),
    .beat_data_o   (beat_data),
    .beat_bad_o    (beat_bad),
    .beat_pop_i    (beat_pop)
  );

  roce_icrc_insert #(
    .Beats(Beats)
  ) u_icrc (
    .clk_i,
    .rst_ni,
    .beat_valid_i (beat_valid),
    .beat_first_i (beat_first),
    .beat_second_i(beat_second),
    .beat_last_i  (beat_last),
    .beat_end_i   (beat_end),
    .beat_v6_i    (beat_v6),
    .beat_vlan_i  (beat_vlan),
    .beat_data_i  (beat_data),
    .beat_bad_i   (beat_bad),
    .beat_pop_o   (beat_pop),
    .out_valid_o  (out_valid),
    .out_ready_i  (out_ready),
    .out_first_o  (out_first),
    .out_bad_o    (out_bad),
    .out_o        (out)
  );

  typedef struct packed {
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [BeatBits-1:0]  data;
  } axis_t;

  axis_t axis_in, axis_out;

  always_comb begin
    axis_in.last = out.last;
    axis_in.data = out.data;
    for (int unsigned b = 0; b < BeatBytes; b++) axis_in.keep[b] = 7'(b) < out.bytes;
  end

  prim_skid #(
    .T(axis_t)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .in_valid_i (out_valid),
    .in_ready_o (out_ready),
    .in_i       (axis_in),
    .out_valid_o(m_axis_tvalid),
    .out_ready_i(m_axis_tready),
    .out_o      (axis_out)
  );

  assign m_axis_tdata = axis_out.data;
  assign m_axis_tkeep = axis_out.keep;
  assign m_axis_tlast = axis_out.last;
  assign left_o       = m_axis_tvalid && m_axis_tready && axis_out.last;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What was chosen finds room, its rows too; else a frame would leave with another one's rows.
      a_chosen : assert (!pushes || (head_ready && rows_ready))
      else $error("%m: a frame was chosen without room");
      // A multicast is a message; a part of one would say nothing to anybody.
      a_cast : assert (!casts || (sent.first && sent.last))
      else $error("%m: a part of a message is multicast");
    end
  end

endmodule
