// uplink_turn with uplink_ask: who sends, and who waits for it, whatever is asked.
module turn_rules_props #(
  parameter int unsigned NumSources = 6,
  parameter int unsigned NumQueues = 3
) (
  input logic                  clk_i,
  input logic [NumSources-1:0] valid_i,
  input logic [NumQueues-1:0]  room_i,
  input logic                  within_i,
  input logic [NumSources-1:0] whose_i,
  input logic [NumSources-1:0] next_i
);

  logic [NumSources-1:0] chosen, waits;

  uplink_turn #(
    .NumSources(NumSources),
    .NumQueues (NumQueues)
  ) u_dut (
    .valid_i,
    .room_i,
    .within_i,
    .whose_i,
    .next_i,
    .chosen_o(chosen),
    .waits_o (waits)
  );

  // Sources of a queue with room that have something; the one of the lowest number.
  logic [NumSources-1:0] could, lowest;
  assign could  = valid_i & {NumSources / NumQueues{room_i}};
  assign lowest = could & (~could + NumSources'(1));

  // Whether the one whose turn it is can begin.
  logic turn;
  assign turn = (could & next_i) != '0;

  always_ff @(posedge clk_i) begin
    // Inside a frame its source sends, whoever else has something.
    a_within : assert (!within_i || chosen == whose_i)
    else $error("sends: %b", chosen);
    // Else the one whose turn it is begins, if it can,
    a_next : assert (within_i || !turn || chosen == (could & next_i))
    else $error("begins: %b", chosen);
    // and if not, the first that can; nobody, if none can.
    a_first : assert (within_i || turn || chosen == lowest)
    else $error("begins: %b", chosen);
    // Inside a frame all others wait that could begin one,
    a_others : assert (!within_i || waits == (could & ~whose_i))
    else $error("wait: %b", waits);
    // and else those that could and are not chosen.
    a_waits : assert (within_i || waits == (could & ~chosen))
    else $error("wait: %b", waits);

    // One of three is chosen because its turn has come, one because it has not.
    c_turn  : cover (!within_i && could == 6'b101010 && chosen == 6'b100000);
    c_first : cover (!within_i && could == 6'b101010 && chosen == 6'b000010 && next_i == 6'b010000);
  end

endmodule
