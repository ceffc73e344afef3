// A round-robin arbiter whose grant lasts to the last beat of a frame, a packet or a PR.
//
// The grant is combinational. From the cycle in which it is shown it stays with its sender until
// the last beat was taken, also while that sender has nothing to send: a receiver may prepare for
// what it sees.
module gather_grant #(
  /// Senders, 1 or more.
  parameter int unsigned N = 4,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Requests: who has a beat. `from_o` is granted; its beat is taken if `valid_o` and `ready_i`,
  // and `last_i` says whether it is the last one.
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
