// Of agg_lookup_props: one answer for each request, in the order in which requests were accepted.
//
// Ports are all that is looked at; answers are as many as ports at most. A part of the property
// file on its own, so that each can be read in one go; `u_dut` is the one of that file.
module lookup_order_watch
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  parameter int unsigned NumPorts = 2
) (
  input logic clk_i,
  input logic rst_ni,
  input logic follow_i,

  // What agg_lookup says at its ports, and stages 5 to 7 of it.
  input logic         [NumPorts-1:0] req_valid_i,
  input logic         [NumPorts-1:0] req_ready_i,
  input logic                        rsp_valid_i,
  input logic                        rsp_ready_i,
  input logic         [PortW-1:0]    rsp_port_i,
  input lookup_part_t [7:5]          back_i,
  // Ports whose request was accepted and not yet answered.
  input logic         [NumPorts-1:0] waiting_i
);

  localparam int unsigned CountW = $clog2(NumPorts + 2);

  logic [PortW-1:0]  in_port, value;
  logic [CountW-1:0] total, ahead;
  logic              push, followed;

  assign push    = req_ready_i != '0;
  assign in_port = req_ready_i[1] ? PortW'(1) : PortW'(0);

  queue_watch #(
    .Width  (PortW),
    .Places (NumPorts),
    .Latency(4)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (push),
    .in_i       (in_port),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(rsp_valid_i),
    .out_ready_i(rsp_ready_i),
    .out_i      (rsp_port_i),
    .inside_o   (total),
    .readable_o (),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );

  // Answers inside, the oldest first: two places of the FIFO, then stages 7 to 5.
  logic [4:0]            held;
  logic [4:0][PortW-1:0] held_port;
  logic [CountW-1:0]     sum;
  logic                  placed;
  logic [NumPorts-1:0]   once;

  always_comb begin
    held[0]      = u_dut.u_message.u_answers.count_q != '0;
    held[1]      = u_dut.u_message.u_answers.count_q == 2'd2;
    held_port[0] = u_dut.u_message.u_answers.mem_q[u_dut.u_message.u_answers.read_q].port;
    held_port[1] = u_dut.u_message.u_answers.mem_q[!u_dut.u_message.u_answers.read_q].port;
    for (int unsigned i = 0; i < 3; i++) begin
      held[2+i]      = u_dut.u_message.valid_q[7-i];
      held_port[2+i] = back_i[7-i].rsp.port;
    end
    sum    = '0;
    placed = 1'b1;
    for (int unsigned i = 0; i < 5; i++) begin
      if (held[i] && followed && sum == ahead && (held_port[i] != value ||
          (i >= 2 && 32'(u_watch.age_q) != 5 - i))) placed = 1'b0;
      if (held[i]) sum = sum + CountW'(1);
      if (held[i] && 32'(held_port[i]) >= NumPorts) placed = 1'b0;
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      logic [2:0] number;
      number = '0;
      for (int unsigned i = 0; i < 5; i++) begin
        if (held[i] && held_port[i] == PortW'(p)) number = number + 3'd1;
      end
      once[p] = number == 3'(waiting_i[p]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port that did not ask is not answered; one request is accepted at a time.
      a_asked : assert ($onehot0(req_ready_i) && (req_ready_i & ~req_valid_i) == '0)
      else $error("accepts %b", req_ready_i);
      // What is inside is counted (helps the proof).
      a_inside : assert (sum == total && once == '1)
      else $error("%0d inside", sum);
      // A port's next request does not begin before its answer has left (helps the proof).
      a_waits : assert (u_dut.u_arbiter.waits_q == waiting_i &&
          (u_dut.u_arbiter.inside_q & waiting_i) == waiting_i)
      else $error("%b wait", waiting_i);
      // The followed request is where it should be, and all are of ports that there are (helps the
      // proof).
      a_placed : assert (placed)
      else $error("overtaken");
      // The FIFO of answers (helps the proof).
      a_answers : assert (u_dut.u_message.u_answers.write_q ==
          (u_dut.u_message.u_answers.read_q ^ u_dut.u_message.u_answers.count_q[0]))
      else $error("pointers");
    end
  end

endmodule
