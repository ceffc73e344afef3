// The way out of a port: frames that pass by and results take turns, frame by frame.
//
// Passed frames wait in a FIFO; its free room is told to agg_port, which moves a frame in only when
// all of it fits, so a frame that starts here does not wait for its own beats. Results are elastic:
// while a result waits for rows in its middle, passed frames wait for it. Neither source can starve
// the other: after a frame of one, a waiting frame of the other is next.
//
// With `ordered_i` a result also waits for the passed frames that were here before it came to the
// front, a full queue at most, and perhaps for one more. So whatever came in by this port and
// passed leaves before a result of what came in behind it, however long the output was held: a mark
// on a message's first result says that no raw packet of it follows (docs/protocol.md).
//
// `pass_ready_o` comes from a register; `result_ready_o` depends on whether a passed frame waits
// and on the output's register.
module roce_out
  import roce_pkg::*;
#(
  /// Beats that passed frames may wait in, power of two, 8 to 512. At least the longest frame, or
  /// it can never pass.
  parameter int unsigned PassBeats = 512,
  /// 1: passed frames wait in a corrected memory; what comes may be bad, and leaves marked as an
  /// error.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Results keep behind the passed frames that came before them. Changes only when a register does.
  input logic ordered_i,

  // Frames that pass by.
  input  logic       pass_valid_i,
  output logic       pass_ready_o,
  input  beat_t      pass_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic       pass_bad_i,      // the beat, but for `last`, is not what came in
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [9:0] pass_room_o,     // free beats; one that left in the last cycle is not counted

  // Results.
  input  logic  result_valid_i,
  output logic  result_ready_o,
  input  beat_t result_i,
  input  logic  result_bad_i,         // with `last`: its ICRC is wrong on purpose

  // AXI4-Stream to the MAC. Bytes without `tkeep` are zero or what came in behind a frame's end.
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  // With `tlast`: a memory lost some of the frame. Without Ecc never.
  output logic                 m_axis_tuser,

  // Pulses, a cycle after the last beat of a frame has left.
  output logic tx_pass_o,
  output logic tx_result_o,
  // With `tx_result_o`: that one's ICRC is wrong on purpose.
  output logic tx_spoiled_o,

  // Pulses: what was found in passed frames.
  output logic corrected_o,
  output logic bad_o
);

  if (PassBeats < 8 || PassBeats > 512 || PassBeats != 2 ** $clog2(PassBeats)) begin : gen_check
    $fatal(1, "%m: PassBeats must be a power of two, 8 to 512, is %0d", PassBeats);
  end

  localparam int unsigned CountW = $clog2(PassBeats + 1);

  logic              pass_valid, pass_ready;
  beat_t             pass;
  logic [CountW-1:0] pass_count;

  // The highest bit is a frame's end; with Ecc the next one says that the beat was bad when it
  // came.
  localparam int unsigned BeatW = $bits(beat_t);
  localparam int unsigned PassW = BeatW + Ecc;
  logic [PassW-1:0] pass_in, pass_out;
  logic             pass_was_bad, pass_lost, pass_bad;

  if (Ecc != 0) begin : gen_pass_ecc
    assign pass_in      = {pass_i.last, pass_bad_i, pass_i[BeatW-2:0]};
    assign pass_was_bad = pass_out[PassW-2];
  end else begin : gen_pass
    assign pass_in      = pass_i;
    assign pass_was_bad = 1'b0;
  end
  assign pass_bad = pass_was_bad || pass_lost;
  always_comb begin
    pass = beat_t'({pass_out[PassW-1], pass_out[BeatW-2:0]});
    // How many bytes it had is not known either.
    if (Ecc != 0 && pass_bad) pass.bytes = BytesW'(BeatBytes);
  end

  prim_frame_fifo_ecc #(
    .Width (PassW),
    .Depth (PassBeats),
    .Around(1'b0),
    .Ecc   (Ecc)
  ) u_pass (
    .clk_i,
    .rst_ni,
    .in_valid_i (pass_valid_i),
    .in_ready_o (pass_ready_o),
    .in_i       (pass_in),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_o(pass_valid),
    .out_ready_i(pass_ready),
    .out_o      (pass_out),
    .out_bad_o  (pass_lost),
    .count_o    (pass_count),
    .corrected_o,
    .bad_o
  );

  // A cycle late: what came in is in it, what left not yet.
  always_ff @(posedge clk_i) begin
    pass_room_o <= 10'(PassBeats) - 10'(pass_count) - 10'(pass_valid_i && pass_ready_o);
    if (!rst_ni) pass_room_o <= 10'(PassBeats);
  end

  // ---------------------------------------------------------------------------------------------
  // Whose frame

  typedef enum logic {
    FromPass,
    FromResult
  } source_e;

  typedef struct packed {
    source_e              source;
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [BeatBits-1:0]  data;
  } out_t;

  source_e source_q, source;   // of the frame under way, or of the one before
  logic    inside_q;           // a frame is under way
  logic    bad_q, beat_bad;    // a beat of it was bad; this one is
  logic    result_turn;
  logic    valid, ready;
  logic    ordered_q, kept_q;  // a result at the front would let older frames go first
  beat_t   beat;
  out_t    in, out;
  logic    in_bad, out_bad;    // beside them

  // A result would go now, if there is one; asked without it, because its valid comes late. When no
  // passed frame is shown, none is older: results take longer than this queue.
  assign result_turn = (source_q == FromResult) ? inside_q || !pass_valid :
      !inside_q && !(kept_q && pass_valid);

  always_comb begin
    source = source_q;
    if (!inside_q) source = (result_turn && result_valid_i) ? FromResult : FromPass;
  end

  assign valid          = (source == FromPass) ? pass_valid : result_valid_i;
  assign beat           = (source == FromPass) ? pass : result_i;
  assign beat_bad       = Ecc != 0 && ((source == FromPass) ? pass_bad : result_bad_i);
  assign pass_ready     = ready && source == FromPass;
  assign result_ready_o = ready && result_turn;

  always_ff @(posedge clk_i) begin
    if (valid && ready) begin
      source_q <= source;
      inside_q <= !beat.last;
      bad_q    <= beat_bad || (bad_q && inside_q);
    end
    if (!rst_ni) begin
      source_q <= FromPass;
      inside_q <= 1'b0;
    end
  end

  // Passed beats that were inside when the result at the front came there, and are yet. Ones that
  // come in that cycle are younger.
  logic              noted_q, none_q, front, pass_pop;
  logic [CountW-1:0] older_q;
  logic [CountW:0]   held;

  assign front    = result_valid_i && !(inside_q && source_q == FromResult);
  assign pass_pop = pass_valid && pass_ready;
  // With Ecc the beat that is shown is not counted.
  assign held     = (CountW + 1)'(pass_count) + (CountW + 1)'(Ecc != 0 && pass_valid);

  always_ff @(posedge clk_i) begin
    ordered_q <= ordered_i;
    // A cycle late, because `result_ready_o` begins long paths. One younger frame may so go first;
    // and when a result starts, the next turn is not a result's anyway.
    kept_q    <= ordered_q && !(noted_q && none_q);
    if (front && ready && source == FromResult) begin
      noted_q <= 1'b0;
    end else if (front && !noted_q) begin
      noted_q <= 1'b1;
      older_q <= CountW'(held - (CountW + 1)'(pass_pop));
      none_q  <= held <= (CountW + 1)'(pass_pop);
    end else if (pass_pop && !none_q) begin
      older_q <= older_q - CountW'(1);
      none_q  <= older_q == CountW'(1);
    end
    if (!rst_ni) begin
      noted_q <= 1'b0;
      kept_q  <= 1'b1;
    end
  end

  always_comb begin
    in.source = source;
    in.last   = beat.last;
    in.data   = beat.data;
    in.keep   = ~('1 << beat.bytes);   // of BeatBytes and more all
  end

  // As a skid buffer, but in LUT RAM: half of its LUTs, and no register for a bit of a beat.
  logic [1:0] count_unused;
  prim_fifo #(
    .T    (out_t),
    .Depth(2)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid),
    .in_ready_o (ready),
    .in_i       (in),
    .out_valid_o(m_axis_tvalid),
    .out_ready_i(m_axis_tready),
    .out_o      (out),
    .count_o    (count_unused)
  );

  assign in_bad = beat_bad || (Ecc != 0 && bad_q && inside_q);
  if (Ecc != 0) begin : gen_bad
    // In step with the one above.
    logic ready_unused, valid_unused;
    logic [1:0] bad_count_unused;
    prim_fifo #(
      .T    (logic),
      .Depth(2)
    ) u_bads (
      .clk_i,
      .rst_ni,
      .in_valid_i (valid),
      .in_ready_o (ready_unused),
      .in_i       (in_bad),
      .out_valid_o(valid_unused),
      .out_ready_i(m_axis_tready),
      .out_o      (out_bad),
      .count_o    (bad_count_unused)
    );
  end else begin : gen_never_bad
    assign out_bad = 1'b0;
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = in_bad;
    /* verilator lint_on UNUSEDSIGNAL */
  end

  assign m_axis_tdata = out.data;
  assign m_axis_tkeep = out.keep;
  assign m_axis_tlast = out.last;
  assign m_axis_tuser = out_bad;

  always_ff @(posedge clk_i) begin
    tx_pass_o   <= m_axis_tvalid && m_axis_tready && out.last && out.source == FromPass;
    tx_result_o <= m_axis_tvalid && m_axis_tready && out.last && out.source == FromResult;
    tx_spoiled_o <= m_axis_tvalid && m_axis_tready && out.last && out.source == FromResult &&
        out_bad;
    if (!rst_ni) begin
      tx_pass_o   <= 1'b0;
      tx_result_o <= 1'b0;
      tx_spoiled_o <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A beat has 1 byte or more, and all of them unless it is the last; else the MAC would send a
      // frame with a hole.
      a_bytes : assert (!(valid && ready) ||
          (beat.bytes != '0 && beat.bytes <= BytesW'(BeatBytes) &&
           (beat.last || beat.bytes == BytesW'(BeatBytes))))
      else $error("%m: beat of %0d bytes", beat.bytes);
    end
  end

endmodule
