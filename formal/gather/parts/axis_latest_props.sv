// gather_axis around its skid buffer, and gather_latest: what of a beat is told by AXI4-Stream, and
// how late the latest packet was. What the buffer shows is anything.
module axis_latest_props
  import roce_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned ClockW = 5
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        in_valid_i,
  input beat_t       in_i,
  input logic        tready_i,
  input concat_obs_t obs_i,
  input logic [5:0]  byte_i   // any
);

  logic                 in_ready, tvalid, tlast;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;
  logic [31:0]          latest;

  gather_axis u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o   (in_ready),
    .in_i,
    .m_axis_tvalid(tvalid),
    .m_axis_tready(tready_i),
    .m_axis_tdata (tdata),
    .m_axis_tkeep (tkeep),
    .m_axis_tlast (tlast)
  );

  gather_latest #(
    .ClockW(ClockW)
  ) u_latest (
    .clk_i,
    .rst_ni,
    .obs_i,
    .latest_o(latest)
  );

  beat_t shown;
  assign shown = u_dut.u_skid.out_o;

  // A cycle ago: a packet was closed late, and by how many cycles; the latest one so far.
  logic        past_q, run_q, late_q;
  logic [31:0] lateness_q, latest_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q     <= 1'b1;
    run_q      <= rst_ni;
    late_q     <= obs_i.late;
    lateness_q <= obs_i.lateness % (32'd1 << ClockW);   // as many as the clock counts
    latest_q   <= latest;
  end

  always_ff @(posedge clk_i) begin
    // Beats come into the buffer as they are, when it takes them.
    a_in : assert (u_dut.u_skid.rst_ni == rst_ni && u_dut.u_skid.in_valid_i == in_valid_i &&
                   u_dut.u_skid.in_i == in_i && in_ready == u_dut.u_skid.in_ready_o)
    else $error("another beat comes");
    // What it shows leaves when it is taken.
    a_out : assert (tvalid == u_dut.u_skid.out_valid_o && u_dut.u_skid.out_ready_i == tready_i &&
                    tdata == shown.data && tlast == shown.last)
    else $error("another beat leaves");
    // Any byte is one of the frame if it is not behind as many as the beat has.
    a_byte : assert (tkeep[byte_i] == (32'(shown.bytes) > 32'(byte_i)))
    else $error("byte %0d of %0d is kept: %b", byte_i, shown.bytes, tkeep[byte_i]);

    if (past_q) begin
      // Since a reset no packet was late.
      a_none : assert (run_q || latest == 32'd0)
      else $error("late by %0d cycles since a reset", latest);
      // No packet was later than the latest one, and that is never forgotten.
      a_most : assert (!run_q || (latest >= latest_q && (!late_q || latest >= lateness_q)))
      else $error("the latest one was late by %0d cycles", latest);
      // There was one that was as late.
      a_was : assert (!run_q || latest == latest_q || (late_q && latest == lateness_q))
      else $error("none was late by %0d cycles", latest);
      // One that is a cycle later than the latest one so far.
      c_later : cover (run_q && latest == latest_q + 32'd1 && latest_q != 32'd0);
    end
    // A whole beat, and one of a byte.
    c_whole : cover (tvalid && tkeep == '1);
    c_byte : cover (tvalid && tkeep == BeatBytes'(1));
  end

endmodule
