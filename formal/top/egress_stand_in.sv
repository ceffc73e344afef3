// Stands in for roce_egress in proofs of the device: takes header words and rows, and lets a result
// leave when it is whole and `any_leave` says so, which is free (`cuts` of the task) or always.
//
// Sound because roce_egress never refuses a word or a row, and gives room back only for what it was
// given; what leaves is looked at by nobody in the device but the output.
// verilog_lint: waive module-filename
module roce_egress
  import roce_pkg::*;
#(
  parameter int unsigned FifoRows = 512,
  parameter int unsigned HdrFrames = 8,
  parameter int unsigned SlotBytes = 1024,
  parameter int unsigned Ecc = 0,
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [7:0]             epoch_i,
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  input logic                   hdr_bad_i,
  input logic                   row_we_i,
  input logic [BeatBits-1:0]    row_i,
  input logic                   row_last_i,
  input logic                   row_bad_i,
  input logic                   part_we_i,
  input logic [31:0]            part_i,

  output logic row_pop_o,
  output logic frame_pop_o,

  output logic  out_valid_o,
  input  logic  out_ready_i,
  output beat_t out_o,
  output logic  out_bad_o,

  output logic dropped_o,
  output logic corrected_o,
  output logic bad_o,

  output logic        start_valid_o,
  output logic [ConnBits-1:0] start_conn_o,
  output logic [23:0] start_psn_o,
  output logic [23:0] drop_number_o
);

  logic       any_leave, leave;
  logic [6:0] words_q;
  logic [3:0] rows_q;    // of one row each
  assign any_leave = 1'b1;
  assign leave     = any_leave && words_q >= 7'(HdrWords) && rows_q != '0;

  always_ff @(posedge clk_i) begin
    words_q <= words_q + 7'(hdr_we_i) - (leave ? 7'(HdrWords) : '0);
    rows_q  <= rows_q + 4'(row_we_i) - 4'(leave);
    if (!rst_ni) begin
      words_q <= '0;
      rows_q  <= '0;
    end
  end

  assign row_pop_o     = leave;
  assign frame_pop_o   = leave;
  assign out_valid_o   = 1'b0;
  assign out_o         = '0;
  assign start_valid_o = leave;
  assign start_conn_o  = '0;
  assign start_psn_o   = '0;
  assign out_bad_o     = 1'b0;
  assign dropped_o     = 1'b0;
  assign corrected_o   = 1'b0;
  assign bad_o         = 1'b0;
  assign drop_number_o = '0;

endmodule
