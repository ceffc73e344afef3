// A word turned to the left by one of four distances, in a register.
//
// A module of its own so that synthesis keeps it together: a LUT and a register a bit. What does
// not load the register costs nothing in simulation.
module prim_rotate #(
  /// Bits of the word.
  parameter int unsigned Width = 32,
  /// Bits that it is turned by, for 0, and more for each 1 above; less than Width all together.
  parameter int unsigned Base = 0,
  parameter int unsigned Step = 8,
  /// Distances that it is ever turned by, a bit each.
  parameter logic [3:0] Used = '1
) (
  input logic clk_i,

  input  logic             load_i,
  input  logic [1:0]       by_i,
  input  logic [Width-1:0] in_i,
  // Bit 0 of the word is at bit Base + Step * by of this, a cycle after `load_i`.
  output logic [Width-1:0] out_o
);

  if (Base + 3 * Step >= Width) begin : gen_check
    $fatal(1, "%m: Base + 3 * Step must be less than Width");
  end

  if (Used == 4'b0110) begin : gen_two
    always_ff @(posedge clk_i) begin
      if (load_i) begin
        if (by_i[0]) out_o <= Width'({in_i, in_i} >> (Width - Base - Step));
        else out_o <= Width'({in_i, in_i} >> (Width - Base - 2 * Step));
      end
    end
  end else begin : gen_all
    always_ff @(posedge clk_i) begin
      if (load_i) begin
        unique case (by_i)
          2'd0:    out_o <= Width'({in_i, in_i} >> (Width - Base));
          2'd1:    out_o <= Width'({in_i, in_i} >> (Width - Base - Step));
          2'd2:    out_o <= Width'({in_i, in_i} >> (Width - Base - 2 * Step));
          default: out_o <= Width'({in_i, in_i} >> (Width - Base - 3 * Step));
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // Only by what it was built for; else bytes would go to the wrong place.
    a_used : assert (!load_i || Used[by_i])
    else $error("%m: turned by distance %0d", by_i);
  end

endmodule
