// uplink_hold: which queue a frame waits in, what of each queue may leave or is dropped in each
// cycle, and what leaves.
//
// What the queues and the arbiter make of it is left out of the circuit and free (`cuts` of the
// task): this holds as long as the queues hand frames over without holes and the arbiter grants one
// of those who ask. They have proofs of their own: prim_frame_fifo, prim_arb_rr.
module hold_steps_props
  import shell_pkg::*;
#(
  parameter int unsigned Depth = 8,
  localparam int unsigned NumQueues = 3,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                in_valid_i,
  input logic                in_last_i,
  input logic [2:0]          in_prio_i,
  input logic [1:0]          in_i,
  input logic [NumPrios-1:0] paused_i,
  input logic [NumPrios-1:0] storm_i,
  input logic                out_ready_i
);

  logic                             in_ready, out_valid, out_last;
  logic [1:0]                       out;
  logic [NumQueues-1:0]             dropped;
  logic [NumQueues-1:0][CountW-1:0] level;

  // Priority 0 has queue 0, 1 has 2, 2 has 1, and so on.
  uplink_hold #(
    .T        (logic [1:0]),
    .NumQueues(NumQueues),
    .QueueOf  (24'o12001120),
    .Depth    (Depth)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_last_i,
    .in_prio_i,
    .in_i,
    .paused_i,
    .storm_i,
    .drop_o     (dropped),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_last_o (out_last),
    .out_o      (out),
    .level_o    (level)
  );

  typedef struct packed {
    logic       last;
    logic [2:0] prio;
    logic [1:0] data;
  } entry_t;

  // The frame that is coming: its priority is its first beat's, and names its queue.
  logic                 inside_q;
  logic [2:0]           prio_q, prio;
  logic [NumQueues-1:0] to, ready;
  assign prio = inside_q ? prio_q : in_prio_i;
  always_comb begin
    case (prio)
      3'd0, 3'd4, 3'd5: to = 3'b001;
      3'd2, 3'd3, 3'd7: to = 3'b010;
      default:          to = 3'b100;
    endcase
  end

  // What each queue shows: an entry, and whether it is the rest of a frame that is being dropped.
  // The queue of which a frame has begun to leave.
  logic   [NumQueues-1:0] shows_q, rest_q, from_q, open_q;
  entry_t [NumQueues-1:0] entry_q, next;
  logic   [NumQueues-1:0] may, drop, goes, comes, from, gone_q, granted;
  logic                   begun_q, sound_q, sound, any_granted;
  // Pauses and storms of a cycle ago, which are those that count.
  logic [NumPrios-1:0]    paused_q, storm_q;
  initial sound_q = 1'b0;

  assign granted     = u_dut.u_arbiter.gnt_o;
  assign any_granted = u_dut.u_arbiter.valid_o;
  assign from        = begun_q ? from_q : granted;
  always_comb begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      may[q]  = shows_q[q] && !rest_q[q] && !paused_q[entry_q[q].prio] && !storm_q[entry_q[q].prio];
      drop[q] = shows_q[q] && (rest_q[q] ||
          (storm_q[entry_q[q].prio] && !(begun_q && from_q[q])));
      goes[q] = drop[q] || (shows_q[q] && from[q] && out_ready_i);
    end
  end
  // A frame that is not over has its next beat at once; who may is granted, one of them.
  assign sound = sound_q && (open_q & goes & ~comes) == '0 && any_granted == (may != '0) &&
      $onehot0(granted) && (granted != '0) == any_granted && (granted & ~may) == '0;

  // The beat that leaves.
  entry_t leaving;
  always_comb begin
    leaving = '0;
    for (int unsigned q = 0; q < NumQueues; q++) if (from[q]) leaving = entry_q[q];
  end

  always_ff @(posedge clk_i) begin
    paused_q <= paused_i;
    storm_q  <= storm_i;
    sound_q  <= sound || !rst_ni;
    if (in_valid_i && in_ready) begin
      inside_q <= !in_last_i;
      prio_q   <= prio;
    end
    for (int unsigned q = 0; q < NumQueues; q++) begin
      gone_q[q] <= drop[q] && entry_q[q].last;
      if (drop[q]) rest_q[q] <= !entry_q[q].last;
      if (goes[q] || !shows_q[q]) begin
        shows_q[q] <= comes[q];
        entry_q[q] <= next[q];
        open_q[q]  <= comes[q] && !next[q].last;
      end
    end
    begun_q <= from != '0 && !(out_ready_i && leaving.last);
    from_q  <= from;
    if (!rst_ni) begin
      inside_q <= 1'b0;
      begun_q  <= 1'b0;
      shows_q  <= '0;
      rest_q   <= '0;
      open_q   <= '0;
      gone_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sound_q) begin
      // The inside waits for the queue of its frame, and for no other.
      a_ready : assert (in_ready == ((to & ready) != '0))
      else $error("ready: %b", in_ready);
      // A frame is under way from its first beat to its last.
      a_inside : assert (u_dut.within_q == inside_q && (!inside_q ||
                         (u_dut.prio_q == prio_q && u_dut.to_q == to)))
      else $error("under way: %b", u_dut.within_q);
      // A frame may begin to leave if it is none of which the begin was dropped, and its priority
      // was neither paused nor in a storm a cycle ago.
      a_may : assert (u_dut.u_arbiter.req_i == may)
      else $error("may: %b instead of %b", u_dut.u_arbiter.req_i, may);
      // A turn is used up by a frame that begins.
      a_turn : assert (!sound || u_dut.u_arbiter.advance_i == (!begun_q && may != '0))
      else $error("a turn: %b", u_dut.u_arbiter.advance_i);
      // Something leaves if a frame has begun, or one may.
      a_valid : assert (!sound || out_valid == (begun_q || may != '0))
      else $error("shows: %b", out_valid);
      // It is of the frame that has begun, or else of the one that is granted.
      a_out : assert (!sound || from == '0 || {out_last, out} == {leaving.last, leaving.data})
      else $error("another beat");
      // A frame that has begun goes on until its last beat is taken.
      a_begun : assert (u_dut.busy_q == begun_q && (!begun_q || (u_dut.chosen_q == from_q &&
                        $onehot(from_q) && (from_q & ~(shows_q & ~rest_q)) == '0)))
      else $error("begun: %b", u_dut.busy_q);
      // A frame counts as dropped, of each queue, a cycle behind its last beat.
      a_dropped : assert (dropped == gone_q)
      else $error("dropped: %b", dropped);

      // One queue sends, another one drops, and the third one is held.
      c_all : cover (sound && rst_ni && begun_q && from_q == 3'b001 && drop == 3'b010 &&
                     shows_q == '1 && !may[2] && rest_q == '0);
      // The rest of a frame is dropped behind a storm.
      c_rest : cover (sound && rst_ni && rest_q == 3'b100 && storm_q == '0);
    end
  end

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    assign ready[q] = u_dut.gen_queue[q].u_fifo.in_ready_o;
    assign comes[q] = u_dut.gen_queue[q].u_fifo.out_valid_o;
    assign next[q]  = u_dut.gen_queue[q].u_fifo.out_o;

    always_ff @(posedge clk_i) begin
      if (sound_q) begin
        // A queue is given the beats of its frames, each with its frame's priority and the mark of
        // the last one, which lets the frame be shown. It never forgets one.
        a_given : assert (u_dut.gen_queue[q].u_fifo.in_valid_i == (in_valid_i && to[q]) &&
                          u_dut.gen_queue[q].u_fifo.in_i == {in_last_i, prio, in_i} &&
                          u_dut.gen_queue[q].u_fifo.commit_i ==
                          (in_valid_i && to[q] && ready[q] && in_last_i) &&
                          !u_dut.gen_queue[q].u_fifo.rollback_i)
        else $error("given: %b", u_dut.gen_queue[q].u_fifo.in_valid_i);
        // The next beat comes when the one that is shown goes, or nothing is shown.
        a_next : assert (!sound || u_dut.gen_queue[q].u_fifo.out_ready_i ==
                         (goes[q] || !shows_q[q]))
        else $error("the next beat: %b", u_dut.gen_queue[q].u_fifo.out_ready_i);
        // What is shown stays until it goes.
        a_shown : assert (u_dut.valid_q[q] == shows_q[q] &&
                          (!shows_q[q] || u_dut.entry_q[q] == entry_q[q]))
        else $error("another entry");
        // The rest of a frame is dropped with its begin, and is no frame.
        a_rest : assert (u_dut.rest_q[q] == rest_q[q] && (!rest_q[q] || shows_q[q]))
        else $error("the rest: %b", u_dut.rest_q[q]);
        // Whether it is in a storm was known a cycle ago.
        a_storm : assert (!shows_q[q] || u_dut.storm_q[q] == storm_q[entry_q[q].prio])
        else $error("in a storm: %b", u_dut.storm_q[q]);
        // More is to come of a frame whose last beat is not shown.
        a_open : assert (open_q[q] == (shows_q[q] && !entry_q[q].last))
        else $error("open: %b", open_q[q]);
      end
      // How much waits is told, and all are reset.
      a_level : assert (level[q] == u_dut.gen_queue[q].u_fifo.count_o &&
                        u_dut.gen_queue[q].u_fifo.rst_ni == rst_ni && u_dut.u_arbiter.rst_ni ==
                        rst_ni)
      else $error("%0d beats", level[q]);
    end
  end

endmodule
