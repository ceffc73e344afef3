// Constant matrices of CRC-32 in its reflected form (polynomial 0x04C11DB7, as a register
// 0xEDB88320).
//
// A CRC is linear over GF(2): 64 bytes more are one XOR of masked data and masked state, instead of
// 512 steps in a row. Bit j of data is bit j%8 of byte j/8, bytes in the order of the message.
package prim_crc32_pkg;

  localparam logic [31:0] Poly = 32'hEDB8_8320;

  /// What one message bit of zero does to the register.
  function automatic logic [31:0] step(logic [31:0] s);
    step = (s >> 1) ^ (s[0] ? Poly : 32'd0);
  endfunction

  /// The register before a message bit of zero that left `s`.
  function automatic logic [31:0] step_back(logic [31:0] s);
    step_back = s[31] ? {s[30:0] ^ Poly[30:0], 1'b1} : {s[30:0], 1'b0};
  endfunction

  /// The register `bytes` zero bytes behind one that is `s`.
  function automatic logic [31:0] ahead(logic [31:0] s, int unsigned bytes);
    ahead = s;
    for (int unsigned k = 0; k < 8 * bytes; k++) ahead = step(ahead);
  endfunction

  /// Which of 512 data bits are in bit `out` of the register behind them. The register's own bits
  /// in front of them have the same masks as the first 32 data bits.
  function automatic logic [511:0] beat_mask(logic [4:0] out);
    logic [31:0] s;
    s = Poly;
    for (int j = 511; j >= 0; j--) begin
      beat_mask[j] = s[out];
      s = step(s);
    end
  endfunction

  /// Which register bits are in bit `out` of the register `bytes` zero bytes earlier.
  function automatic logic [31:0] back_mask(int unsigned bytes, logic [4:0] out);
    logic [31:0] s;
    for (int unsigned i = 0; i < 32; i++) begin
      s = 32'd1 << i;
      for (int unsigned k = 0; k < 8 * bytes; k++) s = step_back(s);
      back_mask[i] = s[out];
    end
  endfunction

endpackage
