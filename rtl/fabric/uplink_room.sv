// Where frames that a MAC hands over wait for the inside: a queue for each group of priorities.
//
// The MAC cannot wait, so a frame that finds its queue full is dropped whole; so is one that is
// longer than `MaxBeats`, and one that the MAC found in error. A frame is shown to the inside when
// all of it is in. Pause is asked for by `level_o` (uplink_pause), which counts what is stored of
// frames that may still be dropped, too.
module uplink_room
  import shell_pkg::*;
#(
  /// What a beat carries beside the mark of a frame's last one.
  parameter type T = logic [7:0],
  /// Queues, 1 to 8.
  parameter int unsigned NumQueues = 1,
  /// Beats of a queue; power of two, 8 or more.
  parameter int unsigned Depth = 1024,
  /// Beats of the longest frame, 1 to Depth.
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic                 in_valid_i,
  input logic                 in_last_i,
  input logic                 in_bad_i,  // with a frame's last beat
  input logic [NumQueues-1:0] in_to_i,   // with its first: a bit for its queue
  input T                     in_i,

  // Of each frame one pulse, in the cycle after its last beat.
  output logic taken_o,
  output logic drop_room_o,
  output logic drop_long_o,
  output logic drop_bad_o,

  output logic [NumQueues-1:0]             out_valid_o,   // a whole frame waits
  input  logic [NumQueues-1:0]             out_ready_i,
  output logic [NumQueues-1:0]             out_last_o,
  output T     [NumQueues-1:0]             out_o,
  output logic [NumQueues-1:0][CountW-1:0] level_o   // beats stored
);

  if (NumQueues < 1 || NumQueues > NumPrios) begin : gen_check
    $fatal(1, "%m: NumQueues must be 1 to 8");
  end
  if (MaxBeats < 1 || MaxBeats > Depth) begin : gen_check_beats
    $fatal(1, "%m: MaxBeats must be 1 to Depth");
  end

  typedef struct packed {
    logic last;
    T     data;
  } entry_t;

  typedef enum logic [1:0] {
    Kept,
    NoRoom,
    TooLong
  } fate_e;

  localparam int unsigned BeatsW = $clog2(MaxBeats + 1);
  logic [BeatsW-1:0] beats_q;  // of the frame that is coming, as far as it is not too long
  logic within_q, full, kept, good;
  logic stops_q;  // the rest of it is not kept, whatever room there is
  fate_e fate, fate_q;
  logic [NumQueues-1:0] to, to_q, ready;

  assign to   = within_q ? to_q : in_to_i;
  assign full = (within_q ? beats_q : '0) == BeatsW'(MaxBeats - 1);
  assign kept = !stops_q && (to & ready) != '0;
  assign good = kept && !in_bad_i;

  always_comb begin
    if (kept) fate = Kept;
    else if (!stops_q) fate = NoRoom;
    else fate = (fate_q == Kept) ? TooLong : fate_q;
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      within_q <= !in_last_i;
      to_q     <= to;
      fate_q   <= fate;
      beats_q  <= (within_q ? beats_q : '0) + BeatsW'(1);
      stops_q  <= !in_last_i && (!kept || full);
    end
    taken_o     <= in_valid_i && in_last_i && good;
    drop_room_o <= in_valid_i && in_last_i && fate == NoRoom;
    drop_long_o <= in_valid_i && in_last_i && fate == TooLong;
    drop_bad_o  <= in_valid_i && in_last_i && kept && in_bad_i;
    if (!rst_ni) begin
      within_q    <= 1'b0;
      stops_q     <= 1'b0;
      taken_o     <= 1'b0;
      drop_room_o <= 1'b0;
      drop_long_o <= 1'b0;
      drop_bad_o  <= 1'b0;
    end
  end

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    entry_t written, shown;
    logic take, keep;

    // By its own room alone: that of the others comes too late.
    assign take          = in_valid_i && to[q];
    assign keep          = !stops_q && ready[q];
    assign written       = '{last: in_last_i, data: in_i};
    assign out_last_o[q] = shown.last;
    assign out_o[q]      = shown.data;

    prim_frame_fifo #(
      .T     (entry_t),
      .Depth (Depth),
      .Around(1'b0)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (take && !stops_q),
      .in_ready_o (ready[q]),
      .in_i       (written),
      .commit_i   (take && in_last_i && keep && !in_bad_i),
      .rollback_i (take && (!keep || (in_last_i && in_bad_i))),
      .out_valid_o(out_valid_o[q]),
      .out_ready_i(out_ready_i[q]),
      .out_o      (shown),
      .count_o    (level_o[q])
    );
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame is of one queue; of none it would be dropped for want of room.
      a_to : assert (!in_valid_i || within_q || $onehot(in_to_i))
      else $error("%m: a frame for queues %b", in_to_i);
    end
  end

endmodule
