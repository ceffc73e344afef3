// Finds where the IP packet of a frame starts and ends, from the frame's first beat.
//
// The ICRC check and the parser both need it, the first of them before anything has been verified.
// So this only tells apart what RoCEv2 can be, by the bits in which the EtherTypes 0x8100, 0x0800
// and 0x86DD differ; for any other frame the answer is arbitrary, and roce_parse says that it is no
// RoCEv2. Nobody waits.
module roce_locate
  import roce_pkg::*;
(
  input logic clk_i,

  // First 24 bytes of a first beat.
  input logic         first_i,
  input logic [191:0] data_i,

  // In the same cycle: the frame has an 802.1Q tag; it is IPv6; the packet's last byte is byte 1 of
  // this word of this beat.
  output logic now_vlan_o,
  output logic now_v6_o,
  output logic [BeatBytes/4-1:FirstEnd] now_ends_o,

  // From the next cycle on, until the next first beat: the same, the IP length field, and where in
  // the frame the packet's last byte is.
  output logic        vlan_o,
  output logic        v6_o,
  output logic [15:0] ip_len_o,
  output logic [16:0] tail_o
);

  function automatic logic [15:0] be16(logic [191:0] data, int unsigned at);
    be16 = {data[8*at+:8], data[8*at+8+:8]};
  endfunction

  logic [15:0] ip_len;
  logic [16:0] before_end;

  assign now_vlan_o = data_i[8*12];
  assign now_v6_o   = now_vlan_o ? data_i[8*16+7] : data_i[8*12+7];

  always_comb begin
    unique case ({now_vlan_o, now_v6_o})
      2'b00:   {ip_len, before_end} = {be16(data_i, 16), 17'd13};
      2'b01:   {ip_len, before_end} = {be16(data_i, 18), 17'd53};
      2'b10:   {ip_len, before_end} = {be16(data_i, 20), 17'd17};
      default: {ip_len, before_end} = {be16(data_i, 22), 17'd57};
    endcase
  end

  roce_short u_short (
    .data_i,
    .ends_o(now_ends_o)
  );

  always_ff @(posedge clk_i) begin
    if (first_i) begin
      vlan_o   <= now_vlan_o;
      v6_o     <= now_v6_o;
      ip_len_o <= ip_len;
      tail_o   <= {1'b0, ip_len} + before_end;
    end
  end

endmodule
