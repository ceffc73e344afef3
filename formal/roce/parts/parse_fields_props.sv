// roce_parse: every field of its answer, for any bytes that may be headers and whatever roce_locate
// says of them. (That these are those of the frame, and that nothing behind its end decides, is
// roce_parse's proof.)
module parse_fields_props
  import roce_pkg::*;
#(
  parameter int unsigned Notes = 1,
  parameter int unsigned Without = 0
) (
  input logic                clk_i,
  input logic                notes_i,
  input logic                valid_i,
  input logic                first_i,
  input logic                last_i,
  input logic [8:0]          index_i,
  input logic [BeatBits-1:0] data_i,
  input logic [8+ByteW:0]    at_i,
  input logic                vlan_i,
  input logic                v6_i,
  input logic [15:0]         ip_len_i,
  input logic [16:0]         tail_i
);

  logic        roce, ragged;
  frame_desc_t desc;

  roce_parse #(
    .Notes  (Notes),
    .Without(Without)
  ) u_dut (
    .clk_i,
    .notes_i,
    .valid_i,
    .first_i,
    .last_i,
    .index_i,
    .data_i,
    .at_i,
    .vlan_i,
    .v6_i,
    .ip_len_i,
    .tail_i,
    .roce_o  (roce),
    .ragged_o(ragged),
    .desc_o  (desc)
  );

  // ---------------------------------------------------------------------------------------------
  // The bytes that may be headers, from the first beat and the second one.

  logic [63:0][7:0]  first_q;
  logic [49:0][7:0]  second_q;
  logic              first_known_q, second_known_q;
  logic [113:0][7:0] h;
  logic              looks_q;   // a frame's last beat came in the cycle before
  assign h = {second_q, first_q};
  initial {looks_q, first_known_q, second_known_q} = '0;
  always_ff @(posedge clk_i) begin
    looks_q <= valid_i && last_i;
    if (valid_i && first_i) {first_q, first_known_q} <= {data_i, 1'b1};
    if (valid_i && index_i == 9'd1) {second_q, second_known_q} <= {data_i[399:0], 1'b1};
  end

  // ---------------------------------------------------------------------------------------------
  // What they say.

  typedef struct packed {
    logic             roce;
    logic             ragged;
    logic             data;       // of a data packet of RC
    logic             starts;     // a message
    logic             middle;
    logic             imm;
    logic [4:0]       ext;        // bytes of extension headers
    logic             vlan;
    conn_key_t        key;
    logic [23:0]      psn;
    logic [1:0]       pad;
    logic [14:0]      left;       // bytes between BTH and ICRC, of a packet that is in its frame
    logic [15:0][7:0] ina;        // the first bytes behind extension headers
    logic             reads;      // headers of this shape are read whole
  } said_t;

  said_t             now;
  logic [113:0][7:0] ip, udp;     // from there on
  logic [15:0]       kind, payload;
  logic              packet;
  logic [7:0]        op;
  always_comb begin
    now = '0;
    now.vlan   = vlan_i;
    now.key.v6 = v6_i;
    now.reads  = !(vlan_i && Without[WithoutVlan]) && !(v6_i && Without[WithoutIpv6]);
    ip         = h >> (vlan_i ? 8 * 18 : 8 * 14);
    kind       = vlan_i ? {h[16], h[17]} : {h[12], h[13]};
    packet     = !vlan_i || {h[12], h[13]} == 16'h8100;
    if (vlan_i) now.key.vlan = Without[WithoutVlan] ? 12'd1 : {h[14][3:0], h[15]};
    if (v6_i) begin
      if (kind != 16'h86DD || ip[0][7:4] != 4'd6 || ip[6] != 8'd17) packet = 1'b0;
      for (int unsigned b = 0; b < 16; b++) begin
        now.key.src[8*b+:8] = ip[23-b];
        now.key.dst[8*b+:8] = ip[39-b];
      end
      payload = ip_len_i;
      udp     = ip >> 8 * 40;
      if (ip_len_i < 16'd24) packet = 1'b0;
    end else begin
      if (kind != 16'h0800 || ip[0] != 8'h45 || ip[9] != 8'd17) packet = 1'b0;
      if (ip[6] % 8'd64 != 8'd0 || ip[7] != 8'd0) packet = 1'b0;   // a fragment
      for (int unsigned b = 0; b < 4; b++) begin
        now.key.src[8*b+:8] = ip[15-b];
        now.key.dst[8*b+:8] = ip[19-b];
      end
      payload = ip_len_i - 16'd20;
      udp     = ip >> 8 * 20;
      if (ip_len_i < 16'd44) packet = 1'b0;
    end
    now.roce   = packet && 17'(at_i) >= tail_i && {udp[2], udp[3]} == 16'd4791;
    now.ragged = ip_len_i % 16'd4 != 16'd0;

    // BTH. Opcodes by their numbers (IBA, 9.2).
    op         = udp[8];
    now.data   = (op <= 8'h0B || op == 8'h16 || op == 8'h17) && {udp[4], udp[5]} == payload &&
        udp[9] % 8'd16 == 8'd0;
    now.starts = op inside {8'h00, 8'h04, 8'h05, 8'h06, 8'h0A, 8'h0B, 8'h17};
    now.middle = op inside {8'h01, 8'h07};
    now.imm    = op inside {8'h03, 8'h05, 8'h09, 8'h0B};
    if (op inside {8'h06, 8'h0A, 8'h0B}) now.ext += 5'd16;   // RETH
    if (now.imm || op == 8'h16 || op == 8'h17) now.ext += 5'd4;   // ImmDt or IETH
    now.pad     = 2'(udp[9] >> 4);
    now.key.qpn = {udp[13], udp[14], udp[15]};
    now.psn     = {udp[17], udp[18], udp[19]};
    now.left    = 15'(payload[13:0]) - 15'd24;
    now.ina     = udp[35:20];
    if (now.ext == 5'd4) now.ina = udp[39:24];
    if (now.ext == 5'd16) now.ina = udp[51:36];
    if (now.ext == 5'd20) now.ina = udp[55:40];
  end

  // ---------------------------------------------------------------------------------------------
  // The same four cycles later, with the answer.

  said_t [4:1]  said_q;
  said_t        said;
  logic  [4:1]  due_q;
  logic  [4:1]  answers_q;   // `due_q`: and its first beats were seen
  logic  [2:1]  notes_q;
  logic  [4:0]  past_q;   // so many cycles have gone by
  logic         noted, has_ina, bad;
  logic  [14:0] tensor;   // and an INA header
  frame_desc_t  desc_q;
  logic         roce_q, ragged_q;
  assign said = said_q[4];
  initial {due_q, answers_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[3:0], 1'b1};
    said_q  <= {said_q[3:1], now};
    due_q   <= {due_q[3:1], looks_q && first_known_q && second_known_q};
    answers_q <= {answers_q[3:1], looks_q};
    notes_q <= {notes_q[1], Notes != 0 && notes_i};
    desc_q  <= desc;
    {roce_q, ragged_q} <= {roce, ragged};
  end

  always_comb begin
    tensor = said.left - 15'(said.ext) - 15'(said.pad);
    bad    = tensor[14];   // it would be less than nothing
    noted  = notes_q[2] && !said.middle && said.ina[7] < 8'h40 &&
        {said.ina[0], said.ina[1], said.ina[2], said.ina[3]} == 32'h4E65_744E;   // "NetN"
    has_ina = !bad && tensor >= 15'd16 && (noted || (said.starts &&
        {said.ina[0], said.ina[1], said.ina[2], said.ina[3]} == 32'h4E65_7452));   // "NetR"
  end

  always_ff @(posedge clk_i) begin
    // What is kept of the first two beats (helps the proof).
    a_kept : assert ((!first_known_q || u_dut.first_q == first_q) &&
                     (!second_known_q || u_dut.gen_second.second_q == second_q))
    else $error("kept");
    // An answer stands until the next one.
    a_stands : assert (past_q != '1 || answers_q[4] ||
                       {roce, ragged, desc} == {roce_q, ragged_q, desc_q})
    else $error("changed");
    if (due_q[4]) begin
      // RoCEv2 is IPv4 without options and no fragment, or IPv6, with UDP to port 4791 behind it,
      // inside its frame and long enough for a BTH and an ICRC.
      a_roce : assert (roce == said.roce)
      else $error("RoCEv2 %b", roce);
      // A packet whose IP length is no multiple of four has no ICRC.
      a_ragged : assert (ragged == said.ragged)
      else $error("ragged %b", ragged);
      // A candidate is RoCEv2 with an opcode of a data packet, version 0, and the same length for
      // UDP and for IP.
      a_candidate : assert (!said.reads || desc.candidate == (said.roce && said.data))
      else $error("candidate %b", desc.candidate);
      // The opcode says where in a message it is and whether an immediate value is there.
      a_opcode : assert (desc.starts == said.starts && desc.has_imm == said.imm)
      else $error("starts %b", desc.starts);
      // What names a connection that a key may have.
      a_key : assert (!said.reads || desc.key == said.key)
      else $error("key %h", desc.key);
      // A packet that cannot be read says so in its key.
      a_unread : assert (desc.vlan == said.vlan && desc.key.v6 == said.key.v6 &&
                         desc.key.vlan == said.key.vlan)
      else $error("v6 %b, tag %0d", desc.key.v6, desc.key.vlan);
      // PSN and pad count.
      a_psn : assert (!said.reads || {desc.psn, desc.pad} == {said.psn, said.pad})
      else $error("psn %h, pad %0d", desc.psn, desc.pad);
      // An INA header is there if the opcode begins a message, its tag is, and all of it; of a
      // notification, that comes with any opcode but a MIDDLE, if its kind is below 0x40.
      a_tagged : assert (!said.reads || desc.has_ina == has_ina)
      else $error("has_ina %b", desc.has_ina);
      // What stands behind the extension headers is the INA header's fields.
      a_ina : assert (!said.reads || {desc.ina.rank, desc.ina.msgid, desc.ina.msglen,
                                      desc.ina.workers} ==
                      {said.ina[6], said.ina[8], said.ina[9], said.ina[10], said.ina[11],
                       said.ina[12], said.ina[13], said.ina[14], said.ina[15]})
      else $error("INA header %h", desc.ina);
      // Its ring is right of any packet.
      a_ring : assert (desc.ina.ring == {said.ina[4], said.ina[5]})
      else $error("ring %0d", desc.ina.ring);
      // Its kind is the packet's; kinds of 0x80 and more are for notifications, whose upper bits
      // are 10, so those of others become 11; and all ones of a packet that cannot be read.
      a_kind : assert (desc.ina.kind == (!said.reads ? 8'hFF :
                       noted ? {2'b10, said.ina[7][5:0]} :
                       (Notes != 0 && said.ina[7][7]) ? said.ina[7] | 8'h40 : said.ina[7]))
      else $error("kind %h", desc.ina.kind);
      // The tensor is what is between extension headers, or the INA header, and the pad; nothing
      // where there is too little for the pad.
      a_tensor : assert (!said.reads || (desc.len_bad == bad && desc.tensor_len ==
                         (bad ? 14'd0 : has_ina ? 14'(tensor - 15'd16) : tensor[13:0])))
      else $error("tensor of %0d bytes", desc.tensor_len);
      // And begins behind all headers.
      a_front : assert (!said.reads || 32'(desc.hdr_len) == 14 + (said.vlan ? 4 : 0) +
                        (said.key.v6 ? 40 : 20) + 8 + 12 + 32'(said.ext) + (has_ina ? 16 : 0))
      else $error("headers of %0d bytes", desc.hdr_len);
      // The hash is the key's; beats are counted by others.
      a_hash : assert (desc.hash == conn_hash(desc.key) && desc.beats == '0)
      else $error("hash %h", desc.hash);

      // The longest headers; a notification in a packet that begins nothing.
      c_longest : cover (said.reads && desc.candidate && desc.hdr_len >= 7'd90);
      c_note : cover (said.reads && desc.candidate && desc.has_ina &&
                      (Notes == 0 || !desc.starts));
    end
  end

endmodule
