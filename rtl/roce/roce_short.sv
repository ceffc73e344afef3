// Does a packet end in its frame's first beat? IPv4 with nothing between BTH and ICRC, or four
// bytes, may; nothing else does.
//
// A module of its own so that synthesis keeps it two levels of LUTs deep: the ICRC check needs it
// in the same cycle. Beside the adder of roce_locate it would get as much time as that takes.
module roce_short (
  // First 24 bytes of a first beat, of which only EtherTypes and lengths are looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [191:0] data_i,
  // verilator lint_on UNUSEDSIGNAL
  // The packet's last byte is byte 57 or byte 61 of this beat.
  output logic         ends_57_o,
  output logic         ends_61_o
);

  /// IPv4 total length of a packet with nothing between BTH and ICRC.
  localparam logic [15:0] LenEmpty = 16'd20 + 16'd8 + 16'd12 + 16'd4;

  function automatic logic [15:0] be16(logic [191:0] data, int unsigned at);
    be16 = {data[8*at+:8], data[8*at+8+:8]};
  endfunction

  // Lengths are compared while it is not yet known where they are.
  logic v4_plain, v4_vlan;
  assign v4_plain  = !data_i[8*12] && !data_i[8*12+7];
  assign v4_vlan   = data_i[8*12] && !data_i[8*16+7];
  assign ends_57_o = v4_plain && be16(data_i, 16) == LenEmpty;
  assign ends_61_o = (v4_plain && be16(data_i, 16) == LenEmpty + 16'd4) ||
      (v4_vlan && be16(data_i, 20) == LenEmpty);

endmodule
