// uplink_live: when frames wait for links that went down or came up, and when the others see it.
module uplink_live_props
  import uplink_pkg::*;
#(
  parameter int unsigned NumUp = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [NumUp-1:0] up_i
);

  logic [NumUp-1:0] live;
  logic             hold;

  uplink_live #(
    .NumUp(NumUp)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .up_i,
    .live_o(live),
    .hold_o(hold)
  );

  // It was reset; cycles for which frames still wait; the links by which they are to be decided on.
  localparam int unsigned Wait = LiveKnown - 1;
  logic             reset_q;
  logic [5:0]       left_q;
  logic [NumUp-1:0] links_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    reset_q <= reset_q || !rst_ni;
    if (!rst_ni) begin
      left_q  <= '0;
      links_q <= up_i;
    end else begin
      if (left_q != '0) left_q <= left_q - 6'd1;
      else if (up_i != links_q) left_q <= 6'(Wait);
      // LiveQuiet cycles behind the one in which the change was seen.
      if (left_q == 6'(Wait - (LiveQuiet - 1))) links_q <= up_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // Frames wait from the cycle behind that in which a link is seen to have changed, until
      // LiveKnown cycles behind it; not a cycle longer, and never else.
      a_hold : assert (hold == (left_q != '0))
      else $error("wait: %b, %0d cycles left", hold, left_q);
      // Frames are decided on by the links that were up at reset, and then by those that were up
      // LiveQuiet cycles behind a change; by no others.
      a_live : assert (live == links_q)
      else $error("links %b instead of %b", live, links_q);
      // What it counts is how long frames have waited.
      a_counts : assert (u_dut.settle_q == 6'd0 - left_q)
      else $error("%0d cycles gone, %0d left", u_dut.settle_q, left_q);

      // A link has changed again while frames waited, and they will wait again.
      c_again : cover (rst_ni && left_q == 6'd1 && live != up_i && live == '1);
    end
  end

endmodule
