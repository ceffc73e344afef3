// What a queue owes its user, as assertions: used by the property files of all queues.
//
// One entry, which one is free, is followed from the cycle in which it is taken. Since that may be
// any entry, what holds for it holds for all: it is neither lost nor overtaken nor changed nor
// shown twice.
module queue_watch #(
  /// Bits of an entry. Queues do not look at data, so few are enough.
  parameter int unsigned Width = 2,
  /// Most entries that can be inside.
  parameter int unsigned Places = 4,
  /// An entry is shown at most so many cycles after it became readable and has nothing in front of
  /// it.
  parameter int unsigned Latency = 1,
  localparam int unsigned CountW = $clog2(Places + 2)
) (
  input logic clk_i,
  input logic rst_ni,

  // Follow the entry that is taken now.
  input logic             follow_i,
  input logic             push_i,
  input logic [Width-1:0] in_i,
  // All taken so far, with this cycle's entry, becomes readable; or what is not readable vanishes.
  // A queue without these ties them to 1 and 0.
  input logic             commit_i,
  input logic             rollback_i,

  input logic             out_valid_i,
  input logic             out_ready_i,
  input logic [Width-1:0] out_i,

  // Entries inside, and how many of them are readable.
  output logic [CountW-1:0] inside_o,
  output logic [CountW-1:0] readable_o,
  // The followed entry: is it inside, how many are in front of it, what is it.
  output logic              followed_o,
  output logic [CountW-1:0] ahead_o,
  output logic [Width-1:0]  value_o
);

  logic pop;
  assign pop = out_valid_i && out_ready_i;

  // ---------------------------------------------------------------------------------------------
  // Entries inside, counted from outside.

  logic [CountW-1:0] readable_q, open_q, all;
  assign all        = readable_q + open_q;
  assign inside_o   = all;
  assign readable_o = readable_q;

  always_ff @(posedge clk_i) begin
    if (commit_i) begin
      readable_q <= all + CountW'(push_i) - CountW'(pop);
      open_q     <= '0;
    end else begin
      readable_q <= readable_q - CountW'(pop);
      open_q     <= rollback_i ? '0 : open_q + CountW'(push_i);
    end
    if (!rst_ni) begin
      readable_q <= '0;
      open_q     <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The entry that is followed.

  localparam int unsigned AgeW = $clog2(Latency + 1);
  logic              followed_q, committed_q, taken, leaves;
  logic [CountW-1:0] ahead_q;
  logic [Width-1:0]  value_q;
  logic [AgeW-1:0]   age_q;   // cycles since it became readable

  assign taken  = follow_i && push_i && !followed_q && !rollback_i;
  assign followed_o = followed_q;
  assign ahead_o    = ahead_q;
  assign value_o    = value_q;
  assign leaves = followed_q && pop && ahead_q == '0;

  always_ff @(posedge clk_i) begin
    if (taken) begin
      followed_q  <= 1'b1;
      committed_q <= commit_i;
      ahead_q     <= all - CountW'(pop);
      value_q     <= in_i;
      age_q       <= AgeW'(1);
    end else if (followed_q) begin
      if (commit_i) committed_q <= 1'b1;
      if (pop && ahead_q != '0) ahead_q <= ahead_q - CountW'(1);
      if (!committed_q) age_q <= AgeW'(1);
      else if (age_q < AgeW'(Latency)) age_q <= age_q + AgeW'(1);
      if (leaves || (rollback_i && !committed_q)) followed_q <= 1'b0;
    end
    if (!rst_ni) followed_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------

  logic             held_q;   // was shown and not taken
  logic [Width-1:0] shown_q;

  always_ff @(posedge clk_i) begin
    held_q  <= rst_ni && out_valid_i && !out_ready_i;
    shown_q <= out_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nothing is shown that was not taken and, where entries are committed, committed: no entry
      // is shown twice, none that was rolled back is shown.
      a_nothing_invented : assert (!out_valid_i || readable_q != '0)
      else $error("shown, but there is nothing inside");
      // Every entry is shown in its turn and as it was taken: none is lost, overtaken or changed.
      a_in_order : assert (!(followed_q && ahead_q == '0 && out_valid_i) || out_i == value_q)
      else $error("shown %0d instead of %0d", out_i, value_q);
      // An entry with nothing in front of it is shown in time, whatever the receiver does: no entry
      // gets stuck.
      a_in_time : assert (!(followed_q && committed_q && ahead_q == '0 && 32'(age_q) >= Latency) ||
                          out_valid_i)
      else $error("not shown in time");
      // What is shown stays until it is taken.
      a_stable : assert (!held_q || (out_valid_i && out_i == shown_q))
      else $error("withdrawn or changed");
      // The followed entry is readable exactly when it is among the readable ones (helps the
      // proofs).
      a_among : assert (!followed_q || (ahead_q < all && age_q != '0 &&
                                        committed_q == (ahead_q < readable_q)))
      else $error("%0d in front, %0d readable, committed %b", ahead_q, readable_q, committed_q);
      // The queue never holds more than it has places.
      a_places : assert (32'(readable_q) + 32'(open_q) <= Places)
      else $error("%0d inside", all);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The followed entry leaves after it had to wait for the receiver.
      c_followed_leaves : cover (leaves && held_q);
      // The queue is full.
      c_full : cover (32'(all) == Places);
    end
  end

endmodule
