// Packets of a streaming tree between their beginning and the first row that goes to a buffer: what
// helps to show that each has one such row (stream_takes). Inputs are registers of sat_emit,
// sat_fall and sat_leave, which stages a packet is in.
module leaving_watch #(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned Stages = 8
) (
  input  logic [Stages-1:0][NumPorts-1:0] stage_i,
  input  logic [NumPorts-1:0]             way_i,     // begun and not counted, as sat_room has it
  input  logic [NumPorts-1:0]             room_i,    // as sat_room says,
  input  logic [NumPorts-1:0]             room_q_i,  // or said, and nothing has begun since
  output logic                            once_o     // in one stage at most; of what has begun
);

  logic [NumPorts-1:0] some, twice;

  always_comb begin
    some  = '0;
    twice = '0;
    for (int unsigned s = 0; s < Stages; s++) begin
      twice |= some & stage_i[s];
      some  |= stage_i[s];
    end
  end

  assign once_o = twice == '0 && (some & ~way_i) == '0 && (way_i & (room_i | room_q_i)) == '0;

endmodule
