// Filter between emission and slot state below a parent (docs/relay.md): says what each taken read
// is to become, and holds back what has no headers. Of rings that have no parent nothing is
// changed.
//
// A take of what is due to the parent becomes one packet up: the sum of the children's rows, or
// that sum as it was kept, with headers of the virtual connection. In front of it a leaf sends its
// last worker's headers of a message's first and last packet, as a notification; of other packets
// it goes on to the sum at once. A take of results reads the parent's row alone; the last rank of a
// leaf stands for the connection that comes in from another leaf and ends at its first worker, and
// is left out as long as the headers of its message are not there.
//
// MsgLen of a message is kept by its first slot, as look-up answers. Of a column that cannot go up
// for want of it the sum is taken for nobody: it is kept then, as slot state believes. Emission
// waits a few cycles longer for an answer, and this module for slot state alone.
module relay_take
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes. The last port leads to the parent, whose rank is behind the children's.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Rings as registers have them, and what the device is in each of them.
  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,

  // First packets of messages, as they go to slot state.
  input relay_head_t head_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Takes of emission, and their answers.
  input  take_req_t take_i,
  output logic      take_ready_o,
  output taken_t    taken_o,

  // Takes to slot state; with its answer the column.
  output take_req_t state_o,
  input  logic      state_ready_i,
  input  taken_t    state_taken_i,
  input  column_t   state_column_i,

  // Read of relay_notes: what is known of a message, a cycle later.
  output relay_look_t look_o,
  input  relay_note_t note_i,

  // In the cycle of an answer that makes a read: how its header record is edited.
  output relay_edit_req_t edit_o,

  // Pulses for the counters.
  output relay_take_events_t events_o
);

  localparam int unsigned Entries = 2 * Cfg.MaxWindow;
  localparam int unsigned AddrW = (Cfg.NumSlots > 1) ? $clog2(Cfg.NumSlots) : 1;
  localparam int unsigned RingIdxW = (Cfg.NumRings > 1) ? $clog2(Cfg.NumRings) : 1;
  localparam int unsigned EntryW = $clog2(Entries);
  localparam logic [PortW-1:0] UpPort = PortW'(Cfg.NumPorts - 1);

  // What is known of the column is fetched in two steps behind the answer, then it is decided.
  typedef enum logic [2:0] {Idle, Ask, Wait, Look, Weigh, Decide} state_e;

  state_e           state_q;
  take_t            take_q;
  take_rsp_t        rsp_q;
  column_t          column_q;

  // ---------------------------------------------------------------------------------------------
  // With the answer: the ring, and the length of the message. Look: what notifications brought.

  typedef struct packed {
    logic [31:0] msgid;
    logic [15:0] msglen;
  } head_t;

  /* verilator lint_off UNUSEDSIGNAL */
  head_t               head;      // in Weigh
  relay_ring_t         relay_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [EntryW-1:0]   entry_q;
  logic [MaxRanks-1:0] last_rank_q;
  logic                leaf;      // the ring's children are workers

  prim_ram_1r1w #(
    .Width  ($bits(head_t)),
    .Depth  (Cfg.NumSlots),
    .Latency(2)
  ) u_heads (
    .clk_i,
    .we_i   (head_i.valid),
    .waddr_i(AddrW'(head_i.slot)),
    .wdata_i({head_i.msgid, head_i.msglen}),
    .re_i   (state_q == Wait && state_taken_i.valid),
    .raddr_i(AddrW'(take_q.slot - SlotW'({state_column_i.offset, 1'b0}))),
    .rdata_o(head)
  );

  assign leaf      = Cfg.Spine == 0 || !relay_q.devices;
  assign look_o    = '{valid: state_q == Look,
                       at: (SlotW - 1)'(32'(rsp_q.ring) * Entries + 32'(entry_q))};

  always_ff @(posedge clk_i) begin
    if (state_q == Wait) begin
      relay_q <= relays_i[state_taken_i.taken.ring[RingIdxW-1:0]];
      entry_q <= EntryW'(entry_of(state_column_i.msgid[6:0],
                                  rings_i[state_taken_i.taken.ring[RingIdxW-1:0]].window_log2));
      last_rank_q <= '0;
      for (int unsigned r = 0; r < Cfg.NumRanks; r++) begin
        last_rank_q[r] <= (RankW + 1)'(r + 1) == state_taken_i.taken.workers;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Weigh: what that means for this packet.

  logic        known_q;         // the length is that of this message
  logic        ends_q;          // the message's first packet or its last
  logic        whole_q;         // all workers of the ring are here
  logic        lasts_q;         // a result: last packet of several
  logic        first_fits_q, last_fits_q, headers_fit_q;
  logic        to_last_q, to_others_q;
  logic [15:0] msglen_q;
  logic [23:0] psn_q;
  logic [7:0]  rank_q;

  always_ff @(posedge clk_i) begin
    if (state_q == Weigh) begin
      known_q  <= !leaf || (head.msgid == column_q.msgid && 16'(column_q.offset) < head.msglen);
      msglen_q <= leaf ? head.msglen : '0;
      ends_q   <= column_q.offset == '0 ||
          16'(column_q.offset) + 16'd1 == (leaf ? head.msglen : 16'd0);
      whole_q  <= 32'(relay_q.total) == 32'(rsp_q.workers);
      lasts_q  <= column_q.offset != '0 && 16'(column_q.offset) + 16'd1 == note_i.numbers.msglen;
      headers_fit_q <= note_i.numbers.msgid == column_q.msgid &&
          note_i.numbers.kind == rsp_q.kind && 16'(column_q.offset) < note_i.numbers.msglen;
      first_fits_q <= note_i.first;
      last_fits_q  <= note_i.last;
      to_last_q    <= (rsp_q.ranks & last_rank_q) != '0;
      to_others_q  <= (rsp_q.ranks & ~last_rank_q) != '0;
      psn_q        <= note_i.numbers.psn0 + 24'(column_q.offset);
      rank_q       <= relay_q.first + 8'(rsp_q.workers) - 8'd1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Decide: what a take becomes. The answer leaves a cycle later.

  logic        up, retake, headers_there;
  take_rsp_t   answer;
  relay_edit_t edit;
  logic        goes_up, notes, headless, stuck;

  assign up            = rsp_q.ranks[Cfg.NumRanks];
  assign headers_there = headers_fit_q && (lasts_q ? last_fits_q : first_fits_q);

  always_comb begin
    answer     = rsp_q;
    retake     = 1'b0;
    edit       = '0;
    edit.port  = UpPort;
    edit.ring  = rsp_q.ring;
    edit.rank  = rank_q;
    edit.msgid = column_q.msgid;
    edit.msglen     = msglen_q;
    edit.offset     = column_q.offset;
    edit.kind       = rsp_q.kind;
    edit.tensor_len = rsp_q.tensor_len;
    edit.psn        = psn_q;
    edit.last       = lasts_q;
    edit.kept       = SlotW'({look_o.at, lasts_q});
    goes_up  = 1'b0;
    notes    = 1'b0;
    headless = 1'b0;
    stuck    = 1'b0;

    // What goes up needs the last port, whatever becomes of it.
    if (up) for (int unsigned r = 0; r < MaxRanks; r++) answer.port[r] = UpPort;
    if (rsp_q.status == TakeDone) begin
      if (up && column_q.note && (!known_q || !ends_q || whole_q)) begin
        retake = 1'b1;
      end else if (up && !known_q) begin
        stuck        = 1'b1;
        answer.ranks = '0;
        if (!rsp_q.sum) begin
          retake        = rsp_q.more;
          answer.status = TakeGone;
        end
      end else if (up) begin
        // The record of a child goes along; a notification is that of the last worker.
        edit.what    = column_q.note ? EditNote : EditUp;
        answer.ranks = !leaf ? MaxRanks'(1) : (column_q.note ? last_rank_q : rsp_q.ranks);
        if (column_q.note) begin   // no row of it is looked at; the sum is still to come
          answer.tensor_len = '0;
          answer.sum        = 1'b0;
          answer.kept       = 1'b0;
        end
        goes_up = !column_q.note;
        notes   = column_q.note;
      end else if (relay_q.parent) begin
        answer.sum     = 1'b0;
        answer.kept    = 1'b0;
        if (leaf && !whole_q && to_last_q) begin
          edit.what = EditResult;
          for (int unsigned r = 0; r < Cfg.NumRanks; r++) begin
            if (last_rank_q[r]) edit.port = rsp_q.port[r];
          end
          if (!headers_there) begin
            edit.what    = EditNone;
            headless     = 1'b1;
            answer.ranks = rsp_q.ranks & ~last_rank_q;
            if (!to_others_q) begin
              retake        = rsp_q.more;
              answer.status = TakeGone;
            end
          end
        end
      end
    end
  end

  assign take_ready_o  = state_q == Idle && state_ready_i;
  assign state_o.valid = (state_q == Idle && take_i.valid) || state_q == Ask;
  assign state_o.take  = (state_q == Idle) ? take_i.take : take_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: if (take_i.valid && state_ready_i) begin
        state_q <= Wait;
        take_q  <= take_i.take;
      end
      Ask:  if (state_ready_i) state_q <= Wait;
      Wait: if (state_taken_i.valid) begin
        state_q  <= Look;
        rsp_q    <= state_taken_i.taken;
        column_q <= state_column_i;
      end
      Look:    state_q <= Weigh;
      Weigh:   state_q <= Decide;
      Decide:  state_q <= retake ? Ask : Idle;
      default: state_q <= Idle;
    endcase

    taken_o.valid       <= state_q == Decide && !retake;
    taken_o.taken       <= answer;
    edit_o.valid        <= state_q == Decide && !retake && answer.status == TakeDone &&
        answer.ranks != '0;
    edit_o.edit         <= edit;
    events_o.up         <= state_q == Decide && goes_up;
    events_o.note       <= state_q == Decide && notes;
    events_o.no_headers <= state_q == Decide && headless;
    events_o.no_way     <= state_q == Decide && stuck;
    if (!rst_ni) begin
      state_q       <= Idle;
      taken_o.valid <= 1'b0;
      edit_o.valid  <= 1'b0;
      events_o      <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Only the children's sum goes up, and only the parent's row down.
      a_one_way : assert (state_q != Decide || rsp_q.status != TakeDone ||
          !rsp_q.ranks[Cfg.NumRanks] || $onehot(rsp_q.ranks))
      else $error("%m: one take goes up and down");
    end
  end

endmodule
