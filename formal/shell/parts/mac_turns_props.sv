// shell_out beside its last register stage, whose answers are free (`cuts` of the task): whose turn
// it is, and each byte of what leaves then, for any frames. One byte is followed.
module mac_turns_props
  import shell_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       in_valid_i,
  input bytes_t     in_data_i,
  input keep_t      in_keep_i,
  input logic       in_last_i,
  input logic [1:0] in_tag_i,
  input logic       pause_valid_i,
  input bytes_t     pause_data_i,
  input logic       out_ready_i,
  input logic [5:0] byte_i   // any
);

  logic       in_ready, pause_ready, valid, last;
  bytes_t     data;
  keep_t      keep;
  logic [1:0] tag;

  shell_out #(
    .Tag(logic [1:0])
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o   (in_ready),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_tag_i,
    .pause_valid_i,
    .pause_ready_o(pause_ready),
    .pause_data_i,
    .out_valid_o  (valid),
    .out_ready_i,
    .out_data_o   (data),
    .out_keep_o   (keep),
    .out_last_o   (last),
    .out_tag_o    (tag)
  );

  // A beat as the register stage takes and shows it.
  typedef struct packed {
    bytes_t     data;
    keep_t      keep;
    logic       last;
    logic [1:0] tag;
  } beat_t;
  beat_t put, got;
  logic  room;
  assign put  = u_dut.u_skid.in_i;
  assign got  = u_dut.u_skid.out_o;
  assign room = u_dut.u_skid.in_ready_o;

  // A frame has begun to be taken and has not ended.
  logic open_q, reset_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready) open_q <= !in_last_i;
    if (!rst_ni) {open_q, reset_q} <= 2'b01;
  end

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // Between frames a pause frame goes first; inside a frame it waits.
      a_turns : assert (pause_ready == (room && !open_q) &&
                        in_ready == (room && (open_q || !pause_valid_i)))
      else $error("pause %b, frame %b", pause_ready, in_ready);
      // Something leaves if whoever's turn it is has something.
      a_something : assert (u_dut.u_skid.in_valid_i ==
                            (in_valid_i || (pause_valid_i && !open_q)))
      else $error("valid %b", u_dut.u_skid.in_valid_i);
      if (pause_valid_i && !open_q) begin
        // A pause frame is one beat of 60 bytes, and has nothing beside it.
        a_pause : assert (put.data[byte_i] == pause_data_i[byte_i] && put.last && put.tag == '0 &&
                          put.keep[byte_i] == (32'(byte_i) < MinFrame))
        else $error("byte %0d of a pause frame", byte_i);
      end else if (in_valid_i) begin
        // A beat of a frame is as it came; bytes that are not kept are zero.
        a_frame : assert (put.last == in_last_i && put.tag == in_tag_i &&
                          put.data[byte_i] == (in_keep_i[byte_i] ? in_data_i[byte_i] : 8'd0))
        else $error("byte %0d", byte_i);
        // The first 60 bytes of a frame of one beat are kept in any case.
        a_padded : assert (put.keep[byte_i] == (in_keep_i[byte_i] ||
                           (!open_q && in_last_i && 32'(byte_i) < MinFrame)))
        else $error("byte %0d", byte_i);
      end
      // What it knows of the frame (helps the proof).
      a_open : assert (u_dut.within_q == open_q)
      else $error("open %b", open_q);

      // A pause frame waits inside a frame; the last byte that is padded is.
      c_waits : cover (pause_valid_i && !pause_ready && in_valid_i && in_ready && in_last_i);
      c_padded : cover (in_valid_i && in_ready && put.keep[59] && !in_keep_i[59]);
    end
    // What leaves is what the register stage shows, and the MAC takes it there.
    a_leaves : assert (valid == u_dut.u_skid.out_valid_o && {data, keep, last, tag} == got &&
                       u_dut.u_skid.out_ready_i == out_ready_i && u_dut.u_skid.rst_ni == rst_ni)
    else $error("leaves %b", valid);
  end

endmodule
