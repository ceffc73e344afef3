// Of several messages that hold a PSN, the one that is newer than all others. There is none if each
// is newer than the next, round the circle of serial numbers.
//
// A module of its own so that synthesis keeps it two levels of LUTs deep: beside the comparisons of
// agg_message_table it would get as much time as their carry chains take.
module agg_message_newest #(
  /// Messages of a connection, 2 to 128.
  parameter int unsigned History = 8
) (
  // Messages that hold the PSN.
  input  logic [History-1:0]              holds_i,
  // [i][j] with j > i: message i is newer than j. Other bits are not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [History-1:0][History-1:0] is_newer_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic [History-1:0]              newest_o    // one-hot or zero
);

  always_comb begin
    newest_o = holds_i;
    for (int unsigned i = 0; i < History; i++) begin
      for (int unsigned j = 0; j < i; j++) if (holds_i[j] && is_newer_i[j][i]) newest_o[i] = 1'b0;
      for (int unsigned j = i + 1; j < History; j++) begin
        if (holds_i[j] && !is_newer_i[i][j]) newest_o[i] = 1'b0;
      end
    end
  end

endmodule
