// Writes the headers that a device with a parent port sends and never received in this form
// (docs/relay.md): of packets to the parent, of notifications, and of results on a connection that
// comes in from another leaf.
//
// Header records pass word by word, eleven cycles late. One port's record at a time may be rewritten:
// it is collected, edited in two steps (fields; checksum of IPv4) and leaves in the place of what
// came in. What is kept of notifications lies here, written as a bank of header records is.
//
// A result's headers are those of the message's first packet: with its PSN; in the middle of the
// message without RETH, and with opcode and AckReq of a middle packet; at its end those of its last
// packet. Lengths, pad count and checksum are written anew; pad bytes are zero.
//
// Nobody waits. The words of a record come in cycles that follow each other.
module agg_relay_write
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_relay_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Largest window N of a ring, messages; power of two.
  parameter int unsigned MaxWindow = 4,
  /// 0: children are workers. 1 to 15: those of some rings are devices, whose packets have all
  /// headers.
  parameter int unsigned SpineShift = 0
) (
  input logic clk_i,
  input logic rst_ni,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input relay_self_t                self_i,

  // What becomes of the records, in their order, in front of them.
  input logic        edit_valid_i,
  input relay_edit_t edit_i,

  // Records of all ports alike.
  input  logic [NumPorts-1:0]                  we_i,
  input  logic [NumPorts-1:0][HdrWordBits-1:0] word_i,
  output logic [NumPorts-1:0]                  we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] word_o,

  // Headers of notifications.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic        kept_we_i,
  input bank_write_t kept_i
  /* verilator lint_on UNUSEDSIGNAL */
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned Bytes = HdrWords * HdrWordBits / 8;
  localparam int unsigned MetaAt = Bytes - HdrMetaBits / 8;
  localparam int unsigned Late = 10;   // cycles in front of the output's register
  localparam int unsigned Kept = NumRings * 2 * worker_window(MaxWindow, SpineShift) * 2;
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

  record_t collected_q, kept;
  always_ff @(posedge clk_i) begin
    if (any) begin
      at_q <= at_q + 3'd1;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (edit.port == PortW'(p)) collected_q[16*at_q+:16] <= word_i[p];
      end
    end
    if (!rst_ni) at_q <= '0;
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
  // Fields.

  /* verilator lint_off UNUSEDSIGNAL */
  relay_edit_t edit1_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [PortW-1:0] port2_q;
  logic        full1_q, full2_q;
  record_t     from, fields, fields_q, done, done_q;
  /* verilator lint_off UNUSEDSIGNAL */
  ring_t       ring;
  relay_ring_t relay;
  hdr_meta_t   meta_in;
  /* verilator lint_on UNUSEDSIGNAL */
  hdr_meta_t   meta;
  logic        vlan, v6, write, fresh, leaf;
  logic [6:0]  plain, header;     // bytes of headers without INA header; of those that leave
  logic [13:0] tensor;
  logic [1:0]  pad;
  logic [15:0] end_at;            // bytes of the frame
  logic [23:0] psn;
  ina_bytes_t  ina;

  assign ring    = rings_i[edit1_q.ring[RingIdxW-1:0]];
  assign relay   = relays_i[edit1_q.ring[RingIdxW-1:0]];
  assign from    = (edit1_q.what == EditResult) ? kept : collected_q;
  assign meta_in = from[Bytes-1:MetaAt];
  assign fresh   = edit1_q.what == EditUp;
  assign leaf    = SpineShift == 0 || !relay.devices;
  assign vlan    = !fresh && meta_in.vlan;
  assign v6      = !fresh && meta_in.v6;

  // A device's packet has its INA header in the record; so has a kept record, and a first packet.
  /* verilator lint_off UNUSEDSIGNAL */
  ina_bytes_t child_ina;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    child_ina = '0;
    for (int unsigned v = 0; v < 2; v++) begin
      if (meta_in.vlan == 1'(v)) child_ina = from[54+4*v+:InaBytes];
    end
  end

  always_comb begin
    plain = meta_in.hdr_len;
    if (edit1_q.what == EditResult || (edit1_q.what == EditNote && edit1_q.offset == '0)) begin
      plain = meta_in.hdr_len - 7'(InaBytes);
    end
    if (fresh) plain = 7'd54;
  end

  always_comb begin
    fields = from;
    tensor = (edit1_q.what == EditNote) ? '0 : edit1_q.tensor_len;
    pad    = tensor[1] ? 2'd2 : 2'd0;
    header = plain + 7'(InaBytes);
    psn    = meta_in.psn;
    write  = 1'b0;
    end_at = '0;

    if (fresh) begin
      fields        = '0;
      {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]}   = relay.parent_mac;
      {fields[6], fields[7], fields[8], fields[9], fields[10], fields[11]} = self_i.mac;
      {fields[12], fields[13]}                         = 16'h0800;
      fields[14]                                       = 8'h45;
      fields[20]                                       = 8'h40;   // do not fragment
      fields[22]                                       = Ttl;
      fields[23]                                       = 8'd17;
      {fields[26], fields[27], fields[28], fields[29]} = self_i.ip;
      {fields[30], fields[31], fields[32], fields[33]} = relay.parent_ip;
      {fields[34], fields[35]}                         = UdpSource;
      {fields[36], fields[37]}                         = RoceUdpPort;
      fields[42]                                       = OpSendOnly;
      fields[43]                                       = 8'h40;   // MigReq
      {fields[44], fields[45]}                         = 16'hFFFF;
      {fields[47], fields[48], fields[49]}             = {VirtualQpn, ring.id};
      if (leaf) psn = 24'(edit1_q.offset);
    end

    for (int unsigned s = 0; s < 4; s++) begin
      if ({vlan, v6} == 2'(s)) begin
        if (edit1_q.what == EditResult) begin
          psn   = edit1_q.psn;
          write = from[Bth[s]] >= OpWriteFirst;
          if (edit1_q.last) begin
            header = plain;
          end else if (edit1_q.offset != '0) begin
            header          = plain - (write ? 7'd16 : 7'd0);
            fields[Bth[s]]     = write ? OpWriteMiddle : OpSendMiddle;
            fields[Bth[s]+8][7] = 1'b0;
          end
        end
        end_at = 16'(header) + 16'(tensor) + 16'(pad) + 16'd4;
        {fields[Bth[s]+9], fields[Bth[s]+10], fields[Bth[s]+11]} = psn;
        fields[Bth[s]+1][5:4]             = pad;
        {fields[Bth[s]-4], fields[Bth[s]-3]} = end_at - 16'(Bth[s] - 8);   // UDP
        {fields[Bth[s]-2], fields[Bth[s]-1]} = '0;
        if (s[0]) {fields[Bth[s]-44], fields[Bth[s]-43]} = end_at - 16'(Bth[s] - 8);
        else {fields[Bth[s]-26], fields[Bth[s]-25]} = end_at - 16'(Bth[s] - 28);
      end
    end

    ina = '0;
    {ina[0], ina[1], ina[2], ina[3]} = (edit1_q.what == EditNote) ? NoteTag : InaTag;
    {ina[4], ina[5]}   = ring.id;
    ina[6]             = fresh ? relay.child : edit1_q.rank;
    ina[7]             = edit1_q.kind;
    {ina[8], ina[9], ina[10], ina[11]} = edit1_q.msgid;
    {ina[12], ina[13]} = edit1_q.msglen;
    {ina[14], ina[15]} = fresh ? 16'(relay.siblings) : 16'(relay.total);
    if (!leaf) ina[13:8] = child_ina[13:8];
    for (int unsigned at = 54; at + InaBytes <= MetaAt; at += 4) begin
      if (plain == 7'(at)) begin
        if (edit1_q.what != EditResult) fields[at+:InaBytes] = ina;
        else if (header != plain && edit1_q.offset == '0) fields[at+3] = InaTag[7:0];
      end
    end

    meta            = meta_in;
    meta.vlan       = vlan;
    meta.v6         = v6;
    meta.has_pad    = pad != '0;
    meta.hdr_len    = header;
    meta.tensor_len = tensor;
    meta.psn        = psn;
    meta.pad_bytes  = '0;
    fields[Bytes-1:MetaAt] = meta;
  end

  // ---------------------------------------------------------------------------------------------
  // Checksum of IPv4.

  always_comb begin
    automatic logic [19:0] sum;
    done = fields_q;
    for (int unsigned v = 0; v < 2; v++) begin
      automatic int unsigned ip = 14 + 4 * v;
      sum = '0;
      for (int unsigned i = 0; i < 20; i += 2) begin
        if (i != 10) sum += 20'({fields_q[ip+i], fields_q[ip+i+1]});
      end
      sum = 20'(sum[15:0]) + 20'(sum[19:16]);
      sum = 20'(sum[15:0]) + 20'(sum[19:16]);
      if (fields_q[12] == ((v == 0) ? 8'h08 : 8'h81) && fields_q[ip-2] == 8'h08) begin
        {done[ip+10], done[ip+11]} = ~sum[15:0];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    full1_q <= last_word && edit.what != EditNone;
    full2_q <= full1_q;
    if (last_word) edit1_q <= edit;
    port2_q  <= edit1_q.port;
    fields_q <= fields;
    if (full2_q) done_q <= done;
    if (!rst_ni) begin
      full1_q <= 1'b0;
      full2_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Out again: the eight words of an edited record take the place of those that came in.

  logic [Late:1][NumPorts-1:0]                  we_q;
  logic [Late:1][NumPorts-1:0][HdrWordBits-1:0] word_q;
  logic [PortW-1:0] out_port_q;
  logic             out_edits_q, out_edits;
  logic [2:0]       out_at_q;

  // With the first word out comes the record that `full2_q` told of in the cycle before.
  assign out_edits = out_edits_q;

  always_ff @(posedge clk_i) begin
    we_q   <= {we_q[Late-1:1], we_i};
    word_q <= {word_q[Late-1:1], word_i};
    if (full2_q) begin
      out_edits_q <= 1'b1;
      out_port_q  <= port2_q;
    end else if (out_at_q == 3'(HdrWords - 1)) begin
      out_edits_q <= 1'b0;
    end
    if (we_q[Late] != '0) out_at_q <= out_at_q + 3'd1;
    we_o <= we_q[Late];
    for (int unsigned p = 0; p < NumPorts; p++) begin
      word_o[p] <= (out_edits && out_port_q == PortW'(p)) ? done_q[16*out_at_q+:16] :
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
