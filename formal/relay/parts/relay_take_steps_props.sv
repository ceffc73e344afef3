// relay_take, step by step: what a cycle makes of a take from wherever it may stand, with any
// registers, whatever is known of the message (`cuts` of the task). The sentences are those of
// docs/relay.md. (From the take to its answer: relay_take_props.)
module relay_take_steps_props
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// Above 0: rings may be above other devices.
  parameter int unsigned Spine = 0,
  parameter int unsigned NumRanks = 3
) (
  input logic              clk_i,
  input logic              rst_ni,
  input relay_head_t       head_i,
  input take_req_t         take_i,
  input logic              state_ready_i,
  input taken_t            state_taken_i,
  input column_t           state_column_i,
  input relay_note_t       note_i,
  input ring_t       [1:0] rings_i,
  input relay_ring_t [1:0] relays_i
);

  localparam int unsigned NumPorts = 4;
  localparam int unsigned Window = 2;
  localparam int unsigned NumSlots = 16;
  localparam cfg_t Cfg = make_cfg(NumPorts, NumRanks, 256, NumSlots, 2, 16, Window, 0, Spine, 1, 2,
                                  9728, 0);
  localparam logic [PortW-1:0] UpPort = PortW'(NumPorts - 1);
  // The RTL's states: slot state is asked again, it owes an answer, and three steps behind that.
  localparam logic [2:0] Idle = 3'd0, Ask = 3'd1, Wait = 3'd2, Look = 3'd3, Weigh = 3'd4;
  localparam logic [2:0] Decide = 3'd5;

  logic               take_ready;
  taken_t             taken;
  take_req_t          ask;
  relay_look_t        look;
  relay_edit_req_t    edit;
  relay_take_events_t events;

  relay_take #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .head_i,
    .take_i,
    .take_ready_o (take_ready),
    .taken_o      (taken),
    .state_o      (ask),
    .state_ready_i,
    .state_taken_i,
    .state_column_i,
    .look_o       (look),
    .note_i,
    .edit_o       (edit),
    .events_o     (events)
  );

  // ---------------------------------------------------------------------------------------------
  // The cycle before.

  typedef struct packed {
    logic [31:0] msgid;
    logic [15:0] msglen;
  } head_t;

  typedef struct packed {
    logic        ran;
    logic [2:0]  state;
    take_t       take;
    take_rsp_t   rsp;
    column_t     column;
    relay_ring_t relay;        // the ring's place in the tree, as it was with the answer
    logic [1:0]  entry;        // the message's entry of its ring's
    logic [MaxRanks-1:0] last_rank;
  } at_t;

  typedef struct packed {
    take_req_t   take;
    logic        ready;
    taken_t      taken;
    column_t     column;
    relay_note_t note;
    head_t       head;         // what the memory answers
  } came_t;

  // What was weighed, for the decision.
  typedef struct packed {
    logic        known;
    logic        ends;
    logic        whole;
    logic        headers;
    logic        last;
    logic        to_last;
    logic        to_others;
    logic [15:0] msglen;
    logic [23:0] psn;
    logic [7:0]  rank;
  } weighed_t;

  at_t         now, q;
  came_t       came, came_q;
  weighed_t    means, means1_q, means_q;
  relay_ring_t relay_in_q;
  logic [2:0]  window_q;
  logic [2:0]  past_q;
  initial past_q = '0;

  assign now  = '{rst_ni, u_dut.state_q, u_dut.take_q, u_dut.rsp_q, u_dut.column_q, u_dut.relay_q,
                  u_dut.entry_q, u_dut.last_rank_q};
  assign came = '{take_i, state_ready_i, state_taken_i, state_column_i, note_i, u_dut.head};
  always_ff @(posedge clk_i) begin
    past_q     <= {past_q[1:0], 1'b1};
    q          <= now;
    came_q     <= came;
    means1_q   <= means;
    means_q    <= means1_q;   // two cycles ago
    relay_in_q <= relays_i[state_taken_i.taken.ring[0]];
    window_q   <= rings_i[state_taken_i.taken.ring[0]].window_log2;
  end

  // What a message's length and its notifications mean for the packet: of the cycle in which they
  // are weighed.
  logic        leaf;
  logic [15:0] offset, msglen;
  assign leaf   = Spine == 0 || !now.relay.devices;
  assign offset = 16'(now.column.offset);
  assign msglen = leaf ? came.head.msglen : 16'd0;   // devices below know it themselves
  always_comb begin
    means           = '0;
    means.known     = !leaf || (came.head.msgid == now.column.msgid && offset < msglen);
    means.msglen    = msglen;
    means.ends      = offset == 16'd0 || offset + 16'd1 == msglen;
    means.whole     = now.relay.total == 8'(now.rsp.workers);
    means.last      = offset != 16'd0 && offset + 16'd1 == came.note.numbers.msglen;
    means.headers   = came.note.numbers.msgid == now.column.msgid &&
        came.note.numbers.kind == now.rsp.kind && offset < came.note.numbers.msglen &&
        (means.last ? came.note.last : came.note.first);
    means.to_last   = (now.rsp.ranks & now.last_rank) != '0;
    means.to_others = (now.rsp.ranks & ~now.last_rank) != '0;
    means.psn       = came.note.numbers.psn0 + 24'(offset);
    means.rank      = now.relay.first + 8'(now.rsp.workers) - 8'd1;
  end

  // ---------------------------------------------------------------------------------------------
  // What a take becomes, of the cycle in which it is decided.

  logic                decided, done, up, note, q_leaf, outward, unknown;
  logic                again;
  take_e               status;
  logic [MaxRanks-1:0] ranks;
  relay_what_e         what;
  logic [PortW-1:0]    last_port;   // of the last worker
  assign decided = q.state == Decide;
  assign done    = q.rsp.status == TakeDone;
  assign up      = q.rsp.ranks[NumRanks];
  assign note    = up && q.column.note;
  assign q_leaf  = Spine == 0 || !q.relay.devices;
  // A notification is of a message's first or last packet, and where there are other leaves.
  assign unknown = up && !means_q.known &&
                   !(note);   // a notification of what is not known is none, and the sum comes
  // The connection that comes in from another leaf ends at the last rank's.
  assign outward = !up && q.relay.parent && q_leaf && !means_q.whole && means_q.to_last;
  always_comb begin
    last_port = UpPort;
    for (int unsigned r = 0; r < NumRanks; r++) if (q.last_rank[r]) last_port = q.rsp.port[r];
    again  = 1'b0;
    status = q.rsp.status;
    ranks  = q.rsp.ranks;
    what   = EditNone;
    if (done && note) begin
      again = !means_q.known || !means_q.ends || means_q.whole;
      what  = EditNote;
      ranks = q_leaf ? q.last_rank : MaxRanks'(1);
    end
    if (done && up && !note && means_q.known) begin
      what  = EditUp;
      ranks = q_leaf ? q.rsp.ranks : MaxRanks'(1);
    end
    // For want of a way up, or of headers, nobody gets it. What has been summed is done all the
    // same, else the slot is done with, or asked for what it has more.
    if (done && unknown) begin
      ranks = '0;
      if (!q.rsp.sum) {again, status} = {q.rsp.more, TakeGone};
    end
    if (done && outward && means_q.headers) what = EditResult;
    if (done && outward && !means_q.headers) begin
      ranks = q.rsp.ranks & ~q.last_rank;
      if (!means_q.to_others) {again, status} = {q.rsp.more, TakeGone};
    end
  end

  logic goes, rows;
  assign goes = decided && !again && status == TakeDone && ranks != '0;
  // Rows of the children are read: not for a notification, and not for the parent's result.
  assign rows = !(done && (what == EditNote || (!up && q.relay.parent)));

  always_ff @(posedge clk_i) begin
    if (past_q[2] && q.ran) begin
      // A take is taken when none is under way and slot state takes it; then its answer is waited
      // for, and takes three steps.
      a_steps : assert (now.state == (
          q.state == Idle ? (came_q.take.valid && came_q.ready ? Wait : Idle) :
          q.state == Ask ? (came_q.ready ? Wait : Ask) :
          q.state == Wait ? (came_q.taken.valid ? Look : Wait) :
          q.state == Look ? Weigh : q.state == Weigh ? Decide :
          decided && again ? Ask : Idle))
      else $error("state %0d behind %0d", now.state, q.state);
      // The take stays until the next one is.
      a_take : assert (now.take == ((q.state == Idle && came_q.take.valid && came_q.ready) ?
                                    came_q.take.take : q.take))
      else $error("slot %0d", now.take.slot);
      // So does slot state's answer, which counts while it is waited for.
      a_answer : assert ({now.rsp, now.column} == ((q.state == Wait && came_q.taken.valid) ?
          {came_q.taken.taken, came_q.column} : {q.rsp, q.column}))
      else $error("another answer");
      if (q.state == Wait) begin
        // With it comes the ring's place in the tree, the entry that the message has, and which
        // rank is the last.
        a_ring : assert (now.relay == relay_in_q && 32'(now.entry) ==
            (32'(came_q.column.msgid[6:0]) % (32'd2 << window_q)) % (2 * Window))
        else $error("entry %0d", now.entry);
      end else begin
        // That stays, too.
        a_ring_stays : assert ({now.relay, now.entry, now.last_rank} ==
                               {q.relay, q.entry, q.last_rank})
        else $error("entry %0d", now.entry);
      end
      // A take is answered once, as it was decided; one that is to be asked again is not.
      a_answers : assert (taken.valid == (decided && !again) && edit.valid == goes)
      else $error("answered %b, edited %b", taken.valid, edit.valid);
      if (taken.valid) begin
        // Slot state's word, but for the ranks that get it, and for what there is no way or no
        // headers for.
        a_taken : assert (taken.taken.status == status && taken.taken.ranks == ranks &&
            taken.taken.more == q.rsp.more && taken.taken.ring == q.rsp.ring &&
            taken.taken.workers == q.rsp.workers && taken.taken.kind == q.rsp.kind &&
            taken.taken.slot == q.rsp.slot)
        else $error("status %0d, ranks %b", taken.taken.status, taken.taken.ranks);
        // Rows are the sum, or the kept one, if the children's are sent; a notification has no
        // tensor.
        a_rows : assert ({taken.taken.sum, taken.taken.kept} ==
                         (rows ? {q.rsp.sum, q.rsp.kept} : 2'b00) &&
                         taken.taken.tensor_len == (done && what == EditNote ? 14'd0 :
                                                    q.rsp.tensor_len))
        else $error("sum %b, kept %b", taken.taken.sum, taken.taken.kept);
        // What goes up leaves by the last port, a result by its rank's.
        a_ports : assert (taken.taken.port == (up ? {MaxRanks{UpPort}} : q.rsp.port))
        else $error("ports %0h", taken.taken.port);
      end
      if (goes) begin
        // The packet's header record becomes one up, a notification, or a result from elsewhere,
        // with the numbers of the column.
        a_edit : assert (edit.edit.what == what && edit.edit.ring == q.rsp.ring &&
            edit.edit.msgid == q.column.msgid && edit.edit.offset == q.column.offset &&
            edit.edit.kind == q.rsp.kind && edit.edit.tensor_len == q.rsp.tensor_len &&
            edit.edit.msglen == means_q.msglen)
        else $error("becomes %0d", edit.edit.what);
        // It is edited at the port that it leaves by; a result from elsewhere at that of the last
        // worker.
        a_edit_port : assert (what == EditNone ||
                             edit.edit.port == (what == EditResult ? last_port : UpPort))
        else $error("port %0d", edit.edit.port);
        // A notification names the worker in the whole ring; a result has its connection's PSN, and
        // the headers of its message's first packet, or of the last one.
        a_numbers : assert (edit.edit.rank == means_q.rank && edit.edit.psn == means_q.psn &&
            edit.edit.last == means_q.last &&
            edit.edit.kept == 2 * SlotW'(32'(q.rsp.ring) * (2 * Window) + 32'(q.entry)) +
                SlotW'(means_q.last))
        else $error("kept at %0d", edit.edit.kept);
      end
      // Counters: packets and notifications that went up, results without headers, columns without
      // a way up.
      a_events : assert (events.up == (decided && done && what == EditUp) &&
          events.note == (decided && done && what == EditNote && !again) &&
          events.no_headers == (decided && done && outward && !means_q.headers) &&
          events.no_way == (decided && done && unknown))
      else $error("counted %b", events);
    end
    // A result leaves on the connection from elsewhere; a leaf's column has no way up.
    c_outward : cover (past_q[2] && q.ran && goes && what == EditResult);
    c_stuck : cover (past_q[2] && q.ran && decided && done && unknown && q_leaf && again);
    if (past_q[2] && !q.ran) begin
      // A reset leaves no take.
      a_cleared : assert (now.state == Idle && !taken.valid && !edit.valid && events == '0)
      else $error("state %0d", now.state);
    end
    if (past_q[2]) begin
      // Slot state is asked for a take that comes while none is under way, and again for one that
      // was nothing.
      a_asks : assert (take_ready == (now.state == Idle && state_ready_i) &&
          ask.valid == (now.state == Ask || (now.state == Idle && take_i.valid)) &&
          (!ask.valid || ask.take == (now.state == Ask ? now.take : take_i.take)))
      else $error("asked for slot %0d", ask.take.slot);
      // Notes are looked for in the place of the ring's message.
      a_looks : assert (look.valid == (now.state == Look) && (!look.valid || look.at ==
          (SlotW - 1)'(32'(now.rsp.ring) * (2 * Window) + 32'(now.entry))))
      else $error("looks at %0d", look.at);
      // A message's length is kept by its first slot, and read there with the answer: slots of a
      // message stand two apart.
      a_kept : assert (u_dut.u_heads.we_i == head_i.valid &&
          u_dut.u_heads.re_i == (now.state == Wait && state_taken_i.valid) &&
          (!head_i.valid || (u_dut.u_heads.waddr_i == 4'(head_i.slot) &&
                             u_dut.u_heads.wdata_i == {head_i.msgid, head_i.msglen})) &&
          u_dut.u_heads.raddr_i == 4'(now.take.slot - 2 * state_column_i.offset))
      else $error("read at %0d", u_dut.u_heads.raddr_i);
      // The last rank is the one with as many as there are workers (helps the proof).
      a_last_rank : assert (q.state != Wait || now.last_rank == (
          (came_q.taken.taken.workers == '0 || 32'(came_q.taken.taken.workers) > NumRanks) ? '0 :
          MaxRanks'(1) << (came_q.taken.taken.workers - (RankW + 1)'(1))))
      else $error("last rank %b", now.last_rank);
    end
  end

endmodule
