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

  // `before_q[i][j]`: requester j comes in front of i. It says no more than who won last, but every grant is a function of the
  // requests and of one row of it.
  logic [N-1:0][N-1:0] before_q, before_d;

  /// Is j one of those behind k, up to i and without it, round the ring?
  function automatic logic between(int unsigned k, int unsigned j, int unsigned i);
    between = (j + N - k - 1) % N < (i + N - k - 1) % N;
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < N; i++) gnt_o[i] = req_i[i] && (req_i & before_q[i]) == '0;
  end

  // A block of its own: it wants all grants.
  always_comb begin
    before_d = '0;
    for (int unsigned i = 0; i < N; i++) begin
      for (int unsigned j = 0; j < N; j++) begin
        for (int unsigned k = 0; k < N; k++) begin
          if (gnt_o[k] && between(k, j, i)) before_d[i][j] = 1'b1;
        end
      end
    end
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
    if (!rst_ni) begin
      for (int unsigned i = 0; i < N; i++) before_q[i] <= (N'(1) << i) - N'(1);
    end
  end

  // Which requester the order begins behind.
  logic [N-1:0] last;
  always_comb begin
    last = '1;
    for (int unsigned k = 0; k < N; k++) begin
      for (int unsigned i = 0; i < N; i++) begin
        for (int unsigned j = 0; j < N; j++) begin
          if (before_q[i][j] != between(k, j, i)) last[k] = 1'b0;
        end
      end
    end
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
