// agg_sum of a small device, for test_agg_sum: modules that take `Cfg` cannot be elaborated alone.
module sum_of_sizes
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  // As those of weir_aggregator.
  parameter int unsigned NumRanks = 3,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input  reduce_req_t                       req_i,
  input  logic [NumRanks-1:0][BeatBits-1:0] rows_i,
  output logic                              valid_o,
  output logic [BeatBits-1:0]               row_o,
  output logic                              last_o,
  output logic [MaxPorts-1:0]               ports_o,
  output logic                              bad_o,
  output mem_event_t                        event_o
);

  agg_sum #(
    .Cfg(make_cfg(2, NumRanks, 256, 6, 1, 16, 1, WideLanes, 0, 0, 1, 9728, Ecc))
  ) u_sum (
    .clk_i,
    .rst_ni,
    .req_i,
    .rows_i,
    .valid_o,
    .row_o,
    .last_o,
    .ports_o,
    .bad_o,
    .event_o
  );

endmodule
