// gather_cache_data: a read that hits leaves with what was written last to its line and segments,
// as the response to who asked.
//
// Properties of one beat; generations and tags are those of gather_cache_look. One line, one
// segment and one bit are followed; which line and segment is free, the bit is a parameter.
// All other bits are zero, so that a wrong segment shows, too.
module gather_cache_data_props
  import gather_pkg::*;
#(
  /// A property takes 16 * 2 ** Mode bytes, all of them used: 0 to 2.
  parameter int unsigned Mode = 2,
  /// Which bit of it is looked at.
  parameter int unsigned Bit = 0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic       response_i,
  input logic       acts_i,
  input logic [4:0] line_i,
  input logic [4:0] segment_i,
  input logic       bit_i,
  input logic [3:0] src_i,
  input logic       ready_i,
  input logic [4:0] watch_line_i,
  input logic [4:0] watch_segment_i
);

  localparam int unsigned Sets = 2;
  localparam int unsigned Len = 16 << Mode;

  logic       started_q, pr_ready, out_valid;
  logic [4:0] line, base;
  pr_beat_t   pr, out;

  always_comb begin
    pr             = '0;
    pr.pr.response = response_i;
    pr.pr.src      = 32'(src_i);
    pr.pr.dest     = 32'd99;
    pr.pr.len      = 11'(Len);
    pr.first       = 1'b1;
    pr.last        = 1'b1;
    pr.data[Bit]   = response_i && bit_i;
  end

  gather_cache_data #(
    .Sets(Sets)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ready_o   (pr_ready),
    .valid_i,
    .pr_i      (pr),
    .read_i    (acts_i && !response_i),
    .write_i   (acts_i && response_i),
    .line_i,
    .segment_i ((segment_i >> Mode) << Mode),
    .mode_i    (3'(Mode)),
    .pr_valid_o(out_valid),
    .pr_ready_i(ready_i),
    .pr_o      (out)
  );

  // ---------------------------------------------------------------------------------------------
  // What is followed.

  logic [Segments-1:0]        lines;
  logic [Segments-1:0][127:0] words;

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      line <= watch_line_i;
      base <= (watch_segment_i >> Mode) << Mode;
    end
  end

  for (genvar s = 0; s < Segments; s++) begin : gen_word
    assign lines[s] = u_dut.gen_segment[s].u_ram.watch == line;
    assign words[s] = u_dut.gen_segment[s].u_ram.word_q;
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The memories' words are those of the line. Dropped: any value is read.
    e_watch : assume (&lines);
    // The first cycle is one of reset. Dropped: what nobody has put there is read.
    e_reset : assume (started_q || !rst_ni);
  end

  // Where the bit is.
  localparam int unsigned Place = Bit / 128;
  logic [4:0] segment;
  assign segment = base + 5'(Place);

  // What comes in, in its order: what was written last, and what each read is to bring.
  logic       mine, mine8, mine9, have_q, last_q;
  logic       want8_q, want9_q, out_want_q, skid_want_q, out_mine_q, skid_mine_q, mine8_q, mine9_q;

  assign mine = acts_i && line_i == line && (segment_i >> Mode) << Mode == base;

  always_ff @(posedge clk_i) begin
    if (valid_i && pr_ready) begin
      if (mine && response_i) begin
        have_q <= 1'b1;
        last_q <= bit_i;
      end
      mine8_q <= mine && !response_i && have_q;
      want8_q <= last_q;
    end
    if (u_dut.room9) begin
      mine9_q <= mine8_q;
      want9_q <= want8_q;
    end
    // As the register at the end has it.
    if (ready_i || !u_dut.u_out.out_valid_q) begin
      out_mine_q <= u_dut.u_out.skid_valid_q ? skid_mine_q : mine9_q;
      out_want_q <= u_dut.u_out.skid_valid_q ? skid_want_q : want9_q;
    end else if (u_dut.valid9_q && u_dut.out_ready) begin
      skid_mine_q <= mine9_q;
      skid_want_q <= want9_q;
    end
    if (!rst_ni) have_q <= 1'b0;
  end

  assign mine8 = u_dut.valid8_q && mine8_q;
  assign mine9 = u_dut.valid9_q && mine9_q;

  // A beat that is yet to be written there.
  logic pending;
  assign pending = u_dut.valid8_q && u_dut.write8_q && u_dut.line8_q == line &&
      {u_dut.bundle8_q, u_dut.segment8_q} == base;

  function automatic logic answers(pr_beat_t beat, logic want);
    answers = beat.pr.response && beat.first && beat.last && !beat.pr.cacheable &&
        beat.pr.dest == beat.pr.src && beat.data[Bit] == want;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A read that hits brings what was written last to its line and segments, to who asked.
      a_last : assert (!(out_valid && out_mine_q) || answers(out, out_want_q))
      else $error("%b instead of %b", out.data[Bit], out_want_q);
      a_skid : assert (!(u_dut.u_out.skid_valid_q && skid_mine_q) ||
                       answers(u_dut.u_out.skid_q, skid_want_q))
      else $error("%b instead of %b behind", u_dut.u_out.skid_q.data[Bit], skid_want_q);
      a_held : assert (!u_dut.u_out.skid_valid_q || u_dut.u_out.out_valid_q)
      else $error("a spare beat behind nothing");
      a_ninth : assert (!mine9 || answers(u_dut.out, want9_q))
      else $error("a read of another segment");
      // In stage 8 it stands where its line and segment say, and what it is to read is there.
      a_eighth : assert (!mine8 || (u_dut.read8_q && !u_dut.write8_q && u_dut.line8_q == line &&
                         {u_dut.bundle8_q, u_dut.segment8_q} == base && have_q &&
                         want8_q == last_q && u_dut.first8_q && u_dut.last8_q))
      else $error("a read elsewhere");
      a_alone : assert (!u_dut.valid8_q || (u_dut.last8_q && u_dut.first8_q && u_dut.pr8_q.first &&
                        u_dut.mode8_q == 3'(Mode) &&
                        u_dut.enable8_q == segment_mask(3'(Mode), {u_dut.bundle8_q,
                                                                   u_dut.segment8_q}) &&
                        !(u_dut.read8_q && u_dut.write8_q)))
      else $error("a beat of another kind");
      // The segment holds the bit, or will.
      a_stored : assert (!have_q || (pending ? u_dut.pr8_q.data[Bit] == last_q :
                                     words[segment][Bit%128] == last_q))
      else $error("the segment holds another property");
      a_pending : assert (!pending || have_q)
      else $error("a property is written that did not come");
      // A read behind another one, a read of what was written right before.
      c_again : cover (out_valid && out_mine_q && mine9 && out_want_q);
      c_close : cover (mine8 && want8_q && out_valid && out.pr.response && !out_mine_q);
    end
  end

endmodule
