// Which of several sources of whole frames could begin one, as uplink_turn wants it.
//
// A module of its own, without registers, so that synthesis makes each output of four sources of
// two queues one LUT.
module uplink_ask #(
  /// See uplink_turn.
  parameter int unsigned NumSources = 8,
  parameter int unsigned NumQueues = 2
) (
  // See uplink_turn.
  input logic [NumSources-1:0] valid_i,
  input logic [NumQueues-1:0]  room_i,
  input logic                  within_i,
  input logic [NumSources-1:0] whose_i,
  input logic [NumSources-1:0] next_i,

  // By queue: the next one is of it and could begin.
  output logic [NumQueues-1:0]  asked_o,
  // By source: it is next and could begin; it is the first that could; it could, and is neither
  // whose frame has begun nor, if none has, the next one.
  output logic [NumSources-1:0] asks_o,
  output logic [NumSources-1:0] first_o,
  output logic [NumSources-1:0] other_o
);

  always_comb begin
    asked_o = '0;
    for (int unsigned s = 0; s < NumSources; s++) begin
      asks_o[s] = next_i[s] && valid_i[s] && room_i[s%NumQueues];
      if (asks_o[s]) asked_o[s%NumQueues] = 1'b1;
      first_o[s] = valid_i[s] && room_i[s%NumQueues];
      for (int unsigned t = 0; t < s; t++) begin
        if (valid_i[t] && room_i[t%NumQueues]) first_o[s] = 1'b0;
      end
      other_o[s] = valid_i[s] && room_i[s%NumQueues] && !(within_i ? whose_i[s] : next_i[s]);
    end
  end

endmodule
