// Reads the headers of every frame: is it RoCEv2, is it a gradient candidate, and where is its
// tensor (docs/protocol.md, "At the port").
//
// Headers are at most 114 bytes, so as much of the first beats is kept and all fields taken from it
// when the frame's last beat has come. Bytes behind the frame's end may be in those registers;
// lengths decide, and those are held against the bytes received. Headers in front of BTH have four
// shapes and extension headers four lengths: two multiplexers in a row instead of one with ten
// inputs.
//
// Frames of any length, one beat a cycle. Nobody waits: the answer stands FrameAnswer cycles after
// a frame's last beat.
module roce_parse
  import roce_pkg::*;
#(
  /// 1: notifications of a tree are told from other packets while `notes_i` (docs/relay.md): they
  /// have an INA header, whatever their opcode, with `kind` 0b10...... ; no other INA header has
  /// such a kind.
  parameter int unsigned Notes = 0,
  /// What the device is without (roce_pkg). Of a packet over IPv6 or behind a tag that it cannot
  /// read the opcode, the INA tag and the RingID are right, so that no gradient of its rings
  /// passes: the header's `kind` is none that there is, and the key none that a connection has.
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input logic notes_i,   // see Notes; changes only when registers do
  /* verilator lint_on UNUSEDSIGNAL */

  // A beat, and its number in the frame (saturating).
  input logic                valid_i,
  input logic                first_i,
  input logic                last_i,
  // verilator lint_off UNUSEDSIGNAL
  input logic [8:0]          index_i,   // at 128 bytes the first beat has all headers
  input logic [BeatBits-1:0] data_i,
  // verilator lint_on UNUSEDSIGNAL

  // One cycle behind the beat: where in the frame its last byte is, and what roce_locate says.
  input logic [8+ByteW:0] at_i,
  input logic        vlan_i,
  input logic        v6_i,
  input logic [15:0] ip_len_i,
  input logic [16:0] tail_i,

  // FrameAnswer cycles after a frame's last beat: it is RoCEv2, so it must have a good ICRC; its IP
  // length is no multiple of four, so it cannot have one.
  output logic roce_o,
  output logic ragged_o,
  // With them: the frame's descriptor, which means something if its ICRC is good; without `beats`.
  output frame_desc_t desc_o
);

  /// Stages up to the answer.
  localparam int unsigned Stages = 5;
  /// Bytes that may be headers; those of them that are in the first beat.
  localparam int unsigned HeadBytes = 114;
  localparam int unsigned FirstBytes = (BeatBytes < HeadBytes) ? BeatBytes : HeadBytes;
  localparam int unsigned UdpBytes = 8;
  localparam int unsigned BthBytes = 12;
  localparam int unsigned RethBytes = 16;
  localparam int unsigned ImmBytes = 4;
  localparam int unsigned IcrcBytes = 4;
  /// From UDP on: UDP, BTH, RETH, ImmDt, INA.
  localparam int unsigned WindowBytes = UdpBytes + BthBytes + RethBytes + ImmBytes + InaBytes;
  /// Shapes that are read whole, beside plain IPv4.
  localparam bit ReadsV6 = !Without[WithoutIpv6];
  localparam bit ReadsVlan = !Without[WithoutVlan];
  localparam int unsigned Bth = UdpBytes;
  localparam int unsigned Ext = UdpBytes + BthBytes;
  /// IP payload of the smallest packet.
  localparam logic [15:0] MinPayload = 16'(UdpBytes + BthBytes + IcrcBytes);

  if (Stages != FrameAnswer) begin : gen_check_answer
    $fatal(1, "%m: roce_ingress takes the answer after %0d cycles, not %0d", FrameAnswer, Stages);
  end

  typedef logic [HeadBytes-1:0][7:0] head_t;
  typedef logic [WindowBytes-1:0][7:0] window_t;
  typedef enum logic [1:0] {Ext0, Ext4, Ext16, Ext20} ext_e;

  // ---------------------------------------------------------------------------------------------
  // Stage 2: what may be headers.

  logic [FirstBytes-1:0][7:0] first_q;
  head_t                      head;
  logic [Stages:2]            valid_q;   // a frame's last beat stands in this stage

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[Stages-1:2], valid_i && last_i};
    if (valid_i && first_i) first_q <= data_i[8*FirstBytes-1:0];
  end

  if (FirstBytes < HeadBytes) begin : gen_second
    logic [HeadBytes-FirstBytes-1:0][7:0] second_q;
    always_ff @(posedge clk_i) begin
      if (valid_i && index_i == 9'd1) second_q <= data_i[8*(HeadBytes-FirstBytes)-1:0];
    end
    assign head = {second_q, first_q};
  end else begin : gen_first
    assign head = first_q;
  end

  /// The big-endian number in bytes at .. at+1 of `head`.
  function automatic logic [15:0] be16(int unsigned at);
    be16 = {head[at], head[at+1]};
  endfunction

  function automatic logic [31:0] be32(int unsigned at);
    be32 = {be16(at), be16(at + 2)};
  endfunction

  function automatic logic [127:0] be128(int unsigned at);
    for (int unsigned b = 0; b < 16; b++) be128[8*(15-b)+:8] = head[at+b];
  endfunction

  function automatic logic is_v4(int unsigned ip);
    // Version 4, no options, no fragment, UDP.
    is_v4 = be16(ip - 2) == 16'h0800 && head[ip] == 8'h45 && head[ip+6][5:0] == '0 &&
        head[ip+7] == '0 && head[ip+9] == 8'd17;
  endfunction

  function automatic logic is_v6(int unsigned ip);
    is_v6 = be16(ip - 2) == 16'h86DD && head[ip][7:4] == 4'd6 && head[ip+6] == 8'd17;
  endfunction

  /// Bytes from UDP on that are read of every shape: port and length; opcode, pad and version; the
  /// first six bytes of an INA header, wherever it begins.
  function automatic logic [WindowBytes-1:0] always_read();
    always_read         = '0;
    always_read[2+:4]   = '1;
    always_read[Bth+:2] = '1;
    for (int unsigned b = 0; b < 6; b++) begin
      always_read[Ext+b]            = 1'b1;
      always_read[Ext+ImmBytes+b]   = 1'b1;
      always_read[Ext+RethBytes+b]  = 1'b1;
      always_read[Ext+RethBytes+ImmBytes+b] = 1'b1;
    end
  endfunction

  localparam logic [WindowBytes-1:0] AlwaysRead = always_read();

  // ---------------------------------------------------------------------------------------------
  // Stage 3: addresses, IP checks, and everything from UDP on at one place.

  logic         l3_ok_q, fits_q, ragged3_q, vlan3_q, v63_q;
  logic [15:0]  payload3_q;  // of IP, bytes
  logic [127:0] src3_q, dst3_q;
  logic [11:0]  vid3_q;
  window_t      window_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[2]) begin
      vlan3_q    <= vlan_i;
      vid3_q     <= vlan_i ? (ReadsVlan ? 12'(be16(14)) : 12'd1) : '0;
      v63_q      <= v6_i;
      ragged3_q  <= ip_len_i[1:0] != '0;
      payload3_q <= v6_i ? ip_len_i : ip_len_i - 16'd20;
      fits_q     <= 17'(at_i) >= tail_i && ip_len_i >= (v6_i ? MinPayload : MinPayload + 16'd20);
      unique case ({vlan_i, v6_i})
        2'b00: begin
          l3_ok_q  <= is_v4(14);
          src3_q   <= 128'(be32(26));
          dst3_q   <= 128'(be32(30));
          window_q <= head[34+:WindowBytes];
        end
        2'b01: begin
          l3_ok_q  <= is_v6(14);
          src3_q   <= be128(22);
          dst3_q   <= be128(38);
          window_q <= head[54+:WindowBytes];
        end
        2'b10: begin
          l3_ok_q  <= be16(12) == 16'h8100 && is_v4(18);
          src3_q   <= 128'(be32(30));
          dst3_q   <= 128'(be32(34));
          window_q <= head[38+:WindowBytes];
        end
        default: begin
          l3_ok_q  <= be16(12) == 16'h8100 && is_v6(18);
          src3_q   <= be128(26);
          dst3_q   <= be128(42);
          window_q <= head[58+:WindowBytes];
        end
      endcase
      if (!ReadsV6) begin
        // Of IPv4.
        src3_q <= (ReadsVlan && vlan_i) ? 128'(be32(30)) : 128'(be32(26));
        dst3_q <= (ReadsVlan && vlan_i) ? 128'(be32(34)) : 128'(be32(30));
      end else if (!ReadsVlan) begin
        // Without a tag.
        src3_q <= v6_i ? be128(22) : 128'(be32(26));
        dst3_q <= v6_i ? be128(38) : 128'(be32(30));
      end
      if (!ReadsV6 || !ReadsVlan) begin
        // All else is right only of a shape that is read whole.
        for (int unsigned b = 0; b < WindowBytes; b++) begin
          if (!AlwaysRead[b]) begin
            if (ReadsV6) window_q[b] <= v6_i ? head[54+b] : head[34+b];
            else if (ReadsVlan) window_q[b] <= vlan_i ? head[38+b] : head[34+b];
            else window_q[b] <= head[34+b];
          end
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 4: transport headers; the bytes that may be an INA header.

  typedef struct packed {
    logic        starts;
    logic        has_imm;
    logic        vlan;
    conn_key_t   key;
    logic [23:0] psn;
    logic [1:0]  pad;
  } head_fields_t;

  /// What an opcode says: {data packet of RC, FIRST or ONLY, extension headers}.
  function automatic logic [3:0] decode(logic [7:0] opcode);
    unique case (opcode)
      OpSendFirst, OpSendOnly:                                 decode = {2'b11, Ext0};
      OpSendMiddle, OpSendLast, OpWriteMiddle, OpWriteLast:    decode = {2'b10, Ext0};
      OpSendLastImm, OpSendLastInv, OpWriteLastImm:            decode = {2'b10, Ext4};
      OpSendOnlyImm, OpSendOnlyInv:                            decode = {2'b11, Ext4};
      OpWriteFirst, OpWriteOnly:                               decode = {2'b11, Ext16};
      OpWriteOnlyImm:                                          decode = {2'b11, Ext20};
      default:                                                 decode = {2'b00, Ext0};
    endcase
  endfunction

  logic                        data4, starts4;
  logic [1:0]                  ext4;
  logic                        roce4_q, ragged4_q, candidate4_q, middle4_q;
  logic [1:0]                  ext4_q;
  logic [13:0]                 payload4_q;  // a packet that lies inside its frame is no longer
  logic [InaBytes-1:0][7:0]    ina4_q;
  head_fields_t                fields4_q;

  assign {data4, starts4, ext4} = decode(window_q[Bth]);

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin
      roce4_q      <= l3_ok_q && fits_q && {window_q[2], window_q[3]} == RoceUdpPort;
      ragged4_q    <= ragged3_q;
      candidate4_q <= data4 && {window_q[4], window_q[5]} == payload3_q &&
          window_q[Bth+1][3:0] == '0;
      payload4_q   <= payload3_q[13:0];
      ext4_q       <= ext4;
      middle4_q    <= window_q[Bth] == OpSendMiddle || window_q[Bth] == OpWriteMiddle;
      unique case (ext4)
        Ext0:    ina4_q <= window_q[Ext+:InaBytes];
        Ext4:    ina4_q <= window_q[Ext+4+:InaBytes];
        Ext16:   ina4_q <= window_q[Ext+16+:InaBytes];
        default: ina4_q <= window_q[Ext+20+:InaBytes];
      endcase
      fields4_q.starts  <= starts4;
      fields4_q.has_imm <= window_q[Bth] inside {OpSendLastImm, OpSendOnlyImm, OpWriteLastImm,
                                                 OpWriteOnlyImm};
      fields4_q.vlan    <= vlan3_q;
      fields4_q.key.vlan <= vid3_q;
      fields4_q.key.v6  <= v63_q;
      fields4_q.key.src <= src3_q;
      fields4_q.key.dst <= dst3_q;
      fields4_q.key.qpn <= {window_q[Bth+5], window_q[Bth+6], window_q[Bth+7]};
      fields4_q.psn     <= {window_q[Bth+9], window_q[Bth+10], window_q[Bth+11]};
      fields4_q.pad     <= window_q[Bth+1][5:4];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 5: lengths.

  function automatic logic [6:0] ext_bytes(logic [1:0] ext);
    unique case (ext)
      Ext0:    ext_bytes = 7'd0;
      Ext4:    ext_bytes = 7'd4;
      Ext16:   ext_bytes = 7'd16;
      default: ext_bytes = 7'd20;
    endcase
  endfunction

  logic [6:0]   around;      // bytes of the IP payload that are neither tensor nor INA header
  logic         roce5_q, ragged5_q, candidate5_q, tag5_q, note5_q;
  logic [6:0]   header5_q;
  // Tensor without an INA header in front of it; negative if the pad finds no room.
  logic [14:0]  plain5_q;
  // Tensor behind an INA header; negative if there is no room for one.
  logic [14:0]  behind5_q;
  ina_t         ina5_q;
  head_fields_t fields5_q;

  assign around = 7'(MinPayload) + ext_bytes(ext4_q) + 7'(fields4_q.pad);

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) begin
      roce5_q      <= roce4_q;
      ragged5_q    <= ragged4_q;
      candidate5_q <= roce4_q && candidate4_q;
      tag5_q       <= fields4_q.starts && {ina4_q[0], ina4_q[1], ina4_q[2], ina4_q[3]} == InaTag;
      header5_q    <= 7'd14 + (fields4_q.vlan ? 7'd4 : 7'd0) + (fields4_q.key.v6 ? 7'd40 : 7'd20) +
          7'(Ext) + ext_bytes(ext4_q);
      plain5_q     <= {1'b0, payload4_q} - 15'(around);
      behind5_q    <= {1'b0, payload4_q} - 15'(around) - 15'(InaBytes);
      note5_q      <= Notes != 0 && notes_i && !middle4_q && ina4_q[7][7:6] == '0 &&
          {ina4_q[0], ina4_q[1], ina4_q[2], ina4_q[3]} == NoteTag;
      ina5_q       <= '{
        ring: {ina4_q[4], ina4_q[5]},
        rank: ina4_q[6],
        kind: ina4_q[7],
        msgid: {ina4_q[8], ina4_q[9], ina4_q[10], ina4_q[11]},
        msglen: {ina4_q[12], ina4_q[13]},
        workers: {ina4_q[14], ina4_q[15]}
      };
      fields5_q    <= fields4_q;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 6: descriptor.

  logic has_ina;
  ina_t ina;
  assign has_ina = (tag5_q || note5_q) && !behind5_q[14];

  always_comb begin
    ina = ina5_q;
    if (Notes != 0) begin
      if (note5_q) ina.kind[7:6] = 2'b10;
      else if (ina5_q.kind[7]) ina.kind[7:6] = 2'b11;   // bad all the same
    end
    if (!ReadsV6 || !ReadsVlan) begin
      if ((!ReadsV6 && fields5_q.key.v6) || (!ReadsVlan && fields5_q.vlan)) ina.kind = '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[Stages]) begin
      roce_o            <= roce5_q;
      ragged_o          <= ragged5_q;
      desc_o.beats      <= '0;
      desc_o.candidate  <= candidate5_q;
      desc_o.starts     <= fields5_q.starts;
      desc_o.has_ina    <= has_ina;
      desc_o.has_imm    <= fields5_q.has_imm;
      desc_o.vlan       <= fields5_q.vlan;
      desc_o.key        <= fields5_q.key;
      desc_o.hash       <= conn_hash(fields5_q.key);
      desc_o.psn        <= fields5_q.psn;
      desc_o.ina        <= ina;
      desc_o.hdr_len    <= header5_q + (has_ina ? 7'(InaBytes) : 7'd0);
      desc_o.tensor_len <= has_ina ? behind5_q[13:0] : plain5_q[14] ? '0 : plain5_q[13:0];
      desc_o.pad        <= fields5_q.pad;
      desc_o.len_bad    <= plain5_q[14];
    end
  end

endmodule
