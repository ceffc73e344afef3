// Round robin over N requesters: the one after the last winner comes first.
//
// The grant is combinational; `advance_i` says that the winner was served and moves the turn behind
// it, so a requester that keeps asking waits for at most N-1 others.
module prim_arb_rr #(
  /// Requesters, 1 or more.
  parameter int unsigned N = 4,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Requests, and the grant of the same cycle, one-hot and as a number; `valid_o`: there is one.
  // `advance_i`: the grant is used in this cycle; the next turn begins behind its requester.
  input  logic [N-1:0]    req_i,
  input  logic            advance_i,
  output logic [N-1:0]    gnt_o,
  output logic [IdxW-1:0] idx_o,
  output logic            valid_o
);

  if (N < 1) begin : gen_check
    $fatal(1, "%m: N must be 1 or more");
  end

  // `before_q[i][j]`: requester j comes in front of i. It says no more than who won last, but every
  // grant is a function of the requests and of one row of it.
  typedef logic [N-1:0][N-1:0] order_t;
  order_t before_q, before_d;

  /// The order behind winner k: j comes in front of i if it is one of those behind k, up to i and
  /// without it, round the ring.
  function automatic order_t behind(int unsigned k);
    behind = '0;
    for (int unsigned i = 0; i < N; i++) begin
      for (int unsigned j = 0; j < N; j++) begin
        behind[i][j] = (j + N - k - 1) % N < (i + N - k - 1) % N;
      end
    end
  endfunction

  order_t [N-1:0] orders;
  for (genvar k = 0; k < N; k++) begin : gen_order
    localparam order_t Behind = behind(k);
    assign orders[k] = Behind;
  end

  always_comb begin
    for (int unsigned i = 0; i < N; i++) gnt_o[i] = req_i[i] && (req_i & before_q[i]) == '0;
  end

  // A block of its own: it wants all grants.
  always_comb begin
    before_d = '0;
    for (int unsigned k = 0; k < N; k++) if (gnt_o[k]) before_d |= orders[k];
  end
  assign valid_o = req_i != '0;

  always_comb begin
    idx_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (gnt_o[i]) idx_o = idx_o | IdxW'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && valid_o) before_q <= before_d;
    if (!rst_ni) before_q <= orders[N-1];
  end

  // Which requester the order begins behind.
  logic [N-1:0] last;
  always_comb begin
    for (int unsigned k = 0; k < N; k++) last[k] = before_q == orders[k];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The order is that of the ring; a circle in it would let nobody win.
      a_order : assert (last != '0)
      else $error("%m: no order");
      // One winner, and it asked; two winners would mix two requests.
      a_onehot : assert ($onehot0(gnt_o) && (gnt_o & ~req_i) == '0 && (gnt_o != '0) == valid_o)
      else $error("%m: grant %b for requests %b", gnt_o, req_i);
    end
  end

endmodule
