// rc_port: which wire goes where between the frames that come, the connections and the frames that
// leave; which connections are open, and which multicasts the port takes.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: rc_arrive, rc_conn, rc_leave.
module port_wires_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumConns = 2
) (
  input logic                                    clk_i,
  input logic                                    rst_ni,
  input logic                                    s_axis_tvalid,
  input logic [BeatBits-1:0]                     s_axis_tdata,
  input logic [BeatBytes-1:0]                    s_axis_tkeep,
  input logic                                    s_axis_tlast,
  input logic [0:0]                              s_axis_tuser,
  input logic                                    m_axis_tready,
  input logic [NumConns-1:0]                     open_i,
  input logic [NumConns-1:0]                     close_i,
  input rc_conn_cfg_t [NumConns-1:0]             cfg_i,
  input logic [31:0]                             time_i,
  input logic [15:0]                             cast_group_i,
  input logic                                    listens_i,
  input logic [NumConns-1:0]                     claim_i,
  input logic [NumConns-1:0]                     claim_drop_i,
  input logic [NumConns-1:0]                     row_re_i,
  input rc_row_t [NumConns-1:0]                  send_row_i,
  input logic [NumConns-1:0]                     send_cast_i
);

  logic                                s_axis_tready, m_axis_tvalid, m_axis_tlast, cast_valid;
  logic [BeatBits-1:0]                 m_axis_tdata;
  logic [BeatBytes-1:0]                m_axis_tkeep;
  rc_came_t                            came;
  logic [12:0]                         cast_len;
  rc_packet_t [NumConns-1:0]           oldest;
  logic [NumConns-1:0][RcRowBits-1:0]  row;
  logic [NumConns-1:0]                 room, idle;
  rc_fault_e [NumConns-1:0]            fault;
  rc_conn_events_t [NumConns-1:0]      conn_events;
  rc_port_events_t                     events;
  rc_memory_t                          memory;

  rc_port #(
    .NumConns (NumConns),
    .QueueRoom(4),
    .SendRoom (8),
    .MaxRows  (4),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .open_i,
    .close_i,
    .cfg_i,
    .time_i,
    .cast_group_i,
    .listens_i,
    .came_o       (came),
    .cast_valid_o (cast_valid),
    .cast_len_o   (cast_len),
    .oldest_o     (oldest),
    .claim_i,
    .claim_drop_i,
    .row_re_i,
    .row_o        (row),
    .room_o       (room),
    .send_row_i,
    .send_cast_i,
    .idle_o       (idle),
    .fault_o      (fault),
    .conn_events_o(conn_events),
    .events_o     (events),
    .memory_o     (memory)
  );

  // A connection is open from the cycle behind its opening to that behind its closing.
  logic [NumConns-1:0] open_q;
  logic                known_q;
  initial known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) known_q <= 1'b1;
    for (int c = 0; c < NumConns; c++) begin
      if (close_i[c] || !rst_ni) open_q[c] <= 1'b0;
      else if (open_i[c]) open_q[c] <= 1'b1;
    end
  end

  // A multicast of the parent: of the first connection's addresses, but to the group's queue pair
  // and address (docs/tree.md).
  conn_key_t cast;
  always_comb begin
    cast     = cfg_i[0].in;
    cast.qpn = 24'hff_ffff;
    cast.dst = '0;
    if (cast.v6) cast.dst[127:112] = 16'hff15;
    cast.dst[31:16] = cast.v6 ? 16'h5765 : 16'hef57;
    cast.dst[15:0]  = cast_group_i;
  end

  // Whose word is told.
  logic first, second;
  always_comb begin
    second = u_dut.gen_conn[1].u_conn.memory_o.bad;
    first  = !second && u_dut.gen_conn[0].u_conn.memory_o.bad;
    if (!second && !first) second = u_dut.gen_conn[1].u_conn.memory_o.corrected;
    if (!second && !first) first = u_dut.gen_conn[0].u_conn.memory_o.corrected;
  end

  always_ff @(posedge clk_i) begin
    // Frames come and leave.
    a_frames : assert ({u_dut.u_arrive.s_axis_tvalid, u_dut.u_arrive.s_axis_tdata,
                        u_dut.u_arrive.s_axis_tkeep, u_dut.u_arrive.s_axis_tlast,
                        u_dut.u_arrive.s_axis_tuser} ==
                       {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser} &&
                       s_axis_tready == u_dut.u_arrive.s_axis_tready)
    else $error("another frame comes");
    // They leave as they are made.
    a_leave : assert ({m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast} ==
                      {u_dut.u_leave.m_axis_tvalid, u_dut.u_leave.m_axis_tdata,
                       u_dut.u_leave.m_axis_tkeep, u_dut.u_leave.m_axis_tlast} &&
                      u_dut.u_leave.m_axis_tready == m_axis_tready)
    else $error("another frame leaves");
    // Both are reset.
    a_reset : assert ({u_dut.u_arrive.rst_ni, u_dut.u_leave.rst_ni} == {2{rst_ni}})
    else $error("reset");
    // A frame is taken for a connection that is open,
    a_open : assert (!known_q || u_dut.u_arrive.open_i == open_q)
    else $error("open %b", u_dut.u_arrive.open_i);
    // and not for one that begins or ends just now.
    a_clear : assert (u_dut.u_arrive.clear_i == (open_i | close_i))
    else $error("clear %b", u_dut.u_arrive.clear_i);
    // Multicasts are taken from the parent, if it is behind this port, to the group's address.
    a_cast : assert (u_dut.u_arrive.cast_in_i == cast &&
                     {u_dut.u_arrive.listens_i, u_dut.u_arrive.cast_from_i} ==
                     {listens_i, cfg_i[0].out.qpn})
    else $error("another multicast");
    // Rows that come are shown outside, and multicasts that were right; they are counted.
    a_came : assert ({came, cast_valid, cast_len} ==
                     {u_dut.u_arrive.came_o, u_dut.u_arrive.cast_valid_o,
                      u_dut.u_arrive.cast_len_o})
    else $error("other rows");
    // So are frames of all kinds.
    a_events : assert ({events.came, events.frame_error, events.bad_icrc, events.stray,
                        events.cast_in, events.left, events.cast} ==
                       {u_dut.u_arrive.came_pulse_o, u_dut.u_arrive.error_o,
                        u_dut.u_arrive.bad_icrc_o, u_dut.u_arrive.stray_o,
                        u_dut.u_arrive.cast_valid_o, u_dut.u_leave.left_o,
                        u_dut.u_leave.cast_o})
    else $error("events %b", events);
    // Frames that leave have the addresses of their connections, and of the group.
    a_set : assert ({u_dut.u_leave.open_i, u_dut.u_leave.cfg_i, u_dut.u_leave.cast_group_i} ==
                    {open_i, cfg_i, cast_group_i})
    else $error("another address");
    // Two things that were found count as one, told by the connection that it was in: one that is
    // lost first.
    a_found : assert (memory.corrected == (Ecc != 0 &&
                          (u_dut.gen_conn[0].u_conn.memory_o.corrected ||
                           u_dut.gen_conn[1].u_conn.memory_o.corrected)) &&
                      memory.bad == (Ecc != 0 && (u_dut.gen_conn[0].u_conn.memory_o.bad ||
                                                  u_dut.gen_conn[1].u_conn.memory_o.bad)))
    else $error("memory %b", memory);
    // The streaming tree's connection goes first of two alike.
    a_word : assert (Ecc == 0 || memory.word == (second ?
                     {u_dut.gen_conn[1].u_conn.memory_o.word.memory, OfStreaming,
                      u_dut.gen_conn[1].u_conn.memory_o.word.port,
                      u_dut.gen_conn[1].u_conn.memory_o.word.at} :
                     (first ?
                     {u_dut.gen_conn[0].u_conn.memory_o.word.memory, OfLow,
                      u_dut.gen_conn[0].u_conn.memory_o.word.port,
                      u_dut.gen_conn[0].u_conn.memory_o.word.at} : '0)))
    else $error("word %h", memory.word);

    // A connection is closed as another one's packet leaves while frames come.
    c_both : cover (known_q && open_q == 2'b01 && close_i == 2'b01 && events.came && events.left);
  end

  for (genvar c = 0; c < NumConns; c++) begin : gen_conn
    always_ff @(posedge clk_i) begin
      // Of each connection: how it is set up, and when it begins and ends.
      a_set : assert ({u_dut.gen_conn[c].u_conn.rst_ni, u_dut.gen_conn[c].u_conn.open_i,
                       u_dut.gen_conn[c].u_conn.close_i, u_dut.gen_conn[c].u_conn.request_cfg_i,
                       u_dut.gen_conn[c].u_conn.respond_cfg_i, u_dut.gen_conn[c].u_conn.time_i,
                       u_dut.u_arrive.in_i[c]} ==
                      {rst_ni, open_i[c], close_i[c], cfg_i[c].request, cfg_i[c].respond, time_i,
                       cfg_i[c].in})
      else $error("connection %0d", c);
      // Packets that came, for who uses it,
      a_oldest : assert ({oldest[c], row[c], room[c]} ==
                         {u_dut.gen_conn[c].u_conn.oldest_o, u_dut.gen_conn[c].u_conn.row_o,
                          u_dut.gen_conn[c].u_conn.room_o} &&
                         {u_dut.gen_conn[c].u_conn.claim_i, u_dut.gen_conn[c].u_conn.claim_drop_i,
                          u_dut.gen_conn[c].u_conn.row_re_i} ==
                         {claim_i[c], claim_drop_i[c], row_re_i[c]})
      else $error("connection %0d", c);
      // and rows that are to leave.
      a_send : assert ({u_dut.gen_conn[c].u_conn.send_row_i, u_dut.gen_conn[c].u_conn.send_cast_i}
                       == {send_row_i[c], send_cast_i[c]})
      else $error("connection %0d", c);
      // Rows that come are for all; a packet, and an answer, for one.
      a_packet : assert ({u_dut.gen_conn[c].u_conn.came_i, u_dut.gen_conn[c].u_conn.data_valid_i,
                          u_dut.gen_conn[c].u_conn.data_i,
                          u_dut.gen_conn[c].u_conn.answer_valid_i,
                          u_dut.gen_conn[c].u_conn.answer_i} ==
                         {u_dut.u_arrive.came_o, u_dut.u_arrive.data_valid_o[c],
                          u_dut.u_arrive.data_o, u_dut.u_arrive.answer_valid_o[c],
                          u_dut.u_arrive.answer_o})
      else $error("connection %0d", c);
      // Its acknowledgements and packets leave when it is their turn,
      a_ack : assert ({u_dut.u_leave.ack_valid_i[c], u_dut.u_leave.ack_i[c],
                       u_dut.u_leave.ack_ip_id_i[c]} ==
                      {u_dut.gen_conn[c].u_conn.ack_valid_o, u_dut.gen_conn[c].u_conn.ack_o,
                       u_dut.gen_conn[c].u_conn.ack_ip_id_o} &&
                      u_dut.gen_conn[c].u_conn.ack_ready_i == u_dut.u_leave.ack_ready_o[c])
      else $error("connection %0d", c);
      // with what is known of the packet,
      a_leaves : assert ({u_dut.u_leave.send_valid_i[c], u_dut.u_leave.send_i[c],
                          u_dut.u_leave.send_at_i[c], u_dut.u_leave.sent_i[c]} ==
                         {u_dut.gen_conn[c].u_conn.send_valid_o, u_dut.gen_conn[c].u_conn.send_o,
                          u_dut.gen_conn[c].u_conn.send_at_o, u_dut.gen_conn[c].u_conn.sent_o} &&
                         u_dut.gen_conn[c].u_conn.send_ready_i == u_dut.u_leave.send_ready_o[c])
      else $error("connection %0d", c);
      // and its rows are read where that says.
      a_rows : assert ({u_dut.gen_conn[c].u_conn.sent_re_i, u_dut.gen_conn[c].u_conn.sent_at_i,
                        u_dut.gen_conn[c].u_conn.sent_number_i} ==
                       {u_dut.u_leave.row_re_o[c], u_dut.u_leave.row_at_o,
                        u_dut.u_leave.row_number_o} &&
                       u_dut.u_leave.row_i[c] == u_dut.gen_conn[c].u_conn.sent_row_o)
      else $error("connection %0d", c);
      // What is told of it.
      a_told : assert ({idle[c], fault[c], conn_events[c]} ==
                       {u_dut.gen_conn[c].u_conn.idle_o, u_dut.gen_conn[c].u_conn.fault_o,
                        u_dut.gen_conn[c].u_conn.events_o})
      else $error("connection %0d", c);
    end
  end

endmodule
