// The rows' part of the ICRC of results: one for all ports that get the same rows.
//
// It is the CRC of a tensor alone, from a register that starts at zero, with zeros in place of its
// pad bytes. Each port's headers have theirs, and the sum of both is the frame's (roce_icrc_join).
// Nobody waits.
module roce_icrc_rows
  import roce_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6
) (
  input logic clk_i,
  input logic rst_ni,

  // Of each tensor, in front of its last row: how many of that row's pairs of bytes are tensor. At
  // most eight wait.
  input logic              pairs_valid_i,
  input logic [PairsW-1:0] pairs_i,

  // Rows of tensors, one tensor's in a row, and where they go; bytes behind a tensor may be
  // anything.
  input logic                row_valid_i,
  input logic [BeatBits-1:0] row_i,
  input logic                row_last_i,
  input logic [NumPorts-1:0] row_ports_i,

  // A pulse for each tensor at all of its ports, eight cycles behind its last row, or nine with 128
  // bytes.
  output logic [NumPorts-1:0] part_valid_o,
  output logic [31:0]         part_o
);

  localparam int unsigned Pairs = BeatBytes / 2;
  localparam int unsigned Tensors = 8;
  /// From a last row to its CRC, and from there on.
  localparam int unsigned Crc = 4;
  localparam int unsigned Back = WordW;

  logic                valid_q, first_q, last_q;
  logic [BeatBits-1:0] row_q;
  logic [Crc:1][WordW-1:0] zeros_q;   // words behind the tensor and its pad bytes
  logic                crc_valid, back_valid;
  logic [31:0]         crc;
  logic [Crc+Back:1][NumPorts-1:0] ports_q;

  logic              pairs_ready, pairs_valid;
  logic [PairsW-1:0] pairs;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Tensors+1)-1:0] pairs_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo #(
    .T    (logic [PairsW-1:0]),
    .Depth(Tensors),
    .Head (1'b1)
  ) u_pairs (
    .clk_i,
    .rst_ni,
    .in_valid_i (pairs_valid_i),
    .in_ready_o (pairs_ready),
    .in_i       (pairs_i),
    .out_valid_o(pairs_valid),
    .out_ready_i(row_valid_i && row_last_i),
    .out_o      (pairs),
    .count_o    (pairs_count)
  );

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && row_valid_i;
    if (row_valid_i) last_q <= row_last_i;
    if (valid_q) first_q <= last_q;
    if (!rst_ni) first_q <= 1'b1;
    for (int unsigned i = 0; i < Pairs; i++) begin
      row_q[16*i+:16] <= (row_last_i && PairsW'(i) >= pairs) ? '0 : row_i[16*i+:16];
    end
    // A tensor without bytes is a row of zeros: it does not matter how many of them are run back.
    zeros_q <= {zeros_q[Crc-1:1], ~(pairs[WordW:1] + WordW'(pairs[0]) - WordW'(1))};
    ports_q <= {ports_q[Crc+Back-1:1], row_ports_i};
  end

  prim_crc32_beat #(
    .Bytes(BeatBytes)
  ) u_crc (
    .clk_i,
    .rst_ni,
    .valid_i(valid_q),
    .first_i(first_q),
    .last_i (last_q),
    .data_i (row_q),
    .valid_o(crc_valid),
    .crc_o  (crc)
  );

  prim_crc32_unwind #(
    .Unit (4),
    .Bytes(BeatBytes)
  ) u_unwind (
    .clk_i,
    .rst_ni,
    .valid_i(crc_valid),
    .crc_i  (crc),
    .bytes_i({zeros_q[Crc], 2'd0}),
    .valid_o(back_valid),
    .crc_o  (part_o)
  );

  assign part_valid_o = back_valid ? ports_q[Crc+Back] : '0;

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A last row's length is known, and there was room for it; else ICRCs would be wrong.
      a_pairs : assert ((!(row_valid_i && row_last_i) || pairs_valid) &&
                        (!pairs_valid_i || pairs_ready))
      else $error("%m: lengths of %0d rows wait", pairs_count);
    end
  end

endmodule
