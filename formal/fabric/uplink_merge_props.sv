// uplink_merge: whose beats leave, and who waits how long, whatever sources show and queues take.
module uplink_merge_props
  import shell_pkg::*;
#(
  parameter int unsigned NumSources = 4,
  parameter int unsigned NumQueues = 2,
  parameter int unsigned Depth = 8,
  parameter int unsigned MaxBeats = 3
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [NumSources-1:0] in_valid_i,
  input logic [NumSources-1:0] in_last_i,
  input logic [NumQueues-1:0]  drain_i
);

  localparam int unsigned CountW = $clog2(Depth + 1);
  // Frames of others that may begin while a source asks: each of the others' once, and one that
  // was next when it began to ask.
  localparam int unsigned Turns = NumSources;

  logic [NumSources-1:0] in_ready, taken;
  logic [NumSources-1:0][2:0] prio;
  bytes_t out_data;
  keep_t out_keep;
  logic out_valid, out_ready, out_last, any;
  logic [2:0] out_prio;
  logic [NumQueues-1:0][CountW-1:0] level_q;
  // A source is known behind by its priority.
  for (genvar s = 0; s < NumSources; s++) begin : gen_prio
    assign prio[s] = 3'(s);
  end
  assign taken     = in_valid_i & in_ready;
  assign out_ready = level_q[out_prio%NumQueues] < CountW'(Depth);

  uplink_merge #(
    .NumSources(NumSources),
    .NumQueues (NumQueues),
    .Depth     (Depth),
    .MaxBeats  (MaxBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i  ('0),
    .in_keep_i  ('0),
    .in_last_i,
    .in_prio_i  (prio),
    .taken_o    (any),
    .level_i    (level_q),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_data_o (out_data),
    .out_keep_o (out_keep),
    .out_last_o (out_last),
    .out_prio_o (out_prio)
  );

  logic started_q, taken_any_q, taken_last_q;
  logic [NumSources-1:0] within_q, taken_q;   // within_q: whose frame has begun
  logic [NumSources-1:0] asks, longer, cramped, passed;
  logic [NumQueues-1:0] room_q;                     // for the longest frame, a cycle ago
  logic [NumSources-1:0][$clog2(MaxBeats+1)-1:0] beats_q;
  logic [NumSources-1:0][$clog2(Turns+2)-1:0] turns_q;
  initial started_q = 1'b0;

  always_comb begin
    for (int unsigned s = 0; s < NumSources; s++) begin
      asks[s]    = in_valid_i[s] && room_q[s%NumQueues] && !within_q[s] && !taken[s];
      longer[s]  = in_valid_i[s] && !in_last_i[s] && beats_q[s] >= 2'(MaxBeats - 1);
      cramped[s] = taken[s] && !within_q[s] && !room_q[s%NumQueues];
      passed[s]  = turns_q[s] > 3'(Turns);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q    <= 1'b1;
    taken_q      <= taken;
    taken_any_q  <= any;
    taken_last_q <= (taken & in_last_i) != '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      room_q[q]  <= level_q[q] <= CountW'(Depth - MaxBeats - 3);
      level_q[q] <= level_q[q] + CountW'(out_valid && out_prio % NumQueues == q) -
          CountW'(drain_i[q] && level_q[q] != '0);
    end
    for (int unsigned s = 0; s < NumSources; s++) begin
      if (taken[s]) begin
        within_q[s] <= !in_last_i[s];
        beats_q[s]  <= in_last_i[s] ? '0 : beats_q[s] + 1'b1;
      end
      // A frame of another source begins while this one asks.
      if (!asks[s]) turns_q[s] <= '0;
      else if ((taken & ~within_q) != '0) turns_q[s] <= turns_q[s] + 1'b1;
    end
    if (!rst_ni) begin
      taken_q     <= '0;
      taken_any_q <= 1'b0;
      room_q      <= '0;
      level_q     <= '0;
      within_q    <= '0;
      beats_q     <= '0;
      turns_q     <= '0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // No frame is longer than the longest.
    e_longest : assume (!rst_ni || longer == '0);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // A beat is taken from one source at a time; two would be one of them.
      a_one : assert ($onehot0(taken) && any == (taken != '0))
      else $error("beats of sources %b are taken at once", taken);
      // A frame leaves whole: between its beats there are none of another source.
      a_whole : assert (within_q == '0 || (taken & ~within_q) == '0)
      else $error("a beat of %b within a frame of %b", taken, within_q);
      // A frame begins when its queue has had room for the longest one; else it would stop in the
      // middle, and a paused class all others.
      a_begin : assert (cramped == '0)
      else $error("a frame of source %b begins without room for it", cramped);
      // Who asks is passed by no more frames than there are sources.
      a_turn : assert (passed == '0)
      else $error("source %b has been passed too often", passed);
      // What was taken leaves in the cycle after, as it came.
      a_leaves : assert (out_valid == taken_any_q &&
                         (!out_valid || (taken_q[out_prio[1:0]] && out_last == taken_last_q)))
      else $error("what leaves is not what was taken");
      // A source is passed by nearly as many frames as may be, and frames follow each other without
      // a hole.
      c_turn : cover (turns_q[NumSources-1] == Turns - 1);
      c_at_once : cover (taken_last_q && any && taken != taken_q && (taken & in_last_i) != '0);
    end
  end

endmodule
