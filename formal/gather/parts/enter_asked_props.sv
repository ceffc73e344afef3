// gather_enter behind its choice, at four ports: what room is asked for of whoever was chosen in
// the cycle before, and whose turn that is. Which queues were chosen is anything; of several, which
// gather_enter never chooses, it is what any of them says.
module enter_asked_props
  import gather_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic   [7:0]    valid_i,
  input enter_t [7:0]    in_i,
  input logic [1:0][3:0] open_i,
  input logic            data_ready_i,
  input logic [3:0]      bit_i   // any
);

  logic       response;
  logic [1:0] out_port;
  logic [8:0] kept;

  gather_enter #(
    .NumPorts(4),
    .Pipe    (5)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .in_i,
    .taken_o       (),
    .open_i,
    .enters_o      (),
    .response_o    (response),
    .out_port_o    (out_port),
    .kept_o        (kept),
    .packet_valid_o(),
    .packet_o      (),
    .data_o        (),
    .data_ready_i
  );

  // Of each queue that was chosen: whether a bit of what its first beat says, and of its number, is
  // set.
  logic [7:0] chosen, kept_bit, port_bit, queue_bit;
  assign chosen = u_dut.chosen_q;
  for (genvar r = 0; r < 8; r++) begin : gen_queue
    assign kept_bit[r]  = chosen[r] && in_i[r].kept[bit_i];
    assign port_bit[r]  = chosen[r] && in_i[r].out_port[bit_i%4'd2];
    assign queue_bit[r] = chosen[r] && ((r >> (bit_i % 4'd3)) % 2) != 0;
  end

  always_ff @(posedge clk_i) begin
    // As many beats are asked for as are kept of who was chosen.
    a_kept : assert (bit_i > 4'd8 || kept[bit_i] == (kept_bit != '0))
    else $error("%0d beats are asked for", kept);
    // At the port that it leaves by, of its class: the last four queues are those of responses.
    a_port : assert (out_port[bit_i%4'd2] == (port_bit != '0) && response == (chosen[7:4] != '0))
    else $error("room at port %0d is asked for", out_port);
    // Its turn waits as the number of its queue.
    a_queue : assert (u_dut.u_turns.in_i[bit_i%4'd3] == (queue_bit != '0))
    else $error("queue %0d has a turn", u_dut.u_turns.in_i);

    // The last queue is asked for all bits.
    c_last : cover (chosen == 8'h80 && kept == '1 && out_port == 2'd3);
  end

endmodule
