// Who sends a beat in this cycle, of several sources of whole frames, and who else waits for it.
//
// A module of its own, without registers, so that synthesis keeps it two levels of LUTs deep for
// four sources: what it says goes back to the sources in the same cycle.
module uplink_turn #(
  /// See uplink_merge.
  parameter int unsigned NumSources = 8,
  parameter int unsigned NumQueues = 2
) (
  // A source has something; its queue has room for the longest frame.
  input logic [NumSources-1:0] valid_i,
  input logic [NumQueues-1:0]  room_i,

  // A frame has begun and not ended, and whose it is; who is the next one to begin. One-hot, or
  // zero where nobody is.
  input logic                  within_i,
  input logic [NumSources-1:0] whose_i,
  input logic [NumSources-1:0] next_i,

  // Who sends if it has something, one-hot; zero if no frame has begun and none can.
  output logic [NumSources-1:0] chosen_o,
  // Who could begin a frame and does not.
  output logic [NumSources-1:0] waits_o
);

  logic [NumQueues-1:0] asked;
  logic [NumSources-1:0] asks, first, other;

  uplink_ask #(
    .NumSources(NumSources),
    .NumQueues (NumQueues)
  ) u_ask (
    .valid_i,
    .room_i,
    .within_i,
    .whose_i,
    .next_i,
    .asked_o(asked),
    .asks_o (asks),
    .first_o(first),
    .other_o(other)
  );

  // The first that could begin does so where the next one could not.
  always_comb begin
    for (int unsigned s = 0; s < NumSources; s++) begin
      chosen_o[s] = within_i ? whose_i[s] : asks[s] || (asked == '0 && first[s]);
      waits_o[s]  = other[s] && (within_i || asked != '0 || !first[s]);
    end
  end

endmodule
