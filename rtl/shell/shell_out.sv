// The last stage in front of a MAC: frames of data and pause frames in turn, padded to 60 bytes.
//
// A pause frame goes first, but never into a frame that has been begun. What comes without holes
// leaves without holes; both directions are registered. Bytes that are padded are zero.
module shell_out
  import shell_pkg::*;
#(
  /// What a beat carries beside data, bytes kept and last.
  parameter type Tag = logic
) (
  input logic clk_i,
  input logic rst_ni,

  // Once begun, a frame must come every cycle.
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  bytes_t in_data_i,
  input  keep_t  in_keep_i,
  input  logic   in_last_i,
  input  Tag     in_tag_i,

  // Whole frames of `MinFrame` bytes.
  input  logic   pause_valid_i,
  output logic   pause_ready_o,
  input  bytes_t pause_data_i,

  output logic   out_valid_o,   // to the MAC; no hole in a frame
  input  logic   out_ready_i,
  output bytes_t out_data_o,
  output keep_t  out_keep_o,
  output logic   out_last_o,
  output Tag     out_tag_o
);

  typedef struct packed {
    bytes_t data;
    keep_t  keep;
    logic   last;
    Tag     tag;
  } beat_t;

  localparam keep_t Padded = keep_t'((65'd1 << MinFrame) - 65'd1);

  logic  within_q, pause, ready;
  beat_t beat, out;

  assign pause         = pause_valid_i && !within_q;
  assign pause_ready_o = ready && !within_q;
  assign in_ready_o    = ready && !pause;

  always_comb begin
    beat = '{data: pause_data_i, keep: Padded, last: 1'b1, tag: '0};
    if (!pause) begin
      beat = '{data: in_data_i, keep: in_keep_i, last: in_last_i, tag: in_tag_i};
      if (in_last_i && !within_q) beat.keep = in_keep_i | Padded;
      for (int unsigned b = 0; b < BeatBytes; b++) if (!in_keep_i[b]) beat.data[b] = 8'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) within_q <= !in_last_i;
    if (!rst_ni) within_q <= 1'b0;
  end

  prim_skid #(
    .T(beat_t)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .in_valid_i (pause || in_valid_i),
    .in_ready_o (ready),
    .in_i       (beat),
    .out_valid_o,
    .out_ready_i,
    .out_o      (out)
  );
  assign out_data_o = out.data;
  assign out_keep_o = out.keep;
  assign out_last_o = out.last;
  assign out_tag_o  = out.tag;

  // A MAC underflows at a hole, and cuts the frame.
  logic open_q;   // a frame has begun to leave
  always_ff @(posedge clk_i) begin
    if (out_valid_o) open_q <= !(out_last_o && out_ready_i);
    if (!rst_ni) open_q <= 1'b0;
    if (rst_ni) begin
      // Every beat between a frame's first and its last is there when the MAC asks for it.
      a_no_hole : assert (!open_q || out_valid_o)
      else $error("%m: a hole inside a frame");
    end
  end

endmodule
