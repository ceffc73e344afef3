// Constant matrices of CRC-32 in its reflected form (polynomial 0x04C11DB7, as a register
// 0xEDB88320).
//
// A CRC is linear over GF(2): a beat more is one XOR of masked data and masked state, instead of
// hundreds of steps in a row. Bit j of data is bit j%8 of byte j/8, bytes in the order of the
// message.
package prim_crc32_pkg;

  localparam logic [31:0] Poly = 32'hEDB8_8320;

  /// What one message bit of zero does to the register.
  function automatic logic [31:0] step(logic [31:0] s);
    step = (s >> 1) ^ (s[0] ? Poly : 32'd0);
  endfunction

  /// The register in front of a message bit of zero that left `s`.
  function automatic logic [31:0] step_back(logic [31:0] s);
    step_back = {s[30:0], 1'b0} ^ (s[31] ? {Poly[30:0], 1'b1} : 32'd0);
  endfunction

  /// A register is a polynomial, bit j its coefficient of x^(31-j), and a message bit of zero
  /// multiplies by x. So `bytes` zero bytes, before now if there are less than none, are a product
  /// with this.
  function automatic logic [31:0] power(int bytes);
    power = 32'h8000_0000;
    for (int k = 0; k < 8 * bytes; k++) power = step(power);
    for (int k = 0; k > 8 * bytes; k--) power = step_back(power);
  endfunction

  /// The register `bytes` zero bytes behind one that is `s`.
  function automatic logic [31:0] ahead(logic [31:0] s, int unsigned bytes);
    ahead = s;
    for (int unsigned k = 0; k < 8 * bytes; k++) ahead = step(ahead);
  endfunction

  /// Which of `bits` data bits, 1,024 at most, are in bit `out` of the register behind them. The
  /// register's own bits in front of them have the same masks as the first 32 of them.
  function automatic logic [1023:0] beat_mask(logic [4:0] out, int unsigned bits);
    logic [31:0] s;
    s = Poly;
    beat_mask = '0;
    for (int j = int'(bits) - 1; j >= 0; j--) begin
      beat_mask[j] = s[out];
      s = step(s);
    end
  endfunction

  /// Which register bits are in bit `out` of the register `bytes` zero bytes earlier. Before a
  /// message bit of zero that left `s` the register was {s[30:0], 0}, with {Poly[30:0], 1} added if
  /// s[31]. So the mask is run back, once; a register for each of its bits took Verilator a quarter
  /// of its time for a device.
  function automatic logic [31:0] back_mask(int unsigned bytes, logic [4:0] out);
    back_mask = 32'd1 << out;
    for (int unsigned k = 0; k < 8 * bytes; k++) begin
      back_mask = {^(back_mask & {Poly[30:0], 1'b1}), back_mask[31:1]};
    end
  endfunction

endpackage
