// agg_port_beat, agg_port_want and agg_port_started: what small parts of a port answer, for any
// question. (agg_port's proof has them in their places.)
module port_parts_props
  import agg_pkg::*;
#(
  /// Started packets at most.
  parameter int unsigned MaxStarted = 4,
  localparam int unsigned PlaceW = $clog2(MaxStarted)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  current_i,
  input logic                  started_i,
  input logic                  passes_i,
  input logic                  pass_ready_i,
  input logic                  beat_valid_i,
  input logic                  beat_last_i,
  input logic                  writes_i,
  input logic                  gave_i,
  input logic                  late_i,
  input logic [MaxStarted-1:0] open_i,
  input logic [SlotW-1:0]      slot_i,
  input logic [1:0]            lock_valid_i,
  input logic [1:0][SlotW-1:0] lock_slot_i,
  input logic                  start_i,
  input logic                  commit_valid_i,
  input logic                  commit_ready_i,
  input logic [PlaceW-1:0]     place_i   // any
);

  logic                             beat_ready, beat_fire, last_fire, next, want;
  logic [MaxStarted-1:0]            open;
  logic [MaxStarted-1:0][SlotW-1:0] slots;

  agg_port_beat u_beat (
    .current_i,
    .started_i,
    .passes_i,
    .pass_ready_i,
    .beat_valid_i,
    .beat_last_i,
    .beat_ready_o(beat_ready),
    .beat_fire_o (beat_fire),
    .last_fire_o (last_fire),
    .next_o      (next)
  );

  agg_port_want #(
    .MaxStarted(MaxStarted)
  ) u_want (
    .current_i,
    .started_i,
    .writes_i,
    .gave_i,
    .late_i,
    .open_i,
    .slot_i,
    .lock_valid_i,
    .lock_slot_i,
    .want_o(want)
  );

  agg_port_started #(
    .MaxStarted(MaxStarted)
  ) u_started (
    .clk_i,
    .rst_ni,
    .start_i,
    .slot_i,
    .commit_valid_i,
    .commit_ready_i,
    .open_o (open),
    .slots_o(slots)
  );

  // Starts and commits are counted; the places that are open, and the slot of one of them.
  logic                  begun_q;
  logic [PlaceW-1:0]     place_q, starts_q, commits_q;
  logic [MaxStarted-1:0] open_q;
  logic [SlotW-1:0]      slot_q;
  logic                  commit;
  logic [1:0]            locked;   // emission has the slot's pair

  assign commit = commit_valid_i && commit_ready_i;
  always_comb begin
    for (int unsigned l = 0; l < 2; l++) begin
      locked[l] = lock_valid_i[l] && lock_slot_i[l] >> 1 == slot_i >> 1;
    end
  end

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b1;
    if (!begun_q) place_q <= place_i;
    if (commit) begin
      open_q[commits_q] <= 1'b0;
      commits_q <= commits_q + PlaceW'(1);
    end
    if (start_i) begin
      open_q[starts_q] <= 1'b1;
      starts_q <= starts_q + PlaceW'(1);
      if (starts_q == place_q) slot_q <= slot_i;
    end
    if (!rst_ni) begin
      open_q    <= '0;
      starts_q  <= '0;
      commits_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && begun_q) begin
      // A beat is taken when its frame has started and the output, if it goes there, takes it.
      a_ready : assert (beat_ready == (started_i && !(passes_i && !pass_ready_i)))
      else $error("ready %b", beat_ready);
      // It moves when it is also there.
      a_fire : assert (beat_fire == (beat_ready && beat_valid_i) &&
                       last_fire == (beat_fire && beat_last_i))
      else $error("beat %b, last %b", beat_fire, last_fire);
      // The next frame becomes the current one where there is none, or behind its last beat.
      a_next : assert (next == !(current_i && !last_fire))
      else $error("next %b", next);
      // A bank is asked for by a packet that is to be written and has not started, if nothing of
      // its pair of slots is being read, no packet is in the way and a place is left.
      a_want : assert (want == (current_i && writes_i && !started_i && !gave_i && !late_i &&
                                locked == '0 && (~open_i) != '0))
      else $error("want %b", want);
      // Places are taken in turn, and given back in the order in which they were taken.
      a_open : assert (open == open_q)
      else $error("open %b", open);
      // An open place has the slot of the packet that took it.
      a_slot : assert (!open[place_q] || slots[place_q] == slot_q)
      else $error("slot %0d", slots[place_q]);
      // Whose turn it is (helps the proof).
      a_turn : assert (u_started.next_q == MaxStarted'(1) << starts_q &&
                       u_started.oldest_q == MaxStarted'(1) << commits_q)
      else $error("turns %b, %b", u_started.next_q, u_started.oldest_q);

      // All places are open, and round once.
      c_full : cover (open == '1 && starts_q == PlaceW'(1));
      // A beat waits for the output.
      c_waits : cover (beat_valid_i && started_i && !beat_ready);
    end
  end

endmodule
