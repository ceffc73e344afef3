// Runs a CRC-32 register back over zero bytes at the end of a message, as a last beat that is
// filled up has them.
//
// One pipeline stage for each power of two, so the answer comes five cycles later for beats of 64
// bytes, one a cycle, or four if only whole words are run back. Nobody waits.
module prim_crc32_unwind #(
  /// Zero bytes are a multiple of it: 2 or 4.
  parameter int unsigned Unit = 2,
  /// Bytes of a beat, a power of two: there are fewer of them.
  parameter int unsigned Bytes = 64,
  localparam int unsigned CountW = $clog2(Bytes),
  localparam int unsigned Stages = CountW - $clog2(Unit)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic        valid_i,
  input logic [31:0] crc_i,
  // Zero bytes at the message's end.
  input logic [CountW-1:0] bytes_i,

  // The register in front of them, `Stages` cycles later.
  output logic        valid_o,
  output logic [31:0] crc_o
);
  import prim_crc32_pkg::*;

  if (Unit != 2 && Unit != 4) begin : gen_check_unit
    $fatal(1, "%m: Unit must be 2 or 4, is %0d", Unit);
  end

  localparam int unsigned Low = $clog2(Unit);   // of a count of bytes, the lowest bit that counts

  function automatic logic [Stages-1:0][31:0][31:0] masks();
    for (int unsigned s = 0; s < Stages; s++) begin
      for (int unsigned o = 0; o < 32; o++) masks[s][o] = back_mask(2 ** (s + Low), 5'(o));
    end
  endfunction

  localparam logic [Stages-1:0][31:0][31:0] Masks = masks();

  // [0] is the input.
  logic [Stages:0]       valid;
  logic [Stages:0][31:0] crc;
  logic [Stages:0][CountW-1:Low] bytes;

  logic [Stages:1]       valid_q;
  logic [Stages:1][31:0] crc_q;
  logic [Stages:1][CountW-1:Low] bytes_q;

  assign valid = {valid_q, valid_i};
  assign crc   = {crc_q, crc_i};
  assign bytes = {bytes_q, bytes_i[CountW-1:Low]};

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? valid[Stages-1:0] : '0;
    for (int unsigned s = 0; s < Stages; s++) begin
      if (valid[s]) begin
        bytes_q[s+1] <= bytes[s];
        crc_q[s+1]   <= crc[s];
        if (bytes[s][s+Low]) begin
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
      a_even : assert (!valid_i || 32'(bytes_i) % Unit == 0)
      else $error("%m: %0d bytes to run back, must be a multiple of %0d", bytes_i, Unit);
    end
  end

endmodule
