// Lets one of N senders through at a time, in turn, each to the end of what it has begun.
//
// The choice is combinational. It stays with a sender that has been shown, because who takes may prepare for what it sees,
// and then until its last beat was taken, also while it has nothing to send. A sender withdraws nothing that it has shown.
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

  logic            busy_q, shown_q, any, begins;
  logic [IdxW-1:0] from_q, next;
  logic [N-1:0]    request;
  // verilator lint_off UNUSEDSIGNAL
  logic [N-1:0]    grant;
  // verilator lint_on UNUSEDSIGNAL

  assign begins  = !busy_q && any && ready_i;
  assign request = shown_q ? request_i & (N'(1) << from_q) : request_i;

  prim_arb_rr #(
    .N(N)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i    (request),
    .advance_i(begins),
    .gnt_o    (grant),
    .idx_o    (next),
    .valid_o  (any)
  );

  assign from_o  = busy_q ? from_q : next;
  assign valid_o = busy_q ? request_i[from_q] : any;

  always_ff @(posedge clk_i) begin
    if (valid_o) from_q <= from_o;
    if (valid_o && ready_i) busy_q <= !last_i;
    shown_q <= !busy_q && any && !ready_i;
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      shown_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What was shown stays; who takes would go by what another sender had shown.
      a_stays : assert (!shown_q || request_i[from_q])
      else $error("%m: sender %0d withdraws", from_q);
    end
  end

endmodule
