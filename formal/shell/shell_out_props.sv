// shell_out: frames and pause frames in turn, without a hole.
module shell_out_props
  import shell_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       in_valid_i,
  input logic       in_last_i,
  input logic [1:0] in_keep_i,     // of the last byte, and of one that may be padded
  input logic       pause_valid_i,
  input logic       out_ready_i
);

  logic   in_ready, pause_ready, out_valid, out_last, started_q;
  keep_t  keep, out_keep;
  bytes_t out_data;
  logic   out_tag;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  // Two bytes stand for all: one of the first 60 and one behind.
  always_comb begin
    keep     = '0;
    keep[0]  = 1'b1;
    keep[59] = in_keep_i[0];
    keep[63] = in_keep_i[1];
  end

  shell_out #(
    .Tag(logic)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o   (in_ready),
    .in_data_i    ('1),
    .in_keep_i    (keep),
    .in_last_i,
    .in_tag_i     (1'b1),   // a frame of the core
    .pause_valid_i,
    .pause_ready_o(pause_ready),
    .pause_data_i ('0),
    .out_valid_o  (out_valid),
    .out_ready_i,
    .out_data_o   (out_data),
    .out_keep_o   (out_keep),
    .out_last_o   (out_last),
    .out_tag_o    (out_tag)
  );

  logic       within_q, out_within_q, in, pause, out;
  logic [2:0] frames_q, pauses_q;   // inside
  assign in    = in_valid_i && in_ready;
  assign pause = pause_valid_i && pause_ready;
  assign out   = out_valid && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (in) within_q <= !in_last_i;
    if (out) out_within_q <= !out_last;
    frames_q <= frames_q + 3'(in && in_last_i) - 3'(out && out_last && out_tag);
    pauses_q <= pauses_q + 3'(pause) - 3'(out && !out_tag);
    if (!rst_ni) begin
      within_q     <= 1'b0;
      out_within_q <= 1'b0;
      frames_q     <= '0;
      pauses_q     <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // A frame that has begun comes every cycle: shell_queues is proved to do so (a_no_hole).
    e_no_hole : assume (!within_q || in_valid_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every beat behind a frame's first is there when the MAC asks for it; it would underflow.
      a_no_hole : assert (!out_within_q || out_valid)
      else $error("a hole inside a frame");
      // A pause frame stands between frames, never inside one.
      a_between : assert (!out_valid || !out_within_q || out_tag)
      else $error("a pause frame inside a frame");
      // As many frames and pause frames leave as came: at most two of each are inside.
      a_counts : assert (frames_q <= 3'd2 && pauses_q <= 3'd2 && 32'(frames_q) + 32'(pauses_q) <= 2)
      else $error("%0d frames and %0d pause frames inside", frames_q, pauses_q);
      // What leaves as a frame has 60 bytes at least.
      a_padded : assert (!out_valid || out_within_q || !out_last || (out_keep[59] && out_keep[0]))
      else $error("too short");
      // A pause frame goes first, between two frames of the core.
      c_between : cover (out && !out_tag && frames_q != '0);
    end
  end

endmodule
