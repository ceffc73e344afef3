// Round robin over N requesters: the one after the last winner comes first.
//
// The grant is combinational; `advance_i` says that the winner was served and moves the turn behind it, so a requester
// that keeps asking waits for at most N-1 others.
module prim_arb_rr #(
  /// Requesters, 1 or more.
  parameter int unsigned N = 4,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic [N-1:0]    req_i,
  input  logic            advance_i,
  output logic [N-1:0]    gnt_o,
  output logic [IdxW-1:0] idx_o,
  output logic            valid_o
);

  if (N < 1) begin : gen_check
    $fatal(1, "%m: N must be 1 or more");
  end

  // Bit i: requester i comes before the wrap, because it stands behind the last winner.
  logic [N-1:0] behind_q, behind_d, first_half, lower, lower_half;

  assign first_half = req_i & behind_q;
  assign valid_o    = req_i != '0;

  // Below i somebody asks; of those before the wrap, or of all. Written out: an adder would be three times as deep.
  always_comb begin
    lower      = '0;
    lower_half = '0;
    behind_d   = '0;
    for (int unsigned i = 1; i < N; i++) begin
      lower[i]      = lower[i-1] || req_i[i-1];
      lower_half[i] = lower_half[i-1] || first_half[i-1];
      behind_d[i]   = (first_half != '0) ? lower_half[i] : lower[i];
    end
  end
  assign gnt_o = (first_half != '0) ? first_half & ~lower_half : req_i & ~lower;

  always_comb begin
    idx_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (gnt_o[i]) idx_o = idx_o | IdxW'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && valid_o) behind_q <= behind_d;
    if (!rst_ni) behind_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // One winner, and it asked; two winners would mix two requests.
      a_onehot : assert ($onehot0(gnt_o) && (gnt_o & ~req_i) == '0)
      else $error("%m: grant %b for requests %b", gnt_o, req_i);
    end
  end

endmodule
