// gather_merge around its memories and queues: which read or response is looked up, what is decided
// of it, what its slot says then, and what goes on.
//
// What the slots, the IDs, turns and queues make of it is left out of the circuit and free (`cuts`
// of the task). They have proofs of their own: prim_ram_1r1w, gather_turns, prim_fifo.
module merge_steps_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned NumUnits = 4,
  parameter int unsigned Slots = 8,
  parameter int unsigned IndexBits = 8,
  parameter int unsigned EpochW = 24,
  localparam int unsigned UnitW = $clog2(NumUnits),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned TagW = IndexBits - SlotW
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic                            enable_i,
  input logic [NumUnits-1:0]             run_i,
  input logic [NumUnits-1:0][EpochW-1:0] epoch_i,
  input logic [NumUnits-1:0]             ask_valid_i,
  input pr_t  [NumUnits-1:0]             ask_i,
  input logic                            pr_ready_i,
  input logic                            answer_valid_i,
  input pr_t                             answer_i,
  input logic                            known_ready_i
);

  logic [NumUnits-1:0]       ask_ready, copies;
  logic                      pr_valid, answer_ready, known_valid, merged;
  pr_t                       pr;
  logic [NumUnits-1:0][31:0] ids;
  merge_obs_t                obs;

  gather_merge #(
    .NumUnits (NumUnits),
    .Slots    (Slots),
    .IndexBits(IndexBits),
    .EpochW   (EpochW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enable_i,
    .run_i,
    .epoch_i,
    .ask_valid_i,
    .ask_ready_o   (ask_ready),
    .ask_i,
    .pr_valid_o    (pr_valid),
    .pr_ready_i,
    .pr_o          (pr),
    .answer_valid_i,
    .answer_ready_o(answer_ready),
    .answer_i,
    .known_valid_o (known_valid),
    .known_ready_i,
    .copies_o      (copies),
    .ids_o         (ids),
    .merged_o      (merged),
    .obs_o         (obs)
  );

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
  } look_t;

  logic past_q;          // it was reset once
  logic [3:1] known_q;   // so many cycles ago it was, too
  initial {past_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= past_q || !rst_ni;
    known_q <= {known_q[2:1], past_q};
  end

  // ---------------------------------------------------------------------------------------------
  // Who is looked up: a response, or else a read, of the unit whose turn it is. (If more than one
  // had a turn, which gather_turns rules out, it would be of all bits of their numbers.)

  logic [NumUnits-1:0] turn;
  logic [UnitW-1:0]    unit;
  logic [SlotW:0]      cleared_q;      // slots that have been emptied since reset
  logic [3:0]          asks_q, answers_q;   // inside, modulo 16
  logic                ask_room_q, answer_room_q, emptied, ask_near, answer_near, reads, answers;
  logic [3:1]          there_q;
  look_t [3:1]         look_q;         // by cycles since they were chosen
  look_t               chosen;
  pr_t                 asked;

  assign turn    = u_dut.u_turns.turn_o;
  assign asked   = u_dut.u_ask.out_o;
  assign emptied = 32'(cleared_q) == Slots;
  always_comb begin
    for (int unsigned b = 0; b < UnitW; b++) begin
      unit[b] = 1'b0;
      for (int unsigned u = 0; u < NumUnits; u++) begin
        if ((u / (1 << b)) % 2 == 1 && turn[u]) unit[b] = 1'b1;
      end
    end
    // One of the last three has the same slot.
    ask_near    = 1'b0;
    answer_near = 1'b0;
    for (int unsigned s = 1; s <= 3; s++) begin
      if (there_q[s] && SlotW'(look_q[s].pr.idx) == SlotW'(asked.idx)) ask_near = 1'b1;
      if (there_q[s] && SlotW'(look_q[s].pr.idx) == SlotW'(answer_i.idx)) answer_near = 1'b1;
    end
    answers = answer_valid_i && emptied && answer_room_q && !answer_near;
    reads   = !answers && emptied && ask_room_q && !ask_near;
    chosen  = '{answer: 1'b0, unit: unit, pr: asked};
    if (answers) chosen = '{answer: 1'b1, unit: UnitW'(answer_i.tid), pr: answer_i};
  end

  // ---------------------------------------------------------------------------------------------
  // What is known of the slot, and decided.

  slot_t                     slot_q, read, next;
  logic [NumUnits-1:0][31:0] ids_q, read_ids;
  logic                      ours_q, era_q, lives_q;   // is of this property, generation; its
                                                       // leader's gather runs
  look_t                     now;
  logic [NumUnits-1:0]       own, others;
  logic                      has, waits, leads, sent;
  assign read = u_dut.u_slots.rdata_o;
  assign now  = look_q[3];
  always_comb begin
    own            = '0;
    own[now.unit]  = 1'b1;
    others         = slot_q.waits;
    others[now.unit] = 1'b0;
    // The unit that asks leads or waits already: it has failed in between.
    has   = now.unit == slot_q.leader || slot_q.waits[now.unit];
    waits = 1'b0;
    leads = 1'b0;
    if (there_q[3] && !now.answer && enable_i) begin
      if (ours_q) begin
        // The property is under way: with a leader who lives the unit waits, else it leads.
        waits = lives_q && !has;
        leads = !waits;
      end else if (!era_q) begin
        leads = 1'b1;
      end else begin
        // A slot of another property is left to it while somebody misses that.
        leads = !lives_q && slot_q.waits == '0;
      end
    end
    sent = there_q[3] && !now.answer && !waits;

    next = slot_q;
    if (now.answer) begin
      next.used = 1'b0;
    end else if (waits) begin
      next.waits[now.unit] = 1'b1;
    end else begin
      next = '{
        used: 1'b1,
        generation: now.pr.generation,
        tag: TagW'(now.pr.idx >> SlotW),
        leader: now.unit,
        epoch: EpochW'(now.pr.id >> (32 - EpochW)),
        waits: ours_q ? others : '0
      };
    end
  end

  always_ff @(posedge clk_i) begin
    there_q <= {there_q[2:1], answers || (reads && (turn & ask_valid_i) != '0)};
    look_q  <= {look_q[2:1], chosen};
    slot_q  <= read;
    ids_q   <= read_ids;
    era_q   <= read.used && read.generation == look_q[2].pr.generation;
    ours_q  <= {read.used, read.generation, read.tag} ==
        {1'b1, look_q[2].pr.generation, TagW'(look_q[2].pr.idx >> SlotW)};
    lives_q <= run_i[read.leader] && epoch_i[read.leader] == read.epoch;
    if (!emptied) cleared_q <= cleared_q + 1'b1;
    asks_q    <= asks_q + 4'(reads && (turn & ask_valid_i) != '0) - 4'(waits) -
        4'(pr_valid && pr_ready_i);
    answers_q <= answers_q + 4'(answers) - 4'(known_valid && known_ready_i);
    ask_room_q    <= 5'(asks_q) + 5'(reads && (turn & ask_valid_i) != '0) <= 5'd7;
    answer_room_q <= 5'(answers_q) + 5'(answers) <= 5'd7;
    if (!rst_ni) begin
      {there_q, cleared_q, asks_q, answers_q, ask_room_q, answer_room_q} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // Who asks may have a turn, which ends when he is looked up; he is picked.
    a_turns : assert (u_dut.u_turns.valid_i == ask_valid_i &&
                      u_dut.u_turns.request_i == ask_valid_i && u_dut.u_turns.last_i &&
                      u_dut.u_ask.in_i == ask_i && u_dut.u_ask.select_i == turn)
    else $error("turns");
    // What is sent, and what is known of responses, is what has waited longest.
    a_out : assert (pr_valid == u_dut.u_sent.out_valid_o && pr == u_dut.u_sent.out_o &&
                    u_dut.u_sent.out_ready_i == pr_ready_i &&
                    known_valid == u_dut.u_known.out_valid_o &&
                    {copies, ids} == u_dut.u_known.out_o &&
                    u_dut.u_known.out_ready_i == known_ready_i)
    else $error("out");
    // All parts are reset together.
    a_reset : assert ({u_dut.u_turns.rst_ni, u_dut.u_sent.rst_ni, u_dut.u_known.rst_ni} ==
                      {3{rst_ni}})
    else $error("reset");
    if (past_q && known_q == '1) begin
      // A response is taken when slots are empty since reset, it has a place behind, and its slot
      // is of none of the last three.
      a_answers : assert (answer_ready == (emptied && answer_room_q && !answer_near))
      else $error("answers: %b", answer_ready);
      // So is a read in its unit's turn, if no response is.
      a_reads : assert (u_dut.u_turns.ready_i == reads && ask_ready == (reads ? turn : '0))
      else $error("reads: %b", ask_ready);
      // The slot is read by the low bits of the index, and for a response all IDs.
      a_read : assert (u_dut.u_slots.re_i == (answers || (reads && (turn & ask_valid_i) != '0)) &&
                       u_dut.u_slots.raddr_i == SlotW'(chosen.pr.idx))
      else $error("slot %0d is read", u_dut.u_slots.raddr_i);
      // A read is not sent if it waits for another unit's.
      a_waits : assert (merged == waits)
      else $error("waits: %b", merged);
      // All other reads are.
      a_sent : assert (u_dut.u_sent.in_valid_i == sent && u_dut.u_sent.in_i == now.pr)
      else $error("sent: %b", u_dut.u_sent.in_valid_i);
      // Of each response that finds its property's slot all who wait, but for its own unit, get a
      // copy, by their IDs; of another one nobody.
      a_copies : assert (u_dut.u_known.in_valid_i == (there_q[3] && now.answer) &&
                         u_dut.u_known.in_i == {ours_q ? others : NumUnits'(0), ids_q})
      else $error("copies");
      // After reset slots are emptied one by one. Then one is written if a unit waits or leads, or
      // a response has come for its property.
      a_write : assert (emptied ? u_dut.u_slots.we_i == (waits || leads ||
                            (there_q[3] && now.answer && ours_q)) &&
                        u_dut.u_slots.waddr_i == SlotW'(now.pr.idx) && u_dut.u_slots.wdata_i == next
                        : u_dut.u_slots.we_i && u_dut.u_slots.wdata_i == '0 &&
                        u_dut.u_slots.waddr_i == SlotW'(cleared_q))
      else $error("slot %0d is written", u_dut.u_slots.waddr_i);
      // What is observed is what was decided; of reads only if they are put together.
      a_obs : assert (obs == merge_obs_t'{
        valid: there_q[3] && (enable_i || now.answer),
        answer: now.answer,
        unit: 6'(now.unit),
        id: now.pr.id,
        generation: now.pr.generation,
        idx: now.pr.idx,
        lives: lives_q,
        waits: waits,
        leads: leads,
        copies: 64'(ours_q ? others : NumUnits'(0))
      })
      else $error("observed");
      // These help the proof.
      a_places : assert (u_dut.asks_q == asks_q && u_dut.answers_q == answers_q &&
                         u_dut.ask_room_q == ask_room_q && u_dut.answer_room_q == answer_room_q)
      else $error("%0d, %0d inside", u_dut.asks_q, u_dut.answers_q);
      a_there : assert (u_dut.in_q == there_q && u_dut.clear_q == cleared_q &&
                        32'(cleared_q) <= Slots)
      else $error("inside %b", u_dut.in_q);
      a_looked : assert ({u_dut.op3_q, u_dut.op2_q, u_dut.op1_q} == look_q)
      else $error("another one");
      a_slots : assert (u_dut.slot_q == {SlotW'(look_q[3].pr.idx), SlotW'(look_q[2].pr.idx),
                                         SlotW'(look_q[1].pr.idx)})
      else $error("another slot");
      a_known : assert ({u_dut.slot3_q, u_dut.ids3_q, u_dut.same3_q, u_dut.era3_q, u_dut.lives3_q}
                        == {slot_q, ids_q, ours_q, era_q, lives_q})
      else $error("known");

      // A unit waits beside another one; a slot of a property that nobody misses is taken over.
      c_second : cover (rst_ni && waits && slot_q.waits != '0);
      c_over : cover (rst_ni && leads && era_q && !ours_q);
    end
  end

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    assign read_ids[u] = u_dut.gen_ids[u].u_ids.rdata_o;

    always_ff @(posedge clk_i) begin
      if (past_q && known_q == '1) begin
        // A unit that waits does so by its read's ID.
        a_id : assert (u_dut.gen_ids[u].u_ids.we_i == (waits && now.unit == UnitW'(u)) &&
                       u_dut.gen_ids[u].u_ids.waddr_i == SlotW'(now.pr.idx) &&
                       u_dut.gen_ids[u].u_ids.wdata_i == now.pr.id)
        else $error("unit %0d", u);
        // IDs are read for a response.
        a_asked : assert (u_dut.gen_ids[u].u_ids.re_i == answers &&
                          u_dut.gen_ids[u].u_ids.raddr_i == SlotW'(chosen.pr.idx))
        else $error("unit %0d", u);
      end
    end
  end

endmodule
