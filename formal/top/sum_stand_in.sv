// Stands in for agg_sum in proofs of the device that follow control only: a row comes out three
// cycles after it went in.
//
// Sound because agg_sum never stops and keeps the order of rows; how late they are changes only
// when they leave. What is in a row is agg_reduce's own proof.
// verilog_lint: waive module-filename
module agg_sum
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  input reduce_req_t                           req_i,
  input logic [Cfg.NumRanks-1:0][BeatBits-1:0] rows_i,

  output logic                valid_o,
  output logic [BeatBits-1:0] row_o,
  output logic                last_o,
  output logic [MaxPorts-1:0] ports_o,
  output logic                bad_o,
  output mem_event_t          event_o
);

  logic [3:1]               valid_q, last_q;
  logic [3:1][MaxPorts-1:0] ports_q;

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[2:1], req_i.valid};
    last_q  <= {last_q[2:1], req_i.last};
    ports_q <= {ports_q[2:1], req_i.ports};
    if (!rst_ni) valid_q <= '0;
  end

  assign valid_o = valid_q[3];
  assign row_o   = '0;
  assign last_o  = last_q[3];
  assign ports_o = ports_q[3];
  assign bad_o   = 1'b0;
  assign event_o = '0;

endmodule
