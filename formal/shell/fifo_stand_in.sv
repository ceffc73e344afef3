// Stands in for shell_fifo_async in the proof of shell_queues: shows frames of any length, whenever
// it likes, of any priority.
//
// Sound because shell_fifo_async is proved to show what it shows until it is taken (a_stable) and
// a frame that has begun without a hole (a_no_hole). What is shown and when is left open:
// `any_valid`, `any_last` and `any_entry` are cut. The writing side is left open too: `any_ready`.
// verilog_lint: waive module-filename
module shell_fifo_async #(
  parameter type T = logic [7:0],
  parameter int unsigned Depth = 16,
  parameter bit Wait = 1'b0,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input logic wr_clk_i,
  input logic wr_rst_ni,
  input logic wr_up_i,
  input logic wr_clear_i,

  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic        in_last_i,
  input  T            in_i,
  output logic        drop_o,
  output logic [Aw:0] level_o,

  input logic rd_clk_i,
  input logic rd_clear_i,

  output logic out_valid_o,
  input  logic out_ready_i,
  output logic out_last_o,
  output T     out_o
);

  logic any_valid, any_last, any_ready, held_q, within_q, last_q;
  T     any_entry, entry_q;

  assign any_valid = 1'b0;
  assign any_last  = 1'b0;
  assign any_ready = 1'b0;
  assign any_entry = '0;

  assign in_ready_o  = any_ready;
  assign drop_o      = 1'b0;
  assign level_o     = '0;
  assign out_valid_o = held_q || within_q || any_valid;
  assign out_last_o  = held_q ? last_q : any_last;
  assign out_o       = held_q ? entry_q : any_entry;

  always_ff @(posedge rd_clk_i) begin
    held_q  <= out_valid_o && !out_ready_i;
    last_q  <= out_last_o;
    entry_q <= out_o;
    if (out_valid_o && out_ready_i) within_q <= !out_last_o;
    if (rd_clear_i) begin
      held_q   <= 1'b0;
      within_q <= 1'b0;
    end
  end

endmodule
