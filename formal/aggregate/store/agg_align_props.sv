// agg_align: of any one packet, every pair of bytes of its headers and of its tensor stands in its
// bank where docs/wire.md and agg_pkg say, written once and at a fixed time behind the read of its
// first beat; nothing else is written.
//
// One packet is followed, which one is free, and in it one pair of bytes of a row and one of the
// header record, which ones are free too: what holds for them holds for all.
module agg_align_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Rows of the largest tensor.
  parameter int unsigned MaxRows = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       beat_valid_i,
  input logic       beat_first_i,
  input beat_t      beat_i,
  input packet_t    packet_i,
  // Follow the packet that begins now; of it this row, this pair of its bytes, and this pair of the
  // header record.
  input logic       follow_i,
  input logic [7:0] row_i,
  input logic [WordW:0] pair_i,
  input logic [5:0] header_pair_i
);

  /// Beats of the longest packet: headers, tensor, pad bytes, ICRC.
  localparam int unsigned MaxBeats = (114 + BeatBytes * MaxRows + 6 + BeatBytes - 1) / BeatBytes;
  /// Cycles from a packet's first beat until all of it is written, and more.
  localparam int unsigned Longest = MaxBeats + 8;

  logic             started_q, write_valid, padded;
  logic [RankW-1:0] write_rank;
  bank_write_t      write;
  initial started_q = 1'b0;

  agg_align u_dut (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_first_i,
    .beat_i,
    .packet_i,
    .beat_bad_i   (1'b0),
    .write_valid_o(write_valid),
    .write_rank_o (write_rank),
    .write_o      (write),
    .padded_o     (padded)
  );

  // ---------------------------------------------------------------------------------------------
  // Packets as they come.

  logic        inside_q;      // the next beat is not a packet's first one
  logic [7:0]  seen_q;        // beats of the packet that were read
  logic [15:0] bytes_q, bytes;
  logic [7:0]  seen;          // with this cycle's
  logic [5:1]  read_q;        // a beat was read n cycles ago

  assign bytes = beat_first_i ? 16'(packet_i.meta.hdr_len) + 16'(packet_i.meta.tensor_len) +
      (packet_i.meta.has_pad ? 16'd6 : 16'd4) : bytes_q;
  assign seen  = beat_first_i ? 8'd1 : seen_q + 8'd1;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    read_q    <= rst_ni ? {read_q[4:1], beat_valid_i} : '0;
    if (beat_valid_i) begin
      inside_q <= !beat_i.last;
      seen_q   <= seen;
      bytes_q  <= bytes;
    end
    if (!rst_ni) inside_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A packet's beats come without gap, the first one marked.
      e_beats : assume (beat_valid_i ? beat_first_i == !inside_q : !inside_q);
      // It has beats for its headers, tensor, pad bytes and ICRC; perhaps Ethernet's padding
      // behind.
      e_last : assume (!beat_valid_i || (32'(seen) <= MaxBeats &&
          (beat_i.last ? 16'(seen) * 16'(BeatBytes) >= bytes : 32'(seen) < MaxBeats)));
      if (beat_valid_i && beat_first_i) begin
        // Its headers have a length that the parser gives; its rows are those of its tensor, whole
        // elements, and an empty one has one row; pad bytes fill the last word.
        e_packet : assume (packet_i.meta.hdr_len >= 7'd54 && packet_i.meta.hdr_len <= 7'd114 &&
            32'(packet_i.meta.tensor_len) <= BeatBytes * MaxRows && !packet_i.meta.tensor_len[0] &&
            packet_i.meta.has_pad == packet_i.meta.tensor_len[1] &&
            32'(packet_i.rows) == ((packet_i.meta.tensor_len == '0) ? 32'd1 :
                (32'(packet_i.meta.tensor_len) + BeatBytes - 1) / BeatBytes));
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The packet that is followed.

  logic        follow, follows_q, ended_q, of_it;
  logic [7:0]  age_q;          // cycles since its first beat was read
  logic [7:0]  last_age_q;     // of its last beat
  packet_t     packet_q, packet;
  logic [7:0]  row_q, at;
  logic [WordW:0] pair_q;
  logic [5:0]  header_pair_q;
  logic [15:0] place, pad_place, header_place;    // in the frame, of the pair of bytes
  logic [15:0] element_q, pad_q, header_q;        // what stood there

  assign follow = beat_valid_i && beat_first_i && follow_i && !follows_q && rst_ni;
  assign packet = follow ? packet_i : packet_q;
  assign at     = follow ? 8'd0 : age_q;           // number of the beat that is read
  assign of_it  = follow || (follows_q && !ended_q && beat_valid_i);

  assign place        = 16'(packet.meta.hdr_len) + 16'({row_q, pair_q, 1'b0});
  assign pad_place    = 16'(packet.meta.hdr_len) + 16'(packet.meta.tensor_len);
  assign header_place = {9'd0, header_pair_q, 1'b0};

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      row_q         <= row_i;
      pair_q        <= pair_i;
      header_pair_q <= header_pair_i;
    end
    if (follow) begin
      follows_q <= 1'b1;
      ended_q   <= beat_i.last;
      age_q     <= 8'd1;
      packet_q  <= packet_i;
    end else if (follows_q) begin
      if (32'(age_q) < Longest + 8) age_q <= age_q + 8'd1;
      if (of_it && beat_i.last) ended_q <= 1'b1;
    end
    if (of_it) begin
      if (beat_i.last) last_age_q <= at;
      if (place[15:ByteW] == (16 - ByteW)'(at)) begin
        element_q <= beat_i.data[{place[ByteW-1:1], 4'd0}+:16];
      end
      if (pad_place[15:ByteW] == (16 - ByteW)'(at)) begin
        pad_q <= beat_i.data[{pad_place[ByteW-1:1], 4'd0}+:16];
      end
      if (header_place[15:ByteW] == (16 - ByteW)'(at)) begin
        header_q <= beat_i.data[{header_place[ByteW-1:1], 4'd0}+:16];
      end
    end
    if (!rst_ni) follows_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // What has to be written, and when.

  logic [7:0]  row_age;         // row 0 is written at this age
  logic        row_time, of_tensor, of_headers, in_second, mine, again, over;
  logic [15:0] header_due, written_pair;
  logic [15:0] checksum;        // where the UDP checksum is
  hdr_meta_t   meta;            // as written
  logic        meta_right;

  assign row_age    = (32'(packet_q.meta.hdr_len) >= BeatBytes) ? 8'd5 : 8'd4;
  assign row_time   = age_q >= row_age && age_q < row_age + packet_q.rows;
  assign of_tensor  = 16'({row_q, pair_q, 1'b0}) < 16'(packet_q.meta.tensor_len);
  assign of_headers = header_place < 16'(packet_q.meta.hdr_len);
  assign mine       = write.slot == packet_q.slot && write_rank == packet_q.rank;
  assign again      = ended_q && packet_q.meta.has_pad && age_q == last_age_q + 8'd5;
  assign over       = ended_q && age_q > last_age_q + (packet_q.meta.has_pad ? 8'd5 : 8'd4);
  assign checksum   = (packet_q.meta.v6 ? 16'd60 : 16'd40) + (packet_q.meta.vlan ? 16'd4 : 16'd0);
  assign header_due = (header_place == checksum) ? '0 : header_q;
  assign meta       = write.data[BeatBits-1-:HdrMetaBits];
  assign written_pair = write.data[{header_pair_q[WordW:0], 4'd0}+:16];
  // Of two rows of a header record, the second has the pair.
  assign in_second  = HdrRows > 1 && header_pair_q[5];

  always_comb begin
    hdr_meta_t due;
    due           = packet_q.meta;
    due.pad_bytes = meta.pad_bytes;
    meta_right    = meta == due;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nothing is written but while a packet goes through: what is in a bank stays.
      a_nothing : assert (!write_valid || read_q[5:2] != '0)
      else $error("row %0d of slot %0d", write.row, write.slot);
      // Where a packet is (helps the proof).
      a_where : assert (!inside_q || (seen_q != '0 && 32'(seen_q) < MaxBeats))
      else $error("%0d beats", seen_q);
      a_followed : assert (!follows_q || (ended_q ?
          (32'(last_age_q) < MaxBeats && last_age_q < age_q) : (inside_q && seen_q == age_q)))
      else $error("age %0d", age_q);
      if (follows_q) begin
        // The first row of the headers is written two cycles behind the first beat, as it came,
        // the UDP checksum zero, into the slot and the bank of the packet.
        a_head0 : assert (age_q != 8'd2 || (write_valid && write.header && write.row == 8'd0 &&
            mine && (HdrRows > 1 || meta_right) &&
            (!of_headers || in_second || written_pair == header_due)))
        else $error("age %0d", age_q);
        // The rest of the headers and what the egress must know follow in the next cycle, if it is
        // not in that row.
        a_head1 : assert (age_q != 8'd3 || (HdrRows == 1 ? !write_valid :
            write_valid && write.header && write.row == 8'd1 && mine && meta_right &&
            (!of_headers || !in_second || written_pair == header_due)))
        else $error("age %0d", age_q);
        // Row r of the tensor is written r cycles behind the first, once; of a repeated packet none
        // is.
        a_rows : assert (!row_time || (write_valid == packet_q.first && (!write_valid ||
            (!write.header && write.row == age_q - row_age && mine))))
        else $error("age %0d", age_q);
        // Every element of the tensor stands in its place of its row, as it came.
        a_elements : assert (!(row_time && write_valid && age_q - row_age == row_q && of_tensor) ||
            write.data[{pair_q, 4'd0}+:16] == element_q)
        else $error("row %0d, pair %0d", row_q, pair_q);
        // Behind the last row, the last row of the headers is written once more if there are pad
        // bytes, with them; that ends the packet, and is said.
        a_pad : assert (!again || (write_valid && write.header && write.row == 8'(HdrRows - 1) &&
            mine && padded && meta_right && meta.pad_bytes == pad_q &&
            (!of_headers || (HdrRows > 1 && !in_second) || written_pair == header_due)))
        else $error("age %0d", age_q);
        // Nothing else is written of it, and all is written five cycles behind its last beat.
        a_once : assert (age_q < 8'd4 || row_time || again || over || !write_valid)
        else $error("age %0d", age_q);
        a_in_time : assert (!ended_q || row_age + packet_q.rows <= last_age_q + 8'd5)
        else $error("age %0d", age_q);
        // Only a packet with pad bytes says that it is written.
        a_said : assert (age_q < 8'd2 || over || padded == again)
        else $error("age %0d", age_q);
        // An element behind the longest headers, in the last row, with pad bytes behind it.
        c_pad : cover (again && packet_q.meta.hdr_len == 7'd114 && 32'(packet_q.rows) == MaxRows);
        // The next packet comes as early as it may.
        c_next : cover (ended_q && beat_valid_i && beat_first_i && age_q == last_age_q + 8'd3);
      end
    end
  end

endmodule
