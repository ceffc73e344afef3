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

  // The first that could begin does so where the next one could not.
  logic [NumSources-1:0] request, first;
  logic asked;
  always_comb begin
    for (int unsigned s = 0; s < NumSources; s++) begin
      request[s] = valid_i[s] && room_i[s%NumQueues];
      first[s]   = request[s];
      for (int unsigned t = 0; t < s; t++) begin
        if (valid_i[t] && room_i[t%NumQueues]) first[s] = 1'b0;
      end
    end
  end
  assign asked = (next_i & request) != '0;

  always_comb begin
    for (int unsigned s = 0; s < NumSources; s++) begin
      chosen_o[s] = within_i ? whose_i[s] : (next_i[s] && request[s]) || (!asked && first[s]);
      waits_o[s] = request[s] && !(within_i ? whose_i[s] : next_i[s]) &&
          (within_i || asked || !first[s]);
    end
  end

endmodule
