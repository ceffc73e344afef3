// roce_icrc_check: its verdict is that of the definition (IBA annex A17), read byte by byte, for
// RoCEv2 packets of any length in frames of any length up to 511 beats.
//
// Piece by piece, as a solver does not compare CRCs of many bytes. What is fed to the CRC is what
// the definition counts (proved here, each byte of each beat). What the CRC makes of it is
// prim_crc32_beat's proof; here the register is free (`cuts` of the task). That the verdict is
// taken from the register behind the packet's last beat is proved here, and which register is a
// good packet's in crc32_definition. Length and kind of the packet come from the frame's bytes as
// in roce_locate_props, which proves that roce_locate says the same.
module roce_icrc_check_props
  import roce_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             last_i,
  input logic [BeatBytes-1:0][7:0] data_i
);
  import crc32_definition_pkg::*;
  import icrc_definition_pkg::*;

  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  // ---------------------------------------------------------------------------------------------
  // The frame: where its packet starts and ends.

  typedef struct packed {
    logic        fine;   // IP, long enough for UDP, BTH and ICRC, and a multiple of four
    logic        with_tag;
    logic        six;
    logic [17:0] last;   // the packet's last byte in the frame
  } packet_t;

  function automatic packet_t look(logic [BeatBytes-1:0][7:0] b);
    logic [15:0] kind, field;
    int unsigned header;
    look.with_tag = {b[12], b[13]} == 16'h8100;
    header    = look.with_tag ? 18 : 14;
    kind      = look.with_tag ? {b[16], b[17]} : {b[12], b[13]};
    look.six  = kind == 16'h86DD;
    field     = look.six ? (look.with_tag ? {b[22], b[23]} : {b[18], b[19]}) :
        (look.with_tag ? {b[20], b[21]} : {b[16], b[17]});
    look.last = 18'(header) + 18'(field) + (look.six ? 18'd40 : 18'd0) - 18'd1;
    look.fine = (look.six || kind == 16'h0800) && field[1:0] == '0 &&
        field >= (look.six ? 16'd24 : 16'd44);
  endfunction

  logic       between_q, first;
  logic [8:0] index, index_q;
  packet_t    packet, packet_q;

  assign first  = between_q;
  assign index  = first ? '0 : index_q + 9'(index_q != '1);
  assign packet = first ? look(data_i) : packet_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      between_q <= last_i;
      index_q   <= index;
      packet_q  <= packet;
    end
    if (!rst_ni) between_q <= 1'b1;
  end

  // Of packets that RoCEv2 knows the first one ends with byte 57.
  logic [BeatBytes/4-1:14] now_ends;
  for (genvar q = 14; q < BeatBytes / 4; q++) begin : gen_ends
    assign now_ends[q] = packet.last == 18'(4 * q + 1);
  end

  logic good;
  roce_icrc_check u_dut (
    .clk_i,
    .rst_ni,
    .valid_i      (valid_i && rst_ni),
    .first_i      (first),
    .index_i      (index),
    .data_i,
    .now_vlan_i   (packet.with_tag),
    .now_v6_i     (packet.six),
    .now_ends_i   (now_ends),
    .vlan_i       (packet_q.with_tag),
    .v6_i         (packet_q.six),
    .tail_quad_i  (packet_q.last[16:2]),
    .good_o       (good)
  );

  // ---------------------------------------------------------------------------------------------
  // The definition.

  logic [BeatBytes-1:0][7:0] beat, beat_q;
  always_comb begin
    for (int unsigned i = 0; i < BeatBytes; i++) begin
      // Behind the second beat no byte can be changed by a router.
      beat[i] = (18'(index) * 18'(BeatBytes) + 18'(i) <= packet.last) ? data_i[i] : '0;
      for (int unsigned k = 0; k < 2; k++) begin
        for (int unsigned h = 14; h <= 18; h += 4) begin
          if (32'(index) == k && h == (packet.with_tag ? 18 : 14)) begin
            if (BeatBytes * k + i < h) beat[i] = '0;
            else beat[i] = counted(data_i[i], packet.six, 18'(BeatBytes * k + i) <= packet.last,
                                   BeatBytes * k + i - h);
          end
        end
      end
    end
  end

  /// The register after a packet and its own ICRC: what is left of any register when its complement
  /// follows it.
  localparam logic [31:0] Own = zeros('1, 4);

  /// The register when zeros follow up to the end of the beat.
  function automatic logic [BeatBytes/4-1:0][31:0] goods();
    for (int unsigned q = 0; q < BeatBytes / 4; q++) goods[q] = zeros(Own, BeatBytes - 2 - 4 * q);
  endfunction
  localparam logic [BeatBytes/4-1:0][31:0] Goods = goods();

  // ---------------------------------------------------------------------------------------------
  // What is known of the beats under way: [1] is fed to the CRC now, [4] is the register.

  logic [5:1]      valid_q, first_q, last_q, ends_q, fine_q;
  logic [4:1][WordW-1:0] quad_q;
  logic            ends, whole_q, expected_q, synced_q;

  // A packet that ends in a first beat ends with one of these bytes.
  assign ends = first ? now_ends != '0 : packet.last[17:ByteW] == (18 - ByteW)'(index);
  initial valid_q  = '0;
  initial synced_q = 1'b0;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[4:1], valid_i} : '0;
    first_q <= {first_q[4:1], first};
    last_q  <= {last_q[4:1], last_i};
    ends_q  <= {ends_q[4:1], ends};
    fine_q  <= {fine_q[4:1], packet.fine && index != '1};
    quad_q  <= {quad_q[3:1], packet.last[ByteW-1:2]};
    beat_q  <= beat;
    // The packet has not ended in front of this beat.
    whole_q <= packet.last[17:ByteW] >= (18 - ByteW)'(index);
    if (valid_q[4]) begin
      if (ends_q[4]) expected_q <= u_dut.crc == Goods[quad_q[4]];
      else if (first_q[4]) expected_q <= 1'b0;
      if (first_q[4]) synced_q <= 1'b1;
    end
    if (!rst_ni) synced_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every byte of every beat up to the packet's last one is fed as the definition counts it:
      // nothing of Ethernet, ones for what routers change, nothing of what stands behind the
      // packet.
      a_fed : assert (!(valid_q[1] && fine_q[1] && whole_q) || u_dut.data_q == beat_q)
      else $error("fed %h instead of %h", u_dut.data_q, beat_q);
      // The CRC is told of a frame's beats, its first and the packet's last.
      a_told : assert (u_dut.valid_q[0] == valid_q[1] && (!valid_q[1] ||
                       (u_dut.first_q[0] == first_q[1] && u_dut.ends_q[0] == ends_q[1])))
      else $error("told otherwise");
      // The verdict of a frame's last beat is: the packet ended in this frame, and the register
      // behind the packet is the good one. A frame that follows, or in front, changes nothing.
      a_verdict : assert (!(valid_q[5] && last_q[5] && fine_q[5]) || good == expected_q)
      else $error("good %b instead of %b", good, expected_q);
      // A packet is good that ends in the first beat, and one whose padding fills another beat.
      c_short : cover (valid_q[5] && last_q[5] && fine_q[5] && good && first_q[5]);
      c_padded : cover (valid_q[5] && last_q[5] && fine_q[5] && good && !ends_q[5]);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Helping invariants.

  logic [3:0] steps;
  logic [5:1] ordered;
  logic [5:0] begun;   // a first beat was in front
  always_comb begin
    begun[5] = synced_q;
    for (int s = 4; s >= 0; s--) begin
      begun[s] = begun[s+1] || (s > 0 && valid_q[s] && first_q[s]);
    end
    ordered = '1;
    for (int unsigned s = 1; s <= 4; s++) begin
      if (valid_q[s] && !first_q[s]) ordered[s] = begun[s+1];
    end
    if (valid_q[5]) ordered[5] = synced_q;
    for (int unsigned s = 1; s <= 4; s++) begin
      steps[s-1] = u_dut.valid_q[s-1] == valid_q[s] && (!valid_q[s] ||
          (u_dut.first_q[s-1] == first_q[s] && u_dut.ends_q[s-1] == ends_q[s]));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet that is looked at ends where RoCEv2 packets can end (helps the proof).
      a_where : assert (between_q || (!packet_q.last[17] && !packet_q.fine) ||
          (!packet_q.last[17] && packet_q.last[1:0] == 2'd1 &&
          packet_q.last >= (packet_q.six ? 18'd77 : 18'd57) + (packet_q.with_tag ? 18'd4 : 18'd0)))
      else $error("ends elsewhere");
      // It ends in the beat that its last byte is in (helps the proof).
      a_ends : assert (!(valid_i && packet.fine) ||
          ends == (packet.last[17:ByteW] == (18 - ByteW)'(index)))
      else $error("ends in another beat");
      // What is said is of a frame whose first beat was seen (helps the proof).
      a_begun : assert ((between_q || begun[0]) && ordered == '1 &&
                        (!synced_q || good == expected_q))
      else $error("not begun");
      // The good register goes along with the beat (helps the proof).
      a_due : assert ((!valid_q[1] || packet_q.last[ByteW-1:2] == quad_q[1]) &&
                      (!valid_q[2] || u_dut.quad_q[1] == quad_q[2]) &&
                      (!valid_q[3] || u_dut.quad_q[2] == quad_q[3]) &&
                      (!valid_q[4] || u_dut.due_q == Goods[quad_q[4]]))
      else $error("another beat's");
      // The stages are in step (helps the proof).
      a_steps : assert (steps == '1 && u_dut.u_crc.valid_q == valid_q[3:2] &&
          (u_dut.u_crc.valid_q & (u_dut.u_crc.last_q ^ u_dut.ends_q[2:1])) == '0)
      else $error("out of step");
    end
  end

endmodule
