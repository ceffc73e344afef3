// gather_cache_data around its segments and its skid buffer, for any beats: which segments are read
// and written, with what, how many beats leave of a read that hit, and what these hold. What
// segments answer is anything, and whether the buffer takes a beat. (That a read finds what was
// written last is gather_cache_data's proof.)
module data_lines_props
  import gather_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input pr_beat_t   pr_i,
  input logic       read_i,
  input logic       write_i,
  input logic [4:0] line_i,
  input logic [4:0] segment_i,
  input logic [2:0] mode_i,
  input logic       pr_ready_i,
  input logic [4:0] one_i   // any segment
);

  localparam int unsigned Bits = 8 * SegmentBytes;

  logic     ready, pr_valid;
  pr_beat_t pr;

  gather_cache_data #(
    .Sets(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ready_o   (ready),
    .valid_i,
    .pr_i,
    .read_i,
    .write_i,
    .line_i,
    .segment_i,
    .mode_i,
    .pr_valid_o(pr_valid),
    .pr_ready_i,
    .pr_o      (pr)
  );

  // What each segment is asked for, and what it answers.
  logic [Segments-1:0]           we, re;
  logic [Segments-1:0][4:0]      waddr, raddr;
  logic [Segments-1:0][Bits-1:0] wdata, answer;
  for (genvar s = 0; s < Segments; s++) begin : gen_segment
    assign we[s]     = u_dut.gen_segment[s].u_ram.we_i;
    assign re[s]     = u_dut.gen_segment[s].u_ram.re_i;
    assign waddr[s]  = u_dut.gen_segment[s].u_ram.waddr_i;
    assign raddr[s]  = u_dut.gen_segment[s].u_ram.raddr_i;
    assign wdata[s]  = u_dut.gen_segment[s].u_ram.wdata_i;
    assign answer[s] = u_dut.gen_segment[s].u_ram.rdata_o;
  end

  // ---------------------------------------------------------------------------------------------
  // The beat that stands at the segments: what was told with its PR's first beat, which beat of the
  // PR it is, and how many more it leaves as. And the one behind it, whose segments have answered.

  typedef struct packed {
    logic       read;
    logic       write;
    logic [4:0] line;
    logic [4:0] segment;
    logic [2:0] mode;
  } told_t;

  logic       reset_q, take, goes, room;   // there was a reset
  // One stands there; a first beat has, since the reset; it leaves as the first one.
  logic       at_q, known_q, first_q;
  told_t      told_q;
  pr_beat_t   beat_q;
  logic [2:0] number_q;                 // as many as there are groups of four segments
  logic [3:0] more_q, leaves_as;

  logic       behind_q, behind_known_q, behind_read_q;
  logic [2:0] behind_four_q, four;
  logic [1:0] behind_place_q;
  pr_beat_t   behind_beat_q, made;

  assign room = !behind_q || u_dut.u_out.in_ready_o;
  assign goes = at_q && room;
  assign take = valid_i && ready;
  // Beside the first beat one for each 64 bytes of the property that do not fit into that.
  assign leaves_as = (read_i && pr_i.first) ? 4'(11'(pr_i.pr.len + 11'd2047) / 11'd64) : 4'd0;
  // It is of four segments: those where its property begins, or so many fours behind them.
  assign four = 3'(told_q.segment / 5'd4) + number_q;

  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    reset_q <= reset_q || !rst_ni;
    if (take) begin
      beat_q   <= pr_i;
      more_q   <= leaves_as;
      first_q  <= 1'b1;
      number_q <= pr_i.first ? 3'd0 : number_q + 3'd1;
      if (pr_i.first) begin
        told_q  <= '{read: read_i, write: write_i, line: line_i, segment: segment_i, mode: mode_i};
        known_q <= 1'b1;
      end
    end else if (goes && more_q != 4'd0) begin
      more_q   <= more_q - 4'd1;
      first_q  <= 1'b0;
      number_q <= number_q + 3'd1;
    end
    if (ready) at_q <= valid_i;
    if (room) begin
      behind_q       <= at_q;
      behind_known_q <= known_q;
      behind_read_q  <= told_q.read;
      behind_four_q  <= four;
      behind_place_q <= told_q.segment[1:0];
      // A read that hit goes to who asked, as a response that is kept nowhere.
      behind_beat_q  <= beat_q;
      if (told_q.read) begin
        behind_beat_q.pr.response  <= 1'b1;
        behind_beat_q.pr.cacheable <= 1'b0;
        behind_beat_q.pr.dest      <= beat_q.pr.src;
        behind_beat_q.first        <= first_q;
        behind_beat_q.last         <= more_q == 4'd0;
      end
    end
    if (!rst_ni) {at_q, behind_q, known_q, behind_known_q} <= '0;
  end

  // Segment `one_i` is of the property, and of this beat of it; and what of the beat it holds.
  logic [Segments-1:0] its_own;   // leftmost: segment 0, as in the paper
  logic                now;
  logic [Bits-1:0]     piece;
  for (genvar s = 0; s < Segments; s++) begin : gen_own
    assign its_own[Segments-1-s] = 5'(s) >> told_q.mode == told_q.segment >> told_q.mode;
  end
  assign now = its_own[5'd31-one_i] && 3'(one_i / 5'd4) == four;
  always_comb begin
    piece = beat_q.data[Bits-1:0];   // in the narrowest mode all of it is one segment
    if (told_q.mode == 3'd1) piece = Bits'(beat_q.data >> (Bits * 32'(one_i % 5'd2)));
    if (told_q.mode >= 3'd2) piece = Bits'(beat_q.data >> (Bits * 32'(one_i % 5'd4)));
  end

  // What leaves of a read: the four segments, but that the place where the property begins is in
  // front, and behind it the upper one of its two.
  assign made = u_dut.u_out.in_i;
  function automatic logic [Bits-1:0] held(logic [1:0] place);
    held = answer[5'(behind_four_q) * 5'd4 + 5'(place)];
  endfunction

  always_ff @(posedge clk_i) begin
    // The buffer is reset, and what it shows leaves.
    a_leaves : assert (u_dut.u_out.rst_ni == rst_ni && u_dut.u_out.out_ready_i == pr_ready_i &&
                       pr_valid == u_dut.u_out.out_valid_o && pr == u_dut.u_out.out_o)
    else $error("another PR leaves");
    if (reset_q) begin
      // A beat is taken when none stands at the segments, or the last one of a PR goes from there.
      a_ready : assert (ready == (!at_q || (goes && more_q == 4'd0)))
      else $error("ready %b", ready);
      // A segment is read for a read that hit, and written for a response that is kept, as its beat
      // goes. (The first beat of all is one of a PR's first ones.)
      a_reads : assert ((goes && !known_q) || re[one_i] == (rst_ni && goes && now && told_q.read))
      else $error("segment %0d is read: %b", one_i, re[one_i]);
      a_writes : assert ((goes && !known_q) || we[one_i] == (rst_ni && goes && now && told_q.write))
      else $error("segment %0d is written: %b", one_i, we[one_i]);
      // At its line, and with its part of the beat.
      a_line : assert (!known_q || {waddr[one_i], raddr[one_i]} == {2{told_q.line}})
      else $error("line %0d of segment %0d", waddr[one_i], one_i);
      a_piece : assert (!known_q || wdata[one_i] == piece)
      else $error("another part of the beat into segment %0d", one_i);
      // The beat goes on then, with what its segments hold if it is of a read that hit.
      a_goes : assert (u_dut.u_out.in_valid_i == behind_q)
      else $error("a beat goes on: %b", u_dut.u_out.in_valid_i);
      a_beat : assert (!behind_known_q || (made.pr == behind_beat_q.pr &&
                       {made.first, made.last} == {behind_beat_q.first, behind_beat_q.last}))
      else $error("another PR goes on");
      a_passes : assert (!behind_known_q || behind_read_q || made.data == behind_beat_q.data)
      else $error("another beat goes on");
      a_front : assert (!behind_known_q || !behind_read_q ||
                        made.data[2*Bits-1:0] == {held({behind_place_q[1], 1'b1}),
                                                  held(behind_place_q)})
      else $error("another property in front");
      a_back : assert (!behind_known_q || !behind_read_q ||
                       made.data[4*Bits-1:2*Bits] == {held(2'd3), held(2'd2)})
      else $error("another property behind");
      // These help the proof.
      a_at : assert (u_dut.valid8_q == at_q && u_dut.valid9_q == behind_q &&
                     (!at_q || (u_dut.more8_q == more_q &&
                      u_dut.last8_q == (more_q == 4'd0))) &&
                     (!known_q || ({u_dut.read8_q, u_dut.write8_q, u_dut.line8_q, u_dut.segment8_q,
                      u_dut.mode8_q} == {told_q.read, told_q.write, told_q.line,
                      told_q.segment[1:0], told_q.mode} && u_dut.bundle8_q == four &&
                      u_dut.pr8_q == beat_q && u_dut.more8_q == more_q &&
                      u_dut.last8_q == (more_q == 4'd0) && u_dut.first8_q == first_q &&
                      u_dut.enable8_q == its_own)))
      else $error("another beat");
      a_behind : assert (!behind_known_q || (u_dut.pr9_q == behind_beat_q &&
                         {u_dut.read9_q, u_dut.bundle9_q, u_dut.segment9_q} ==
                         {behind_read_q, behind_four_q, behind_place_q}))
      else $error("another beat behind");
    end

    // The last one of three beats of a hit; a piece of the narrowest mode in the last segment.
    c_long : cover (reset_q && behind_q && behind_read_q && made.last && !made.first &&
                    made.pr.len == 11'd129);
    c_narrow : cover (we[31] && known_q && told_q.mode == 3'd0);
  end

endmodule
