// uplink_load: the port that is named is one of the device's, lives, and has the least load of
// those that do. Loads are free here (`cuts` of the task); what they are is the unit tests' affair.
module uplink_load_props
  import uplink_route_pkg::*;
#(
  localparam int unsigned NumUp = 3,
  localparam int unsigned Levels = $clog2(NumUp)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [NumUp-1:0] live_i
);

  typedef logic [LoadW-1:0] load_t;

  logic [PortW-1:0] least;

  uplink_load #(
    .NumUp(NumUp)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .now_i  ('0),
    .sent_i ('0),
    .live_i,
    .least_o(least)
  );

  // [n]: n cycles ago. The pipeline has no reset: nothing is known until it has been filled.
  logic  [Levels:0]            known_q;
  load_t [Levels:0][NumUp-1:0] loads;
  load_t [Levels:1][NumUp-1:0] loads_q;
  logic  [Levels:0][NumUp-1:0] lives;
  logic  [Levels:1][NumUp-1:0] lives_q;

  assign loads = {loads_q, u_dut.load_q};
  assign lives = {lives_q, live_i};

  initial known_q = '0;
  always_ff @(posedge clk_i) begin
    known_q <= {known_q[Levels-1:0], 1'b1};
    loads_q <= loads[Levels-1:0];
    lives_q <= lives[Levels-1:0];
  end

  // Who is better than the one that is named: one that lives and was given less, or as much and
  // stands in front of it.
  logic [NumUp-1:0] better;
  load_t            of_least;
  logic             lived;
  always_comb begin
    of_least = '0;
    lived    = 1'b0;
    for (int unsigned u = 0; u < NumUp; u++) begin
      if (least == PortW'(u)) begin
        of_least = loads[Levels][u];
        lived    = lives[Levels][u];
      end
    end
    for (int unsigned u = 0; u < NumUp; u++) begin
      better[u] = lives[Levels][u] && (loads[Levels][u] < of_least ||
          (loads[Levels][u] == of_least && u < 32'(least)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (known_q[Levels]) begin
      // The port that is named is one of the device's.
      a_port : assert (32'(least) < NumUp)
      else $error("port %0d", least);
      // Of those that live it has the least load; of two alike it is the first.
      a_least : assert (lives[Levels] == '0 || (lived && better == '0))
      else $error("port %0d, better %b", least, better);
    end
    // The last one is named, and all live.
    c_last : cover (known_q[Levels] && least == PortW'(NumUp - 1) && lives[Levels] == '1);
  end

endmodule
