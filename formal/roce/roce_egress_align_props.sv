// roce_egress_align: a result leaves as its header record, its rows and its pad bytes, byte by
// byte, one beat behind the other, and zeros behind its end; each beat says of its frame what the
// ICRC stage counts on.
//
// One pair of bytes of every beat is looked at, which one is free: what holds for it holds for all.
module roce_egress_align_props
  import roce_pkg::*;
#(
  /// Rows of the largest tensor.
  parameter int unsigned MaxRows = 2
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic          [7:0] epoch_i,
  input logic                header_valid_i,
  input logic       [1023:0] header_i,
  input logic                row_valid_i,
  input logic [BeatBits-1:0] row_i,
  input logic                row_last_i,
  input logic                beat_pop_i,
  input logic    [ByteW-2:0] pair_i
);

  logic                started_q, header_done, row_ready, begins;
  logic [ConnBits-1:0] begin_conn;
  logic         [23:0] begin_psn;
  logic                valid, first, second, last, v6, vlan;
  logic    [WordW-1:0] last_word;
  logic [BeatBits-1:0] data;
  initial started_q = 1'b0;

  roce_egress_align #(
    .Beats(4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .epoch_i,
    .header_valid_i,
    .header_i,
    .header_bad_i  (1'b0),
    .header_done_o (header_done),
    .row_valid_i,
    .row_ready_o   (row_ready),
    .row_i,
    .row_last_i,
    .row_bad_i     (1'b0),
    .begin_valid_o (begins),
    .begin_conn_o  (begin_conn),
    .begin_psn_o   (begin_psn),
    .drop_o        (),
    .beat_valid_o  (valid),
    .beat_first_o  (first),
    .beat_second_o (second),
    .beat_last_o   (last),
    .beat_end_o    (last_word),
    .beat_v6_o     (v6),
    .beat_vlan_o   (vlan),
    .beat_data_o   (data),
    .beat_bad_o    (),
    .beat_pop_i
  );

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted.

  hdr_meta_t     meta, meta_q;          // of the record that stands there; of the frame
  logic          stays, marked, lengths;
  logic    [7:0] epoch_q;               // what the frame is marked with
  logic [ByteW-2:0] pair_q;
  logic    [8:0] rows_q, rows_due;      // of the frame, taken so far; all of it

  record_handover u_record (
    .clk_i,
    .rst_ni,
    .epoch_i,
    .header_valid_i,
    .header_i,
    .header_done_i(header_done),
    .stays_o      (stays),
    .epoch_o      (marked)
  );

  assign meta     = header_i[1023-:HdrMetaBits];
  assign lengths  = meta.hdr_len >= 7'd54 && meta.hdr_len <= 7'd114 && meta.hdr_len[1:0] == 2'd2 &&
      32'(meta.tensor_len) <= BeatBytes * MaxRows && !meta.tensor_len[0] &&
      meta.tensor_len[1] == meta.has_pad;
  assign rows_due = (meta_q.tensor_len == '0) ? 9'd1 :
      9'((32'(meta_q.tensor_len) + BeatBytes - 1) / BeatBytes);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) pair_q <= pair_i;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A record stays until the cycle behind that in which it is done.
      e_stays : assume (stays);
      // So does what it is marked with.
      e_epoch : assume (marked);
      // It has the lengths that its packet was stored with.
      e_lengths : assume (!header_valid_i || lengths);
      // A frame has the rows of its tensor, the last one marked.
      e_rows : assume (!row_valid_i || row_last_i == (rows_q + 9'd1 == rows_due));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The frame that is made: its beats so far, and what has to stand at the place of the pair in the
  // beat that is begun.

  logic              step, take;
  logic       [15:0] beats_q, place, length, tensor_at, tensor_end;
  logic  [ByteW-1:0] offset;                  // in its row, of what stands at that place
  logic       [15:0] of_row, of_row_q;        // of the row that is taken now; of the one before
  logic       [15:0] of_header, pair;
  logic       [15:0] behind;                  // bytes from the tensor's begin

  assign step       = u_dut.step;
  assign take       = u_dut.take_header;
  assign tensor_at  = 16'(meta_q.hdr_len);
  assign tensor_end = tensor_at + 16'(meta_q.tensor_len);
  assign length     = tensor_end + (meta_q.has_pad ? 16'd2 : 16'd0);
  assign place      = {beats_q[15-ByteW:0], pair_q, 1'b0};
  assign offset     = {pair_q, 1'b0} - meta_q.hdr_len[ByteW-1:0];
  assign of_row     = row_i[{offset[ByteW-1:1], 4'd0}+:16];
  assign behind     = place - tensor_at;

  always_comb begin
    of_header = header_i[{place[6:1], 4'd0}+:16];
    if (meta_q.mark && epoch_q != '0 && place == tensor_at - 16'd2) of_header[7:0] = epoch_q;
    if (place < tensor_at) pair = of_header;
    else if (place < tensor_end && behind[15:ByteW] == (16 - ByteW)'(rows_q)) pair = of_row;
    else if (place < tensor_end) pair = of_row_q;
    else if (place < length) pair = meta_q.pad_bytes;
    else pair = '0;
  end

  typedef struct packed {
    logic        first;
    logic        second;
    logic        last;
    logic        v6;
    logic        vlan;
    logic [WordW-1:0] last_word;
    logic [15:0] pair;
  } due_t;

  due_t       due;
  due_t [2:1] due_q;
  logic [2:1] due_valid_q;

  assign due.first     = beats_q == '0;
  assign due.second    = beats_q == 16'd1;
  assign due.last      = 16'(BeatBytes) * (beats_q + 16'd1) >= length;
  assign due.v6        = meta_q.v6;
  assign due.vlan      = meta_q.vlan;
  assign due.last_word = WordW'((length - 16'd2) >> 2);
  assign due.pair      = pair;

  always_ff @(posedge clk_i) begin
    due_valid_q <= rst_ni ? {due_valid_q[1], step} : '0;
    due_q       <= {due_q[1], due};
    if (step) beats_q <= beats_q + 16'd1;
    if (row_valid_i && row_ready) begin
      rows_q   <= rows_q + 9'd1;
      of_row_q <= of_row;
    end
    if (take) begin
      beats_q <= '0;
      rows_q  <= '0;
      meta_q  <= meta;
      epoch_q <= epoch_i;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where the frame is inside (helps the proof).

  // States of the DUT.
  localparam logic [2:0] InWait = 3'd0, InHead = 3'd1, InSecond = 3'd2, InRows = 3'd3;
  localparam logic [2:0] InFlush = 3'd4;

  logic spills, right;
  logic [15:0] in_steps;    // of the pair, in the rotated row
  assign spills = tensor_at >= 16'(BeatBytes);
  always_comb begin
    right = u_dut.frame_q.spills == spills && u_dut.frame_q.shift == meta_q.hdr_len[ByteW-1:2] &&
        u_dut.frame_q.last_word == WordW'((length - 16'd2) >> 2) &&
        u_dut.frame_q.flush == (16'(BeatBytes) * (16'(rows_due) + 16'(spills)) < length) &&
        u_dut.frame_q.v6 == meta_q.v6 && u_dut.frame_q.vlan == meta_q.vlan &&
        u_dut.frame_q.mark == (meta_q.mark && epoch_q != '0) &&
        u_dut.frame_q.has_pad == meta_q.has_pad && u_dut.frame_q.pad_bytes == meta_q.pad_bytes &&
        meta_q.hdr_len >= 7'd54 && meta_q.hdr_len <= 7'd114 && meta_q.hdr_len[1:0] == 2'd2 &&
        32'(meta_q.tensor_len) <= BeatBytes * MaxRows && !meta_q.tensor_len[0] &&
        meta_q.tensor_len[1] == meta_q.has_pad && u_dut.rows_due_q == rows_due &&
        u_dut.rows_got_q == rows_q;
    if (u_dut.state_q != InHead && u_dut.after_q != (beats_q == 16'd1)) right = 1'b0;
    unique case (u_dut.state_q)
      InWait:   right = 1'b1;
      InHead:   right = right && beats_q == '0 && rows_q == '0 && header_valid_i &&
          meta == meta_q && epoch_i == epoch_q;
      InSecond: right = right && beats_q == 16'd1 && rows_q == '0 && header_valid_i &&
          meta == meta_q && epoch_i == epoch_q && spills;
      InRows:   right = right && beats_q == 16'(rows_q) + 16'(spills) && rows_q != '0 &&
          rows_q < rows_due;
      InFlush:  right = right && beats_q == 16'(rows_q) + 16'(spills) && rows_q == rows_due &&
          u_dut.frame_q.flush;
      default:  right = 1'b0;
    endcase
  end

  // What was rotated is the row before: at once.
  logic rotated;
  assign in_steps = u_dut.turned_q[{pair_q, 4'd0}+:16];
  assign rotated  = !(u_dut.state_q inside {InRows, InFlush}) || in_steps == of_row_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every beat that is begun is shown two cycles later, and no other; room for it was there.
      a_shown : assert (valid == due_valid_q[2])
      else $error("shown %b", valid);
      if (valid) begin
        // Its bytes are those of the headers, the tensor and the pad bytes, in that order and
        // without a gap; the byte in front of the headers' last one is the mark; behind the frame's
        // end there are zeros.
        a_bytes : assert (data[{pair_q, 4'd0}+:16] == due_q[2].pair)
        else $error("pair %0d", pair_q);
        // A frame's first two beats are marked, and its last one, which says where it ends.
        a_marks : assert (first == due_q[2].first && second == due_q[2].second &&
                          last == due_q[2].last &&
                          (!last || last_word == due_q[2].last_word))
        else $error("last %b", last);
        // What its headers are is said with each beat.
        a_kind : assert (v6 == due_q[2].v6 && vlan == due_q[2].vlan)
        else $error("v6 %b, vlan %b", v6, vlan);
      end
      // A frame is announced with its first beat, and by its own connection and PSN.
      a_begins : assert (begins == (step && beats_q == '0 && u_dut.state_q != InWait) &&
          (!begins || (begin_conn == meta_q.conn && begin_psn == meta_q.psn)))
      else $error("announced %b", begins);
      // A record is done once a frame, behind all beats that need it.
      a_done : assert (!header_done || (step && 16'(BeatBytes) * (beats_q + 16'd1) >= tensor_at &&
                                        16'(BeatBytes) * beats_q < tensor_at))
      else $error("done in beat %0d", beats_q);
      // Rows are taken by frames only, each into the beats that it belongs to.
      a_taken : assert (!(row_valid_i && row_ready) || (step && rows_q < rows_due))
      else $error("row %0d taken", rows_q);
      // Where the frame is (helps the proof).
      a_inside : assert (right)
      else $error("state %0d", u_dut.state_q);
      // What was rotated (helps the proof).
      a_rotated : assert (rotated)
      else $error("rotated");
      // The longest headers with a mark, all rows, and pad bytes in a beat of their own.
      c_longest : cover (valid && last && meta_q.hdr_len == 7'd114 && meta_q.mark &&
                         meta_q.has_pad && rows_q == 9'(MaxRows) && due_q[2].pair != '0 &&
                         u_dut.state_q == InWait);
      // Frames right behind each other.
      c_next : cover (due_valid_q == '1 && due_q[2].last && due_q[1].first);
    end
  end

endmodule
