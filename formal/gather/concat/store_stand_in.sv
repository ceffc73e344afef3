// Stands in for gather_store in proofs of gather_concat: it has units for PRs or not, any of them,
// and lets closed packets go, whenever it likes. Whatever the storage does is among that, so what
// is proved holds for the real one too; what becomes of the bytes is not looked at here.
// (`any_unit`, `any_enough`, `any_go` are cut.)
// verilog_lint: waive module-filename
module gather_store
  import gather_pkg::*;
#(
  parameter int unsigned NumUnits = 256,
  parameter int unsigned UnitRows = 1,
  parameter bit Linked = 1'b1,
  parameter int unsigned Closed = 8,
  localparam int unsigned UnitW = $clog2(NumUnits),
  localparam int unsigned ClosedW = $clog2(Closed + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  output logic             enough_o,
  input  logic             reserve_i,
  input  logic             refund_i,
  input  logic             take_i,
  output logic [UnitW-1:0] unit_o,

  input logic  write_valid_i,
  input part_t write_i,

  input  logic               closed_valid_i,
  output logic               closed_ready_o,
  input  logic [11:0]        closed_stop_i,
  input  logic [UnitW-1:0]   closed_first_i,
  output logic [ClosedW-1:0] closed_count_o,

  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  output logic busy_o
);

  logic               any_enough, any_go;
  logic [UnitW-1:0]   any_unit;
  logic [ClosedW-1:0] closed_q;
  assign any_enough = 1'b1;
  assign any_unit   = '0;
  assign any_go     = 1'b1;

  assign enough_o       = any_enough;
  assign unit_o         = any_unit;
  assign closed_ready_o = 32'(closed_q) < Closed;
  assign closed_count_o = closed_q;
  assign data_valid_o   = 1'b0;
  assign data_o         = '0;
  assign busy_o         = closed_q != '0;

  always_ff @(posedge clk_i) begin
    closed_q <= closed_q + ClosedW'(closed_valid_i) - ClosedW'(any_go && closed_q != '0);
    if (!rst_ni) closed_q <= '0;
  end

endmodule
