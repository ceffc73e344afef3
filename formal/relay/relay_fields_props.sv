// What relay_write makes of a record and its edit: byte by byte against what docs/relay.md says,
// written down once more below, and the checksum of IPv4.
//
// The record and its edit are left out of the circuit, free, and stay (`constants` of the task):
// whatever they are, once they have stood for as many cycles as there are steps behind them, what
// is made of them is right. They do stand so long (relay_write_props, a_stands). Followed is one
// byte, which one is free.
module relay_fields_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRings = 2,
  /// Above 0: rings may be above other devices.
  parameter int unsigned Spine = 0,
  localparam int unsigned Bytes = HdrWords * HdrWordBits / 8,
  localparam int unsigned MetaAt = Bytes - HdrMetaBits / 8
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  // Registers, and the byte that is followed; they stay.
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input relay_self_t                self_i,
  input logic [7:0]                 epoch_i,
  input logic [6:0]                 byte_i
);

  typedef logic [Bytes-1:0][7:0] record_t;
  /// Cycles for which they stand.
  localparam int unsigned Stands = 7;

  // Without drivers (`constants` of the task).
  ring_t       [NumRings-1:0] rings;
  relay_ring_t [NumRings-1:0] relays;
  relay_self_t                self;
  logic [7:0]                 epoch;
  logic [6:0]                 at;
  assign {rings, relays, self, epoch, at} = {rings_i, relays_i, self_i, epoch_i, byte_i};

  relay_write #(
    .NumPorts (NumPorts),
    .NumRings (NumRings),
    .MaxWindow(1),
    .Spine    (Spine)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i     (rings),
    .relays_i    (relays),
    .self_i      (self),
    .epoch_i     (epoch),
    .edit_valid_i(1'b0),
    .edit_i      ('0),
    .we_i        ('0),
    .word_i      ('0),
    .we_o        (),
    .word_o      (),
    .kept_we_i   (1'b0),
    .kept_i      ('0)
  );

  // The record and its edit, and for how many cycles they have stood.
  record_t     base;
  relay_edit_t edit;
  logic  [2:0] age_q;
  logic        stands;
  initial age_q = '0;
  assign base   = u_dut.from_q;
  assign edit   = u_dut.edit1_q;
  assign stands = age_q == 3'(Stands) && edit.what != EditNone;
  always_ff @(posedge clk_i) if (age_q != 3'(Stands)) age_q <= age_q + 3'd1;

  // ---------------------------------------------------------------------------------------------
  // The record that is to leave: docs/relay.md, "On the wire".

  logic [7:0]  want;                    // the followed byte
  hdr_meta_t   meta, want_meta;
  ring_t       ring;
  relay_ring_t relay;
  logic        up, note, result, has_tag, six, of_devices, fits;
  logic [15:0] link, ip_len, bth, plain, leaves, behind, tensor, of_ip, of_udp;
  logic [7:0]  op;
  logic        is_write, middle;
  logic [7:0]  at_ina, at_bth, at_link, at_meta;   // where it stands in these, if it does

  assign ring   = rings[edit.ring[0]];
  assign relay  = relays[edit.ring[0]];
  assign up     = edit.what == EditUp;
  assign note   = edit.what == EditNote;
  assign result = edit.what == EditResult;
  assign meta   = base[Bytes-1:MetaAt];
  assign has_tag = !up && meta.vlan;
  assign six    = !up && meta.v6;
  assign of_devices = Spine != 0 && relay.devices;

  function automatic logic [7:0] part(logic [47:0] of, logic [7:0] at, int unsigned bytes);
    part = 8'(of >> 8 * (bytes - 1 - 32'(at)));
  endfunction

  always_comb begin
    link   = has_tag ? 16'd18 : 16'd14;
    ip_len = six ? 16'd40 : 16'd20;
    bth    = link + ip_len + 16'd8;
    // Behind the BTH: RETH, immediate value; a record has its INA header with them.
    plain = up ? 16'd54 : 16'(meta.hdr_len) - ((result || edit.offset == '0) ? 16'd16 : 16'd0);
    fits  = up || ((plain == bth + 16'd12 || plain == bth + 16'd16 || plain == bth + 16'd28 ||
        plain == bth + 16'd32) && base[has_tag?16:12] == (six ? 8'h86 : 8'h08));
    op       = base[bth[6:0]];
    is_write = op >= OpWriteFirst;
    middle   = result && edit.offset != '0 && !edit.last;
    leaves   = plain + 16'd16;
    if (result && edit.last) leaves = plain;
    else if (middle) leaves = is_write ? plain - 16'd16 : plain;
    tensor = note ? 16'd0 : 16'(edit.tensor_len);
    behind = tensor + (tensor[1] ? 16'd2 : 16'd0) + 16'd4;   // pad bytes, ICRC
    of_udp = leaves - link - ip_len + behind;
    of_ip  = leaves - link - (six ? 16'd40 : 16'd0) + behind;

    want_meta            = meta;
    if (result) want_meta.psn = edit.psn;
    else if (up && !of_devices) want_meta.psn = 24'(edit.offset);
    want_meta.vlan       = has_tag;
    want_meta.v6         = six;
    want_meta.mark       = 1'b0;
    want_meta.has_pad    = tensor[1];
    want_meta.hdr_len    = leaves[6:0];
    want_meta.tensor_len = tensor[13:0];
    want_meta.pad_bytes  = '0;

    at_link = 8'(at) - link[7:0];
    at_bth  = 8'(at) - bth[7:0];
    at_ina  = 8'(at) - plain[7:0];
    at_meta = 8'(at) - 8'(MetaAt);
    want    = base[at];
    if (up) begin
      // Ethernet, IPv4, UDP and BTH of the virtual connection.
      want = '0;
      if (at < 7'd6) want = part(relay.parent_mac, 8'(at), 6);
      else if (at < 7'd12) want = part(self.mac, 8'(at) - 8'd6, 6);
      else if (at inside {[7'd26:7'd29]}) want = part(48'(self.ip), 8'(at) - 8'd26, 4);
      else if (at inside {[7'd30:7'd33]}) begin
        want = part(48'(relay.parent_ip), 8'(at) - 8'd30, 4);
      end
      unique case (at)
        7'd12:        want = 8'h08;
        7'd14:        want = 8'h45;
        7'd20, 7'd43: want = 8'h40;
        7'd22:        want = 8'd64;
        7'd23:        want = 8'd17;
        7'd34:        want = 8'hD0;
        7'd36:        want = 8'h12;
        7'd37:        want = 8'hB7;
        7'd42:        want = 8'h04;
        7'd44, 7'd45: want = 8'hFF;
        7'd47:        want = 8'h57;
        7'd48:        want = ring.id[15:8];
        7'd49:        want = ring.id[7:0];
        default:      ;
      endcase
    end
    // Lengths; UDP has no checksum.
    if (at_link == (six ? 8'd4 : 8'd2)) want = of_ip[15:8];
    if (at_link == (six ? 8'd5 : 8'd3)) want = of_ip[7:0];
    if (at_bth == -8'd4) want = of_udp[15:8];
    if (at_bth == -8'd3) want = of_udp[7:0];
    if (at_bth == -8'd2 || at_bth == -8'd1) want = '0;
    // BTH.
    if (middle && at_bth == 8'd0) want = is_write ? 8'h07 : 8'h01;
    if (middle && at_bth == 8'd8) want[7] = 1'b0;
    if (at_bth == 8'd1) want[5:4] = {tensor[1], 1'b0};
    if (at_bth inside {[8'd9:8'd11]}) want = part(48'(want_meta.psn), at_bth - 8'd9, 3);
    // The INA header.
    if (up || note) begin
      unique case (at_ina)
        8'd0:    want = 8'h4E;
        8'd1:    want = 8'h65;
        8'd2:    want = 8'h74;
        8'd3:    want = note ? 8'h4E : 8'h52;
        8'd4:    want = ring.id[15:8];
        8'd5:    want = ring.id[7:0];
        8'd6:    want = note ? edit.rank : relay.child;
        8'd7:    want = edit.kind;
        8'd14:   want = note ? epoch : 8'd0;
        8'd15:   want = note ? relay.total : relay.siblings;
        default: ;
      endcase
      if (at_ina inside {[8'd8:8'd13]}) begin
        want = of_devices ? base[7'((meta.vlan ? 16'd58 : 16'd54) + 16'(at_ina))] :
            part({edit.msgid, edit.msglen}, at_ina - 8'd8, 6);
      end
    end else if (edit.offset == '0 && at_ina == 8'd3) begin
      want = 8'h52;
    end
    // The mark of a last packet is in its immediate value.
    if (note && edit.offset != '0 && meta.mark && epoch != '0 && at_ina == -8'd2) begin
      want = epoch;
    end
    if (32'(at) >= MetaAt) want = 8'(want_meta >> {at_meta[3:0], 3'd0});
  end

  logic looked_at, of_checksum;
  assign looked_at   = 16'(at) < leaves || 32'(at) >= MetaAt;
  assign of_checksum = !six && (16'(at) == link + 16'd10 || 16'(at) == link + 16'd11);

  // The ten words of the IPv4 header that leaves, in one's complement.
  record_t          made;
  logic [9:0][15:0] words;
  logic [19:0]      sum;
  logic [16:0]      folded;
  assign made = u_dut.done;
  always_comb begin
    for (int unsigned i = 0; i < 10; i++) begin
      words[i] = has_tag ? {made[18+2*i], made[19+2*i]} : {made[14+2*i], made[15+2*i]};
    end
    sum    = ((20'(words[0]) + 20'(words[1]) + 20'(words[2])) +
              (20'(words[3]) + 20'(words[4]) + 20'(words[6])) +
              (20'(words[7]) + 20'(words[8]) + 20'(words[9])));
    folded = 17'(sum[15:0]) + 17'(sum[19:16]);
    folded = 17'(folded[15:0]) + 17'(folded[16]);
    // Without carry, as the sum of the other words is the complement of this one.
    folded = folded + 17'(words[5]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every byte of the headers that leave, and of what the egress is told of them, is what the
      // page says.
      a_bytes : assert (!stands || !fits || !looked_at || of_checksum || made[at] == want)
      else $error("byte %0d", at);
      // And the checksum of IPv4 is right: the header's words add up to all ones.
      a_checksum : assert (!stands || !fits || six || folded == 17'h0FFFF);
      // Each kind of edit.
      c_up : cover (stands && up);
      c_note : cover (stands && note && fits && meta.mark && edit.offset != '0);
      c_middle : cover (stands && fits && middle && is_write && six && has_tag);
      c_last : cover (stands && fits && result && edit.last);
      c_carries : cover (stands && up && u_dut.once_q[16]);
    end
  end

endmodule
