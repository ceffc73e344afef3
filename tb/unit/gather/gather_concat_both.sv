// Two concatenators that take the same PRs, with static and with virtual queues.
module gather_concat_both
  import gather_pkg::*;
  import gather_obs_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  input logic [15:0] delay_i,

  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // Index 0: static, 1: virtual.
  output logic [1:0]         packet_valid_o,
  input  logic [1:0]         packet_ready_i,
  output closed_t [1:0]      packet_o,
  output logic [1:0]         data_valid_o,
  input  logic [1:0]         data_ready_i,
  output packet_beat_t [1:0] data_o,
  output logic [1:0]         stall_pool_o,
  output logic [1:0]         idle_o
);

  logic [1:0] ready;
  assign pr_ready_o = ready == '1;

  for (genvar v = 0; v < 2; v++) begin : gen_concat
    // verilator lint_off UNUSEDSIGNAL
    concat_obs_t obs;
    // verilator lint_on UNUSEDSIGNAL

    gather_concat #(
      .NumNodes   (8),
      .Virtual    (1'(v)),
      .VirtualRows(512),
      .Spare      (32)
    ) u_concat (
      .clk_i,
      .rst_ni,
      .delay_i,
      .pr_valid_i    (pr_valid_i && pr_ready_o),
      .pr_ready_o    (ready[v]),
      .pr_i,
      .packet_valid_o(packet_valid_o[v]),
      .packet_ready_i(packet_ready_i[v]),
      .packet_o      (packet_o[v]),
      .data_valid_o  (data_valid_o[v]),
      .data_ready_i  (data_ready_i[v]),
      .data_o        (data_o[v]),
      .obs_o         (obs),
      .idle_o        (idle_o[v])
    );
    assign stall_pool_o[v] = obs.stall_pool;
  end

endmodule
