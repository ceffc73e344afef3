// Stands between emission and slot state in a device with a parent port (docs/relay.md): says what
// each taken read is to become, and holds back what has no headers. Of rings that have no parent
// nothing is changed.
//
// A take of what is due to the parent becomes one packet up: the sum of the children's rows, with
// headers of the virtual connection. In front of it a leaf sends its last worker's headers of a
// message's first and last packet, as a notification; of other packets it goes on to the sum at
// once. A take of results reads the parent's row alone; the last rank of a leaf stands for the
// connection that comes in from another leaf and ends at its first worker, and is left out as long
// as the headers of its message are not there.
//
// MsgLen of a message is kept by its first slot, as look-up answers. Emission waits a few cycles
// longer for an answer, and this module for slot state alone.
module relay_take
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Ports, 1 to 16. The last one leads to the parent.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have here, 1 to 14. The parent's is behind them.
  parameter int unsigned NumRanks = 6,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Largest window N of a ring, messages; power of two.
  parameter int unsigned MaxWindow = 4,
  /// 0: children are workers. 1 to 15: those of some rings are devices, whose packets have all
  /// headers.
  parameter int unsigned SpineShift = 0,
  localparam int unsigned Entries = 2 * worker_window(MaxWindow, SpineShift),
  localparam int unsigned NoteW = $clog2(NumRings * Entries)
) (
  input logic clk_i,
  input logic rst_ni,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // First packets of messages, as look-up answers.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic             head_valid_i,
  input logic [SlotW-1:0] head_slot_i,
  input logic [31:0]      head_msgid_i,
  input logic [15:0]      head_msglen_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Emission.
  input  logic      take_valid_i,
  output logic      take_ready_o,
  input  take_t     take_i,
  output logic      take_rsp_valid_o,
  output take_rsp_t take_rsp_o,

  // Slot state.
  output logic             state_valid_o,
  input  logic             state_ready_i,
  output take_t            state_o,
  input  logic             state_rsp_valid_i,
  input  take_rsp_t        state_rsp_i,
  input  logic             state_note_i,
  input  logic [31:0]      state_msgid_i,
  input  logic [SlotW-1:0] state_offset_i,

  // What is known of a message, a cycle later.
  output logic             look_o,
  output logic [NoteW-1:0] look_at_o,
  input  relay_note_t      note_i,

  // With an answer that makes a read: what becomes of its header record.
  output logic        edit_valid_o,
  output relay_edit_t edit_o,

  // The last row of a read comes out of the banks; and is the read in front the parent's alone?
  input  logic row_last_i,
  output logic from_parent_o,

  // Pulses: a packet to the parent, a notification, a result without headers, a column that found
  // no way up.
  output logic up_o,
  output logic note_o,
  output logic no_headers_o,
  output logic no_way_o
);

  localparam int unsigned AddrW = (NumSlots > 1) ? $clog2(NumSlots) : 1;
  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned EntryW = $clog2(Entries);
  localparam logic [PortW-1:0] UpPort = PortW'(NumPorts - 1);

  // What is known of the column is fetched in three steps, then it is decided.
  typedef enum logic [2:0] {Idle, Ask, Wait, Fetch, Look, Weigh, Decide} state_e;

  state_e           state_q;
  take_t            take_q;
  take_rsp_t        rsp_q;
  logic             note_q;
  logic [31:0]      msgid_q;
  logic [SlotW-1:0] offset_q;

  // ---------------------------------------------------------------------------------------------
  // Fetch: the ring, and the length of the message. Look: what notifications brought of it.

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
    .Depth  (NumSlots),
    .Latency(2)
  ) u_heads (
    .clk_i,
    .we_i   (head_valid_i),
    .waddr_i(AddrW'(head_slot_i)),
    .wdata_i({head_msgid_i, head_msglen_i}),
    .re_i   (state_q == Fetch),
    .raddr_i(AddrW'(take_q.slot - offset_q)),
    .rdata_o(head)
  );

  assign leaf      = SpineShift == 0 || !relay_q.devices;
  assign look_o    = state_q == Look;
  assign look_at_o = NoteW'(32'(rsp_q.ring) * Entries + 32'(entry_q));

  always_ff @(posedge clk_i) begin
    if (state_q == Fetch) begin
      relay_q <= relays_i[rsp_q.ring[RingIdxW-1:0]];
      entry_q <= EntryW'(entry_of(msgid_q[6:0], rings_i[rsp_q.ring[RingIdxW-1:0]].window_log2));
      last_rank_q <= '0;
      for (int unsigned r = 0; r < NumRanks; r++) begin
        last_rank_q[r] <= (RankW + 1)'(r + 1) == rsp_q.workers;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Weigh: what that means for this packet.

  logic        known_q;         // the length is that of this message
  logic        ends_q;          // the message's first packet or its last
  logic        whole_q;         // no worker elsewhere
  logic        lasts_q;         // a result: last packet of several
  logic        first_fits_q, last_fits_q, headers_fit_q;
  logic        to_last_q, to_others_q;
  logic [15:0] msglen_q;
  logic [23:0] psn_q;
  logic [7:0]  rank_q;

  always_ff @(posedge clk_i) begin
    if (state_q == Weigh) begin
      known_q  <= !leaf || (head.msgid == msgid_q && 16'(offset_q) < head.msglen);
      msglen_q <= leaf ? head.msglen : '0;
      ends_q   <= offset_q == '0 || 16'(offset_q) + 16'd1 == (leaf ? head.msglen : 16'd0);
      whole_q  <= 32'(relay_q.total) == 32'(rsp_q.workers);
      lasts_q  <= offset_q != '0 && 16'(offset_q) + 16'd1 == note_i.numbers.msglen;
      headers_fit_q <= note_i.numbers.msgid == msgid_q && note_i.numbers.kind == rsp_q.kind &&
          16'(offset_q) < note_i.numbers.msglen;
      first_fits_q <= note_i.first;
      last_fits_q  <= note_i.last;
      to_last_q    <= (rsp_q.ranks & last_rank_q) != '0;
      to_others_q  <= (rsp_q.ranks & ~last_rank_q) != '0;
      psn_q        <= note_i.numbers.psn0 + 24'(offset_q);
      rank_q       <= relay_q.first + 8'(rsp_q.workers) - 8'd1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Decide: what a take becomes. The answer leaves a cycle later.

  logic        up, retake, headers_there;
  take_rsp_t   answer;
  relay_edit_t edit;
  logic        goes_up, notes, headless, stuck;

  assign up            = rsp_q.ranks[NumRanks];
  assign headers_there = headers_fit_q && (lasts_q ? last_fits_q : first_fits_q);

  always_comb begin
    answer     = rsp_q;
    retake     = 1'b0;
    edit       = '0;
    edit.port  = UpPort;
    edit.ring  = rsp_q.ring;
    edit.rank  = rank_q;
    edit.msgid = msgid_q;
    edit.msglen     = msglen_q;
    edit.offset     = offset_q;
    edit.kind       = rsp_q.kind;
    edit.tensor_len = rsp_q.tensor_len;
    edit.psn        = psn_q;
    edit.last       = lasts_q;
    edit.kept       = SlotW'({look_at_o, lasts_q});
    goes_up  = 1'b0;
    notes    = 1'b0;
    headless = 1'b0;
    stuck    = 1'b0;

    if (rsp_q.status == TakeDone) begin
      if (up && note_q && (!known_q || !ends_q || whole_q)) begin
        retake = 1'b1;
      end else if (up && !known_q) begin
        stuck  = 1'b1;
        retake = rsp_q.more;
        answer.status = TakeGone;
      end else if (up) begin
        // The record of a child goes along; a notification is that of the last worker.
        edit.what    = note_q ? EditNote : EditUp;
        answer.ranks = !leaf ? MaxRanks'(1) : (note_q ? last_rank_q : rsp_q.ranks);
        for (int unsigned r = 0; r < MaxRanks; r++) answer.port[r] = UpPort;
        if (note_q) answer.tensor_len = '0;
        goes_up = !note_q;
        notes   = note_q;
      end else if (relay_q.parent) begin
        answer.workers = (RankW + 1)'(1);   // the parent's row stands in the place of rank 0's
        if (leaf && !whole_q && to_last_q) begin
          edit.what = EditResult;
          for (int unsigned r = 0; r < NumRanks; r++) begin
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
  assign state_valid_o = (state_q == Idle && take_valid_i) || state_q == Ask;
  assign state_o       = (state_q == Idle) ? take_i : take_q;

  logic from_parent_q;   // the answer is the parent's row
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: if (take_valid_i && state_ready_i) begin
        state_q <= Wait;
        take_q  <= take_i;
      end
      Ask:  if (state_ready_i) state_q <= Wait;
      Wait: if (state_rsp_valid_i) begin
        state_q  <= Fetch;
        rsp_q    <= state_rsp_i;
        note_q   <= state_note_i;
        msgid_q  <= state_msgid_i;
        offset_q <= state_offset_i;
      end
      Fetch:   state_q <= Look;
      Look:    state_q <= Weigh;
      Weigh:   state_q <= Decide;
      Decide:  state_q <= retake ? Ask : Idle;
      default: state_q <= Idle;
    endcase

    take_rsp_valid_o <= state_q == Decide && !retake;
    take_rsp_o       <= answer;
    edit_valid_o     <= state_q == Decide && !retake && answer.status == TakeDone;
    edit_o           <= edit;
    from_parent_q    <= relay_q.parent && !up;
    up_o             <= state_q == Decide && goes_up;
    note_o           <= state_q == Decide && notes;
    no_headers_o     <= state_q == Decide && headless;
    no_way_o         <= state_q == Decide && stuck;
    if (!rst_ni) begin
      state_q          <= Idle;
      take_rsp_valid_o <= 1'b0;
      edit_valid_o     <= 1'b0;
      up_o             <= 1'b0;
      note_o           <= 1'b0;
      no_headers_o     <= 1'b0;
      no_way_o         <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Reads come out of the banks in the order of their answers; few are under way at once.

  logic       from_ready, from_valid;
  logic [2:0] from_count_unused;
  logic       from;

  prim_fifo #(
    .T    (logic),
    .Depth(4)
  ) u_from (
    .clk_i,
    .rst_ni,
    .in_valid_i (edit_valid_o),
    .in_ready_o (from_ready),
    .in_i       (from_parent_q),
    .out_valid_o(from_valid),
    .out_ready_i(row_last_i),
    .out_o      (from),
    .count_o    (from_count_unused)
  );
  assign from_parent_o = from;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Each read has its place; a sum would be sent for a result, or the other way round.
      a_room : assert (!edit_valid_o || from_ready)
      else $error("%m: too many reads are under way");
      a_read : assert (!row_last_i || from_valid)
      else $error("%m: a read that nobody asked for");
      // Only the children's sum goes up, and only the parent's row down.
      a_one_way : assert (state_q != Decide || rsp_q.status != TakeDone ||
          !rsp_q.ranks[NumRanks] || $onehot(rsp_q.ranks))
      else $error("%m: one take goes up and down");
    end
  end

endmodule
