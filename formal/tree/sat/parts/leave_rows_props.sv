// sat_leave: what leaves by any port, and when: rows of what comes down, rows of a sum, a header
// alone, or a refusal; what is counted as on its way, and when a refusal gets its turn.
//
// What sat_room makes of it is free (`cuts` of the task); it has proofs of its own.
module leave_rows_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  parameter bit RoomAtStop = 1'b0,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [NumPorts-1:0] room_i,
  input logic [NumPorts-1:0] begun_i,
  input logic [NumPorts-1:0] taken_i,
  input logic [NumPorts-1:0] emit_to_i,
  input rc_row_t             emit_row_i,
  input logic [NumPorts-1:0] fall_to_i,
  input logic [NumPorts-1:0] fall_row_to_i,
  input rc_row_t             fall_row_i,
  input logic [NumPorts-1:0] head_to_i,
  input sat_head_t           head_i,
  input logic                refuse_valid_i,
  input logic [NumPorts-1:0] refuse_i,
  input sat_head_t           refuse_head_i,
  input logic [NumPorts-1:0] posted_i,
  input logic [PortW-1:0]    port_i    // any port
);

  logic    [NumPorts-1:0] room;
  rc_row_t [NumPorts-1:0] out;
  logic                   refuse_ready, is_q, rst_n;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && is_q;

  sat_leave #(
    .NumPorts  (NumPorts),
    .RoomAtStop(RoomAtStop)
  ) u_dut (
    .clk_i,
    .rst_ni        (rst_n),
    .room_i,
    .room_o        (room),
    .out_o         (out),
    .begun_i,
    .taken_i,
    .emit_to_i,
    .emit_row_i,
    .fall_to_i,
    .fall_row_to_i,
    .fall_row_i,
    .head_to_i,
    .head_i,
    .refuse_valid_i,
    .refuse_ready_o(refuse_ready),
    .refuse_i,
    .refuse_head_i,
    .posted_i
  );

  // One port, which one is free: what was brought to it a cycle ago, and headers two cycles ago.
  logic [PortW-1:0] port_q;
  rc_row_t          shown, shown_q, fall_q, emit_q;
  logic             falls_q, emits_q, heads_q, heads2_q, posted_q, posted2_q, is2_q;
  sat_head_t        head_q, head2_q, refuse_q, says;
  logic             rst_q;
  assign shown = out[port_q];
  // A refusal is shown until it has begun to leave, so it is read a cycle later than other headers.
  assign says  = posted2_q ? refuse_q : head2_q;

  initial {is_q, is2_q, rst_q} = '0;
  always_ff @(posedge clk_i) begin
    is_q      <= 1'b1;
    is2_q     <= is_q;
    rst_q     <= rst_n;
    if (!is_q) port_q <= (32'(port_i) < NumPorts) ? port_i : '0;
    falls_q   <= fall_row_to_i[port_q];
    emits_q   <= emit_to_i[port_q];
    shown_q   <= shown;
    fall_q    <= fall_row_i;
    emit_q    <= emit_row_i;
    heads_q   <= rst_n && head_to_i[port_q];
    heads2_q  <= heads_q;
    posted_q  <= rst_n && posted_i[port_q];
    posted2_q <= posted_q;
    head_q    <= head_i;
    head2_q   <= head_q;
    refuse_q  <= refuse_head_i;
  end

  logic header;   // what leaves is one, alone
  assign header = rst_q && !falls_q && !emits_q && (heads2_q || posted2_q);

  // Of a header the first byte is the highest one.
  logic [HeadBytes-1:0][7:0]   head_bytes;
  logic [RcRowBits/8-1:0][7:0] bytes;
  assign head_bytes = says;
  always_comb begin
    bytes = '0;
    for (int unsigned b = 0; b < 32; b++) bytes[b] = head_bytes[31-b];
  end

  always_ff @(posedge clk_i) begin
    if (is2_q && 32'(port_q) < NumPorts) begin
      // Nothing leaves in reset, or where nobody brings anything.
      a_none : assert ((rst_q && (falls_q || emits_q || heads2_q || posted2_q)) || !shown.valid)
      else $error("port %0d", port_q);
      // A row of what comes down leaves as it is, at the ports it goes to; so does one of a sum.
      a_falls : assert (!rst_q || !falls_q || shown == fall_q)
      else $error("port %0d", port_q);
      a_emits : assert (!rst_q || falls_q || !emits_q || shown == emit_q)
      else $error("port %0d", port_q);
      // A header alone is a message of one packet of one row,
      a_alone : assert (!header || (shown.valid && shown.start && shown.stop && shown.first &&
                                    shown.last && 32'(shown.len) == HeadBytes))
      else $error("port %0d", port_q);
      // with the header's bytes in turn, and zeros behind them.
      a_header : assert (!header || shown.row == bytes)
      else $error("port %0d: %h", port_q, shown.row);
      // Where nobody brings anything the port's wires stand still, but for `valid`.
      a_stands : assert (falls_q || emits_q || heads2_q || posted2_q ||
                         {shown.start, shown.stop, shown.first, shown.last, shown.len, shown.row} ==
                         {shown_q.start, shown_q.stop, shown_q.first, shown_q.last, shown_q.len,
                          shown_q.row})
      else $error("port %0d", port_q);

      // What is counted is the row by which buffers count a packet: its last one, or its first one.
      a_counted : assert (u_dut.u_room.counted_i[port_q] ==
                          (shown.valid && (RoomAtStop ? shown.stop : shown.start)))
      else $error("port %0d", port_q);
    end
    // Buffers, and packets that begin, are known as they are, and so is what room there is.
    a_room : assert (u_dut.u_room.room_i == room_i && u_dut.u_room.begun_i == begun_i &&
                     u_dut.u_room.rst_ni == rst_n && room == u_dut.u_room.room_o)
    else $error("room %b", room);
    // A refusal begins if none of its ports is without room or somebody else's, and only then.
    a_refused : assert (refuse_ready == (refuse_valid_i && (refuse_i & ~room) == '0 &&
                                         (refuse_i & taken_i) == '0))
    else $error("refuse %b", refuse_ready);

    // A refusal leaves, and a header where another port gets a row of a sum.
    c_refusal : cover (is2_q && header && posted2_q && shown.row[7:0] != '0);
    c_header : cover (is2_q && header && heads2_q && out[0] == emit_q && port_q != '0);
  end

endmodule
