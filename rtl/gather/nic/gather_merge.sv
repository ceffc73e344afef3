// Reads of the units of a network interface, put together: a property that one unit has asked for
// is not asked for again by another one, which gets a copy of the response (gather_copy). Beyond
// NetSparse, whose units coalesce each for itself.
//
// A slot, found by the low bits of the index, holds a property that is under way: who asked for it,
// the leader, and the units that wait. A response frees it. If the leader's gather has ended
// without one, by its watchdog, the next unit that asks leads, and those that wait stay; so does a
// unit that leads or waits and asks again, as it has failed in between. So a unit's second try
// never waits for another one's first, and nobody waits for a read that nobody misses. A slot that
// is another property's is left to it, and the read is sent as without.
//
//   one is chosen | slot is read | slot is known | compared -> decided and written
//
// Who waits: reads of units for each other, for responses to be looked up, and for PRs to be taken.
// Responses wait for who takes what is known of them, which waits for memory alone.
module gather_merge
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  /// RIG units, 1 to 64.
  parameter int unsigned NumUnits = 2,
  /// Slots. Power of two, 8 or more.
  parameter int unsigned Slots = 64,
  /// Bits of an index, more than that of a slot's number.
  parameter int unsigned IndexBits = 40,
  /// Bits of a gather's number: the highest of an ID.
  parameter int unsigned EpochW = 24,
  localparam int unsigned UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Level: reads are put together. It changes while nothing is inside.
  input logic                            enable_i,
  // Of each unit: a gather runs; its number.
  input logic [NumUnits-1:0]             run_i,
  input logic [NumUnits-1:0][EpochW-1:0] epoch_i,

  // Reads of units.
  input  logic [NumUnits-1:0] ask_valid_i,
  output logic [NumUnits-1:0] ask_ready_o,
  input  pr_t  [NumUnits-1:0] ask_i,
  // Those that are sent.
  output logic pr_valid_o,
  input  logic pr_ready_i,
  output pr_t  pr_o,

  // Responses that have come, and of each, in order, the units that get a copy and under which IDs.
  input  logic                      answer_valid_i,
  output logic                      answer_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  pr_t                       answer_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic                      known_valid_o,
  input  logic                      known_ready_i,
  output logic [NumUnits-1:0]       copies_o,
  output logic [NumUnits-1:0][31:0] ids_o,

  // Pulse: a read is not sent. Observation only: what was decided.
  output logic       merged_o,
  output merge_obs_t obs_o
);

  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned TagW = IndexBits - SlotW;
  /// PRs and answers that may be inside or wait to be taken.
  localparam int unsigned Inside = 8;
  localparam int unsigned InsideW = $clog2(Inside + 1);

  if (Slots < 8 || Slots != 2 ** SlotW || IndexBits <= SlotW) begin : gen_check
    $fatal(1, "%m: Slots must be a power of two, 8 or more, and less than there are indices");
  end

  typedef struct packed {
    logic                used;
    logic [15:0]         generation;
    logic [TagW-1:0]     tag;
    logic [UnitW-1:0]    leader;
    logic [EpochW-1:0]   epoch;
    logic [NumUnits-1:0] waits;
  } slot_t;

  typedef struct packed {
    logic             answer;
    logic [UnitW-1:0] unit;
    pr_t              pr;
  } op_t;

  typedef struct packed {
    logic [NumUnits-1:0]       copies;
    logic [NumUnits-1:0][31:0] ids;
  } known_t;

  // ---------------------------------------------------------------------------------------------
  // One is chosen that has a place behind, and whose slot nobody in front is about to change.

  logic                ask_room_q, answer_room_q, ask_ready, ask, answer, ready;
  logic [NumUnits-1:0] turn;
  op_t              ask_op, answer_op, op;
  logic [3:1]       in_q;
  op_t              op1_q, op2_q, op3_q;
  logic [SlotW:0]   clear_q;   // slots that are empty since reset

  // The slots of those that are inside, and of what might be next.
  logic [3:1][SlotW-1:0] slot_q;
  logic [SlotW-1:0]      ask_slot, answer_slot, slot;

  function automatic logic near(logic [3:1] there, logic [3:1][SlotW-1:0] slots,
                                logic [SlotW-1:0] wanted);
    near = 1'b0;
    for (int unsigned s = 1; s <= 3; s++) if (there[s] && slots[s] == wanted) near = 1'b1;
  endfunction

  gather_turns #(
    .NumUnits(NumUnits),
    .Server  (1'b0)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i  (ask_valid_i),
    .request_i(ask_valid_i),
    .turn_o   (turn),
    .ready_i  (ask_ready),
    .last_i   (1'b1)
  );

  prim_pick #(
    .Width($bits(pr_t)),
    .Words(NumUnits)
  ) u_ask (
    .in_i    (ask_i),
    .select_i(turn),
    .out_o   (ask_op.pr)
  );

  always_comb begin
    ask_op.answer = 1'b0;
    ask_op.unit   = '0;
    for (int unsigned u = 0; u < NumUnits; u++) if (turn[u]) ask_op.unit = ask_op.unit | UnitW'(u);
  end

  assign ready          = clear_q[SlotW];
  assign answer_op      = '{answer: 1'b1, unit: UnitW'(answer_i.tid), pr: answer_i};
  assign answer_ready_o = ready && answer_room_q && !near(in_q, slot_q, answer_slot);
  assign answer         = answer_valid_i && answer_ready_o;
  assign ask_ready      = ready && ask_room_q && !answer && !near(in_q, slot_q, ask_slot);
  assign ask            = (turn & ask_valid_i) != '0 && ask_ready;
  assign ask_ready_o    = ask_ready ? turn : '0;
  assign op             = answer ? answer_op : ask_op;
  assign ask_slot       = ask_op.pr.idx[SlotW-1:0];
  assign answer_slot    = answer_op.pr.idx[SlotW-1:0];
  assign slot           = answer ? answer_slot : ask_slot;

  always_ff @(posedge clk_i) begin
    in_q   <= {in_q[2:1], ask || answer};
    op1_q  <= op;
    op2_q  <= op1_q;
    op3_q  <= op2_q;
    slot_q <= {slot_q[2:1], slot};
    if (!ready) clear_q <= clear_q + (SlotW + 1)'(1);
    if (!rst_ni) begin
      in_q    <= '0;
      clear_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The slot

  logic                      write, sent, waits, leads;
  slot_t                     slot2, slot3_q, slot3;
  logic [NumUnits-1:0][31:0] ids2, ids3_q;
  logic                      same3_q, lives3_q, era3_q;

  prim_ram_1r1w #(
    .Width          ($bits(slot_t)),
    .Depth          (Slots),
    .ForbidCollision(1'b1)
  ) u_slots (
    .clk_i,
    .we_i   (!ready || write),
    .waddr_i(ready ? slot_q[3] : clear_q[SlotW-1:0]),
    .wdata_i(ready ? slot3 : '0),
    .re_i   (ask || answer),
    .raddr_i(slot),
    .rdata_o(slot2)
  );

  for (genvar u = 0; u < NumUnits; u++) begin : gen_ids
    prim_ram_1r1w #(
      .Width          (32),
      .Depth          (Slots),
      .ForbidCollision(1'b1)
    ) u_ids (
      .clk_i,
      .we_i   (waits && op3_q.unit == UnitW'(u)),
      .waddr_i(slot_q[3]),
      .wdata_i(op3_q.pr.id),
      .re_i   (answer),
      .raddr_i(slot),
      .rdata_o(ids2[u])
    );
  end

  always_ff @(posedge clk_i) begin
    slot3_q  <= slot2;
    ids3_q   <= ids2;
    era3_q   <= slot2.used && slot2.generation == op2_q.pr.generation;
    same3_q  <= slot2.used && slot2.generation == op2_q.pr.generation &&
        slot2.tag == op2_q.pr.idx[IndexBits-1:SlotW];
    lives3_q <= run_i[slot2.leader] && epoch_i[slot2.leader] == slot2.epoch;
  end

  logic                mine, free;
  logic [NumUnits-1:0] own, copies;

  assign own    = NumUnits'(1) << op3_q.unit;
  // The unit leads or waits already.
  assign mine   = slot3_q.leader == op3_q.unit || (slot3_q.waits & own) != '0;
  assign free   = !era3_q || (!lives3_q && slot3_q.waits == '0);
  assign waits  = in_q[3] && !op3_q.answer && enable_i && same3_q && lives3_q && !mine;
  assign leads  = in_q[3] && !op3_q.answer && enable_i && (same3_q ? !lives3_q || mine : free);
  assign sent   = in_q[3] && !op3_q.answer && !waits;
  assign write  = waits || leads || (in_q[3] && op3_q.answer && same3_q);
  assign copies = same3_q ? slot3_q.waits & ~own : '0;

  always_comb begin
    slot3 = slot3_q;
    if (op3_q.answer) begin
      slot3.used = 1'b0;
    end else if (waits) begin
      slot3.waits = slot3_q.waits | own;
    end else begin
      slot3.used       = 1'b1;
      slot3.generation = op3_q.pr.generation;
      slot3.tag        = op3_q.pr.idx[IndexBits-1:SlotW];
      slot3.leader     = op3_q.unit;
      slot3.epoch      = op3_q.pr.id[31-:EpochW];
      slot3.waits      = same3_q ? slot3_q.waits & ~own : '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is sent, and what is known of responses

  logic               pr_ready, known_ready, answer_gone;
  logic [1:0]         asks_gone;   // they wait, or were taken
  logic [InsideW-1:0] asks_q, answers_q;
  known_t             known;
  // verilator lint_off UNUSEDSIGNAL
  logic [InsideW-1:0] pr_count, known_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo #(
    .T    (pr_t),
    .Depth(Inside)
  ) u_sent (
    .clk_i,
    .rst_ni,
    .in_valid_i (sent),
    .in_ready_o (pr_ready),
    .in_i       (op3_q.pr),
    .out_valid_o(pr_valid_o),
    .out_ready_i(pr_ready_i),
    .out_o      (pr_o),
    .count_o    (pr_count)
  );

  prim_fifo #(
    .T    (known_t),
    .Depth(Inside)
  ) u_known (
    .clk_i,
    .rst_ni,
    .in_valid_i (in_q[3] && op3_q.answer),
    .in_ready_o (known_ready),
    .in_i       ('{copies: copies, ids: ids3_q}),
    .out_valid_o(known_valid_o),
    .out_ready_i(known_ready_i),
    .out_o      (known),
    .count_o    (known_count)
  );

  assign copies_o    = known.copies;
  assign ids_o       = known.ids;
  assign merged_o    = waits;
  assign asks_gone   = 2'(waits) + 2'(pr_valid_o && pr_ready_i);
  assign answer_gone = known_valid_o && known_ready_i;

  always_ff @(posedge clk_i) begin
    asks_q        <= asks_q + InsideW'(ask) - InsideW'(asks_gone);
    answers_q     <= answers_q + InsideW'(answer) - InsideW'(answer_gone);
    // A cycle late; by then one more is inside.
    ask_room_q    <= 32'(asks_q) + 32'(ask) < Inside && rst_ni;
    answer_room_q <= 32'(answers_q) + 32'(answer) < Inside && rst_ni;
    if (!rst_ni) begin
      asks_q    <= '0;
      answers_q <= '0;
    end
  end

  assign obs_o = '{
    valid: in_q[3] && (op3_q.answer || enable_i),
    answer: op3_q.answer,
    unit: 6'(op3_q.unit),
    id: op3_q.pr.id,
    generation: op3_q.pr.generation,
    idx: op3_q.pr.idx,
    lives: lives3_q,
    waits: waits,
    leads: leads,
    copies: 64'(copies)
  };

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What was let in has a place where it leaves; else a read or an answer is lost.
      a_room : assert ((!sent || pr_ready) && (!(in_q[3] && op3_q.answer) || known_ready))
      else $error("%m: no room for what was let in");
    end
  end

endmodule
