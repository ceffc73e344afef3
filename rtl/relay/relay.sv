// What a device of a tree does otherwise than the device of one rack (docs/relay.md).
//
// It stands on the ways between ports, look-up, slot state and emission, so that these need not know
// of trees: above devices each packet's place is another one and headers are turned round; a leaf
// counts ranks as its ring does; below a parent results and notifications come in, packets and
// notifications go up, and headers are written that nobody sent here. What the device is, `relays_i`
// says for each ring; what it can be, SpineShift and Uplink. Without these it is wires.
//
// Who may wait for whom: nobody waits for this module but where it waits itself for what is behind
// it on the same way. A port waits for look-up, or for the one request that is accepted here; what is
// accepted here waits for slot state alone, and goes in front of look-up's answers. Emission waits
// for slot state, a few cycles longer. Headers, rows and commits never wait here.
module relay
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Ports, 1 to 16. Below a parent the last one leads to it.
  parameter int unsigned NumPorts = 6,
  /// Ranks a ring may have here, 1 to 16; 1 to 14 below a parent.
  parameter int unsigned NumRanks = 6,
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Largest window N of a ring, messages; power of two.
  parameter int unsigned MaxWindow = 4,
  /// 0: children are workers. 1 to 15: those of some rings are devices; messages of up to
  /// 2**SpineShift packets.
  parameter int unsigned SpineShift = 0,
  /// 1: some rings have a parent.
  parameter int unsigned Uplink = 0,
  /// Of a leaf: connections from other leaves that it may know, 1 to NumRings.
  parameter int unsigned NumRows = NumRings,
  localparam int unsigned NumBanks = NumRanks + Uplink
) (
  // What is no device of a tree has no use for some of these.
  /* verilator lint_off UNUSEDSIGNAL */
  input logic clk_i,
  input logic rst_ni,

  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input relay_self_t                self_i,

  // What the device is, bit by bit: rings that have a parent; whose children are devices. And is it
  // a leaf of one?
  output logic [2**RingW-1:0] parents_o,
  output logic [2**RingW-1:0] devices_o,
  output logic                of_leaf_o,

  // What ports ask look-up.
  input  logic        [NumPorts-1:0] port_valid_i,
  output logic        [NumPorts-1:0] port_ready_o,
  input  frame_desc_t [NumPorts-1:0] port_desc_i,
  output logic        [NumPorts-1:0] lookup_valid_o,
  input  logic        [NumPorts-1:0] lookup_ready_i,
  output frame_desc_t [NumPorts-1:0] lookup_desc_o,

  // What look-up answers to slot state.
  input  logic        lookup_rsp_valid_i,
  output logic        lookup_rsp_ready_o,
  input  lookup_rsp_t lookup_rsp_i,
  output logic        state_rsp_valid_o,
  input  logic        state_rsp_ready_i,
  output lookup_rsp_t state_rsp_o,

  // What ports have written.
  input  logic    [NumPorts-1:0] port_commit_valid_i,
  output logic    [NumPorts-1:0] port_commit_ready_o,
  input  commit_t [NumPorts-1:0] port_commit_i,
  output logic    [NumPorts-1:0] state_commit_valid_o,
  input  logic    [NumPorts-1:0] state_commit_ready_i,

  // A connection that the control plane registers: one from another leaf, or look-up's business.
  input  logic             conn_set_valid_i,
  output logic             conn_set_ready_o,
  input  conn_set_t        conn_set_i,
  output logic             conn_set_error_o,
  output logic             lookup_set_valid_o,
  input  logic             lookup_set_ready_i,
  input  logic             lookup_set_error_i,

  // A flush: while held nothing is begun, and it comes only while idle.
  input  logic             hold_i,
  input  logic             lookup_idle_i,
  output logic             idle_o,
  input  logic             flush_i,
  input  logic [RingW-1:0] flush_ring_i,

  // What emission takes of slot state.
  input  logic             take_valid_i,
  output logic             take_ready_o,
  input  take_t            take_i,
  output logic             take_rsp_valid_o,
  output take_rsp_t        take_rsp_o,
  output logic             state_take_valid_o,
  input  logic             state_take_ready_i,
  output take_t            state_take_o,
  input  logic             state_take_rsp_valid_i,
  input  take_rsp_t        state_take_rsp_i,
  input  logic             state_note_i,
  input  logic [31:0]      state_msgid_i,
  input  logic [SlotW-1:0] state_offset_i,

  // Rows from the banks to the reduction; the last one of a read is there.
  input  logic [NumBanks-1:0][BeatBits-1:0] bank_rows_i,
  input  logic                              row_last_i,
  output logic [NumRanks-1:0][BeatBits-1:0] reduce_rows_o,

  // Header records to the egresses, and what a leaf keeps of notifications.
  input  logic [NumPorts-1:0]                  hdr_we_i,
  input  logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word_i,
  output logic [NumPorts-1:0]                  hdr_we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word_o,
  input  logic                                 kept_we_i,
  input  bank_write_t                          kept_i,

  // Counters of the device stand behind those of the ports; the value follows one cycle later.
  input  logic [4:0]  counter_which_i,
  input  logic [47:0] counter_value_i,
  output logic [47:0] counter_value_o
  /* verilator lint_on UNUSEDSIGNAL */
);

  localparam int unsigned RingIdxW = (NumRings > 1) ? $clog2(NumRings) : 1;
  localparam int unsigned UpPort = NumPorts - 1;

  always_comb begin
    parents_o = '0;
    devices_o = '0;
    for (int unsigned g = 0; g < NumRings; g++) begin
      parents_o[g] = relays_i[g].parent;
      devices_o[g] = relays_i[g].devices;
    end
  end

  always_ff @(posedge clk_i) begin
    of_leaf_o <= 1'b0;
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (rings_i[g].enable && relays_i[g].parent && !relays_i[g].devices) of_leaf_o <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What children send.

  lookup_rsp_t answer;     // look-up's
  logic        foreign;    // it is of a notification that is not for this device
  logic        headless;   // it is of a packet without INA header

  // Look-up is asked; about the last port's request it is not asked here if there is a parent.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [NumPorts-1:0] asks;
  /* verilator lint_on UNUSEDSIGNAL */

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    relay_child #(
      .NumRings  (NumRings),
      .SpineShift(SpineShift),
      .Uplink    (Uplink),
      .Notes     ((p == UpPort) ? Uplink : 0)
    ) u_child (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .valid_i (port_valid_i[p]),
      .taken_i (port_ready_o[p]),
      .desc_i  (port_desc_i[p]),
      .valid_o (asks[p]),
      .desc_o  (lookup_desc_o[p])
    );
  end

  // A device has an INA header in each packet; what has none belongs to no message. A notification is
  // no part of one either, also on a connection that is known here. A packet stands at its port until
  // its verdict.
  always_comb begin
    headless = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (lookup_rsp_i.port == PortW'(p)) headless |= !port_desc_i[p].has_ina;
    end
    foreign = Uplink != 0 && lookup_rsp_i.port == PortW'(UpPort) &&
        port_desc_i[UpPort].has_ina && port_desc_i[UpPort].ina.kind[7:6] == NoteKind;
    answer  = lookup_rsp_i;
    if (SpineShift != 0 && headless && lookup_rsp_i.fate == FateStored &&
        relays_i[lookup_rsp_i.ring[RingIdxW-1:0]].devices) answer.fate = FateUnknownMessage;
    if (foreign && lookup_rsp_i.fate == FateStored) answer.fate = FateBadHeader;
  end

  // ---------------------------------------------------------------------------------------------
  // Headers of what goes back to child devices.

  logic [NumPorts-1:0]                  turned_we;
  logic [NumPorts-1:0][HdrWordBits-1:0] turned_word;

  if (SpineShift != 0) begin : gen_turn
    relay_turns #(
      .NumPorts(NumPorts)
    ) u_turns (
      .clk_i,
      .rst_ni,
      .taken_i  (take_rsp_valid_o && take_rsp_o.status == TakeDone),
      .devices_i(relays_i[take_rsp_o.ring[RingIdxW-1:0]].devices),
      .we_i     (hdr_we_i),
      .word_i   (hdr_word_i),
      .we_o     (turned_we),
      .word_o   (turned_word)
    );
  end else begin : gen_straight
    assign turned_we   = hdr_we_i;
    assign turned_word = hdr_word_i;
  end

  if (Uplink == 0) begin : gen_top
    assign lookup_valid_o       = asks;
    assign port_ready_o         = lookup_ready_i;
    assign state_rsp_valid_o    = lookup_rsp_valid_i;
    assign lookup_rsp_ready_o   = state_rsp_ready_i;
    assign state_rsp_o          = answer;
    assign state_commit_valid_o = port_commit_valid_i;
    assign port_commit_ready_o  = state_commit_ready_i;
    assign idle_o               = lookup_idle_i;
    assign lookup_set_valid_o   = conn_set_valid_i;
    assign conn_set_ready_o     = lookup_set_ready_i;
    assign conn_set_error_o     = lookup_set_error_i;
    assign state_take_valid_o   = take_valid_i;
    assign take_ready_o         = state_take_ready_i;
    assign state_take_o         = take_i;
    assign take_rsp_valid_o     = state_take_rsp_valid_i;
    assign take_rsp_o           = state_take_rsp_i;
    assign reduce_rows_o        = bank_rows_i;
    assign hdr_we_o             = turned_we;
    assign hdr_word_o           = turned_word;
    assign counter_value_o      = counter_value_i;
  end else begin : gen_below

    // -------------------------------------------------------------------------------------------
    // From above. Notifications are written behind the banks, and slot state does not hear of them.

    localparam int unsigned Notes = NumRings * 2 * worker_window(MaxWindow, SpineShift);
    logic                     own_valid, own_ready, own_idle, kept, look;
    logic [$clog2(Notes)-1:0] look_at;
    lookup_rsp_t              own;
    relay_note_t              looked;
    logic                     note_refused, table_full, bad_parent;
    logic                     row_set_ready, row_set_error;

    for (genvar p = 0; p < UpPort; p++) begin : gen_child
      assign lookup_valid_o[p]       = asks[p];
      assign port_ready_o[p]         = lookup_ready_i[p];
      assign state_commit_valid_o[p] = port_commit_valid_i[p];
      assign port_commit_ready_o[p]  = state_commit_ready_i[p];
    end
    assign kept = port_commit_valid_i[UpPort] &&
        port_commit_i[UpPort].rank == RankW'(NumRanks + 1);
    assign state_commit_valid_o[UpPort] = port_commit_valid_i[UpPort] && !kept;
    assign port_commit_ready_o[UpPort]  = kept || state_commit_ready_i[UpPort];

    relay_accept #(
      .NumPorts  (NumPorts),
      .NumRanks  (NumRanks),
      .NumRings  (NumRings),
      .MaxWindow (MaxWindow),
      .SlotBytes (SlotBytes),
      .SpineShift(SpineShift),
      .NumRows   (NumRows)
    ) u_accept (
      .clk_i,
      .rst_ni,
      .req_valid_i    (port_valid_i[UpPort]),
      .req_ready_o    (port_ready_o[UpPort]),
      .req_i          (port_desc_i[UpPort]),
      .other_valid_o  (lookup_valid_o[UpPort]),
      .other_ready_i  (lookup_ready_i[UpPort]),
      .rings_i,
      .relays_i,
      .self_ip_i      (self_i.ip),
      .rsp_valid_o    (own_valid),
      .rsp_ready_i    (own_ready),
      .rsp_o          (own),
      .hold_i,
      .idle_o         (own_idle),
      .flush_i,
      .flush_ring_i,
      .row_set_valid_i(conn_set_valid_i && conn_set_i.elsewhere),
      .row_set_ready_o(row_set_ready),
      .row_set_i      (conn_set_i),
      .row_set_error_o(row_set_error),
      .kept_valid_i   (kept),
      .kept_slot_i    (port_commit_i[UpPort].slot),
      .kept_msgid_i   (port_commit_i[UpPort].msgid),
      .look_i         (look),
      .look_at_i      (look_at),
      .look_o         (looked),
      .note_refused_o (note_refused),
      .table_full_o   (table_full),
      .bad_parent_o   (bad_parent)
    );

    assign lookup_set_valid_o = conn_set_valid_i && !conn_set_i.elsewhere;
    assign conn_set_ready_o   = conn_set_i.elsewhere ? row_set_ready : lookup_set_ready_i;
    assign conn_set_error_o   = conn_set_i.elsewhere ? row_set_error : lookup_set_error_i;

    assign idle_o             = lookup_idle_i && own_idle;
    assign state_rsp_valid_o  = own_valid || lookup_rsp_valid_i;
    assign state_rsp_o        = own_valid ? own : answer;
    assign own_ready          = own_valid && state_rsp_ready_i;
    assign lookup_rsp_ready_o = !own_valid && state_rsp_ready_i;

    // -------------------------------------------------------------------------------------------
    // What is sent.

    logic        head_valid, from_parent, edit_valid, up, note, no_headers, no_way;
    logic [15:0] head_msglen;
    relay_edit_t edit;

    always_comb begin
      head_valid  = 1'b0;
      head_msglen = '0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (lookup_rsp_i.port == PortW'(p)) begin
          head_valid  = port_desc_i[p].has_ina && lookup_rsp_valid_i && lookup_rsp_ready_o &&
              answer.fate == FateStored;
          head_msglen = port_desc_i[p].ina.msglen;
        end
      end
    end

    relay_take #(
      .NumPorts  (NumPorts),
      .NumRanks  (NumRanks),
      .NumSlots  (NumSlots),
      .NumRings  (NumRings),
      .MaxWindow (MaxWindow),
      .SpineShift(SpineShift)
    ) u_take (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .head_valid_i     (head_valid),
      .head_slot_i      (lookup_rsp_i.slot),
      .head_msgid_i     (lookup_rsp_i.msgid),
      .head_msglen_i    (head_msglen),
      .take_valid_i,
      .take_ready_o,
      .take_i,
      .take_rsp_valid_o,
      .take_rsp_o,
      .state_valid_o    (state_take_valid_o),
      .state_ready_i    (state_take_ready_i),
      .state_o          (state_take_o),
      .state_rsp_valid_i(state_take_rsp_valid_i),
      .state_rsp_i      (state_take_rsp_i),
      .state_note_i,
      .state_msgid_i,
      .state_offset_i,
      .look_o           (look),
      .look_at_o        (look_at),
      .note_i           (looked),
      .edit_valid_o     (edit_valid),
      .edit_o           (edit),
      .row_last_i,
      .from_parent_o    (from_parent),
      .up_o             (up),
      .note_o           (note),
      .no_headers_o     (no_headers),
      .no_way_o         (no_way)
    );

    always_comb begin
      reduce_rows_o = bank_rows_i[NumRanks-1:0];
      if (from_parent) reduce_rows_o[0] = bank_rows_i[NumRanks];
    end

    relay_write #(
      .NumPorts  (NumPorts),
      .NumRings  (NumRings),
      .MaxWindow (MaxWindow),
      .SpineShift(SpineShift)
    ) u_write (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .self_i,
      .edit_valid_i(edit_valid),
      .edit_i      (edit),
      .we_i        (turned_we),
      .word_i      (turned_word),
      .we_o        (hdr_we_o),
      .word_o      (hdr_word_o),
      .kept_we_i,
      .kept_i
    );

    // -------------------------------------------------------------------------------------------
    // Counters.

    localparam int unsigned First = 20;
    localparam int unsigned Counters = 7;
    logic [Counters-1:0]       counts;
    logic [Counters-1:0][47:0] counters_q;
    logic [47:0]               counter_q;
    assign counts = {table_full, no_way, no_headers, bad_parent, note_refused, note, up};
    always_ff @(posedge clk_i) begin
      counter_q <= '0;
      for (int unsigned c = 0; c < Counters; c++) begin
        if (counts[c]) counters_q[c] <= counters_q[c] + 48'd1;
        if (counter_which_i == 5'(First + c)) counter_q <= counters_q[c];
      end
      if (!rst_ni) counters_q <= '0;
    end
    assign counter_value_o = (counter_which_i >= 5'(First)) ? counter_q : counter_value_i;
  end

endmodule
