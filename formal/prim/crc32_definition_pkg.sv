// CRC-32 by its definition, byte by byte; written apart from prim_crc32_pkg, as what that one is
// held against.
package crc32_definition_pkg;

  /// The register one bit of zero later; polynomial 0x04C11DB7, mirrored.
  function automatic logic [31:0] bit_more(logic [31:0] crc);
    bit_more = crc[0] ? (crc >> 1) ^ 32'hEDB8_8320 : crc >> 1;
  endfunction

  /// The register one bit of zero earlier.
  function automatic logic [31:0] bit_less(logic [31:0] crc);
    bit_less = crc[31] ? ((crc ^ 32'hEDB8_8320) << 1) | 32'd1 : crc << 1;
  endfunction

  /// The register after one byte more, least significant bit first.
  function automatic logic [31:0] byte_more(logic [31:0] crc, logic [7:0] data);
    byte_more = crc ^ {24'd0, data};
    for (int unsigned i = 0; i < 8; i++) byte_more = bit_more(byte_more);
  endfunction

  /// The register after `bytes` bytes of zero.
  function automatic logic [31:0] zeros(logic [31:0] crc, int unsigned bytes);
    zeros = crc;
    for (int unsigned b = 0; b < bytes; b++) zeros = byte_more(zeros, 8'd0);
  endfunction

  /// Which bits of 128 bytes are in each bit of a register that was zero in front of them.
  function automatic logic [31:0][1023:0] of_data();
    logic [7:0][31:0] now;   // what a bit of this byte leaves, with zero bytes behind it
    for (int unsigned i = 0; i < 8; i++) now[i] = byte_more(32'd0, 8'd1 << i);
    for (int b = 127; b >= 0; b--) begin
      for (int unsigned i = 0; i < 8; i++) begin
        for (int unsigned o = 0; o < 32; o++) of_data[o][8*b+i] = now[i][o];
        now[i] = byte_more(now[i], 8'd0);
      end
    end
  endfunction

  /// Which bits of a register are in each bit of the register `bytes` bytes of zero later.
  function automatic logic [31:0][31:0] of_register(int unsigned bytes);
    logic [31:0] later;
    for (int unsigned i = 0; i < 32; i++) begin
      later = zeros(32'd1 << i, bytes);
      for (int unsigned o = 0; o < 32; o++) of_register[o][i] = later[o];
    end
  endfunction

  /// What each single bit of a register is `bytes` bytes of zero earlier.
  function automatic logic [31:0][31:0] before_zeros(int unsigned bytes);
    for (int unsigned i = 0; i < 32; i++) begin
      before_zeros[i] = 32'd1 << i;
      for (int unsigned k = 0; k < 8 * bytes; k++) before_zeros[i] = bit_less(before_zeros[i]);
    end
  endfunction

endpackage
