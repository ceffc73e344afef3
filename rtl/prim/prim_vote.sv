// What is so little that a code costs more than copies: it is kept five times, and each bit is what
// most of them say, so that two flips do not change it. Combinational, one LUT a bit.
module prim_vote #(
  /// Bits of a copy, 1 or more.
  parameter int unsigned Width = 1,
  localparam int unsigned Copies = 5
) (
  input  logic [Copies-1:0][Width-1:0] copies_i,
  output logic [Width-1:0]             data_o,
  // The copies are not all alike.
  output logic                         differ_o
);

  if (Width < 1) begin : gen_check
    $fatal(1, "%m: Width must be 1 or more");
  end

  always_comb begin
    differ_o = 1'b0;
    for (int unsigned b = 0; b < Width; b++) begin
      logic [2:0] votes;
      votes = '0;
      for (int unsigned c = 0; c < Copies; c++) votes = votes + 3'(copies_i[c][b]);
      data_o[b] = votes >= 3'((Copies + 1) / 2);
      differ_o  = differ_o || (votes != '0 && votes != 3'(Copies));
    end
  end

endmodule
