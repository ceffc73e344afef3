// Does a packet end in its frame's first beat? At 64 bytes IPv4 with nothing between BTH and ICRC,
// or four bytes, may; nothing else does.
//
// A module of its own so that synthesis keeps it two levels of LUTs deep: the ICRC check needs it
// in the same cycle. Beside the adder of roce_locate it would get as much time as that takes.
module roce_short
  import roce_pkg::*;
(
  // First 24 bytes of a first beat, of which only EtherTypes and lengths are looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [191:0] data_i,
  // verilator lint_on UNUSEDSIGNAL
  // The packet's last byte is byte 1 of this word of this beat.
  output logic [BeatBytes/4-1:FirstEnd] ends_o
);

  /// IPv4 total length, and IPv6 payload length, of a packet with nothing between BTH and ICRC.
  localparam int unsigned Empty4 = 20 + 8 + 12 + 4;
  localparam int unsigned Empty6 = 8 + 12 + 4;

  function automatic logic [15:0] be16(logic [191:0] data, int unsigned at);
    be16 = {data[8*at+:8], data[8*at+8+:8]};
  endfunction

  // Lengths are compared while it is not yet known where they are.
  logic v4_plain, v4_vlan;
  assign v4_plain = !data_i[8*12] && !data_i[8*12+7];
  assign v4_vlan  = data_i[8*12] && !data_i[8*16+7];

  for (genvar q = FirstEnd; q < BeatBytes / 4; q++) begin : gen_end
    /// Bytes of the frame up to there, less Ethernet's header.
    localparam int unsigned Len = 4 * q + 2 - 14;
    logic v4_ends;

    // A tag makes the frame longer by four bytes, and IPv6's header is not in its length.
    if (Len < Empty4 + 4) begin : gen_v4
      assign v4_ends = v4_plain && be16(data_i, 16) == 16'(Len);
    end else begin : gen_v4_both
      assign v4_ends = (v4_plain && be16(data_i, 16) == 16'(Len)) ||
          (v4_vlan && be16(data_i, 20) == 16'(Len - 4));
    end
    if (Len < Empty6 + 40) begin : gen_no_v6
      assign ends_o[q] = v4_ends;
    end else begin : gen_v6
      logic v6_ends;
      assign v6_ends = !data_i[8*12] && data_i[8*12+7] && be16(data_i, 18) == 16'(Len - 40);
      if (Len < Empty6 + 44) begin : gen_v6_alone
        assign ends_o[q] = v4_ends || v6_ends;
      end else begin : gen_v6_both
        assign ends_o[q] = v4_ends || v6_ends ||
            (data_i[8*12] && data_i[8*16+7] && be16(data_i, 22) == 16'(Len - 44));
      end
    end
  end

endmodule
