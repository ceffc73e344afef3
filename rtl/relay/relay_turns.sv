// Turns the header records of a device's ports round where they go back to child devices
// (relay_turn). Whose they are is known with the answer that makes their read, in their order.
//
// Nobody waits. A record leaves two cycles late.
module relay_turns
  import roce_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Pulse, in front of the records that a read makes; are the children of its ring devices?
  input logic taken_i,
  input logic devices_i,

  // Header records of the ports, word by word, all ports in step; and the same, source and
  // destination exchanged where that is due.
  input  logic [NumPorts-1:0]                  we_i,
  input  logic [NumPorts-1:0][HdrWordBits-1:0] word_i,
  output logic [NumPorts-1:0]                  we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] word_o
);

  logic       ready, valid, turn, last_word;
  logic [2:0] at_q, count_unused;

  assign last_word = |we_i && at_q == 3'(HdrWords - 1);
  always_ff @(posedge clk_i) begin
    if (|we_i) at_q <= at_q + 3'd1;
    if (!rst_ni) at_q <= '0;
  end

  prim_fifo #(
    .T    (logic),
    .Depth(4)
  ) u_whose (
    .clk_i,
    .rst_ni,
    .in_valid_i (taken_i),
    .in_ready_o (ready),
    .in_i       (devices_i),
    .out_valid_o(valid),
    .out_ready_i(last_word),
    .out_o      (turn),
    .count_o    (count_unused)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    relay_turn u_turn (
      .clk_i,
      .rst_ni,
      .turn_i(turn),
      .we_i  (we_i[p]),
      .word_i(word_i[p]),
      .we_o  (we_o[p]),
      .word_o(word_o[p])
    );
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each record's owner is known; it would go to the wrong end of its connection.
      a_known : assert (we_i == '0 || valid)
      else $error("%m: a record that was not announced");
      a_room : assert (!taken_i || ready)
      else $error("%m: too many records announced");
    end
  end

endmodule
