// rc_whose and rc_fields: whose a frame is by its addresses, and what a port takes of its headers,
// for any beats (docs/wire.md).
module rc_parts_props
  import roce_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 3,
  parameter int unsigned Parts = 4
) (
  input logic                      clk_i,
  input conn_key_t                 key_i,
  input conn_key_t [NumConns-1:0]  in_i,
  input logic                      valid_i,
  input logic                      first_i,
  input logic                      second_i,
  input logic                      vlan_i,
  input logic                      v6_i,
  input logic [BeatBits-1:0]       data_i
);

  logic [NumConns-1:0][Parts-1:0] mine;

  rc_whose #(
    .NumConns(NumConns),
    .Parts   (Parts)
  ) u_whose (
    .key_i,
    .in_i,
    .mine_o(mine)
  );

  rc_fields_t fields;
  logic       second;
  logic [3:0] word;

  rc_fields u_fields (
    .clk_i,
    .valid_i,
    .first_i,
    .second_i,
    .vlan_i,
    .v6_i,
    .data_i,
    .fields_o(fields),
    .second_o(second),
    .word_o  (word)
  );

  // Connections all parts of whose addresses are the frame's, and those whose addresses they are.
  logic [NumConns-1:0] taken, whose;
  for (genvar c = 0; c < NumConns; c++) begin : gen_conn
    assign taken[c] = mine[c] == '1;
    assign whose[c] = in_i[c] == key_i;
  end

  // Bytes behind the start of the UDP header: its length; the BTH's opcode, the byte with TVer, and
  // the one with the ACK request; then the AETH's syndrome, or the DETH with key and queue pair.
  localparam int unsigned Bytes = 28;
  localparam logic [Bytes-1:0] Wanted = 28'b1110_1111_0001_0000_0011_0011_0000;

  logic [2*BeatBytes-1:0][7:0] beats;    // as if both beats were there
  logic [6:0]                  udp;
  logic [Bytes-1:0][7:0]       byte_q;   // as the last beat that has it had it
  logic [Bytes-1:0]            known_q;  // there was one
  logic                        sized_q, vlan_q, v6_q, lone_q;
  assign beats = {data_i, data_i};
  assign udp   = 7'd14 + (vlan_i ? 7'd4 : 7'd0) + (v6_i ? 7'd40 : 7'd20);

  initial {known_q, sized_q, lone_q} = '0;
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Bytes; b++) begin
      if (valid_i && Wanted[b] && (32'(udp) + b < BeatBytes ? first_i : second_i)) begin
        byte_q[b]  <= beats[7'(32'(udp) + b)];
        known_q[b] <= 1'b1;
      end
    end
    // The queue pair that a VLAN tag moves into two beats: its end is none yet.
    if (valid_i && !v6_i && vlan_i && first_i && !second_i) begin
      byte_q[26]     <= '0;
      byte_q[27]     <= '0;
      known_q[27:26] <= '1;
    end
    if (valid_i) begin
      sized_q <= 1'b1;
      vlan_q  <= vlan_i;
      v6_q    <= v6_i;
    end
  end

  // Bytes of headers between BTH and payload, by opcode.
  logic       imm, reth, deth;
  logic [7:0] payload;
  always_comb begin
    imm     = fields.opcode inside {OpSendLastImm, OpSendLastInv, OpSendOnlyImm, OpSendOnlyInv,
                                    OpWriteLastImm, OpWriteOnlyImm};
    reth    = fields.opcode inside {OpWriteFirst, OpWriteOnly, OpWriteOnlyImm};
    deth    = fields.opcode == OpCast;
    payload = 8'd14 + (vlan_q ? 8'd4 : 8'd0) + (v6_q ? 8'd40 : 8'd20) + 8'd8 + 8'd12 +
        (imm ? 8'd4 : 8'd0) + (reth ? 8'd16 : 8'd0) + (deth ? 8'd8 : 8'd0);
  end

  always_ff @(posedge clk_i) begin
    // A frame is a connection's if all parts of its addresses are, and only then.
    a_whose : assert (taken == whose)
    else $error("parts of connections %b", mine);

    // Fields of UDP and BTH are the frame's, wherever a VLAN tag and IPv6 move them.
    a_udp : assert (known_q[5:4] != '1 || fields.udp_len == {byte_q[4], byte_q[5]})
    else $error("UDP length %0d", fields.udp_len);
    a_opcode : assert (!known_q[8] || fields.opcode == byte_q[8])
    else $error("opcode %h", fields.opcode);
    // A version of the transport header is not 0 if any of its four bits is set.
    a_version : assert (!known_q[9] || fields.version == (byte_q[9][3:0] != '0))
    else $error("version %b", fields.version);
    a_ack_request : assert (!known_q[16] || fields.ack_request == byte_q[16][7])
    else $error("ACK request %b", fields.ack_request);
    // The AETH of an ACK packet has its syndrome where a multicast has the first byte of its key.
    a_syndrome : assert (!known_q[20] || fields.syndrome == byte_q[20])
    else $error("syndrome %h", fields.syndrome);
    a_key : assert (known_q[23:20] != '1 ||
                    fields.cast_key == {byte_q[20], byte_q[21], byte_q[22], byte_q[23]})
    else $error("key %h", fields.cast_key);
    // A multicast says whose it is behind a reserved byte.
    a_from : assert ((!known_q[25] || fields.cast_from[23:16] == byte_q[25]) &&
                     (!known_q[26] || fields.cast_from[15:8] == byte_q[26]) &&
                     (!known_q[27] || fields.cast_from[7:0] == byte_q[27]))
    else $error("from %h", fields.cast_from);
    // Payload begins behind all headers that its opcode has, in words of four bytes behind byte 2.
    a_payload : assert (!sized_q || 8'(2) + {1'b0, second, word, 2'b00} == payload)
    else $error("payload at %0d", payload);

    // Headers that end in the first beat, and some that end in the second one.
    c_first : cover (sized_q && known_q[8] && !second && reth == 1'b0);
    c_second : cover (sized_q && known_q == Wanted && v6_q && vlan_q && imm && reth);
  end

endmodule
