// Arbiter of one bank: the grant is for the port at the head of the bank's queue of decisions,
// until that port releases the bank.
//
// A module of its own so that synthesis keeps it shallow: the question of a port and the grant meet
// here, between two other modules.
module agg_store_turn #(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Head of the queue: the port whose packet was decided first of those that are not done, one-hot.
  input  logic                head_valid_i,
  input  logic [NumPorts-1:0] head_i,
  // Ports that request a bank, and ports whose request would be for this one.
  input  logic [NumPorts-1:0] want_i,
  input  logic [NumPorts-1:0] bank_i,
  // Ports that release this bank; `done_o` pops the head of the queue.
  input  logic [NumPorts-1:0] release_i,
  output logic                done_o,

  // No port holds the bank: a request of the head is granted.
  output logic                open_o,
  // A port holds the bank.
  output logic                given_o
);

  logic given_q;

  assign done_o  = release_i != '0;
  assign open_o  = head_valid_i && !given_q;
  assign given_o = given_q;

  always_ff @(posedge clk_i) begin
    given_q <= (given_q || (open_o && (head_i & want_i & bank_i) != '0)) && !done_o;
    if (!rst_ni) given_q <= 1'b0;
  end

endmodule
