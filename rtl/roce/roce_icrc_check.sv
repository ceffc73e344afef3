// Says of every frame whether the ICRC at the end of its IP packet is right (IBA, annex A17).
//
// The ICRC is inside the stream, so a good packet always leaves the same CRC register behind.
// Fields that routers may change count as ones; the Ethernet header and everything behind the
// packet count as zero bytes. Zeroes in front do not move a register that is zero, and the start
// value is put into the first bytes of the IP header instead. Zeroes behind advance the register by
// as many bytes as the last beat has left; packets end at 4i+2 of a beat, so there is a good value
// for each of its words.
//
// Frames of any length, one beat a cycle. Nobody waits: the answer stands FrameAnswer cycles after
// a frame's last beat. It is meaningless for frames that are no RoCEv2 or whose IP length is no
// multiple of four; the parser knows them.
module roce_icrc_check
  import roce_pkg::*;
  import roce_icrc_pkg::*;
#(
  /// 0: every ICRC counts as good, and nothing is computed.
  parameter int unsigned Used = 1
) (
  input logic clk_i,
  input logic rst_ni,

  // A beat, and its number in the frame (saturating).
  input logic                valid_i,
  input logic                first_i,
  input logic [8:0]          index_i,
  input logic [BeatBits-1:0] data_i,

  // From roce_locate. For a first beat, in its own cycle:
  input logic now_vlan_i,
  input logic now_v6_i,
  input logic [BeatBytes/4-1:FirstEnd] now_ends_i,
  // For the beats behind it; and where in the frame the packet's last byte is, divided by four.
  input logic        vlan_i,
  input logic        v6_i,
  input logic [14:0] tail_quad_i,

  // The packet that ends in this frame has a good ICRC: valid FrameAnswer cycles after the frame's
  // last beat.
  output logic good_o
);
  import prim_crc32_pkg::ahead;

  typedef enum logic [1:0] {KindV4, KindV6, KindV4Vlan, KindV6Vlan} kind_e;

  // ---------------------------------------------------------------------------------------------
  // Stage 1: the beat as it counts.

  kind_e                  kind;
  logic                   ends;       // the packet's last byte is in this beat
  logic                   ends_first; // or, if it is the first one, in it
  logic [BeatBytes/4:0]   keep;

  assign kind = kind_e'(first_i ? {now_vlan_i, now_v6_i} : {vlan_i, v6_i});
  assign ends = first_i ? ends_first : (tail_quad_i[14:WordW] == (15 - WordW)'(index_i));

  always_comb begin
    ends_first = now_ends_i[FirstEnd];
    for (int unsigned q = FirstEnd + 1; q < BeatBytes / 4; q++) begin
      ends_first = ends_first || now_ends_i[q];
    end
  end

  // In the beat that the packet ends in, bytes 4q-2 to 4q+1 count if it does not end in front of
  // them.
  always_comb begin
    logic ended;
    ended = 1'b0;
    keep   = '1;
    if (ends) begin
      for (int unsigned q = 1; q < BeatBytes / 4; q++) begin
        if (q == FirstEnd + 1) ended = now_ends_i[q-1];
        else if (q > FirstEnd) ended = ended || now_ends_i[q-1];
        if (q == BeatBytes / 4 - 1) keep[q] = first_i ? !ended : tail_quad_i[WordW-1:0] == '1;
        else if (q > FirstEnd) keep[q] = first_i ? !ended : tail_quad_i[WordW-1:0] >= WordW'(q);
        else keep[q] = first_i || tail_quad_i[WordW-1:0] >= WordW'(q);
      end
      keep[BeatBytes/4] = 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 2 to 4: CRC. Which good value is due goes along.

  localparam int unsigned CrcLatency = 3;
  if (CrcLatency + 2 != FrameAnswer) begin : gen_check_answer
    $fatal(1, "%m: roce_ingress takes the answer after %0d cycles, not %0d", FrameAnswer,
           CrcLatency + 2);
  end

  logic [BeatBits-1:0]         data_q;
  logic [CrcLatency:0]         valid_q, first_q, ends_q;  // [0] is stage 2
  logic [CrcLatency-1:1][WordW-1:0] quad_q;
  logic                        crc_valid;
  logic [31:0]                 crc, due_q;

  always_ff @(posedge clk_i) begin
    if (Used != 0 ? valid_i : 1'b0) begin
      data_q <= data_i;
      if (first_i) begin
        unique case (kind)
          KindV4:     data_q <= ((data_i | OnesV4[0]) & Inside) ^ Start;
          KindV6:     data_q <= ((data_i | OnesV6[0]) & Inside) ^ Start;
          KindV4Vlan: data_q <= ((data_i | OnesV4Vlan[0]) & InsideVlan) ^ StartVlan;
          default:    data_q <= ((data_i | OnesV6Vlan[0]) & InsideVlan) ^ StartVlan;
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
    // The locator is right from stage 2 on.
    quad_q  <= {quad_q[CrcLatency-2:1], tail_quad_i[WordW-1:0]};
    if (!rst_ni) valid_q <= '0;
  end

  prim_crc32_beat #(
    .Used (Used),
    .Bytes(BeatBytes)
  ) u_crc (
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

  function automatic logic [BeatBytes/4-1:0][31:0] residues();
    for (int unsigned q = 0; q < BeatBytes / 4; q++) begin
      residues[q] = ahead(IcrcResidue, BeatBytes - 2 - 4 * q);
    end
  endfunction

  localparam logic [BeatBytes/4-1:0][31:0] Residues = residues();

  always_ff @(posedge clk_i) begin
    due_q <= Residues[quad_q[CrcLatency-1]];
    if (valid_q[CrcLatency]) begin
      if (ends_q[CrcLatency]) begin
        good_o <= Used != 0 ? crc == due_q : 1'b1;
      end else if (first_q[CrcLatency]) begin
        good_o <= Used != 0 ? 1'b0 : 1'b1;
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
