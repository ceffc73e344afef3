// rc_leave: which frame is chosen, what its header and its rows are to say, and which wire goes
// where between those who make them.
//
// What arbiters, queues, and the makers of headers, rows and ICRCs do is left out of the circuit
// and free (`cuts` of the task), so this holds whatever they do. They have proofs of their own.
module leave_wires_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 2,
  parameter int unsigned Room = 8,
  localparam int unsigned MaxRows = RcMaxRows,
  localparam int unsigned ConnW = $clog2(NumConns),
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows)
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic         [NumConns-1:0]        open_i,
  input rc_conn_cfg_t [NumConns-1:0]        cfg_i,
  input logic         [15:0]                cast_group_i,
  input logic         [NumConns-1:0]        ack_valid_i,
  input rc_ack_t      [NumConns-1:0]        ack_i,
  input logic         [NumConns-1:0][15:0]  ack_ip_id_i,
  input logic         [NumConns-1:0]        send_valid_i,
  input rc_send_t     [NumConns-1:0]        send_i,
  input logic     [NumConns-1:0][AtW-1:0]   send_at_i,
  input rc_kept_t     [NumConns-1:0]        sent_i,
  input logic [NumConns-1:0][RcRowBits-1:0] row_i,
  input logic                               m_axis_tready,
  input logic [ConnW-1:0]                   conn_i   // any connection
);

  /// Frames that are chosen and do not leave yet.
  localparam int unsigned Chosen = 2;

  logic [NumConns-1:0]  ack_ready, send_ready, row_re;
  logic [AtW-1:0]       row_at;
  logic [RowW-1:0]      row_number;
  logic                 tvalid, tlast, left, cast, rst_n, is_q;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && is_q;

  rc_leave #(
    .NumConns(NumConns),
    .Room    (Room)
  ) u_dut (
    .clk_i,
    .rst_ni       (rst_n),
    .open_i,
    .cfg_i,
    .cast_group_i,
    .ack_valid_i,
    .ack_ready_o  (ack_ready),
    .ack_i,
    .ack_ip_id_i,
    .send_valid_i,
    .send_ready_o (send_ready),
    .send_i,
    .send_at_i,
    .sent_i,
    .row_re_o     (row_re),
    .row_at_o     (row_at),
    .row_number_o (row_number),
    .row_i,
    .m_axis_tvalid(tvalid),
    .m_axis_tready,
    .m_axis_tdata (tdata),
    .m_axis_tkeep (tkeep),
    .m_axis_tlast (tlast),
    .left_o       (left),
    .cast_o       (cast)
  );

  // ---------------------------------------------------------------------------------------------
  // What the queues of chosen frames are given.

  typedef struct packed {
    logic [ConnW-1:0] conn;
    rc_frame_t        is;
  } head_t;
  typedef struct packed {
    logic [ConnW-1:0] conn;
    logic             none;
    logic [AtW-1:0]   at;
    logic [RowW-1:0]  last_row;
    logic [6:0]       keep;
  } rows_t;
  head_t head;
  rows_t rows;
  logic  pushes;
  assign pushes = u_dut.u_heads.in_valid_i;
  assign head   = u_dut.u_heads.in_i;
  assign rows   = u_dut.u_rows.in_i;

  // ---------------------------------------------------------------------------------------------
  // Who is next. Two frames may wait, and one that is on its way to them counts.

  logic                idle, may, ack_goes, send_goes, takes, taken_q, after_ack_q;
  logic [NumConns-1:0] acks_q, sends_q;   // granted
  logic [ConnW-1:0]    who_q;
  int unsigned         waits;
  assign idle      = acks_q == '0 && sends_q == '0;
  assign waits     = 32'(taken_q) + ((u_dut.u_heads.count_o > u_dut.u_rows.count_o) ?
                                     32'(u_dut.u_heads.count_o) : 32'(u_dut.u_rows.count_o));
  assign may       = idle && waits < Chosen;
  assign ack_goes  = may && u_dut.u_acks.valid_o && (!after_ack_q || !u_dut.u_sends.valid_o);
  assign send_goes = may && u_dut.u_sends.valid_o && !ack_goes;
  assign takes     = (acks_q & ack_valid_i) != '0 || (sends_q & send_valid_i) != '0;

  // The frame that was taken: an ACK packet, or a data packet, of which the rest comes a cycle
  // later; and whether a multicast of it went in front.
  typedef struct packed {
    logic             is_ack;
    logic [ConnW-1:0] conn;
    rc_ack_t          ack;
    logic [15:0]      ack_ip_id;
    rc_send_t         send;
    logic [AtW-1:0]   at;
  } took_t;
  took_t    took_q;
  rc_kept_t kept, kept_q;
  logic     casts, copies_q;
  assign kept  = copies_q ? kept_q : sent_i[took_q.conn];
  assign casts = taken_q && !took_q.is_ack && kept.cast && !took_q.send.again;

  // The number that the next multicast of one connection has, once it is known: the one behind the
  // last one's, and 0 where the connection begins.
  logic [ConnW-1:0] conn_q;
  logic             known_q;
  logic [PsnW-1:0]  casts_q;

  initial {is_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    is_q <= 1'b1;
    acks_q  <= ack_goes ? u_dut.u_acks.gnt_o : '0;
    sends_q <= send_goes ? u_dut.u_sends.gnt_o : '0;
    if (ack_goes) who_q <= u_dut.u_acks.idx_o;
    if (send_goes) who_q <= u_dut.u_sends.idx_o;
    if (ack_goes || send_goes) after_ack_q <= ack_goes;
    taken_q <= takes;
    if (takes) begin
      took_q <= '{is_ack: acks_q != '0, conn: who_q, ack: ack_i[who_q],
                  ack_ip_id: ack_ip_id_i[who_q], send: send_i[who_q], at: send_at_i[who_q]};
    end
    copies_q <= casts;
    kept_q   <= kept;
    if (!is_q) conn_q <= conn_i;
    if (casts && took_q.conn == conn_q) begin
      known_q <= 1'b1;
      casts_q <= head.is.psn + PsnW'(1);
    end
    if (is_q && open_i[conn_q]) begin
      known_q <= 1'b1;
      casts_q <= '0;
    end
    if (!is_q) known_q <= 1'b0;
    if (!rst_n) begin
      {acks_q, sends_q}                <= '0;
      {taken_q, copies_q, after_ack_q} <= '0;
    end
  end

  // What the MAC is given.
  typedef struct packed {
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [BeatBits-1:0]  data;
  } axis_t;
  beat_t made;
  axis_t given;
  assign made  = u_dut.u_icrc.out_o;
  assign given = u_dut.u_skid.in_i;

  always_ff @(posedge clk_i) begin
    if (is_q) begin
      // Both arbiters see who wants to send; one that chose goes on.
      a_asked : assert (u_dut.u_acks.req_i == ack_valid_i && u_dut.u_sends.req_i == send_valid_i)
      else $error("asked");
      a_next : assert (u_dut.u_acks.advance_i == ack_goes && u_dut.u_sends.advance_i == send_goes)
      else $error("%b %b", u_dut.u_acks.advance_i, u_dut.u_sends.advance_i);
      // Who was chosen is granted a cycle later, and nobody else is.
      a_granted : assert (ack_ready == acks_q && send_ready == sends_q)
      else $error("%b %b", ack_ready, send_ready);

      // What was taken goes to both queues, a data packet behind its multicast; nothing else does.
      a_pushes : assert (pushes == (taken_q || copies_q) &&
                         u_dut.u_rows.in_valid_i == (taken_q || copies_q))
      else $error("pushes %b", pushes);
      a_cast : assert (cast == casts)
      else $error("cast %b", cast);
      if (pushes) begin
        // It is of the connection that was granted.
        a_conn : assert (head.conn == took_q.conn && rows.conn == took_q.conn)
        else $error("connection %0d", head.conn);
        a_kind : assert (head.is.ack == took_q.is_ack && head.is.cast == casts &&
                         rows.none == took_q.is_ack)
        else $error("ack %b, cast %b", head.is.ack, head.is.cast);
        if (took_q.is_ack) begin
          // An ACK packet has its PSN, its syndrome and number of messages, and no payload: a row
          // without a byte.
          a_ack : assert (head.is.opcode == OpAck && head.is.psn == took_q.ack.psn &&
                          head.is.aeth == {took_q.ack.syndrome, took_q.ack.msn} &&
                          head.is.ip_id == took_q.ack_ip_id && head.is.len == '0 &&
                          !head.is.solicited && !head.is.ack_request)
          else $error("opcode %h", head.is.opcode);
          a_no_row : assert (rows.last_row == '0 && rows.keep == '0)
          else $error("row %0d", rows.last_row);
        end else begin
          // What is sent has a payload as long as it is kept, and no AETH; its rows are where it
          // is,
          a_payload : assert (head.is.len == kept.len && head.is.aeth == '0 &&
                              rows.at == took_q.at)
          else $error("%0d bytes", head.is.len);
          // as many as its bytes need.
          a_rows : assert (kept.len == '0 || kept.len > 13'd4096 ||
                           (32'(rows.keep) >= 1 && 32'(rows.keep) <= BeatBytes &&
                            32'(kept.len) == 32'(rows.last_row) * BeatBytes + 32'(rows.keep)))
          else $error("%0d bytes: row %0d, %0d bytes", kept.len, rows.last_row, rows.keep);
        end
        if (casts) begin
          // A multicast asks for nothing, and is numbered for itself.
          a_cast_is : assert (head.is.opcode == OpCast && head.is.ip_id == '0 &&
                              !head.is.solicited && !head.is.ack_request)
          else $error("opcode %h", head.is.opcode);
          a_cast_psn : assert (!known_q || took_q.conn != conn_q || head.is.psn == casts_q)
          else $error("PSN %0d", head.is.psn);
        end
        if (!casts && !took_q.is_ack) begin
          // A data packet is a SEND, whole or a part, and its last one is solicited.
          a_opcode : assert (head.is.solicited == kept.last && head.is.opcode ==
                             (kept.first ? (kept.last ? 8'h04 : 8'h00) :
                              (kept.last ? 8'h02 : 8'h01)))
          else $error("opcode %h", head.is.opcode);
          // Its PSN, its number, and whether it asks for an ACK are what its connection said.
          a_send : assert ({head.is.psn, head.is.ack_request, head.is.ip_id} ==
                           {took_q.send.psn, took_q.send.ack_request, took_q.send.ip_id})
          else $error("PSN %h", head.is.psn);
        end
      end

      // What was chosen last, and how multicasts are counted, is known (helps the proof).
      a_known : assert (u_dut.after_ack_q == after_ack_q && u_dut.taken_q == taken_q &&
                        u_dut.copy_q == copies_q && (!taken_q || u_dut.conn_q == took_q.conn) &&
                        ((!taken_q && !copies_q) || u_dut.send_q.again == took_q.send.again) &&
                        (!known_q || u_dut.cast_psn_q[conn_q] == casts_q))
      else $error("after an ACK packet %b, PSN %0d", after_ack_q, casts_q);
    end

    // All that has a state has the reset.
    a_reset : assert ({u_dut.u_acks.rst_ni, u_dut.u_sends.rst_ni, u_dut.u_heads.rst_ni,
                       u_dut.u_rows.rst_ni, u_dut.u_header.rst_ni, u_dut.u_ahead.rst_ni,
                       u_dut.u_align.rst_ni, u_dut.u_icrc.rst_ni, u_dut.u_skid.rst_ni} ==
                      {9{rst_n}})
    else $error("reset");
    // Headers are made of chosen frames, in turn, with what is set.
    a_to_header : assert ({u_dut.u_header.in_valid_i, u_dut.u_header.in_conn_i,
                           u_dut.u_header.in_i} ==
                          {u_dut.u_heads.out_valid_o, u_dut.u_heads.out_o} &&
                          u_dut.u_heads.out_ready_i == u_dut.u_header.in_ready_o)
    else $error("to header");
    a_settings : assert (u_dut.u_header.cfg_i == cfg_i &&
                         u_dut.u_header.cast_group_i == cast_group_i)
    else $error("settings");
    // Rows are read of chosen frames, in turn, from the connections' buffers.
    a_to_rows : assert ({u_dut.u_ahead.in_valid_i, u_dut.u_ahead.in_conn_i,
                         u_dut.u_ahead.in_none_i, u_dut.u_ahead.in_at_i, u_dut.u_ahead.in_last_i,
                         u_dut.u_ahead.in_keep_i} ==
                        {u_dut.u_rows.out_valid_o, u_dut.u_rows.out_o} &&
                        u_dut.u_rows.out_ready_i == u_dut.u_ahead.in_ready_o)
    else $error("to rows");
    a_buffers : assert ({row_re, row_at, row_number} ==
                        {u_dut.u_ahead.row_re_o, u_dut.u_ahead.row_at_o,
                         u_dut.u_ahead.row_number_o} && u_dut.u_ahead.row_i == row_i)
    else $error("buffers");
    // A header and its rows become a frame,
    a_header : assert ({u_dut.u_align.header_valid_i, u_dut.u_align.header_i} ==
                       {u_dut.u_header.valid_o, u_dut.u_header.record_o} &&
                       u_dut.u_header.done_i == u_dut.u_align.header_done_o)
    else $error("header");
    a_row : assert ({u_dut.u_align.row_valid_i, u_dut.u_align.row_i, u_dut.u_align.row_last_i} ==
                    {u_dut.u_ahead.out_valid_o, u_dut.u_ahead.out_row_o,
                     u_dut.u_ahead.out_last_o} &&
                    u_dut.u_ahead.out_ready_i == u_dut.u_align.row_ready_o)
    else $error("row");
    // of which none is bad,
    a_good : assert (!u_dut.u_align.header_bad_i && !u_dut.u_align.row_bad_i &&
                     u_dut.u_align.epoch_i == '0)
    else $error("bad");
    // and which gets its ICRC.
    a_beats : assert ({u_dut.u_icrc.beat_valid_i, u_dut.u_icrc.beat_first_i,
                       u_dut.u_icrc.beat_second_i, u_dut.u_icrc.beat_last_i,
                       u_dut.u_icrc.beat_end_i, u_dut.u_icrc.beat_v6_i, u_dut.u_icrc.beat_vlan_i,
                       u_dut.u_icrc.beat_data_i, u_dut.u_icrc.beat_bad_i} ==
                      {u_dut.u_align.beat_valid_o, u_dut.u_align.beat_first_o,
                       u_dut.u_align.beat_second_o, u_dut.u_align.beat_last_o,
                       u_dut.u_align.beat_end_o, u_dut.u_align.beat_v6_o,
                       u_dut.u_align.beat_vlan_o, u_dut.u_align.beat_data_o,
                       u_dut.u_align.beat_bad_o} &&
                      u_dut.u_align.beat_pop_i == u_dut.u_icrc.beat_pop_o)
    else $error("beats");
    // The MAC gets it as it is, and of each beat which bytes count: from the first one on.
    a_out : assert ({u_dut.u_skid.in_valid_i, given.last, given.data} ==
                    {u_dut.u_icrc.out_valid_o, made.last, made.data} &&
                    u_dut.u_icrc.out_ready_i == u_dut.u_skid.in_ready_o)
    else $error("out");
    a_keep : assert (made.bytes > 7'd64 ||
                     65'(given.keep) == (65'd1 << made.bytes) - 65'd1)
    else $error("keep %h", given.keep);
    a_mac : assert ({tvalid, tlast, tkeep, tdata} ==
                    {u_dut.u_skid.out_valid_o, u_dut.u_skid.out_o} &&
                    u_dut.u_skid.out_ready_i == m_axis_tready)
    else $error("MAC");
    // A frame has left with its last beat.
    a_left : assert (left == (tvalid && m_axis_tready && tlast))
    else $error("left %b", left);

    // A data packet behind its second multicast; an ACK packet that waits for a data packet.
    c_copy : cover (is_q && copies_q && known_q && casts_q == PsnW'(2) && took_q.conn == conn_q);
    c_waits : cover (is_q && send_goes && u_dut.u_acks.valid_o);
  end

endmodule
