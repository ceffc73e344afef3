// Lets one of N senders through at a time, in turn, each to the end of what it has begun.
//
// The choice is combinational. It stays with a sender from the cycle in which it is shown, because who
// takes may prepare for what it sees, until its last beat was taken, also while it has nothing to send.
module gather_grant #(
  /// Senders, 1 or more.
  parameter int unsigned N = 4,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Who has a beat. `from_o` is the one whose beat goes through, if `valid_o` and `ready_i`;
  // `last_i` says whether that is its last one.
  input  logic [N-1:0]    request_i,
  output logic            valid_o,
  output logic [IdxW-1:0] from_o,
  input  logic            ready_i,
  input  logic            last_i
);

  logic            busy_q, any;
  logic [IdxW-1:0] from_q, next;
  // verilator lint_off UNUSEDSIGNAL
  logic [N-1:0]    grant;
  // verilator lint_on UNUSEDSIGNAL

  prim_arb_rr #(
    .N(N)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i    (request_i),
    .advance_i(!busy_q && any),
    .gnt_o    (grant),
    .idx_o    (next),
    .valid_o  (any)
  );

  assign from_o  = busy_q ? from_q : next;
  assign valid_o = busy_q ? request_i[from_q] : any;

  always_ff @(posedge clk_i) begin
    if (valid_o) begin
      busy_q <= !(ready_i && last_i);
      from_q <= from_o;
    end
    if (!rst_ni) busy_q <= 1'b0;
  end

endmodule
