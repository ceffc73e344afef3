// Which ports have room for a packet more, behind those that are on their way to their buffers.
//
// A buffer says that the largest packet has room, and counts a packet when its first row is there,
// or only when its last one is, `RoomLate` cycles later at the latest. Until then its word is of
// before: a port of which a packet was begun has no room. So whoever begins packets claims what he
// uses.
module sat_room #(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// Cycles from `counted_i` to a `room_i` that counts the packet, 1 to 3.
  parameter int unsigned RoomLate = 2
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [NumPorts-1:0] room_i,     // of the buffers
  input logic [NumPorts-1:0] begun_i,    // a packet begins, only where there is room
  input logic [NumPorts-1:0] counted_i,  // the row of it that counts goes to the buffer

  output logic [NumPorts-1:0] room_o     // registered
);

  if (RoomLate < 1 || RoomLate > 3) begin : gen_check_late
    $fatal(1, "%m: RoomLate must be 1 to 3");
  end

  logic [NumPorts-1:0]      way_q;    // begun and not counted
  logic [NumPorts-1:0][1:0] late_q;

  always_ff @(posedge clk_i) begin
    way_q <= (way_q & ~counted_i) | begun_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (counted_i[p]) late_q[p] <= 2'(RoomLate - 1);
      else if (late_q[p] != '0) late_q[p] <= late_q[p] - 2'd1;
      room_o[p] <= room_i[p] && !begun_i[p] && !way_q[p] && !counted_i[p] && late_q[p] == '0;
    end
    if (!rst_ni) begin
      way_q  <= '0;
      late_q <= '0;
      room_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet that begins without room would write over others in the buffer.
      a_room : assert ((begun_i & ~room_o) == '0)
      else $error("%m: a packet begins at ports %b without room", begun_i & ~room_o);
    end
  end

endmodule
