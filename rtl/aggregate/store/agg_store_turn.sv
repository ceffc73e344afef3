// Whose turn it is at one bank: the head of its order, until that port has taken it and given it
// back.
//
// A module of its own so that synthesis keeps it shallow: the question of a port and the grant meet
// here, between two other modules.
module agg_store_turn #(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // The port whose packet was decided first of those that are not done, one-hot.
  input  logic                head_valid_i,
  input  logic [NumPorts-1:0] head_i,
  // Ports that want a bank, and whether it is this one.
  input  logic [NumPorts-1:0] want_i,
  input  logic [NumPorts-1:0] bank_i,
  // Ports that give it back; the head is done then.
  input  logic [NumPorts-1:0] release_i,
  output logic                done_o,

  // The bank is the head's, if that wants it.
  output logic                open_o,
  // A port has it.
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
