// Vectors that wait to be summed, one a group; the lowest group's is the next one. A group is busy
// from when it asks until its sum can be read.
module llt_pending
  import sat_pkg::Groups;
  import llt_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // A vector to be summed, of a group that is not busy.
  input logic     put_i,
  input low_sum_t put_sum_i,

  // To llt_sum, one after the other; and that a group's sum is made.
  output logic              valid_o,
  input  logic              ready_i,
  output low_sum_t          sum_o,
  input  logic              done_i,
  input  logic [GroupW-1:0] done_group_i,

  output logic [Groups-1:0] busy_o   // from put_i until done_i
);

  low_sum_t [Groups-1:0] sum_q;
  logic     [Groups-1:0] waits_q, first;

  assign first   = waits_q & (~waits_q + Groups'(1));
  assign valid_o = waits_q != '0;
  always_comb begin
    sum_o = '0;
    for (int unsigned g = 0; g < Groups; g++) if (first[g]) sum_o |= sum_q[g];
  end

  always_ff @(posedge clk_i) begin
    if (ready_i) waits_q <= waits_q & ~first;
    if (done_i) busy_o[done_group_i] <= 1'b0;
    if (put_i) begin
      sum_q[put_sum_i.group]   <= put_sum_i;
      waits_q[put_sum_i.group] <= 1'b1;
      busy_o[put_sum_i.group]  <= 1'b1;
    end
    if (!rst_ni) begin
      waits_q <= '0;
      busy_o  <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A group has one sum at a time; a second one would be in its place.
      a_one : assert (!put_i || !busy_o[put_sum_i.group])
      else $error("%m: group %0d asks for a sum while it has one", put_sum_i.group);
    end
  end

endmodule
