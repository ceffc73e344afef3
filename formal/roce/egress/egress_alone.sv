// roce_egress, whose results are not marked and of which nobody looks at what leaves: for proofs of
// what goes on inside. One name for all, by which a task leaves the assertions inside the design to
// their own proofs.
module egress_alone
  import roce_pkg::*;
#(
  parameter int unsigned HdrFrames = 1
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   hdr_we_i,
  input logic [HdrWordBits-1:0] hdr_word_i,
  input logic                   row_we_i,
  input logic    [BeatBits-1:0] row_i,
  input logic                   row_last_i,
  input logic                   part_we_i,
  input logic            [31:0] part_i,
  input logic                   out_ready_i
);

  roce_egress #(
    .FifoRows (8),
    .HdrFrames(HdrFrames)
  ) u_egress (
    .clk_i,
    .rst_ni,
    .epoch_i      ('0),
    .hdr_we_i,
    .hdr_word_i,
    .hdr_bad_i    (1'b0),
    .row_we_i,
    .row_i,
    .row_last_i,
    .row_bad_i    (1'b0),
    .part_we_i,
    .part_i,
    .row_pop_o    (),
    .frame_pop_o  (),
    .out_valid_o  (),
    .out_ready_i,
    .out_o        (),
    .out_bad_o    (),
    .dropped_o    (),
    .corrected_o  (),
    .bad_o        (),
    .start_valid_o(),
    .start_conn_o (),
    .start_psn_o  (),
    .drop_number_o()
  );

endmodule
