// sat_room: whoever begins a packet only where it says that there is room never writes over another
// one in a buffer, which may hear of a packet as late as it is allowed to; and there is room again
// as soon as the buffer must have heard.
module sat_room_props #(
  parameter int unsigned RoomLate = 2,
  /// Packets of the buffer.
  parameter int unsigned Places = 3
) (
  input logic clk_i,
  input logic rst_ni,
  input logic begun_i,
  input logic counted_i,
  input logic leaves_i,    // a packet that is there
  input logic sees_i       // the buffer counts packets sooner than it must
);

  localparam int unsigned CountW = $clog2(Places + 2);

  logic              begun_q, way_q;
  logic [CountW-1:0] inside_q;           // packets that have begun and have not left
  logic [CountW-1:0] there_q;            // of these, whose row that counts is there
  logic [CountW-1:0] unseen;             // of these, that the buffer need not know yet
  logic [RoomLate-1:1] late_q;           // [n]: one came n cycles ago
  logic              shows, room;
  logic              free_q;             // of the cycle before: room, and none on its way

  sat_room #(
    .NumPorts(1),
    .RoomLate(RoomLate)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .room_i   (shows),
    .begun_i  (begun_i),
    .counted_i(counted_i),
    .room_o   (room)
  );

  always_comb begin
    unseen = '0;
    for (int unsigned n = 1; n < RoomLate; n++) unseen += CountW'(late_q[n]);
  end
  assign shows = (sees_i ? there_q : (there_q > unseen) ? there_q - unseen : '0) < CountW'(Places);

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    way_q    <= begun_i || (way_q && !counted_i);
    inside_q <= inside_q + CountW'(begun_i) - CountW'(leaves_i);
    there_q  <= there_q + CountW'(counted_i) - CountW'(leaves_i);
    late_q   <= (RoomLate - 1)'({late_q, counted_i});
    free_q   <= shows && !begun_i && !way_q && !counted_i && late_q == '0;
    if (!rst_ni) begin
      way_q    <= 1'b0;
      inside_q <= '0;
      there_q  <= '0;
      late_q   <= '0;
      free_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // The row that counts comes once, behind the packet's beginning.
    e_counted : assume (!counted_i || way_q);
    // What leaves was there.
    e_leaves : assume (!leaves_i || there_q != '0);
    if (rst_ni && begun_q) begin
      // No packet begins without room; else it would be written over another one.
      a_places : assert (32'(inside_q) <= Places)
      else $error("%0d packets in %0d places", inside_q, Places);
      // There is room a cycle after the buffer says so, if no packet is on its way there and the
      // buffer must have heard of the one before; else a port would stand still.
      a_said : assert (room == free_q)
      else $error("room %b", room);
      // All places are used.
      c_full : cover (32'(inside_q) == Places);
    end
  end

endmodule
