// roce_out between its queues: whose beat is next, what it becomes, and what is told of it, for any
// beats and whatever the queues show. (That no frame is mixed with another one, lost or starved is
// roce_out's proof.)
module out_turns_props
  import roce_pkg::*;
#(
  parameter int unsigned Ecc = 1,
  localparam int unsigned PassBeats = 8,
  localparam int unsigned CountW = $clog2(PassBeats + 1)
) (
  input logic  clk_i,
  input logic  rst_ni,
  input logic  ordered_i,
  input logic  pass_valid_i,
  input beat_t pass_i,
  input logic  pass_bad_i,
  input logic  result_valid_i,
  input beat_t result_i,
  input logic  result_bad_i,
  input logic  m_axis_tready_i,
  input logic [ByteW-1:0] byte_i   // any
);

  logic                 pass_ready, result_ready, tvalid, tlast, tuser;
  logic                 tx_pass, tx_result, tx_spoiled, corrected, bad;
  logic [9:0]           room;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;

  roce_out #(
    .PassBeats(PassBeats),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ordered_i,
    .pass_valid_i,
    .pass_ready_o  (pass_ready),
    .pass_i,
    .pass_bad_i,
    .pass_room_o   (room),
    .result_valid_i,
    .result_ready_o(result_ready),
    .result_i,
    .result_bad_i,
    .m_axis_tvalid (tvalid),
    .m_axis_tready (m_axis_tready_i),
    .m_axis_tdata  (tdata),
    .m_axis_tkeep  (tkeep),
    .m_axis_tlast  (tlast),
    .m_axis_tuser  (tuser),
    .tx_pass_o     (tx_pass),
    .tx_result_o   (tx_result),
    .tx_spoiled_o  (tx_spoiled),
    .corrected_o   (corrected),
    .bad_o         (bad)
  );

  // ---------------------------------------------------------------------------------------------
  // The passed beat that is shown, and the beat that the output takes.

  typedef struct packed {
    logic                 result;
    logic                 last;
    logic [BeatBytes-1:0] keep;
    logic [BeatBits-1:0]  data;
  } sent_t;

  // A frame's end is the highest bit in the queue, and behind it is whether the beat came bad.
  localparam int unsigned Kept = $bits(beat_t) + Ecc;
  logic [Kept-1:0]       kept, shown;
  logic [$bits(beat_t):0] sees;
  logic  passes, free, waits, bad_pass, bad_beat;
  beat_t pass, beat;
  assign kept   = Kept'((Ecc != 0) ? {pass_i.last, pass_bad_i, pass_i[$bits(beat_t)-2:0]} :
      {1'b0, pass_i});
  assign shown  = u_dut.u_pass.out_o;
  assign passes = u_dut.u_pass.out_valid_o;
  assign free   = u_dut.u_beats.in_ready_o;
  assign sees   = ($bits(beat_t)+1)'(shown);
  always_comb begin
    pass      = sees[$bits(beat_t)-1:0];
    pass.last = shown[Kept-1];
    bad_pass  = u_dut.u_pass.out_bad_o || (Ecc != 0 && sees[$bits(beat_t)-1]);
    // Of a bad one it is not known how long it is.
    if (bad_pass && Ecc != 0) pass.bytes = 7'd64;
  end

  // The frame under way, or the one before; and whether the next one may be a result's.
  logic inside_q, result_q, spoilt_q, may, result;
  logic behind_q;   // older frames may be in front of a result
  always_comb begin
    // After a result a frame that waits passes, after a passed frame a result goes, unless older
    // frames are in front of it.
    may    = result_q ? !passes : !(passes && behind_q);
    result = inside_q ? result_q : may && result_valid_i;
    waits  = result ? result_valid_i : passes;
    beat   = result ? result_i : pass;
    bad_beat = Ecc != 0 && (result ? result_bad_i : bad_pass);
  end

  // ---------------------------------------------------------------------------------------------
  // Passed beats that are older than the result at the front: those that were there when it came.

  logic              ordered_q, noted_q, none_q, front, leaves;
  logic [CountW-1:0] older_q;
  logic [CountW:0]   there;
  assign front  = result_valid_i && !(inside_q && result_q);
  assign leaves = passes && free && !result;
  always_comb begin
    there = 5'(u_dut.u_pass.count_o);
    if (Ecc != 0 && passes) there += 5'd1;   // the one that is shown is not counted
  end

  logic       reset_q, past_q, was_reset_q;
  logic [9:0] room_q;
  initial {reset_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    {past_q, was_reset_q} <= {1'b1, rst_ni};
    ordered_q <= ordered_i;
    behind_q  <= ordered_q && !(noted_q && none_q);
    room_q    <= 10'(PassBeats) - 10'(u_dut.u_pass.count_o);
    if (pass_valid_i && u_dut.u_pass.in_ready_o)
      room_q <= 10'(PassBeats - 1) - 10'(u_dut.u_pass.count_o);
    if (waits && free) begin
      {inside_q, result_q} <= {!beat.last, result};
      spoilt_q <= bad_beat || (inside_q && spoilt_q);
    end
    if (front && !noted_q) begin
      {older_q, none_q} <= {4'(there - 5'(leaves)), there <= 5'(leaves)};
      noted_q <= 1'b1;
    end else if (leaves && !none_q) begin
      {older_q, none_q} <= {older_q - 4'd1, older_q == 4'd1};
    end
    if (front && free && result) begin
      // It is on its way.
      {older_q, none_q, noted_q} <= {older_q, none_q, 1'b0};
    end
    if (!rst_ni) begin
      {inside_q, result_q, noted_q} <= '0;
      {reset_q, behind_q} <= '1;
    end
  end

  // What has left.
  logic  left_q;
  sent_t out, went_q;
  logic  user_q;
  assign out = u_dut.u_beats.out_o;
  always_ff @(posedge clk_i) begin
    left_q <= rst_ni && tvalid && m_axis_tready_i && out.last;
    went_q <= out;
    user_q <= tuser;
  end

  sent_t takes;
  assign takes = u_dut.u_beats.in_i;

  // With coded memories, whether a beat is bad goes beside it: {it comes, it, it goes, it}.
  logic [3:0] beside;
  if (Ecc != 0) begin : gen_bad
    assign beside = {u_dut.gen_bad.u_bads.in_valid_i, u_dut.gen_bad.u_bads.in_i,
                     u_dut.gen_bad.u_bads.out_ready_i, u_dut.gen_bad.u_bads.out_o};
  end else begin : gen_never_bad
    assign beside = {waits, 1'b0, m_axis_tready_i, 1'b0};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q) begin
      // Where it is (helps the proof).
      a_state : assert ({u_dut.inside_q, u_dut.source_q, u_dut.kept_q, u_dut.noted_q,
                         u_dut.ordered_q} ==
                        {inside_q, result_q, behind_q, noted_q, ordered_q} &&
                        (Ecc == 0 || !inside_q || u_dut.bad_q == spoilt_q) &&
                        (!noted_q || {u_dut.older_q, u_dut.none_q} == {older_q, none_q}))
      else $error("state");
      // A passed beat waits as it came, and whether it was bad; none is kept back.
      a_passes : assert (u_dut.u_pass.in_valid_i == pass_valid_i && u_dut.u_pass.in_i == kept &&
                         u_dut.u_pass.commit_i && !u_dut.u_pass.rollback_i &&
                         pass_ready == u_dut.u_pass.in_ready_o)
      else $error("pass");
      // It goes when it is its turn, and so does a result.
      a_turn : assert (u_dut.u_pass.out_ready_i == (free && !result) &&
                       result_ready == (free && (inside_q ? result_q : may)))
      else $error("turn");
      // The output takes the beat whose turn it is, as it is.
      a_beat : assert (u_dut.u_beats.in_valid_i == waits &&
                       {takes.result, takes.last, takes.data} == {result, beat.last, beat.data})
      else $error("beat");
      // A byte of it counts if it has so many.
      a_keep : assert (takes.keep[byte_i] == (beat.bytes > 7'(byte_i)))
      else $error("byte %0d", byte_i);
      // What the MAC gets is what was taken, in its turn.
      a_out : assert ({tdata, tkeep, tlast} == {out.data, out.keep, out.last} &&
                      u_dut.u_beats.out_ready_i == m_axis_tready_i &&
                      tvalid == u_dut.u_beats.out_valid_o)
      else $error("out");
      // A beat is bad if it came so, or one of its frame in front of it did.
      a_spoilt : assert (beside == {waits, bad_beat || (Ecc != 0 && inside_q && spoilt_q),
                                    m_axis_tready_i, tuser})
      else $error("bad %b", tuser);
      // What memories have lost is told.
      a_found : assert ({corrected, bad} == {u_dut.u_pass.corrected_o, u_dut.u_pass.bad_o})
      else $error("found");
    end
    // Room is what the queue has not, with the beat that comes.
    a_room : assert (!past_q || room == (was_reset_q ? room_q : 10'(PassBeats)))
    else $error("room %0d", room);
    // A frame is told of when its last beat has left: a passed one, a result, a bad one.
    a_sent : assert (!past_q || {tx_pass, tx_result, tx_spoiled} == {left_q && !went_q.result,
                     left_q && went_q.result, left_q && went_q.result && user_q})
    else $error("sent");

    // A result that waits for older frames goes, and the last of them is shown yet.
    c_behind : cover (rst_ni && reset_q && noted_q && none_q && passes && free && result && may &&
                      !inside_q && ordered_q);
    c_bad : cover (rst_ni && reset_q && left_q && (user_q || Ecc == 0));
  end

endmodule
