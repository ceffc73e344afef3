// roce_egress_align: when a step is begun and what it takes, and every pair of bytes of the beat
// that it makes, for any records and any rows. (That the beats together are the frame, for records
// and rows as they come, is roce_egress_align's proof.)
module egress_steps_props
  import roce_pkg::*;
#(
  parameter int unsigned Ecc = 1,
  localparam int unsigned Beats = 4
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [7:0]          epoch_i,
  input logic                header_valid_i,
  input logic [1023:0]       header_i,
  input logic                header_bad_i,
  input logic                row_valid_i,
  input logic [BeatBits-1:0] row_i,
  input logic                row_last_i,
  input logic                row_bad_i,
  input logic                beat_pop_i,
  input logic [ByteW-2:0]    pair_i   // any, the same one all along
);

  logic                done, ready, begins, drop;
  logic [ConnBits-1:0] conn;
  logic [23:0]         psn;
  logic                valid, first, second, last, v6, vlan, bad;
  logic [WordW-1:0]    ends;
  logic [BeatBits-1:0] data;

  roce_egress_align #(
    .Beats(Beats),
    .Ecc  (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .epoch_i,
    .header_valid_i,
    .header_i,
    .header_bad_i,
    .header_done_o(done),
    .row_valid_i,
    .row_ready_o  (ready),
    .row_i,
    .row_last_i,
    .row_bad_i,
    .begin_valid_o(begins),
    .begin_conn_o (conn),
    .begin_psn_o  (psn),
    .drop_o       (drop),
    .beat_valid_o (valid),
    .beat_first_o (first),
    .beat_second_o(second),
    .beat_last_o  (last),
    .beat_end_o   (ends),
    .beat_v6_o    (v6),
    .beat_vlan_o  (vlan),
    .beat_data_o  (data),
    .beat_bad_o   (bad),
    .beat_pop_i
  );

  // ---------------------------------------------------------------------------------------------
  // The frame that is being made, if any.

  typedef struct packed {
    logic        drops;       // its headers are bad, so its rows are thrown away
    logic        long_;       // headers of more than a beat
    logic [3:0]  words;       // of headers in the beat in which they end, but for two bytes
    logic [3:0]  end_;        // the word of its last beat with whose second byte it ends
    logic        rest;        // its last row does not fit behind what is in front of it
    logic        v6;
    logic        vlan;
    logic        mark;
    logic        has_pad;
    logic [15:0] pad_bytes;
  } frame_t;

  logic       made_q;      // there is one
  frame_t     frame_q, next;
  logic [1:0] beats_q;     // begun so far; 2: or more
  logic       over_q;      // its last row is taken, and a rest of it is left
  logic       spoilt_q;    // a row of it was bad
  hdr_meta_t  meta;
  logic [4:0] some;        // words of tensor and pad in the last row
  assign meta = header_i[1023-:HdrMetaBits];
  always_comb begin
    next           = '0;
    next.drops     = Ecc != 0 && header_bad_i;
    next.long_     = meta.hdr_len >= 7'd64;
    next.words     = 4'(meta.hdr_len / 7'd4);
    next.end_      = 4'(32'(meta.hdr_len) / 4 + 32'(meta.tensor_len) / 4 + 32'(meta.has_pad));
    some           = 5'((32'(meta.tensor_len) / 4 + 32'(meta.has_pad)) % 16);
    if (some == '0 && meta.tensor_len != '0) some = 5'd16;
    next.rest      = 32'(some) + 32'(next.words) > 15;
    if (some == 5'd16) next.rest = 1'b1;
    next.v6        = meta.v6;
    next.vlan      = meta.vlan;
    next.mark      = meta.mark && epoch_i != '0;
    next.has_pad   = meta.has_pad;
    next.pad_bytes = meta.pad_bytes;
    if (some == '0) next.rest = 1'b0;
  end

  // Steps, and beats in front of which there was no room; `wild`: more were given back than made.
  logic [2:0] behind_q;    // beats that have not left yet
  logic       wild_q, reset_q;
  logic       step, alone, takes, finish, head, loads;
  always_comb begin
    head   = made_q && beats_q == '0;
    alone  = over_q || (head && frame_q.long_);   // a step that takes no row
    step   = made_q && !frame_q.drops && 32'(behind_q) < Beats && (over_q || row_valid_i);
    takes  = step && !alone;
    finish = step && (over_q || (takes && row_last_i && !frame_q.rest));
    // The record of the frame is still there while headers are made.
    loads = header_valid_i && (!made_q || (finish && beats_q > 2'(frame_q.long_)));
  end

  logic dropped;
  assign dropped = made_q && frame_q.drops && row_valid_i && row_last_i;

  // ---------------------------------------------------------------------------------------------
  // The pair of bytes at one place of each beat.

  logic [ByteW-2:0] pair_q, pair, from;
  logic [3:0]       word;       // its word; `upper`: the second pair of that
  logic             upper, set_q;
  logic [15:0]      row_pair, turned_q, carried;
  assign pair  = set_q ? pair_q : pair_i;
  assign word  = 4'(pair >> 1);
  assign upper = pair[0];
  // Rows begin behind the first two bytes of the word that headers end in.
  assign from     = pair - 5'd1 - {frame_q.words, 1'b0};
  assign row_pair = row_i[{from, 4'd0}+:16];
  always_comb begin
    carried = turned_q;                                            // the row before left it over
    if (head) carried = header_i[{1'b0, pair, 4'd0}+:16];
    if (beats_q == 2'd1 && frame_q.long_) carried = header_i[{1'b1, pair, 4'd0}+:16] &
        ({1'b1, pair, 4'd0} < 10'(1024 - HdrMetaBits) ? 16'hFFFF : 16'h0000);
    // A mark stands in front of the headers' last byte.
    if (made_q && beats_q == 2'(frame_q.long_) && frame_q.mark && !upper && word == frame_q.words)
      carried[7:0] = epoch_i;
  end

  typedef struct packed {
    logic        first;
    logic        second;
    logic        last;
    logic [3:0]  end_;
    logic        v6;
    logic        vlan;
    logic        bad;
    logic [15:0] pair;
  } beat_t_;   // verilog_lint: waive struct-union-name-style
  beat_t_     beat, beat1_q, beat2_q, shown, shown_q;
  logic [2:1] due_q;
  logic       any_q;     // a beat was shown
  always_comb begin
    beat        = '0;
    beat.first  = beats_q == '0;
    beat.second = beats_q == 2'd1;
    beat.last   = finish;
    beat.end_   = frame_q.end_;
    beat.v6     = frame_q.v6;
    beat.vlan   = frame_q.vlan;
    beat.bad    = Ecc != 0 && finish && (spoilt_q || (takes && row_bad_i));
    // In front of the row's first byte, what is carried over; behind the frame's end, zeros, and
    // the pad in front of that.
    beat.pair = carried;
    if (takes && (word > frame_q.words || (word == frame_q.words && upper))) beat.pair = row_pair;
    if (finish && frame_q.has_pad && word == frame_q.end_ && !upper) beat.pair = frame_q.pad_bytes;
    if (finish && (word > frame_q.end_ || (word == frame_q.end_ && upper))) beat.pair = '0;
    shown = '{first, second, last, ends, v6, vlan, bad, data[{pair, 4'd0}+:16]};
  end

  initial {set_q, reset_q, any_q} = '0;
  always_ff @(posedge clk_i) begin
    set_q  <= 1'b1;
    pair_q <= pair;
    due_q  <= rst_ni ? {due_q[1], step} : '0;
    shown_q <= shown;
    if (step) beat1_q <= beat;
    if (due_q[1]) {beat2_q, any_q} <= {beat1_q, 1'b1};
    if (takes) turned_q <= row_pair;
    if (takes && row_bad_i) spoilt_q <= 1'b1;
    if (step && beats_q < 2'd2) beats_q <= beats_q + 2'd1;
    if (takes && row_last_i) over_q <= 1'b1;
    if (finish || dropped) {made_q, over_q} <= '0;
    if (loads) begin
      {made_q, over_q, beats_q, spoilt_q} <= {1'b1, 1'b0, 2'd0, 1'b0};
      frame_q <= next;
    end
    behind_q <= behind_q + 3'(step) - 3'(beat_pop_i);
    if (beat_pop_i && behind_q == '0 && !step) wild_q <= 1'b1;
    if (!rst_ni) begin
      {made_q, over_q, behind_q, wild_q} <= '0;
      {reset_q, any_q} <= 2'b10;
    end
  end

  // Where the module is inside: its frame, and a step of it in between.
  logic [2:0] state;
  logic       frames;
  assign state = !made_q ? 3'd0 : frame_q.drops ? 3'd5 : over_q ? 3'd4 : head ? 3'd1 :
      (frame_q.long_ && beats_q == 2'd1) ? 3'd2 : 3'd3;
  assign frames = u_dut.frame_q == {frame_q.long_, frame_q.rest, frame_q.words, frame_q.end_,
      frame_q.v6, frame_q.vlan, frame_q.mark, frame_q.has_pad, frame_q.pad_bytes};

  logic spoilt;
  if (Ecc != 0) begin : gen_ecc
    assign spoilt = u_dut.gen_ecc.row_bad_q;
  end else begin : gen_no_ecc
    assign spoilt = spoilt_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q && !wild_q) begin
      // The state is the frame's, its rows' and its beats' (helps the proof).
      a_state : assert (u_dut.state_q == state && (!made_q || (frames && spoilt == spoilt_q)) &&
                        (Ecc != 0 || !made_q || !frame_q.drops) &&
                        (!made_q || beats_q != 2'd3) &&
                        (!over_q || (made_q && beats_q > 2'(frame_q.long_))) &&
                        32'(u_dut.room_q) == Beats - 32'(behind_q) && 32'(behind_q) <= Beats &&
                        u_dut.some_q == (32'(behind_q) != Beats) &&
                        (state inside {3'd0, 3'd1, 3'd5} || u_dut.after_q == (beats_q == 2'd1)))
      else $error("state %0d", u_dut.state_q);
      // What the row before left over (helps the proof).
      a_turned : assert (!(state inside {3'd3, 3'd4}) ||
                         u_dut.turned_q[{pair, 4'd0}+:16] == turned_q)
      else $error("turned");
      // A row is taken by a step that needs one, and by a frame that is dropped.
      a_ready : assert (ready == (takes || (made_q && frame_q.drops)))
      else $error("ready %b", ready);
      // A record is done with the step that makes its last headers, or when its frame is dropped,
      // which is told.
      a_done : assert (done == (dropped || (step && beats_q == 2'(frame_q.long_))) &&
                       drop == dropped)
      else $error("done %b, drop %b", done, drop);
      // A frame begins with its first step, for its connection and with its PSN.
      a_begins : assert (begins == (step && head) && conn == meta.conn && psn == meta.psn)
      else $error("begins %b", begins);
      // Each step makes a beat, two cycles later.
      a_valid : assert (valid == due_q[2])
      else $error("valid %b", valid);
      // It is the first or the second one of its frame, or the last, which ends in that word, and
      // is bad if any of its rows was.
      a_what : assert (!valid || {first, second, last, ends, v6, vlan, bad} ==
                       {beat2_q.first, beat2_q.second, beat2_q.last, beat2_q.end_, beat2_q.v6,
                        beat2_q.vlan, beat2_q.bad})
      else $error("%h", shown);
      // Its bytes.
      a_pair : assert (!valid || shown.pair == beat2_q.pair)
      else $error("pair %0d: %h", pair, shown.pair);
      // A beat stands until the next one.
      a_stands : assert (!any_q || valid || shown == shown_q)
      else $error("changed");

      // A mark behind a row that was bad; the rest of a row, with a pad.
      c_bad : cover (valid && last && (bad || Ecc == 0) && !second);
      c_rest : cover (valid && last && due_q[1] && shown.pair != '0 && made_q && beats_q == 2'd1);
    end
  end

endmodule
