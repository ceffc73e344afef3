// Which uplinks frames are decided on by, when links go down and come up.
//
// No frame is let in to be decided on until those under way are through; then the others see the
// change, once the least load is known again. What has been decided on and has not begun meets
// `up_i`, at once. So frames of a flow stay in order, and none is decided on by loads of before.
module uplink_live
  import uplink_pkg::*;
#(
  /// Uplinks, 2 or more.
  parameter int unsigned NumUp = 4
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic [NumUp-1:0] up_i,     // links that are up
  output logic [NumUp-1:0] live_o,   // uplinks that frames may be sent to
  output logic             hold_o    // no frame is let in
);

  if (LiveKnown != 2 ** $clog2(LiveKnown) || LiveKnown <= LiveQuiet + $clog2(NumUp))
  begin : gen_check
    $fatal(1, "%m: frames go on before the least load is known");
  end

  logic [$clog2(LiveKnown)-1:0] settle_q;

  assign hold_o = settle_q != '0;

  always_ff @(posedge clk_i) begin
    if (settle_q != '0) settle_q <= settle_q + ($bits(settle_q))'(1);
    else if (live_o != up_i) settle_q <= ($bits(settle_q))'(1);
    if (32'(settle_q) == LiveQuiet) live_o <= up_i;
    if (!rst_ni) begin
      settle_q <= '0;
      live_o   <= up_i;
    end
  end

endmodule
