// roce_link: whatever software says of a link and whenever, the MAC gets whole frames, or one that
// is ended as an error, and nothing waits for a link that is down. Bit 0 of a beat's data is 1 if
// it is the first of its frame; the circuit does not look at data.
module roce_link_props
  import roce_pkg::*;
(
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 down_i,
  input logic                 in_valid_i,
  input logic                 in_last_i,
  input logic                 in_user_i,
  input logic [BeatBytes-1:1] in_keep_i,
  input logic [BeatBits-1:1]  in_data_i,
  input logic                 m_axis_tready
);

  logic                 started_q, in_ready, tvalid, tlast, tuser, drops;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;
  logic                 inside_q;   // a frame has begun to come
  logic                 begun_q;    // the MAC has the beginning of a frame
  logic                 whole_q;    // of which it has all beats so far
  logic                 down_q;
  logic [1:0]           up_q;       // the link has been up for so long, also in a reset
  logic                 dropped_q;  // it dropped in the cycle before
  logic                 ended_q;    // a frame was cut and ended

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  roce_link u_dut (
    .clk_i,
    .rst_ni,
    .down_i,
    .in_valid_i,
    .in_ready_o   (in_ready),
    .in_data_i    ({in_data_i, !inside_q}),
    .in_keep_i    ({in_keep_i, 1'b1}),
    .in_last_i,
    .in_user_i,
    .m_axis_tvalid(tvalid),
    .m_axis_tready,
    .m_axis_tdata (tdata),
    .m_axis_tkeep (tkeep),
    .m_axis_tlast (tlast),
    .m_axis_tuser (tuser),
    .drops_o      (drops)
  );

  always_ff @(posedge clk_i) begin
    down_q    <= rst_ni && down_i;
    dropped_q <= rst_ni && drops;
    ended_q   <= rst_ni && (ended_q || (begun_q && drops && m_axis_tready));
    if (in_valid_i && in_ready) inside_q <= !in_last_i;
    if (tvalid && m_axis_tready) begin
      begun_q <= !tlast;
      whole_q <= !drops;
    end
    up_q <= down_i ? '0 : {up_q[0], 1'b1};
    if (!rst_ni) begin
      inside_q <= 1'b0;
      begun_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame begins with its first beat, and no other beat begins one: the MAC never continues
      // one frame with another one.
      a_begins : assert (!tvalid || drops || tdata[0] == !begun_q)
      else $error("a frame begins in its middle");
      // What is not what came is the end of a frame that the MAC has begun, marked as an error.
      a_ended : assert (!(tvalid && drops) || (begun_q && tlast && tuser && tkeep[0]))
      else $error("something is made up");
      // Else it is what came, beat for beat.
      a_same : assert (drops || (tvalid == in_valid_i && in_ready == m_axis_tready &&
          tlast == in_last_i && tuser == in_user_i && tkeep == {in_keep_i, 1'b1} &&
          tdata == {in_data_i, !inside_q}))
      else $error("another beat leaves than came");
      // A cycle after a link was said to be down nothing waits for it.
      a_free : assert (!down_q || in_ready)
      else $error("something waits for a link that is down");
      // A beat that was dropped never leaves, so a frame of which one is dropped is not taken for a
      // whole one.
      a_cut : assert (!(begun_q && !drops) || whole_q)
      else $error("a frame goes on behind a gap");
      // Dropping ends where a frame ends, if the MAC has what it had begun.
      a_up : assert (!(up_q[0] && drops) || inside_q || begun_q)
      else $error("a link that is up drops");
      // A link that is up, or was just reset, begins to drop nothing.
      a_starts : assert (!drops || dropped_q || down_q)
      else $error("a link that is up begins to drop");
      // What the circuit knows of both sides (helps the proof).
      a_knows : assert (u_dut.part_q == inside_q && u_dut.cut_q == begun_q)
      else $error("sides are mistaken");
      // A frame is cut, ended, and another one leaves whole behind it.
      c_again : cover (ended_q && up_q == '1 && tvalid && tlast && m_axis_tready && !drops &&
                       started_q);
      // A cut frame is ended while the link is down.
      c_cut : cover (down_q && tvalid && drops && m_axis_tready);
    end
  end

endmodule
