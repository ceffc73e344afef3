// What is between the ports: decides on their packets, keeps them, sums columns and hands results out.
//
// Look-up, slot state, banks, reduction and emission in a row, the flush beside them, and in a tree
// relay on the ways between (docs/architecture.md draws it and says who may wait for whom). Ports
// and registers are outside.
module agg_core
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  // As those of weir_aggregator.
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6,
  parameter int unsigned SlotBytes = 1024,
  parameter int unsigned NumSlots = 680,
  parameter int unsigned NumRings = 8,
  parameter int unsigned NumConns = 48,
  parameter int unsigned MaxWindow = 4,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned SpineShift = 0,
  parameter int unsigned Uplink = 0,
  parameter int unsigned NumRows = NumRings,
  /// Rows and header records that wait at an egress.
  parameter int unsigned FifoRows = 256,
  parameter int unsigned HdrFrames = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: rings and their places in a tree; connections that the control plane names; flushes.
  input  ring_t       [NumRings-1:0] rings_i,
  input  relay_ring_t [NumRings-1:0] relays_i,
  input  relay_self_t                self_i,
  input  logic                       conn_set_valid_i,
  output logic                       conn_set_ready_o,
  input  conn_set_t                  conn_set_i,
  output logic                       conn_set_error_o,
  input  logic                       flush_valid_i,
  output logic                       flush_ready_o,
  input  logic [RingW-1:0]           flush_ring_i,

  // Ports ask what their packets are, and get verdicts; the device is a leaf of some ring.
  input  logic        [NumPorts-1:0] port_valid_i,
  output logic        [NumPorts-1:0] port_ready_o,
  input  frame_desc_t [NumPorts-1:0] port_desc_i,
  output logic                       verdict_valid_o,
  output verdict_t                   verdict_o,
  output logic                       of_leaf_o,

  // They write packets to banks, and say so; slots that are read are locked.
  input  logic        [NumPorts-1:0]            want_i,
  input  logic        [NumPorts-1:0][NumRanks+2*Uplink-1:0] want_bank_i,
  output logic        [NumPorts-1:0]            grant_o,
  input  logic        [NumPorts-1:0][NumRanks+2*Uplink-1:0] release_i,
  input  logic        [NumPorts-1:0]            write_valid_i,
  input  logic        [NumPorts-1:0][RankW-1:0] write_rank_i,
  input  bank_write_t [NumPorts-1:0]            write_i,
  input  logic        [NumPorts-1:0]            commit_valid_i,
  output logic        [NumPorts-1:0]            commit_ready_o,
  input  commit_t     [NumPorts-1:0]            commit_i,
  input  logic        [NumPorts-1:0]            busy_i,
  output logic        [1:0]                     lock_valid_o,
  output logic        [1:0][SlotW-1:0]          lock_slot_o,
  output logic        [SlotW-1:0]              writing_slot_o,
  input  logic                                 writing_i,

  // Results: header records and rows of sums.
  output logic [NumPorts-1:0]                  hdr_we_o,
  output logic [NumPorts-1:0][HdrWordBits-1:0] hdr_word_o,
  output logic [NumPorts-1:0]                  row_we_o,
  output logic [BeatBits-1:0]                  row_o,
  output logic                                 row_last_o,
  input  logic [NumPorts-1:0]                  row_pop_i,
  input  logic [NumPorts-1:0]                  frame_pop_i,

  // Counters: those of the device stand behind those of the ports.
  input  logic [4:0]  counter_which_i,
  input  logic [47:0] counter_value_i,
  output logic [47:0] counter_value_o,

  // Observation only.
  output obs_state_t obs_state_o
);

  /// Below a parent: a bank for its results, and one for what is kept of notifications.
  localparam int unsigned NumBanks = NumRanks + Uplink;

  // ---------------------------------------------------------------------------------------------
  // Decisions

  logic             rsp_valid, rsp_ready, flush_hold, lookup_idle;
  lookup_rsp_t      rsp;
  logic             flush_conns, flush_conns_done, flush_slot_valid, flush_slot_ready;
  logic [RingW-1:0] flush_conns_ring;
  logic [SlotW-1:0] flush_slot;
  logic             take_valid, take_ready, take_rsp_valid;
  take_t            take;
  take_rsp_t        take_rsp;
  logic             job_first, job_again;
  logic [SlotW-1:0] job_slot;

  // In a tree these differ from what ports, look-up, slot state and emission say.
  logic        [NumPorts-1:0]                  lookup_valid, lookup_ready;
  frame_desc_t [NumPorts-1:0]                  placed;
  logic        [NumPorts-1:0]                  emit_hdr_we;
  logic        [NumPorts-1:0][HdrWordBits-1:0] emit_hdr_word;
  logic        [2**RingW-1:0]                  parents, devices;
  logic                                        table_set_valid, table_set_ready, table_set_error;
  logic                                        state_rsp_valid, state_rsp_ready, all_idle;
  lookup_rsp_t                                 state_rsp;
  logic        [NumPorts-1:0]                  state_commit_valid, state_commit_ready;
  logic                                        state_take_valid, state_take_ready;
  logic                                        state_take_rsp_valid, state_note;
  take_t                                       state_take;
  take_rsp_t                                   state_take_rsp;
  logic        [31:0]                          state_msgid;
  logic        [SlotW-1:0]                     state_offset;

  agg_lookup #(
    .NumPorts (NumPorts),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .NumConns (NumConns),
    .MaxWindow(MaxWindow),
    .SlotBytes(SlotBytes)
  ) u_lookup (
    .clk_i,
    .rst_ni,
    .req_valid_i       (lookup_valid),
    .req_ready_o       (lookup_ready),
    .req_i             (placed),
    .rings_i           (rings_i),
    .rsp_valid_o       (rsp_valid),
    .rsp_ready_i       (rsp_ready),
    .rsp_o             (rsp),
    .conn_set_valid_i  (table_set_valid),
    .conn_set_ready_o  (table_set_ready),
    .conn_set_i        (conn_set_i),
    .conn_set_error_o  (table_set_error),
    .flush_hold_i      (flush_hold),
    .idle_o            (lookup_idle),
    .flush_conns_i     (flush_conns),
    .flush_ring_i      (flush_conns_ring),
    .flush_conns_done_o(flush_conns_done)
  );

  agg_flush #(
    .NumPorts(NumPorts),
    .NumRings(NumRings)
  ) u_flush (
    .clk_i,
    .rst_ni,
    .flush_valid_i     (flush_valid_i),
    .flush_ready_o     (flush_ready_o),
    .flush_ring_i      (flush_ring_i),
    .rings_i           (rings_i),
    .hold_o            (flush_hold),
    .lookup_idle_i     (all_idle),
    .ports_busy_i      (busy_i),
    .flush_conns_o     (flush_conns),
    .flush_conns_ring_o(flush_conns_ring),
    .flush_conns_done_i(flush_conns_done),
    .slot_valid_o      (flush_slot_valid),
    .slot_ready_i      (flush_slot_ready),
    .slot_o            (flush_slot)
  );

  agg_slot_state #(
    .NumPorts(NumPorts),
    .NumRanks(NumBanks),
    .NumSlots(NumSlots),
    .Devices ((SpineShift == 0) ? 0 : 1),
    .Uplink  (Uplink)
  ) u_slot_state (
    .clk_i,
    .rst_ni,
    .parents_i       (parents),
    .devices_i       (devices),
    .rsp_valid_i     (state_rsp_valid),
    .rsp_ready_o     (state_rsp_ready),
    .rsp_i           (state_rsp),
    .verdict_valid_o (verdict_valid_o),
    .verdict_o       (verdict_o),
    .commit_valid_i  (state_commit_valid),
    .commit_ready_o  (state_commit_ready),
    .commit_i        (commit_i),
    .take_valid_i    (state_take_valid),
    .take_ready_o    (state_take_ready),
    .take_i          (state_take),
    .take_rsp_valid_o(state_take_rsp_valid),
    .take_rsp_o      (state_take_rsp),
    .take_note_o     (state_note),
    .take_msgid_o    (state_msgid),
    .take_offset_o   (state_offset),
    .flush_valid_i   (flush_slot_valid),
    .flush_ready_o   (flush_slot_ready),
    .flush_slot_i    (flush_slot),
    .job_first_o     (job_first),
    .job_again_o     (job_again),
    .job_slot_o      (job_slot),
    .obs_o           (obs_state_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Store, reduce, emit

  logic        [NumBanks+Uplink-1:0]        bank_we;
  bank_write_t [NumBanks+Uplink-1:0]        bank_write;
  logic        [NumBanks-1:0][BeatBits-1:0] bank_row, bank_hdr;
  logic        [NumRanks-1:0][BeatBits-1:0] reduce_rows;
  logic                                     row_re, hdr_re, hdr_row;
  logic        [SlotW-1:0]                  row_slot, hdr_slot;
  logic        [7:0]                        row_row;
  logic                                     reduce_valid, reduce_last, result_valid;
  logic        [RankW:0]                    reduce_workers;
  logic        [7:0]                        reduce_kind;
  logic        [MaxPorts-1:0]               reduce_ports;
  // Ports that this configuration does not have are never set.
  // verilator lint_off UNUSEDSIGNAL
  logic        [MaxPorts-1:0]               result_ports;
  // verilator lint_on UNUSEDSIGNAL

  agg_store #(
    .NumPorts(NumPorts),
    .NumRanks(NumBanks + Uplink)
  ) u_store (
    .clk_i,
    .rst_ni,
    .verdict_valid_i(verdict_valid_o),
    .verdict_i      (verdict_o),
    .want_i         (want_i),
    .bank_i         (want_bank_i),
    .grant_o        (grant_o),
    .release_i      (release_i),
    .write_valid_i  (write_valid_i),
    .write_rank_i   (write_rank_i),
    .write_i        (write_i),
    .bank_we_o      (bank_we),
    .bank_write_o   (bank_write)
  );

  for (genvar r = 0; r < NumBanks; r++) begin : gen_bank
    agg_bank #(
      .SlotBytes(SlotBytes),
      .NumSlots (NumSlots)
    ) u_bank (
      .clk_i,
      .we_i      (bank_we[r]),
      .write_i   (bank_write[r]),
      .row_re_i  (row_re),
      .row_slot_i(row_slot),
      .row_row_i (row_row),
      .row_o     (bank_row[r]),
      .hdr_re_i  (hdr_re),
      .hdr_slot_i(hdr_slot),
      .hdr_row_i (hdr_row),
      .hdr_o     (bank_hdr[r])
    );
  end

  agg_emit #(
    .NumPorts (NumPorts),
    .NumRanks (NumBanks),
    .NumSlots (NumSlots),
    .SlotBytes(SlotBytes),
    .WideLanes(WideLanes),
    .FifoRows (FifoRows),
    .HdrFrames(HdrFrames)
  ) u_emit (
    .clk_i,
    .rst_ni,
    .job_first_i     (job_first),
    .job_again_i     (job_again),
    .job_slot_i      (job_slot),
    .take_valid_o    (take_valid),
    .take_ready_i    (take_ready),
    .take_o          (take),
    .take_rsp_valid_i(take_rsp_valid),
    .take_rsp_i      (take_rsp),
    .lock_valid_o    (lock_valid_o),
    .lock_slot_o     (lock_slot_o),
    .writing_slot_o  (writing_slot_o),
    .writing_i       (writing_i),
    .row_re_o        (row_re),
    .row_slot_o      (row_slot),
    .row_row_o       (row_row),
    .hdr_re_o        (hdr_re),
    .hdr_slot_o      (hdr_slot),
    .hdr_row_o       (hdr_row),
    .hdr_i           (bank_hdr),
    .reduce_valid_o  (reduce_valid),
    .reduce_workers_o(reduce_workers),
    .reduce_kind_o   (reduce_kind),
    .reduce_last_o   (reduce_last),
    .reduce_ports_o  (reduce_ports),
    .hdr_we_o        (emit_hdr_we),
    .hdr_word_o      (emit_hdr_word),
    .row_pop_i       (row_pop_i),
    .frame_pop_i     (frame_pop_i)
  );

  agg_reduce #(
    .NumRanks (NumRanks),
    .WideLanes(WideLanes)
  ) u_reduce (
    .clk_i,
    .rst_ni,
    .in_valid_i  (reduce_valid),
    .in_rows_i   (reduce_rows),
    .in_workers_i(reduce_workers),
    .in_kind_i   (reduce_kind),
    .in_last_i   (reduce_last),
    .in_ports_i  (reduce_ports),
    .out_valid_o (result_valid),
    .out_row_o   (row_o),
    .out_last_o  (row_last_o),
    .out_ports_o (result_ports)
  );

  assign row_we_o = result_valid ? result_ports[NumPorts-1:0] : '0;

  // ---------------------------------------------------------------------------------------------
  // In a tree

  relay #(
    .NumPorts  (NumPorts),
    .NumRanks  (NumRanks),
    .SlotBytes (SlotBytes),
    .NumSlots  (NumSlots),
    .NumRings  (NumRings),
    .MaxWindow (MaxWindow),
    .SpineShift(SpineShift),
    .Uplink    (Uplink),
    .NumRows   (NumRows)
  ) u_relay (
    .clk_i,
    .rst_ni,
    .rings_i               (rings_i),
    .relays_i              (relays_i),
    .self_i                (self_i),
    .port_valid_i          (port_valid_i),
    .port_ready_o          (port_ready_o),
    .port_desc_i           (port_desc_i),
    .lookup_valid_o        (lookup_valid),
    .lookup_ready_i        (lookup_ready),
    .lookup_desc_o         (placed),
    .lookup_rsp_valid_i    (rsp_valid),
    .lookup_rsp_ready_o    (rsp_ready),
    .lookup_rsp_i          (rsp),
    .state_rsp_valid_o     (state_rsp_valid),
    .state_rsp_ready_i     (state_rsp_ready),
    .state_rsp_o           (state_rsp),
    .port_commit_valid_i   (commit_valid_i),
    .port_commit_ready_o   (commit_ready_o),
    .port_commit_i         (commit_i),
    .state_commit_valid_o  (state_commit_valid),
    .state_commit_ready_i  (state_commit_ready),
    .parents_o             (parents),
    .devices_o             (devices),
    .of_leaf_o             (of_leaf_o),
    .conn_set_valid_i      (conn_set_valid_i),
    .conn_set_ready_o      (conn_set_ready_o),
    .conn_set_i            (conn_set_i),
    .conn_set_error_o      (conn_set_error_o),
    .lookup_set_valid_o    (table_set_valid),
    .lookup_set_ready_i    (table_set_ready),
    .lookup_set_error_i    (table_set_error),
    .hold_i                (flush_hold),
    .lookup_idle_i         (lookup_idle),
    .idle_o                (all_idle),
    .flush_i               (flush_conns),
    .flush_ring_i          (flush_conns_ring),
    .take_valid_i          (take_valid),
    .take_ready_o          (take_ready),
    .take_i                (take),
    .take_rsp_valid_o      (take_rsp_valid),
    .take_rsp_o            (take_rsp),
    .state_take_valid_o    (state_take_valid),
    .state_take_ready_i    (state_take_ready),
    .state_take_o          (state_take),
    .state_take_rsp_valid_i(state_take_rsp_valid),
    .state_take_rsp_i      (state_take_rsp),
    .state_note_i          (state_note),
    .state_msgid_i         (state_msgid),
    .state_offset_i        (state_offset),
    .bank_rows_i           (bank_row),
    .row_last_i            (reduce_valid && reduce_last),
    .reduce_rows_o         (reduce_rows),
    .hdr_we_i              (emit_hdr_we),
    .hdr_word_i            (emit_hdr_word),
    .hdr_we_o              (hdr_we_o),
    .hdr_word_o            (hdr_word_o),
    .kept_we_i             (bank_we[NumBanks+Uplink-1]),
    .kept_i                (bank_write[NumBanks+Uplink-1]),
    .counter_which_i       (counter_which_i),
    .counter_value_i       (counter_value_i),
    .counter_value_o       (counter_value_o)
  );

endmodule
