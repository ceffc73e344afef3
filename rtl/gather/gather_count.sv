// A wide counter for a fast clock: it counts up in parts of a byte, and each part knows a cycle
// ahead whether all parts below it are ones, so that no carry chain is longer than a byte.
module gather_count #(
  /// Bits, 2 or more.
  parameter int unsigned Width = 32
) (
  input logic clk_i,
  input logic rst_ni,

  // `start_i` loads `from_i`; else `step_i` counts up by one. Zero after reset.
  input  logic             start_i,
  input  logic [Width-1:0] from_i,
  input  logic             step_i,
  output logic [Width-1:0] count_o
);

  localparam int unsigned PartW = 8;
  localparam int unsigned Parts = (Width + PartW - 1) / PartW;

  logic ones_q, wrap;   // the lowest part is all ones, and becomes zero

  assign wrap = step_i && ones_q;

  for (genvar p = 0; p < Parts; p++) begin : gen_part
    localparam int unsigned Bits = (Width - PartW * p < PartW) ? Width - PartW * p : PartW;
    logic [Bits-1:0] part_q;
    logic            next;

    assign count_o[PartW*p+:Bits] = part_q;

    if (p == 0) begin : gen_lowest
      assign next = step_i;
      always_ff @(posedge clk_i) begin
        if (step_i) ones_q <= part_q == ~Bits'(1);
        if (start_i) ones_q <= from_i[Bits-1:0] == '1;
        if (!rst_ni) ones_q <= 1'b0;
      end
    end else if (p == 1) begin : gen_second
      assign next = wrap;
    end else begin : gen_other
      // Those between the lowest part and this one are all ones; a cycle after they changed, when
      // the lowest one has just become zero, and nobody asks.
      logic between_q;
      assign next = wrap && between_q;
      always_ff @(posedge clk_i) begin
        between_q <= &count_o[PartW*p-1:PartW];
        if (start_i) between_q <= &from_i[PartW*p-1:PartW];
        if (!rst_ni) between_q <= 1'b0;
      end
      always_ff @(posedge clk_i) begin
        if (rst_ni) begin
          // A part goes on when all below it wrap; else the count would jump.
          a_between : assert (!ones_q || between_q == (&count_o[PartW*p-1:PartW]))
          else $error("%m: %h", count_o);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (next) part_q <= part_q + Bits'(1);
      if (start_i) part_q <= from_i[PartW*p+:Bits];
      if (!rst_ni) part_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The second part goes on when the lowest one wraps.
      a_carry : assert (ones_q == (gen_part[0].part_q == '1))
      else $error("%m: carry %b at %h", ones_q, count_o);
    end
  end

endmodule
