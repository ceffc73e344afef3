// Writes the headers that a device with a parent port sends and never received in this form
// (docs/relay.md): of packets to the parent, of notifications, and of results on a connection that
// comes in from another leaf.
//
// Header records pass word by word, the last word first, seventeen cycles late. One port's record
// at a time may be rewritten: it is collected, edited in steps of a cycle (what is chosen, lengths,
// fields, checksum of IPv4) and leaves in the place of what came in. What is kept of notifications
// lies here, written as a bank of header records is.
//
// A result's headers are those of the message's first packet: with its PSN; in the middle of the
// message without RETH, and with opcode and AckReq of a middle packet; at its end those of its last
// packet. Lengths, pad count and checksum are written anew; pad bytes are zero.
//
// A notification carries this device's mark, where the packet that it tells of would have it, and
// the result that is made of it elsewhere has it still: what passes as it came could only pass here
// (docs/relay.md).
//
// Nobody waits. The words of a record come in cycles that follow each other.
module relay_write
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Largest window N of a ring, messages; power of two.
  parameter int unsigned MaxWindow = 4,
  /// 0: children are workers. 1: those of some rings are devices, whose packets have all headers.
  parameter int unsigned Spine = 0
) (
  input logic clk_i,
  input logic rst_ni,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input relay_self_t                self_i,
  // The mark; 0: none.
  input logic [7:0]                 epoch_i,

  // Pulse for each record, in their order and in front of it: the edit that it needs. At most four
  // wait.
  input logic        edit_valid_i,
  input relay_edit_t edit_i,

  // Header records, word by word, all ports in step; `we` of the ports that get one.
  input  logic [NumPorts-1:0]                  we_i,
  input  logic [NumPorts-1:0][HdrWordBits-1:0] word_i,
  output logic [NumPorts-1:0]                  we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] word_o,

  // Writes to the bank of kept headers, those of notifications.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic        kept_we_i,
  input bank_write_t kept_i
  /* verilator lint_on UNUSEDSIGNAL */
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned Bytes = HdrWords * HdrWordBits / 8;
  localparam int unsigned MetaAt = Bytes - HdrMetaBits / 8;
  localparam int unsigned Late = 16;   // cycles in front of the output's register
  localparam int unsigned Kept = NumRings * 2 * MaxWindow * 2;
  localparam int unsigned KeptW = $clog2(2 * Kept);
  localparam logic [15:0] UdpSource = 16'hD000;
  localparam logic [7:0]  Ttl = 8'd64;

  /// Where the BTH begins: plain, IPv6, VLAN, both.
  localparam int unsigned Bth [4] = '{42, 62, 46, 66};

  typedef logic [Bytes-1:0][7:0] record_t;
  typedef logic [InaBytes-1:0][7:0] ina_bytes_t;

  // ---------------------------------------------------------------------------------------------
  // The record in hand: what becomes of it, and its words.

  logic        edit_ready, edit_valid, any, last_word;
  logic        first_word;
  logic [2:0]  edit_count_unused;
  relay_edit_t edit;
  logic [2:0]  at_q;

  prim_fifo #(
    .T    (relay_edit_t),
    .Depth(4)
  ) u_edits (
    .clk_i,
    .rst_ni,
    .in_valid_i (edit_valid_i),
    .in_ready_o (edit_ready),
    .in_i       (edit_i),
    .out_valid_o(edit_valid),
    .out_ready_i(last_word),
    .out_o      (edit),
    .count_o    (edit_count_unused)
  );

  assign any        = |we_i;
  assign first_word = any && at_q == '0;
  assign last_word  = any && at_q == 3'(HdrWords - 1);

  logic                   any_q;
  logic [HdrWordBits-1:0] word, word1_q;
  record_t                collected_q, kept;

  always_comb begin
    word = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (edit.port == PortW'(p)) word |= word_i[p];
    end
  end
  always_ff @(posedge clk_i) begin
    if (any) at_q <= at_q + 3'd1;
    any_q   <= any;
    word1_q <= word;
    if (any_q) collected_q <= {word1_q, collected_q[Bytes-1:HdrWordBits/8]};
    if (!rst_ni) begin
      at_q  <= '0;
      any_q <= 1'b0;
    end
  end

  logic                [BeatBits-1:0] row;
  logic                [3:1]          late_q;
  logic [1:0][BeatBits-1:0]           rows_q;

  prim_ram_1r1w #(
    .Width  (BeatBits),
    .Depth  (2 * Kept),
    .Latency(2)
  ) u_kept (
    .clk_i,
    .we_i   (kept_we_i && kept_i.header),
    .waddr_i(KeptW'({kept_i.slot, kept_i.row[0]})),
    .wdata_i(kept_i.data),
    .re_i   (first_word || (any && at_q == 3'd1)),
    .raddr_i(KeptW'({edit.kept, !first_word})),
    .rdata_o(row)
  );
  always_ff @(posedge clk_i) begin
    late_q <= {late_q[2:1], first_word};
    if (late_q[2]) rows_q[0] <= row;
    if (late_q[3]) rows_q[1] <= row;
    if (!rst_ni) late_q <= '0;
  end
  assign kept = rows_q;

  // ---------------------------------------------------------------------------------------------
  // What is chosen: from which record, for which ring. A record stays for eight cycles, so what the
  // steps below share of it need not go along with them.

  // Where an INA header may begin: at byte 54 and every four bytes behind.
  localparam int unsigned Places = (MetaAt - InaBytes - 54) / 4 + 1;
  localparam int unsigned Steps = 8;
  logic [Steps:1] full_q;   // a record to be edited is in step n; behind the last one it is done
  /* verilator lint_off UNUSEDSIGNAL */
  relay_edit_t edit1_q;
  ring_t       ring_q;
  relay_ring_t relay_q;
  hdr_meta_t   meta_in;
  /* verilator lint_on UNUSEDSIGNAL */
  record_t     from_q;
  logic        fresh, leaf, result, note, vlan, v6, bare_q;

  assign fresh   = edit1_q.what == EditUp;
  assign result  = edit1_q.what == EditResult;
  assign note    = edit1_q.what == EditNote;
  assign leaf    = Spine == 0 || !relay_q.devices;
  assign meta_in = from_q[Bytes-1:MetaAt];
  assign vlan    = !fresh && meta_in.vlan;
  assign v6      = !fresh && meta_in.v6;

  always_ff @(posedge clk_i) begin
    full_q <= {full_q[Steps-1:1], last_word && edit.what != EditNone};
    if (last_word) edit1_q <= edit;
    ring_q  <= rings_i[edit1_q.ring[RingIdxW-1:0]];
    relay_q <= relays_i[edit1_q.ring[RingIdxW-1:0]];
    if (full_q[2]) from_q <= result ? kept : {collected_q[15:0], collected_q[Bytes-1:16]};
    // The record has an INA header, which `plain` does not count.
    bare_q  <= result || (note && edit1_q.offset == '0);
    if (!rst_ni) full_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Lengths, and what depends on the packet's place in its message.

  // Bytes of headers without INA header, and of those that leave.
  logic [6:0]  plain, header, plain_q, header_q;
  logic [13:0] tensor;
  logic [1:0]  pad;
  logic [15:0] body_q;             // bytes behind the headers
  logic [15:0] end_q;              // bytes of the frame
  logic        ina_there_q;        // an INA header leaves with it
  logic        imm_q;              // an immediate value is to be marked
  logic        write, middle;
  logic [7:0]  opcode;
  logic [23:0] psn_q;
  ina_bytes_t  ina, ina_q;
  logic [Places-1:0] ina_at_q;     // where it begins, one-hot

  // A device's packet has its INA header in the record; so has a kept record, and a first packet.
  /* verilator lint_off UNUSEDSIGNAL */
  ina_bytes_t child_ina;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    child_ina = '0;
    for (int unsigned v = 0; v < 2; v++) begin
      if (meta_in.vlan == 1'(v)) child_ina = from_q[54+4*v+:InaBytes];
    end
  end

  always_comb begin
    opcode = '0;
    for (int unsigned s = 0; s < 4; s++) begin
      if ({vlan, v6} == 2'(s)) opcode = from_q[Bth[s]];
    end
  end
  assign write  = opcode >= OpWriteFirst;
  assign middle = result && !edit1_q.last && edit1_q.offset != '0;

  always_comb begin
    plain  = fresh ? 7'd54 : meta_in.hdr_len - (bare_q ? 7'(InaBytes) : 7'd0);
    // In the middle of a message no RETH, at its end the last packet's headers.
    header = plain + 7'(InaBytes);
    if (result && (edit1_q.last || middle)) header = plain - ((middle && write) ? 7'd16 : 7'd0);
  end
  assign tensor = note ? '0 : edit1_q.tensor_len;
  assign pad    = tensor[1] ? 2'd2 : 2'd0;

  always_comb begin
    ina = '0;
    {ina[0], ina[1], ina[2], ina[3]} = note ? NoteTag : InaTag;
    {ina[4], ina[5]}   = ring_q.id;
    ina[6]             = fresh ? relay_q.child : edit1_q.rank;
    ina[7]             = edit1_q.kind;
    {ina[8], ina[9], ina[10], ina[11]} = edit1_q.msgid;
    {ina[12], ina[13]} = edit1_q.msglen;
    {ina[14], ina[15]} = fresh ? 16'(relay_q.siblings) : {epoch_i, relay_q.total};
    if (!leaf) ina[13:8] = child_ina[13:8];
  end

  always_ff @(posedge clk_i) begin
    plain_q  <= plain;
    header_q <= header;
    body_q   <= 16'(tensor) + 16'(pad) + 16'd4;
    end_q    <= 16'(header_q) + body_q;
    for (int unsigned i = 0; i < Places; i++) ina_at_q[i] <= plain_q == 7'(54 + 4 * i);
    ina_there_q <= header_q != plain_q && edit1_q.offset == '0;
    ina_q    <= ina;
    imm_q    <= note && meta_in.mark && edit1_q.offset != '0 && epoch_i != '0;
    psn_q    <= result ? edit1_q.psn : (fresh && leaf) ? 24'(edit1_q.offset) : meta_in.psn;
  end

  // ---------------------------------------------------------------------------------------------
  // Fields.

  record_t     fields, fields_q;
  hdr_meta_t   meta;

  always_comb begin
    fields = from_q;
    if (fresh) begin
      fields        = '0;
      {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]}   = relay_q.parent_mac;
      {fields[6], fields[7], fields[8], fields[9], fields[10], fields[11]} = self_i.mac;
      {fields[12], fields[13]}                         = 16'h0800;
      fields[14]                                       = 8'h45;
      fields[20]                                       = 8'h40;   // do not fragment
      fields[22]                                       = Ttl;
      fields[23]                                       = 8'd17;
      {fields[26], fields[27], fields[28], fields[29]} = self_i.ip;
      {fields[30], fields[31], fields[32], fields[33]} = relay_q.parent_ip;
      {fields[34], fields[35]}                         = UdpSource;
      {fields[36], fields[37]}                         = RoceUdpPort;
      fields[42]                                       = OpSendOnly;
      fields[43]                                       = 8'h40;   // MigReq
      {fields[44], fields[45]}                         = 16'hFFFF;
      {fields[47], fields[48], fields[49]}             = {VirtualQpn, ring_q.id};
    end

    for (int unsigned s = 0; s < 4; s++) begin
      if ({vlan, v6} == 2'(s)) begin
        if (middle) begin
          fields[Bth[s]]      = write ? OpWriteMiddle : OpSendMiddle;
          fields[Bth[s]+8][7] = 1'b0;
        end
        {fields[Bth[s]+9], fields[Bth[s]+10], fields[Bth[s]+11]} = psn_q;
        fields[Bth[s]+1][5:4]             = pad;
        {fields[Bth[s]-4], fields[Bth[s]-3]} = end_q - 16'(Bth[s] - 8);   // UDP
        {fields[Bth[s]-2], fields[Bth[s]-1]} = '0;
        if (s[0]) {fields[Bth[s]-44], fields[Bth[s]-43]} = end_q - 16'(Bth[s] - 8);
        else {fields[Bth[s]-26], fields[Bth[s]-25]} = end_q - 16'(Bth[s] - 28);
      end
    end

    for (int unsigned i = 0; i < Places; i++) begin
      if (ina_at_q[i]) begin
        if (!result) fields[54+4*i+:InaBytes] = ina_q;
        else if (ina_there_q) fields[54+4*i+3] = InaTag[7:0];
        // In the last packet's immediate value; the first one's INA header has it.
        if (imm_q) fields[54+4*i-2] = epoch_i;
      end
    end

    meta            = meta_in;
    meta.vlan       = vlan;
    meta.v6         = v6;
    meta.mark       = 1'b0;
    meta.has_pad    = pad != '0;
    meta.hdr_len    = header_q;
    meta.tensor_len = tensor;
    meta.psn        = psn_q;
    meta.pad_bytes  = '0;
    fields[Bytes-1:MetaAt] = meta;
  end

  always_ff @(posedge clk_i) fields_q <= fields;

  // ---------------------------------------------------------------------------------------------
  // Checksum of IPv4: sums of three words, their sum with its carries, and these once more.

  logic [8:0][15:0] ip_words;      // without the checksum itself
  logic [2:0][17:0] parts_q;
  logic [1:0]       is_ip_q;       // without a tag, and with one
  logic [19:0]      sum;
  logic [16:0]      once_q;
  logic [15:0]      checksum;
  record_t          done, done_q;

  always_comb begin
    for (int unsigned i = 0; i < 9; i++) begin
      automatic int unsigned ip = 14 + 2 * ((i < 5) ? i : i + 1);
      ip_words[i] = vlan ? {fields_q[ip+4], fields_q[ip+5]} : {fields_q[ip], fields_q[ip+1]};
    end
    sum      = 20'(parts_q[0]) + 20'(parts_q[1]) + 20'(parts_q[2]);
    checksum = ~(once_q[15:0] + 16'(once_q[16]));
    done     = fields_q;
    if (is_ip_q[0]) {done[24], done[25]} = checksum;
    if (is_ip_q[1]) {done[28], done[29]} = checksum;
  end

  always_ff @(posedge clk_i) begin
    parts_q[0] <= 18'(ip_words[0]) + 18'(ip_words[1]) + 18'(ip_words[2]);
    parts_q[1] <= 18'(ip_words[3]) + 18'(ip_words[4]) + 18'(ip_words[5]);
    parts_q[2] <= 18'(ip_words[6]) + 18'(ip_words[7]) + 18'(ip_words[8]);
    for (int unsigned v = 0; v < 2; v++) is_ip_q[v] <= vlan == 1'(v) && fields_q[12+4*v] == 8'h08;
    once_q     <= 17'(sum[15:0]) + 17'(sum[19:16]);
    if (full_q[Steps]) done_q <= done;
  end

  // ---------------------------------------------------------------------------------------------
  // Out again: the eight words of an edited record take the place of those that came in.

  logic [Late:1][NumPorts-1:0]                  we_q;
  logic [Late:1][NumPorts-1:0][HdrWordBits-1:0] word_q;
  logic [PortW-1:0] out_port_q;
  logic             out_edits_q;
  logic [2:0]       out_at_q;

  always_ff @(posedge clk_i) begin
    we_q   <= {we_q[Late-1:1], we_i};
    word_q <= {word_q[Late-1:1], word_i};
    if (full_q[Steps]) begin
      out_edits_q <= 1'b1;
      out_port_q  <= edit1_q.port;
    end else if (out_at_q == 3'(HdrWords - 1)) begin
      out_edits_q <= 1'b0;
    end
    if (we_q[Late] != '0) out_at_q <= out_at_q + 3'd1;
    we_o <= we_q[Late];
    for (int unsigned p = 0; p < NumPorts; p++) begin
      word_o[p] <= (out_edits_q && out_port_q == PortW'(p)) ? done_q[16*3'(out_at_q-3'd1)+:16] :
          word_q[Late][p];
    end
    if (!rst_ni) begin
      we_q        <= '0;
      we_o        <= '0;
      out_edits_q <= 1'b0;
      out_at_q    <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each record has been announced; it would leave with another packet's headers.
      a_known : assert (!any || edit_valid)
      else $error("%m: a record that was not announced");
      a_room : assert (!edit_valid_i || edit_ready)
      else $error("%m: too many records announced");
      // An edited record is that of a port that sends.
      a_port : assert (!any || edit.what == EditNone ||
        |(we_i & (NumPorts'(1) << edit.port)))
      else $error("%m: port %0d has no record to edit", edit.port);
    end
  end

endmodule
