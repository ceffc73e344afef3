// What users of sat_room keep to: a condition that the proofs of both sides look at, one that takes
// it for granted and those that show it.
module room_handover #(
  parameter int unsigned NumPorts = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                there_i,     // sat_room's reset
  input  logic [NumPorts-1:0] begun_i,
  input  logic [NumPorts-1:0] counted_i,
  input  logic [NumPorts-1:0] room_i,      // what sat_room says
  // A packet begins where there is room, or there was a cycle ago and none has begun since.
  output logic                begins_o,
  // A row that counts comes once, behind the beginning of its packet.
  output logic                counts_o
);

  logic [NumPorts-1:0] room_q, way_q;

  always_ff @(posedge clk_i) begin
    room_q <= room_i & ~begun_i;
    way_q  <= (way_q & ~counted_i) | begun_i;
    if (!rst_ni || !there_i) begin
      room_q <= '0;
      way_q  <= '0;
    end
  end

  assign begins_o = (begun_i & ~room_i & ~room_q) == '0;
  assign counts_o = (counted_i & ~way_q) == '0;

endmodule
