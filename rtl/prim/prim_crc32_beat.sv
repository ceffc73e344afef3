// CRC-32 of messages that come some bytes a beat, one beat a cycle.
//
// The register starts at zero; a caller who wants another start value adds it to the first four
// bytes. Bytes that do not count are zero: in front they change nothing, behind they are run back
// (prim_crc32_unwind). The data part is pipelined, only the register itself is in the loop. Nobody
// waits: the answer comes three cycles after the last beat.
module prim_crc32_beat #(
  /// 0: nobody looks at the answer, and nothing is computed.
  parameter int unsigned Used = 1,
  /// Bytes of a beat: 8, 16, 32, 64 or 128.
  parameter int unsigned Bytes = 64
) (
  input logic clk_i,
  input logic rst_ni,

  input logic               valid_i,   // beats of messages, one message's in a row
  input logic               first_i,
  input logic               last_i,
  input logic [8*Bytes-1:0] data_i,

  // The register behind a message: one pulse, three cycles after its last beat.
  output logic        valid_o,
  output logic [31:0] crc_o
);
  import prim_crc32_pkg::*;

  /*verilator no_inline_module*/

  if (Bytes != 8 && Bytes != 16 && Bytes != 32 && Bytes != 64 && Bytes != 128)
  begin : gen_check_bytes
    $fatal(1, "%m: Bytes must be 8, 16, 32, 64 or 128, is %0d", Bytes);
  end

  localparam int unsigned Bits = 8 * Bytes;

  function automatic logic [31:0][Bits-1:0] masks();
    for (int unsigned o = 0; o < 32; o++) begin
      masks[o] = (Used != 0) ? Bits'(beat_mask(5'(o), Bits)) : '0;
    end
  endfunction

  localparam logic [31:0][Bits-1:0] Masks = masks();

  // Two XOR stages in front of the loop. The register's bits are taken in blocks of three: a data
  // bit is in some of the three, which is one of 7 patterns, and the parity of all data bits of one
  // pattern is formed once for all three bits. Larger blocks save a few LUTs and cost registers,
  // and time in simulation.
  localparam int unsigned BlockBits = 3;
  localparam int unsigned Blocks = (32 + BlockBits - 1) / BlockBits;

  /// The data bits that are in exactly those of the register's bits `low` and on which `pattern`
  /// names.
  function automatic logic [Bits-1:0] members(int unsigned low, logic [BlockBits-1:0] pattern);
    members = '1;
    for (int unsigned k = 0; k < BlockBits; k++) begin
      // The last block has less than that many bits.
      if (low + k < 32) members &= pattern[k] ? Masks[5'(low+k)] : ~Masks[5'(low+k)];
      else if (pattern[k]) members = '0;
    end
    if (Used == 0) members = '0;
  endfunction

  localparam int unsigned Patterns = 2 ** BlockBits;

  logic [Patterns-1:1][Blocks-1:0] parity_q;
  logic [31:0]                     data_q, state_q;
  logic [2:1]                      valid_q, first_q, last_q;

  // Words of 64 bits are taken together before there is one parity: simulation has them in a
  // register, and does half as much.
  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    localparam int unsigned Low = BlockBits * b;
    for (genvar p = 1; p < Patterns; p++) begin : gen_pattern
      localparam logic [Bits-1:0] Members = members(Low, BlockBits'(p));
      always_ff @(posedge clk_i) begin
        automatic logic [63:0] word;
        if (valid_i) begin
          word = data_i[0+:64] & Members[0+:64];
          for (int unsigned i = 64; i < Bits; i += 64) begin
            word ^= data_i[i+:64] & Members[i+:64];
          end
          parity_q[p][b] <= ^word;
        end
      end
    end
  end

  // Local variables, so that simulation computes them for valid beats only, and each register is
  // written as a whole; no function, so that all instances share one compiled copy
  // (tb/drive/library/share.vlt).
  always_ff @(posedge clk_i) begin
    automatic logic [31:0] data_part, state_part;
    automatic logic [BlockBits-1:0][Blocks-1:0] bits;   // of each block its first bit, its second

    valid_q <= {valid_q[1], valid_i};
    if (valid_i) {first_q[1], last_q[1]} <= {first_i, last_i};
    if (valid_q[1]) begin
      {first_q[2], last_q[2]} <= {first_q[1], last_q[1]};
      bits = '0;
      for (int unsigned k = 0; k < BlockBits; k++) begin
        for (int unsigned p = 1; p < Patterns; p++) if (p[k]) bits[k] ^= parity_q[p];
      end
      for (int unsigned o = 0; o < 32; o++) data_part[o] = bits[o%BlockBits][o/BlockBits];
      data_q <= data_part;
    end
    if (valid_q[2]) begin
      for (int unsigned o = 0; o < 32; o++) state_part[o] = ^(state_q & Masks[o][31:0]);
      state_q <= data_q ^ (first_q[2] ? '0 : state_part);
    end
    valid_o <= valid_q[2] && last_q[2];
    if (!rst_ni) begin
      valid_q <= '0;
      valid_o <= 1'b0;
    end
  end

  assign crc_o = state_q;

endmodule
