// The requests that a RIG unit has under way: the pending PR table of NetSparse 5.2, a CAM by index.
//
// `looks` and `enters` are two stages: a query is compared with all entries in one cycle, and in the
// next one it is known whether it was there; what was entered meanwhile is compared on its way. So
// an index is never entered twice. Nobody waits.
module gather_pending #(
  /// Requests. Power of two, 8 to 256.
  parameter int unsigned Entries = 256,
  /// Bits of an index.
  parameter int unsigned IndexBits = 40,
  localparam int unsigned IdW = $clog2(Entries)
) (
  input logic clk_i,
  input logic rst_ni,
  // All entries vanish.
  input logic clear_i,

  // Stage 1: an index that moves on to stage 2 in this cycle.
  input  logic                 look_i,
  input  logic [IndexBits-1:0] look_idx_i,
  // Stage 2: was it there? Until the next one moves on.
  output logic                 there_o,
  // It is entered, under `free_id_o`; only if it was not there and `free_valid_o`.
  input  logic                 enter_i,
  input  logic [IndexBits-1:0] enter_idx_i,
  output logic                 free_valid_o,
  output logic [IdW-1:0]       free_id_o,

  // A response for entry `id`: is it the one that is waited for? The first one is taken note of.
  input  logic                 answer_i,
  input  logic [IdW-1:0]       answer_id_i,
  input  logic [IndexBits-1:0] answer_idx_i,
  output logic                 answer_good_o,

  // The property is in memory: the entry is free.
  input logic           leave_i,
  input logic [IdW-1:0] leave_id_i,

  output logic empty_o
);

  if (Entries < 8 || Entries > 256 || Entries != 2 ** IdW) begin : gen_check
    $fatal(1, "%m: Entries must be a power of two, 8 to 256");
  end

  logic [Entries-1:0]                valid_q, answered_q, match_q;
  logic [Entries-1:0][IndexBits-1:0] idx_q;
  logic                              entering_q;
  logic [IdW:0]                      free;

  gather_pool #(
    .Size(Entries)
  ) u_pool (
    .clk_i,
    .rst_ni   (rst_ni && !clear_i),
    .valid_o  (free_valid_o),
    .take_i   (enter_i),
    .id_o     (free_id_o),
    .give_i   (leave_i),
    .give_id_i(leave_id_i),
    .free_o   (free)
  );

  assign there_o       = match_q != '0 || entering_q;
  assign answer_good_o = valid_q[answer_id_i] && !answered_q[answer_id_i] &&
      idx_q[answer_id_i] == answer_idx_i;
  assign empty_o       = 32'(free) == Entries;

  always_ff @(posedge clk_i) begin
    if (look_i) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        match_q[e] <= valid_q[e] && idx_q[e] == look_idx_i;
      end
      entering_q <= enter_i && enter_idx_i == look_idx_i;
    end
    if (enter_i) begin
      valid_q[free_id_o]    <= 1'b1;
      answered_q[free_id_o] <= 1'b0;
      idx_q[free_id_o]      <= enter_idx_i;
    end
    if (answer_i && answer_good_o) answered_q[answer_id_i] <= 1'b1;
    if (leave_i) valid_q[leave_id_i] <= 1'b0;
    if (!rst_ni || clear_i) begin
      valid_q    <= '0;
      match_q    <= '0;
      entering_q <= 1'b0;
    end
  end

  // Entries that hold what is being entered, for the assertion alone.
  logic [Entries-1:0] same;
  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) same[e] = valid_q[e] && idx_q[e] == enter_idx_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // Two requests of one index are never under way at the same time.
      a_once : assert (!enter_i || same == '0)
      else $error("%m: index %h is entered twice", enter_idx_i);
      // Only what is under way is answered and leaves.
      a_leave : assert (!leave_i || (valid_q[leave_id_i] && answered_q[leave_id_i]))
      else $error("%m: entry %0d leaves and was not there", leave_id_i);
    end
  end

endmodule
