// Runs a CRC-32 register back over zero bytes at the end of a message, as a last beat that is filled up has them.
//
// One pipeline stage for each power of two, so the answer comes five cycles later, one a cycle. Nobody waits.
module prim_crc32_unwind (
  input logic clk_i,
  input logic rst_ni,

  input logic        valid_i,
  input logic [31:0] crc_i,
  // Zero bytes, 0 to 62, even.
  input logic [5:0]  bytes_i,

  output logic        valid_o,
  output logic [31:0] crc_o
);
  import prim_crc32_pkg::*;

  localparam int unsigned Stages = 5;

  logic        valid_q[Stages];
  logic [31:0] crc_q  [Stages];
  logic [5:1]  bytes_q[Stages];

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    logic        valid;
    logic [31:0] crc, back;
    logic [5:1]  bytes;

    if (s == 0) begin : gen_in
      assign {valid, crc, bytes} = {valid_i, crc_i, bytes_i[5:1]};
    end else begin : gen_behind
      assign {valid, crc, bytes} = {valid_q[s-1], crc_q[s-1], bytes_q[s-1]};
    end

    for (genvar o = 0; o < 32; o++) begin : gen_bit
      localparam logic [31:0] Mask = back_mask(2 ** (s + 1), 5'(o));
      assign back[o] = ^(crc & Mask);
    end

    always_ff @(posedge clk_i) begin
      valid_q[s] <= valid && rst_ni;
      if (valid) begin
        crc_q[s]   <= bytes[s+1] ? back : crc;
        bytes_q[s] <= bytes;
      end
    end
  end

  assign valid_o = valid_q[Stages-1];
  assign crc_o   = crc_q[Stages-1];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Frames end at even bytes; an odd count would give a wrong ICRC.
      a_even : assert (!valid_i || !bytes_i[0])
      else $error("%m: %0d bytes to run back, must be even", bytes_i);
    end
  end

endmodule
