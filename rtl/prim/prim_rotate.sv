// A word turned to the left by one of 16 distances, or 32, in a register: 4:1 for the long part of
// the way, and 4:1 for the rest; of 32, 2:1 for half of them before.
//
// A module of its own so that synthesis keeps it together. What does not load the register costs
// nothing in simulation.
module prim_rotate #(
  /// Bits of the word.
  parameter int unsigned Width = 32,
  /// Bits that it is turned by, for 0, and more for each 1 above; less than Width all together.
  parameter int unsigned Base = 0,
  parameter int unsigned Step = 2,
  /// Bits of the distance: 4 or 5.
  parameter int unsigned ByW = 4,
  /// Remainders of the distance by 4 that ever come, a bit each.
  parameter logic [3:0] Used = '1
) (
  input logic clk_i,

  input  logic             load_i,
  input  logic [ByW-1:0]   by_i,
  input  logic [Width-1:0] in_i,
  // Bit 0 of the word is at bit Base + Step * by of this, a cycle after `load_i`.
  output logic [Width-1:0] out_o
);

  if (ByW < 4 || ByW > 5) begin : gen_check_by
    $fatal(1, "%m: ByW must be 4 or 5, is %0d", ByW);
  end
  if (Base + (2 ** ByW - 1) * Step >= Width) begin : gen_check
    $fatal(1, "%m: Base + %0d * Step must be less than Width", 2 ** ByW - 1);
  end

  logic [Width-1:0] near;   // turned by half of the distances, or not
  if (ByW == 5) begin : gen_half
    assign near = by_i[ByW-1] ? Width'({in_i, in_i} >> (Width - 16 * Step)) : in_i;
  end else begin : gen_whole
    assign near = in_i;
  end

  // A local variable, so that simulation computes it for what is loaded only.
  always_ff @(posedge clk_i) begin
    automatic logic [Width-1:0] coarse;

    if (load_i) begin
      unique case (by_i[3:2])
        2'd0:    coarse = near;
        2'd1:    coarse = Width'({near, near} >> (Width - 4 * Step));
        2'd2:    coarse = Width'({near, near} >> (Width - 8 * Step));
        default: coarse = Width'({near, near} >> (Width - 12 * Step));
      endcase
      if (Used == 4'b0110) begin
        out_o <= by_i[0] ? Width'({coarse, coarse} >> (Width - Base - Step)) :
            Width'({coarse, coarse} >> (Width - Base - 2 * Step));
      end else begin
        unique case (by_i[1:0])
          2'd0:    out_o <= Width'({coarse, coarse} >> (Width - Base));
          2'd1:    out_o <= Width'({coarse, coarse} >> (Width - Base - Step));
          2'd2:    out_o <= Width'({coarse, coarse} >> (Width - Base - 2 * Step));
          default: out_o <= Width'({coarse, coarse} >> (Width - Base - 3 * Step));
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // Only by what it was built for; else bytes would go to the wrong place.
    a_used : assert (!load_i || Used[by_i[1:0]])
    else $error("%m: turned by distance %0d", by_i);
  end

endmodule
