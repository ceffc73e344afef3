// What the ICRC counts of a packet, by its definition (IBA annex A17): the text that check and
// insertion are held against.
package icrc_definition_pkg;
  import crc32_definition_pkg::*;

  /// The register after the eight 0xFF that stand for the LRH, in front of the IP header.
  function automatic logic [31:0] after_lrh();
    after_lrh = '1;
    for (int unsigned i = 0; i < 8; i++) after_lrh = byte_more(after_lrh, 8'hFF);
  endfunction
  localparam logic [31:0] Lrh = after_lrh();

  /// Bits of byte `at` of the IP packet that a router may change; they count as ones.
  function automatic logic [7:0] variant(logic six, int unsigned at);
    variant = '0;
    if (six) begin
      if (at == 0) variant = 8'h0F;                        // traffic class
      if (at inside {1, 2, 3}) variant = 8'hFF;            // traffic class, flow label
      if (at == 7) variant = 8'hFF;                        // hop limit
      if (at == 40 + 6 || at == 40 + 7) variant = 8'hFF;   // UDP checksum
      if (at == 40 + 8 + 4) variant = 8'hFF;               // BTH: FECN, BECN, reserved
    end else begin
      if (at inside {1, 8, 10, 11}) variant = 8'hFF;       // ToS, TTL, header checksum
      if (at == 20 + 6 || at == 20 + 7) variant = 8'hFF;
      if (at == 20 + 8 + 4) variant = 8'hFF;
    end
  endfunction

  /// A byte of the frame as the CRC is to see it, in a register that starts at zero: the register
  /// in front of the packet is added to its first four bytes.
  function automatic logic [7:0] counted(logic [7:0] data, logic six, logic inside_packet,
                                         int unsigned at);
    counted = inside_packet ? data | variant(six, at) : '0;
    if (at < 4) counted = counted ^ Lrh[8*at+:8];
  endfunction

endpackage
