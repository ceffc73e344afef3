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
module agg_relay_take
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_relay_pkg::*;
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
  localparam int unsigned Window = worker_window(MaxWindow, SpineShift),
  localparam int unsigned Notes = NumRings * 2 * Window
) (
  input logic clk_i,
  input logic rst_ni,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input relay_note_t [Notes-1:0]    notes_i,

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
  localparam int unsigned EntryW = $clog2(2 * Window);
  localparam int unsigned NoteW = $clog2(Notes);
  localparam logic [PortW-1:0] UpPort = PortW'(NumPorts - 1);

  typedef enum logic [2:0] {Idle, Ask, Wait, Fetch, Fetched, Decide} state_e;

  state_e           state_q;
  take_t            take_q;
  take_rsp_t        rsp_q;
  logic             note_q;
  logic [31:0]      msgid_q;
  logic [SlotW-1:0] offset_q;

  // ---------------------------------------------------------------------------------------------
  // Lengths of messages.

  typedef struct packed {
    logic [31:0] msgid;
    logic [15:0] msglen;
  } head_t;

  /* verilator lint_off UNUSEDSIGNAL */
  head_t       head;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        leaf;    // the ring's children are workers
  logic        known;   // the length is that of this message
  logic [15:0] msglen;

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
  assign known  = !leaf || (head.msgid == msgid_q && 16'(offset_q) < head.msglen);
  assign msglen = leaf ? head.msglen : '0;

  // ---------------------------------------------------------------------------------------------
  // What a take becomes.

  /* verilator lint_off UNUSEDSIGNAL */
  relay_ring_t           relay;
  /* verilator lint_on UNUSEDSIGNAL */
  relay_note_t           note;
  logic [EntryW-1:0]     entry;
  logic [NoteW-1:0]      note_at;
  logic                  up, whole, ends, last_packet, headers_there, retake;
  logic [MaxRanks-1:0]   last_rank;
  take_rsp_t             answer;
  relay_edit_t           edit;
  logic [2:0]            window_log2;

  assign window_log2   = rings_i[rsp_q.ring[RingIdxW-1:0]].window_log2;
  assign relay         = relays_i[rsp_q.ring[RingIdxW-1:0]];
  assign leaf          = SpineShift == 0 || !relay.devices;
  assign entry         = msgid_q[EntryW-1:0] & EntryW'((32'd2 << window_log2) - 32'd1);
  assign note_at       = NoteW'(32'(rsp_q.ring) * 2 * Window + 32'(entry));
  assign note          = notes_i[note_at];
  assign up            = rsp_q.ranks[NumRanks];
  assign whole         = 32'(relay.total) == 32'(rsp_q.workers);   // no worker elsewhere
  assign ends          = offset_q == '0 || 16'(offset_q) + 16'd1 == msglen;
  assign last_packet   = offset_q != '0 && 16'(offset_q) + 16'd1 == note.msglen;
  assign headers_there = note.msgid == msgid_q && note.kind == rsp_q.kind &&
      16'(offset_q) < note.msglen && (last_packet ? note.last : note.first);

  always_comb begin
    last_rank = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      last_rank[r] = (RankW + 1)'(r + 1) == rsp_q.workers;
    end
  end

  always_comb begin
    answer     = rsp_q;
    retake     = 1'b0;
    edit       = '0;
    edit.port  = UpPort;
    edit.ring  = rsp_q.ring;
    edit.rank  = relay.first + 8'(rsp_q.workers) - 8'd1;
    edit.msgid = msgid_q;
    edit.msglen     = msglen;
    edit.offset     = offset_q;
    edit.kind       = rsp_q.kind;
    edit.tensor_len = rsp_q.tensor_len;
    edit.psn        = note.psn0 + 24'(offset_q);
    edit.last       = last_packet;
    edit.kept       = SlotW'({note_at, last_packet});
    up_o         = 1'b0;
    note_o       = 1'b0;
    no_headers_o = 1'b0;
    no_way_o     = 1'b0;

    if (state_q == Decide && rsp_q.status == TakeDone) begin
      if (up && note_q && (!known || !ends || whole)) begin
        retake = 1'b1;
      end else if (up && !known) begin
        no_way_o = 1'b1;
        retake   = rsp_q.more;
        answer.status = TakeGone;
      end else if (up) begin
        // The record of a child goes along; a notification is that of the last worker.
        edit.what    = note_q ? EditNote : EditUp;
        answer.ranks = !leaf ? MaxRanks'(1) : (note_q ? last_rank : rsp_q.ranks);
        for (int unsigned r = 0; r < MaxRanks; r++) answer.port[r] = UpPort;
        if (note_q) answer.tensor_len = '0;
        up_o   = !note_q;
        note_o = note_q;
      end else if (relay.parent) begin
        answer.workers = (RankW + 1)'(1);   // the parent's row stands in the place of rank 0's
        if (leaf && !whole && (rsp_q.ranks & last_rank) != '0) begin
          edit.what = EditResult;
          for (int unsigned r = 0; r < NumRanks; r++) begin
            if (last_rank[r]) edit.port = rsp_q.port[r];
          end
          if (!headers_there) begin
            edit.what    = EditNone;
            no_headers_o = 1'b1;
            answer.ranks = rsp_q.ranks & ~last_rank;
            if ((rsp_q.ranks & ~last_rank) == '0) begin
              retake        = rsp_q.more;
              answer.status = TakeGone;
            end
          end
        end
      end
    end
  end

  assign take_ready_o     = state_q == Idle && state_ready_i;
  assign state_valid_o    = (state_q == Idle && take_valid_i) || state_q == Ask;
  assign state_o          = (state_q == Idle) ? take_i : take_q;
  assign take_rsp_valid_o = state_q == Decide && !retake;
  assign take_rsp_o       = answer;
  assign edit_valid_o     = take_rsp_valid_o && answer.status == TakeDone;
  assign edit_o           = edit;

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
      Fetch:   state_q <= Fetched;
      Fetched: state_q <= Decide;
      Decide:  state_q <= retake ? Ask : Idle;
      default: state_q <= Idle;
    endcase
    if (!rst_ni) state_q <= Idle;
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
    .in_i       (relay.parent && !up),
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
