// Runs a CRC-32 register back over zero bytes at the end of a message, as a last beat that is
// filled up has them.
//
// One pipeline stage for each power of two, so the answer comes five cycles later, one a cycle.
// Nobody waits.
module prim_crc32_unwind (
  input logic clk_i,
  input logic rst_ni,

  input logic        valid_i,
  input logic [31:0] crc_i,
  // Zero bytes at the message's end, 0 to 62, even.
  input logic [5:0]  bytes_i,

  // The register in front of them, five cycles later.
  output logic        valid_o,
  output logic [31:0] crc_o
);
  import prim_crc32_pkg::*;

  localparam int unsigned Stages = 5;

  function automatic logic [Stages-1:0][31:0][31:0] masks();
    for (int unsigned s = 0; s < Stages; s++) begin
      for (int unsigned o = 0; o < 32; o++) masks[s][o] = back_mask(2 ** (s + 1), 5'(o));
    end
  endfunction

  localparam logic [Stages-1:0][31:0][31:0] Masks = masks();

  // [0] is the input.
  logic [Stages:0]       valid;
  logic [Stages:0][31:0] crc;
  logic [Stages:0][5:1]  bytes;

  logic [Stages:1]       valid_q;
  logic [Stages:1][31:0] crc_q;
  logic [Stages:1][5:1]  bytes_q;

  assign valid = {valid_q, valid_i};
  assign crc   = {crc_q, crc_i};
  assign bytes = {bytes_q, bytes_i[5:1]};

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? valid[Stages-1:0] : '0;
    for (int unsigned s = 0; s < Stages; s++) begin
      if (valid[s]) begin
        bytes_q[s+1] <= bytes[s];
        crc_q[s+1]   <= crc[s];
        if (bytes[s][s+1]) begin
          for (int unsigned o = 0; o < 32; o++) crc_q[s+1][o] <= ^(crc[s] & Masks[s][o]);
        end
      end
    end
  end

  assign valid_o = valid_q[Stages];
  assign crc_o   = crc_q[Stages];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Frames end at even bytes; an odd count would give a wrong ICRC.
      a_even : assert (!valid_i || !bytes_i[0])
      else $error("%m: %0d bytes to run back, must be even", bytes_i);
    end
  end

endmodule
