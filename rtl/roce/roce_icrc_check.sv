// Says of every frame whether the ICRC at the end of its IP packet is right (IBA, annex A17).
//
// The ICRC is inside the stream, so a good packet always leaves the same CRC register behind.
// Fields that routers may change count as ones; the Ethernet header and everything behind the
// packet count as zero bytes. Zeroes in front do not move a register that is zero, and the start
// value is put into the first bytes of the IP header instead. Zeroes behind advance the register by
// as many bytes as the last beat has left; packets end at 4i+2 of a beat, so there are 16 good
// values.
//
// Frames of any length, one beat a cycle. Nobody waits: the answer stands five cycles after a
// frame's last beat. It is meaningless for frames that are no RoCEv2 or whose IP length is no
// multiple of four; the parser knows them.
module roce_icrc_check
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // A beat, and its number in the frame (saturating).
  input logic                valid_i,
  input logic                first_i,
  input logic [8:0]          index_i,
  input logic [BeatBits-1:0] data_i,

  // Of roce_locate, for the first beat in its own cycle ...
  input logic now_vlan_i,
  input logic now_v6_i,
  input logic now_ends_57_i,
  input logic now_ends_61_i,
  // ... and for the beats behind it; the packet's last byte in the frame, in steps of four bytes.
  input logic        vlan_i,
  input logic        v6_i,
  input logic [14:0] tail_quad_i,

  // Good so far: what it says of a frame's last beat counts.
  output logic good_o
);
  import prim_crc32_pkg::ahead;

  typedef logic [1:0][BeatBits-1:0] head_t;
  typedef enum logic [1:0] {KindV4, KindV6, KindV4Vlan, KindV6Vlan} kind_e;

  // ---------------------------------------------------------------------------------------------
  // Masks of the first two beats, one for each shape of the headers.

  function automatic int unsigned ip_offset(kind_e kind);
    ip_offset = (kind == KindV4 || kind == KindV6) ? 14 : 18;
  endfunction

  /// Bits that count as ones.
  function automatic head_t ones(kind_e kind);
    int unsigned ip, udp;
    ip   = ip_offset(kind);
    ones = '0;
    if (kind == KindV4 || kind == KindV4Vlan) begin
      udp = ip + 20;
      ones[0][8*(ip+1)+:8]   = '1;  // type of service
      ones[0][8*(ip+8)+:8]   = '1;  // time to live
      ones[0][8*(ip+10)+:16] = '1;  // header checksum
    end else begin
      udp = ip + 40;
      ones[0][8*ip+:4]       = '1;  // traffic class, in the byte behind the version
      ones[0][8*(ip+1)+:24]  = '1;  // the rest of it, flow label
      ones[0][8*(ip+7)+:8]   = '1;  // hop limit
    end
    for (int unsigned b = 0; b < 2 * BeatBytes; b++) begin
      // UDP checksum and BTH byte 4 (FECN, BECN, reserved).
      if (b == udp + 6 || b == udp + 7 || b == udp + 12) ones[b/BeatBytes][8*(b%BeatBytes)+:8] = '1;
    end
  endfunction

  /// Bits of the first beat that belong to the packet.
  function automatic logic [BeatBits-1:0] inside_ip(kind_e kind);
    inside_ip = '1;
    for (int unsigned b = 0; b < ip_offset(kind); b++) inside_ip[8*b+:8] = '0;
  endfunction

  /// The register's start value, where it meets the stream.
  function automatic logic [BeatBits-1:0] seed(kind_e kind);
    seed = '0;
    seed[8*ip_offset(kind)+:32] = IcrcSeed;
  endfunction

  localparam head_t OnesV4 = ones(KindV4);
  localparam head_t OnesV6 = ones(KindV6);
  localparam head_t OnesV4Vlan = ones(KindV4Vlan);
  localparam head_t OnesV6Vlan = ones(KindV6Vlan);
  localparam logic [BeatBits-1:0] InsideV4 = inside_ip(KindV4);
  localparam logic [BeatBits-1:0] InsideV6 = inside_ip(KindV6);
  localparam logic [BeatBits-1:0] InsideV4Vlan = inside_ip(KindV4Vlan);
  localparam logic [BeatBits-1:0] InsideV6Vlan = inside_ip(KindV6Vlan);
  localparam logic [BeatBits-1:0] SeedV4 = seed(KindV4);
  localparam logic [BeatBits-1:0] SeedV6 = seed(KindV6);
  localparam logic [BeatBits-1:0] SeedV4Vlan = seed(KindV4Vlan);
  localparam logic [BeatBits-1:0] SeedV6Vlan = seed(KindV6Vlan);

  // ---------------------------------------------------------------------------------------------
  // Stage 1: the beat as it counts.

  kind_e                  kind;
  logic                   ends;       // the packet's last byte is in this beat
  logic [BeatBytes/4:0]   keep;

  assign kind = kind_e'(first_i ? {now_vlan_i, now_v6_i} : {vlan_i, v6_i});
  assign ends = first_i ? (now_ends_57_i || now_ends_61_i) : (tail_quad_i[14:4] == 11'(index_i));

  // In the beat that the packet ends in, bytes 4q-2 to 4q+1 count if it does not end in front of
  // them. From the first beat's byte 58 on: it ends there or at 62.
  always_comb begin
    keep = '1;
    if (ends) begin
      for (int unsigned q = 1; q < BeatBytes / 4; q++) begin
        if (q == 15) keep[q] = first_i ? !now_ends_57_i : tail_quad_i[3:0] == 4'd15;
        else keep[q] = first_i || tail_quad_i[3:0] >= 4'(q);
      end
      keep[BeatBytes/4] = 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 2 to 4: CRC. Which good value is due goes along.

  localparam int unsigned CrcLatency = 3;

  logic [BeatBits-1:0]         data_q;
  logic [CrcLatency:0]         valid_q, first_q, ends_q;  // [0] is stage 2
  logic [CrcLatency-1:1][3:0]  quad_q;
  logic                        crc_valid;
  logic [31:0]                 crc, due_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      data_q <= data_i;
      if (first_i) begin
        unique case (kind)
          KindV4:     data_q <= ((data_i | OnesV4[0]) & InsideV4) ^ SeedV4;
          KindV6:     data_q <= ((data_i | OnesV6[0]) & InsideV6) ^ SeedV6;
          KindV4Vlan: data_q <= ((data_i | OnesV4Vlan[0]) & InsideV4Vlan) ^ SeedV4Vlan;
          default:    data_q <= ((data_i | OnesV6Vlan[0]) & InsideV6Vlan) ^ SeedV6Vlan;
        endcase
      end else if (index_i == 9'd1) begin
        unique case (kind)
          KindV4:     data_q <= data_i | OnesV4[1];
          KindV6:     data_q <= data_i | OnesV6[1];
          KindV4Vlan: data_q <= data_i | OnesV4Vlan[1];
          default:    data_q <= data_i | OnesV6Vlan[1];
        endcase
      end
      if (ends) begin
        for (int unsigned b = 0; b < BeatBytes; b++) begin
          if (!keep[(b+2)/4]) data_q[8*b+:8] <= '0;
        end
      end
    end
    valid_q <= {valid_q[CrcLatency-1:0], valid_i};
    first_q <= {first_q[CrcLatency-1:0], first_i};
    ends_q  <= {ends_q[CrcLatency-1:0], ends};
    quad_q  <= {quad_q[CrcLatency-2:1], tail_quad_i[3:0]};  // the locator is right from stage 2 on
    if (!rst_ni) valid_q <= '0;
  end

  prim_crc32_beat u_crc (
    .clk_i,
    .rst_ni,
    .valid_i(valid_q[0]),
    .first_i(first_q[0]),
    .last_i (ends_q[0]),
    .data_i (data_q),
    .valid_o(crc_valid),
    .crc_o  (crc)
  );

  // ---------------------------------------------------------------------------------------------
  // Stage 5: comparison.

  function automatic logic [15:0][31:0] residues();
    for (int unsigned q = 0; q < 16; q++) residues[q] = ahead(IcrcResidue, 62 - 4 * q);
  endfunction

  localparam logic [15:0][31:0] Residues = residues();

  always_ff @(posedge clk_i) begin
    due_q <= Residues[quad_q[CrcLatency-1]];
    if (valid_q[CrcLatency]) begin
      if (ends_q[CrcLatency]) begin
        good_o <= crc == due_q;
      end else if (first_q[CrcLatency]) begin
        good_o <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The CRC comes when the beat that ends the packet does; otherwise it would be another
      // frame's.
      a_aligned : assert (crc_valid == (valid_q[CrcLatency] && ends_q[CrcLatency]))
      else $error("%m: CRC and frame out of step");
    end
  end

endmodule
