// CRC-32 of messages that come 64 bytes a beat, one beat a cycle.
//
// The register starts at zero; a caller who wants another start value adds it to the first four bytes. Bytes that do not
// count are zero: in front they change nothing, behind they are run back (prim_crc32_unwind). The data part is
// pipelined, only the register itself is in the loop. Nobody waits: the answer comes three cycles after the last beat.
module prim_crc32_beat (
  input logic clk_i,
  input logic rst_ni,

  input logic         valid_i,
  input logic         first_i,
  input logic         last_i,
  input logic [511:0] data_i,

  // One pulse a message.
  output logic        valid_o,
  output logic [31:0] crc_o
);
  import prim_crc32_pkg::*;

  function automatic logic [31:0][511:0] masks();
    for (int unsigned o = 0; o < 32; o++) masks[o] = beat_mask(5'(o));
  endfunction

  localparam logic [31:0][511:0] Masks = masks();

  // Two XOR stages in front of the loop. The register's bits are taken in blocks of five: a data bit is in some of the five,
  // which is one of 31 patterns, and the parity of all data bits of one pattern is formed once for all five bits.
  localparam int unsigned BlockBits = 5;
  localparam int unsigned Blocks = (32 + BlockBits - 1) / BlockBits;

  /// The data bits that are in exactly those of the register's bits `low` and on which `pattern` names.
  function automatic logic [511:0] members(int unsigned low, logic [BlockBits-1:0] pattern);
    members = '1;
    for (int unsigned k = 0; k < BlockBits; k++) begin
      if (low + k < 32) members &= pattern[k] ? Masks[5'(low+k)] : ~Masks[5'(low+k)];
    end
  endfunction

  logic [31:0] data, data_q, state_d, state_q;
  logic [2:1]  valid_q, first_q, last_q;

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    localparam int unsigned Low = BlockBits * b;
    localparam int unsigned Bits = (32 - Low < BlockBits) ? 32 - Low : BlockBits;

    logic [2**Bits-1:1] parity_q;

    for (genvar p = 1; p < 2 ** Bits; p++) begin : gen_pattern
      localparam logic [511:0] Members = members(Low, BlockBits'(p));
      always_ff @(posedge clk_i) if (valid_i) parity_q[p] <= ^(data_i & Members);
    end
    always_comb begin
      for (int unsigned k = 0; k < Bits; k++) begin
        data[Low+k] = 1'b0;
        for (int unsigned p = 1; p < 2 ** Bits; p++) data[Low+k] ^= p[k] && parity_q[p];
      end
    end
  end

  // Not bit by bit into the register it reads: Verilator 5.48 with --public-flat-rw takes such a loop for blocking.
  always_comb begin
    for (int unsigned o = 0; o < 32; o++) begin
      state_d[o] = data_q[o] ^ (!first_q[2] && ^(state_q & Masks[o][31:0]));
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[1], valid_i};
    if (valid_i) {first_q[1], last_q[1]} <= {first_i, last_i};
    if (valid_q[1]) begin
      {first_q[2], last_q[2]} <= {first_q[1], last_q[1]};
      data_q                  <= data;
    end
    if (valid_q[2]) state_q <= state_d;
    valid_o <= valid_q[2] && last_q[2];
    if (!rst_ni) begin
      valid_q <= '0;
      valid_o <= 1'b0;
    end
  end

  assign crc_o = state_q;

endmodule
