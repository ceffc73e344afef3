// agg_slot_tell: what the observer and the counters are told of an operation, for any operation and
// any record in front of it and behind. One rank is followed.
module agg_slot_tell_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumRanks = 3,
  parameter int unsigned Uplink = 1,
  parameter int unsigned Ecc = 1
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input slot_rec_t                      rec5_i,
  input logic                           valid_i,
  input logic                           decide_i,
  input logic                           commit_i,
  input logic                           take_i,
  input slot_op_t                       op_i,
  input slot_rec_t                      rec_i,
  input fate_e                          fate_i,
  input logic                           completes_i,
  input logic                           done_i,
  input logic [MaxRanks-1:0]            ranks_i,
  input logic [MaxRanks-1:0][PortW-1:0] ports_i,
  input logic [RankW-1:0]               rank_i   // any
);

  ring_event_t events;
  obs_state_t  obs;

  agg_slot_tell #(
    .NumRanks(NumRanks),
    .Uplink  (Uplink),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rec5_i,
    .valid_i,
    .decide_i,
    .commit_i,
    .take_i,
    .op_i,
    .rec_i,
    .fate_i,
    .completes_i,
    .done_i,
    .ranks_i,
    .ports_i,
    .ring_event_o(events),
    .obs_o       (obs)
  );

  // The operation of a cycle ago, its record in front of it and behind.
  logic                           reset_q, valid_q, decide_q, commit_q, take_q, completes_q, done_q;
  slot_op_t                       op_q;
  slot_rec_t                      behind_q, rec5_q, front_q;
  fate_e                          fate_q;
  logic [MaxRanks-1:0]            ranks_q;
  logic [MaxRanks-1:0][PortW-1:0] ports_q;
  logic [RankW-1:0]               r_q;      // followed
  logic [1:0]                     past_q;   // so many cycles have gone by
  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[0], 1'b1};
    reset_q <= !rst_ni;
    {valid_q, decide_q, commit_q, take_q} <= {valid_i, decide_i, commit_i, take_i};
    {completes_q, done_q, fate_q, ranks_q, ports_q} <=
        {completes_i, done_i, fate_i, ranks_i, ports_i};
    op_q     <= op_i;
    behind_q <= rec_i;
    rec5_q   <= rec5_i;
    front_q  <= rec5_q;
    if (!past_q[0]) r_q <= rank_i;
  end

  // The last rank of a device that has a parent is the parent.
  localparam int unsigned Last = NumRanks - 1;
  function automatic logic is_parent(logic [RankW-1:0] r);
    return Uplink != 0 && 32'(r) == Last;
  endfunction

  // A slot holds something while it has a record, or has lost it, and packets in it.
  function automatic logic holds(slot_rec_t rec);
    if (rec.empty) return 1'b0;
    return rec.valid || (Ecc != 0 && rec.lost);
  endfunction
  // A column waits for the parent from its last packet to the parent's result, and for a worker
  // from its first packet to that of the worker.
  function automatic logic waits(slot_rec_t rec, logic [RankW-1:0] r);
    if (is_parent(r)) return rec.complete && rec.parent && !rec.answered;
    if (!holds(rec)) return 1'b0;
    return (RankW + 1)'(r) < rec.workers && !rec.accepted[r];
  endfunction
  // Exactly the ring's workers have sent theirs.
  logic [MaxRanks-1:0] as_it_is;
  always_comb begin
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      as_it_is[r] = behind_q.accepted[r] == (32'(behind_q.workers) > r);
    end
  end

  logic touched, owed, owes;
  assign touched = !reset_q && valid_q && op_q.touch;
  assign owed    = |front_q.owed;
  assign owes    = |behind_q.owed;

  always_ff @(posedge clk_i) begin
    if (past_q[1]) begin
      // In reset nothing is told.
      a_reset : assert (!reset_q || (!obs.valid && !obs.lost && events == '0))
      else $error("told in reset");
      if (!reset_q) begin
        // The observer is told of decisions, of commits and of takes that bring results.
        a_seen : assert (obs.valid == (decide_q || commit_q || (take_q && done_q)))
        else $error("valid %b", obs.valid);
        if (take_q) begin
          // A take: which ranks' results leave, of which message.
          a_take : assert (obs.kind == ObsTake && obs.ranks[r_q] == ranks_q[r_q] &&
                           obs.msgid == behind_q.tag)
          else $error("take of %b, message %0d", obs.ranks, obs.msgid);
        end else begin
          // All others are of the operation's own message.
          a_msgid : assert (obs.msgid == op_q.msgid)
          else $error("message %0d", obs.msgid);
        end
        if (commit_q && !take_q) begin
          // A commit: whose packets are in the banks.
          a_commit : assert (obs.kind == ObsCommit && obs.ranks[r_q] == ranks_q[r_q])
          else $error("commit of %b", obs.ranks);
        end
        if (commit_q) begin
          // By which ports, and whether the first results are due.
          a_by : assert (obs.ports[r_q] == ports_q[r_q] && obs.completes == completes_q)
          else $error("rank %0d by port %0d", r_q, obs.ports[r_q]);
        end else begin
          // Nothing else is by a port.
          a_no_port : assert (obs.ports[r_q] == '0)
          else $error("rank %0d by port %0d", r_q, obs.ports[r_q]);
          // A decision completes a column if it stores a worker's packet, and every worker's is
          // there then. The parent's packet completes none.
          a_completes : assert (obs.completes == (decide_q && op_q.touch &&
              fate_q == FateStored && !is_parent(op_q.rank) && as_it_is == '1))
          else $error("completes %b", obs.completes);
        end
        if (!take_q && !commit_q) begin
          // A decision: of no more than its own rank.
          a_decide : assert (obs.kind == ObsDecide && obs.ranks[r_q] == 1'b0)
          else $error("kind %0d, ranks %b", obs.kind, obs.ranks);
        end
        // Who it is of, and the fate, stand as they came in.
        a_whose : assert (obs.port == op_q.port && obs.conn == op_q.conn &&
                          obs.rank == op_q.rank && obs.fate == fate_q)
        else $error("port %0d, rank %0d", obs.port, obs.rank);
        // Where it is: as look-up has found, of a packet; as the record has it, of all else.
        a_where : assert ({obs.ring, obs.offset, events.ring} ==
            (decide_q ? {op_q.ring, op_q.offset, op_q.ring} :
             {behind_q.ring, behind_q.offset, behind_q.ring}))
        else $error("ring %0d, offset %0d", obs.ring, obs.offset);
        // That the record in front of it was lost is told of every operation on it, with its slot.
        // Without a code nothing is lost.
        a_lost : assert ({obs.lost, obs.slot, obs.of_ring} == ((Ecc == 0) ? '0 :
            {touched && front_q.lost, op_q.slot, op_q.of_ring}))
        else $error("slot %0d lost %b", obs.slot, obs.lost);

        // A packet of the ring has its fate.
        a_decided : assert (events.decided == (decide_q && op_q.of_ring) && events.fate == fate_q)
        else $error("decided %b", events.decided);
        // A result is counted for each rank that gets one: that of a device, not the parent and not
        // behind it.
        a_results : assert (events.results[r_q] == (take_q && done_q && ranks_q[r_q] &&
                            32'(r_q) < NumRanks && !is_parent(r_q)))
        else $error("results %b", events.results);
        // A slot that held nothing holds packets now, or the other way round.
        a_fills : assert (events.fills == (touched && holds(behind_q) && !holds(front_q)) &&
                          events.empties == (touched && holds(front_q) && !holds(behind_q)))
        else $error("fills %b, empties %b", events.fills, events.empties);
        // Results are due and were not, or the other way round.
        a_owes : assert (events.owes == (touched && owes && !owed) &&
                         events.settles == (touched && owed && !owes))
        else $error("owes %b, settles %b", events.owes, events.settles);
        // It waits for a rank now and did not, or the other way round.
        a_waits : assert (
            events.waits[r_q] == (touched && waits(behind_q, r_q) && !waits(front_q, r_q)) &&
            events.comes[r_q] == (touched && waits(front_q, r_q) && !waits(behind_q, r_q)))
        else $error("rank %0d: waits %b, comes %b", r_q, events.waits[r_q], events.comes[r_q]);

        // The column's last packet, and what it waited for.
        c_completes : cover (obs.valid && obs.kind == ObsDecide && obs.completes &&
                             behind_q.workers == (RankW + 1)'(2));
        c_comes : cover (events.comes[r_q] && 32'(r_q) == Last);
      end
    end
  end

endmodule
