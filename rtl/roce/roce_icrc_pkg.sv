// What the ICRC counts of a frame's headers (IBA annex A17 for RoCEv2), as masks of its first two
// beats (at 128 bytes all is in the first), one for each shape of headers: IPv4 or IPv6, with or
// without a VLAN tag.
//
// Everything from the IP header on counts, with the fields that routers may change as ones. The
// eight 0xFF bytes in front of it are in the CRC register's start value, which is added to the
// first four bytes of the IP header: so Ethernet's bytes can be fed as zeros into a register that
// starts at zero.
package roce_icrc_pkg;
  import roce_pkg::*;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  typedef logic [1:0][BeatBits-1:0] head_t;   // two beats

  /// Bytes in front of the IP header.
  localparam int unsigned Ip = 14;
  localparam int unsigned IpVlan = 18;

  /// Bits that count as ones, for an IP header at byte `ip`.
  function automatic head_t ones(logic v6, int unsigned ip);
    int unsigned udp;
    logic [2*BeatBits-1:0] bits;
    bits = '0;
    if (v6) begin
      udp = ip + 40;
      bits[8*ip+:4]       = '1;   // traffic class, upper half: in the byte behind the version
      bits[8*(ip+1)+:24]  = '1;   // traffic class, lower half; flow label
      bits[8*(ip+7)+:8]   = '1;   // hop limit
    end else begin
      udp = ip + 20;
      bits[8*(ip+1)+:8]   = '1;   // ToS
      bits[8*(ip+8)+:8]   = '1;   // TTL
      bits[8*(ip+10)+:16] = '1;   // header checksum
    end
    bits[8*(udp+6)+:16] = '1;     // UDP checksum
    bits[8*(udp+12)+:8] = '1;     // BTH byte 4: FECN, BECN, reserved
    ones = bits;
  endfunction

  localparam head_t OnesV4 = ones(1'b0, Ip);
  localparam head_t OnesV4Vlan = ones(1'b0, IpVlan);
  localparam head_t OnesV6 = ones(1'b1, Ip);
  localparam head_t OnesV6Vlan = ones(1'b1, IpVlan);
  /// Bits of the first beat from the IP header on, and the start value at its place in them.
  localparam logic [BeatBits-1:0] Inside = {BeatBits{1'b1}} << (8 * Ip);
  localparam logic [BeatBits-1:0] InsideVlan = {BeatBits{1'b1}} << (8 * IpVlan);
  localparam logic [BeatBits-1:0] Start = BeatBits'(IcrcSeed) << (8 * Ip);
  localparam logic [BeatBits-1:0] StartVlan = BeatBits'(IcrcSeed) << (8 * IpVlan);

  // verilator lint_on UNUSEDPARAM
endpackage
