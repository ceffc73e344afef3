// gather_admit: when a beat of a PR enters the pipeline of concatenation, what is said of it, and
// which queues wait meanwhile, whatever those behind have room for.
module admit_turns_props
  import gather_pkg::*;
#(
  parameter int unsigned NumNodes = 4,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned QueueW = NodeW + 1
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              pr_valid_i,
  input pr_beat_t          pr_i,
  input logic              due_taken_i,
  input logic [QueueW-1:0] due_queue_i,
  input logic              due_moves_i,
  input logic [QueueW-1:0] due_behind_i,
  input logic              room_i,
  input logic              enough_i,
  input logic              entries_i
);

  logic              ready, due_ready, go, stall_pool, stall_out, idle;
  pr_beat_t          pr;
  logic [QueueW-1:0] queue;
  logic [6:0]        bytes;

  gather_admit #(
    .NumNodes(NumNodes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .pr_valid_i,
    .pr_ready_o  (ready),
    .pr_i,
    .due_ready_o (due_ready),
    .due_taken_i,
    .due_queue_i,
    .due_moves_i,
    .due_behind_i,
    .room_i,
    .enough_i,
    .entries_i,
    .go_o        (go),
    .pr_o        (pr),
    .queue_o     (queue),
    .bytes_o     (bytes),
    .stall_pool_o(stall_pool),
    .stall_out_o (stall_out),
    .idle_o      (idle)
  );

  // Which bytes of a PR are in a beat of its header and property: those from 64 times its number
  // on, behind the header.
  function automatic logic [6:0] bytes_of(logic first, logic [10:0] left);
    logic [10:0] body;
    body     = (left < 11'(BeatBytes)) ? left : 11'(BeatBytes);
    bytes_of = 7'(body) + (first ? 7'(PrBytes) : 7'd0);
  endfunction

  // The beat that was taken last: it is still here, its queue, bytes of its property from it on.
  // Then of the PR that is half in the pipeline, and what its queue was to be a cycle ago.
  logic [1:0]        past_q;
  logic              run_q, here_q, due_room_q, due_half_q, has_q, inside_q;
  pr_beat_t          last_q;
  logic [10:0]       left_q, left_in;
  logic [QueueW-1:0] last_queue_q, inside_queue_q, next_due;
  logic              taken, half;

  assign taken    = pr_valid_i && ready;
  assign left_in  = !pr_i.first ? left_q - 11'(BeatBytes) :
      pr_i.pr.response ? pr_i.pr.len : 11'd0;
  assign next_due = due_moves_i ? due_behind_i : due_queue_i;
  assign half     = go ? (!pr.last && queue == next_due) :
      (inside_q && inside_queue_q == next_due);

  initial {past_q, here_q, has_q, inside_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q     <= {past_q[0], 1'b1};
    run_q      <= rst_ni;
    due_room_q <= room_i;
    due_half_q <= half;
    if (taken) begin
      last_q       <= pr_i;
      last_queue_q <= {pr_i.pr.response, NodeW'(pr_i.pr.dest % NumNodes)};
      left_q       <= left_in;
      has_q        <= pr_i.first || (has_q && left_q > 11'(BeatBytes));
    end
    here_q <= taken || (here_q && !go);
    if (go) begin
      inside_q       <= !pr.last;
      inside_queue_q <= queue;
    end
    if (!rst_ni) begin
      here_q   <= 1'b0;
      inside_q <= 1'b0;
    end
  end

  // It has what it needs: a place for what it may close; if it begins a PR, storage and an entry.
  logic served;
  assign served = room_i && (!last_q.first || (enough_i && entries_i));

  logic known;   // there was a reset
  initial known = 1'b0;
  always_ff @(posedge clk_i) known <= known || !rst_ni;

  always_ff @(posedge clk_i) begin
    if (known) begin
      // A beat enters if it has all that it needs, and no entry of the expiry queue does.
      a_go : assert (go == (here_q && served && !due_taken_i))
      else $error("enters: %b", go);
      // Another one is taken when it does, or none is here; none in a reset.
      a_ready : assert (ready == (rst_ni && (!here_q || go)))
      else $error("ready: %b", ready);
      a_idle : assert (idle == !here_q)
      else $error("idle: %b", idle);
      // It is the one that was taken, and its queue that of its kind and destination.
      a_same : assert (!here_q || (pr == last_q && queue == last_queue_q))
      else $error("another beat enters queue %0d", queue);
      // With it go its header, if it begins its PR, and up to 64 bytes of its property, until all
      // are gone. (`has_q`: its first beat was
      // seen, and no beat comes behind its end.)
      a_bytes : assert (!here_q || !has_q || bytes == bytes_of(last_q.first, left_q))
      else $error("%0d bytes, %0d are left", bytes, left_q);
      // It is stalled for storage, if there is none for it; else for all else that it waits for.
      a_pool : assert (stall_pool == (here_q && last_q.first && !enough_i))
      else $error("stalled for storage: %b", stall_pool);
      a_out : assert (stall_out == (here_q && !go && (!last_q.first || enough_i)))
      else $error("stalled: %b", stall_out);
    end
    // What is due may enter in the next cycle if there is room for its packet, and no PR is half
    // in its queue then.
    a_due : assert (!past_q[0] || !known || due_ready == (run_q && due_room_q && !due_half_q))
    else $error("due: %b", due_ready);
    // What helps the proof: half a PR is known, and what is left of the one that was taken.
    a_half : assert (!known || (u_dut.partial_q == inside_q &&
                                (!inside_q || u_dut.partial_queue_q == inside_queue_q)))
    else $error("half a PR: %b", u_dut.partial_q);
    a_left : assert (!has_q || left_q <= 11'(BeatBytes) ||
                     u_dut.rest_q == left_q - 11'(BeatBytes))
    else $error("%0d bytes are left", u_dut.rest_q);

    // The last beat of a response of 130 bytes enters, whose queue was due.
    c_last : cover (known && go && queue == '1 && bytes == 7'd2 && !due_ready && due_room_q);
  end

endmodule
