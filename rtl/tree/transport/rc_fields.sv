// What a port of a tree node takes of a frame's headers beside what roce_parse says: the fields
// that acknowledgements and the parent's multicasts are known by, and where the payload begins.
//
// Headers end in the first beat, or, behind a VLAN tag or in IPv6, in the second one. Nobody waits.
module rc_fields
  import roce_pkg::*;
  import rc_port_pkg::*;
(
  input logic clk_i,

  // A beat, and whether it is a frame's first or second one; with a VLAN tag, in IPv6.
  input logic                valid_i,
  input logic                first_i,
  input logic                second_i,
  input logic                vlan_i,
  input logic                v6_i,
  input logic [BeatBits-1:0] data_i,

  // A cycle later, and until the next frame: of the frame's beats so far. Payload begins in its
  // second beat or behind, at this word of a beat, of 4 bytes behind byte 2.
  output rc_fields_t fields_o,
  output logic       second_o,
  output logic [3:0] word_o
);

  rc_fields_t                fields;
  // verilator lint_off UNUSEDSIGNAL
  logic [BeatBytes-1:0][7:0] beat;   // only fields are looked at
  // verilator lint_on UNUSEDSIGNAL

  assign beat = data_i;

  /// Words between BTH and payload.
  function automatic logic [4:0] ext_words(logic [7:0] opcode);
    unique case (opcode)
      OpSendLastImm, OpSendLastInv, OpWriteLastImm, OpSendOnlyImm, OpSendOnlyInv: ext_words = 5'd1;
      OpCast: ext_words = 5'(CastHead / 4);
      OpWriteFirst, OpWriteOnly: ext_words = 5'd4;
      OpWriteOnlyImm: ext_words = 5'd5;
      default: ext_words = 5'd0;
    endcase
  endfunction

  // UDP begins at byte 34, 38, 54 or 58.
  always_comb begin
    fields = fields_o;
    unique case ({v6_i, vlan_i})
      2'b00: if (first_i) begin
        fields = '{udp_len: {beat[38], beat[39]}, opcode: beat[42], version: beat[43][3:0] != '0,
                   ack_request: beat[50][7], syndrome: beat[54],
                   cast_key: {beat[54], beat[55], beat[56], beat[57]},
                   cast_from: {beat[59], beat[60], beat[61]}};
      end
      2'b01: begin
        if (first_i) begin
          fields = '{udp_len: {beat[42], beat[43]}, opcode: beat[46], version: beat[47][3:0] != '0,
                     ack_request: beat[54][7], syndrome: beat[58],
                     cast_key: {beat[58], beat[59], beat[60], beat[61]},
                     cast_from: {beat[63], 16'd0}};
        end
        if (second_i) fields.cast_from[15:0] = {beat[0], beat[1]};
      end
      2'b10: begin
        if (first_i) begin
          fields.udp_len = {beat[58], beat[59]};
          fields.opcode  = beat[62];
          fields.version = beat[63][3:0] != '0;
        end
        if (second_i) begin
          fields.ack_request = beat[6][7];
          fields.syndrome    = beat[10];
          fields.cast_key    = {beat[10], beat[11], beat[12], beat[13]};
          fields.cast_from   = {beat[15], beat[16], beat[17]};
        end
      end
      default: begin
        if (first_i) fields.udp_len = {beat[62], beat[63]};
        if (second_i) begin
          fields.opcode      = beat[2];
          fields.version     = beat[3][3:0] != '0;
          fields.ack_request = beat[10][7];
          fields.syndrome    = beat[14];
          fields.cast_key    = {beat[14], beat[15], beat[16], beat[17]};
          fields.cast_from   = {beat[19], beat[20], beat[21]};
        end
      end
    endcase
  end

  // Where payload begins, in words behind byte 2; of IPv6 never in the first beat.
  logic       vlan_q, v6_q;
  logic [4:0] base, begins_at;
  always_comb begin
    unique case ({v6_q, vlan_q})
      2'b00:   base = 5'd13;
      2'b01:   base = 5'd14;
      2'b10:   base = 5'd18;
      default: base = 5'd19;
    endcase
    begins_at = base + ext_words(fields_o.opcode);
  end

  assign second_o = begins_at[4] || v6_q;
  assign word_o   = begins_at[3:0];

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      fields_o <= fields;
      vlan_q   <= vlan_i;
      v6_q     <= v6_i;
    end
  end

endmodule
