// prim_arb_rr: one winner, who asked, and nobody waits for more than all others once.
module prim_arb_rr_props #(
  /// Requesters.
  parameter int unsigned N = 4,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic [N-1:0]    req_i,
  input logic            advance_i,
  // Any two requesters.
  input logic [IdxW-1:0] one_i,
  input logic [IdxW-1:0] other_i
);

  logic [N-1:0]    gnt;
  logic [IdxW-1:0] idx, one_q, other_q;
  logic            valid, started_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) {one_q, other_q} <= {one_i, other_i};
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  prim_arb_rr #(
    .N(N)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .advance_i,
    .gnt_o  (gnt),
    .idx_o  (idx),
    .valid_o(valid)
  );

  // How often others, and how often that one other, were served while `one_q` asked without a
  // break.
  localparam int unsigned CountW = $clog2(N + 1) + 1;
  logic [CountW-1:0] others_q, times_q;
  logic              asks;
  assign asks = 32'(one_q) < N && req_i[one_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !asks || (gnt[one_q] && advance_i)) begin
      others_q <= '0;
      times_q  <= '0;
    end else if (advance_i) begin
      if (32'(others_q) < N) others_q <= others_q + CountW'(1);
      if (idx == other_q && times_q < CountW'(2)) times_q <= times_q + CountW'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // There is a winner exactly when somebody asks.
      a_valid : assert (valid == (req_i != '0) && (gnt != '0) == valid)
      else $error("valid %b for requests %b", valid, req_i);
      // There is never more than one winner, and `idx_o` names it.
      a_one_winner : assert (!valid || gnt == N'(1) << idx)
      else $error("grant %b, index %0d", gnt, idx);
      // Only who asks wins.
      a_asked : assert ((gnt & ~req_i) == '0)
      else $error("grant %b for requests %b", gnt, req_i);
      // Who keeps asking waits for at most N-1 others.
      a_fair : assert (32'(others_q) < N)
      else $error("%0d others were served", others_q);
      // Who keeps asking waits for no other twice.
      a_in_turn : assert (times_q < CountW'(2))
      else $error("requester %0d was served twice", other_q);
    end
  end

  if (N > 1) begin : gen_cover
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // All others were served before the one, and now it is its turn.
        c_last : cover (asks && gnt[one_q] && 32'(others_q) == N - 1);
      end
    end
  end else begin : gen_cover
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // The only one wins.
        c_only : cover (valid && advance_i);
      end
    end
  end

endmodule
