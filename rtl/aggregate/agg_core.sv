// What is between the ports: decides on their packets, keeps them, sums columns and hands results
// out.
//
// Look-up, slot state, banks, emission and reduction in a row, and the flush beside them
// (docs/architecture.md draws it and says who may wait for whom). Ports, registers and counters are
// outside. In a device of a tree, filters of rtl/relay stand on the channels between these; in that
// of one rack the channels go straight through.
module agg_core
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: rings, and in a tree their places and the device's own address.
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  // Ports that pass gradients, or what looks like them, of no ring.
  input logic        [Cfg.NumPorts-1:0] open_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  input relay_self_t                    self_i,
  // What results are marked with; in a tree notifications, too.
  input logic        [7:0]              epoch_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // How long a learned connection may be idle, in units (agg_conn_age).
  input  logic [31:0]  age_limit_i,

  // Connections that the control plane registers, and flushes.
  input  command_req_t command_i,
  output command_rsp_t command_o,

  // Look-up requests of the ports. The verdict on each goes to all ports; it says whose it is.
  input  lookup_req_t [Cfg.NumPorts-1:0] lookup_i,
  output logic        [Cfg.NumPorts-1:0] lookup_ready_o,
  output decide_rsp_t                    verdict_o,

  // Bank requests and writes of the ports, grants, and commits; locks of slots that are being read.
  input  bank_req_t   [Cfg.NumPorts-1:0] bank_i,
  output logic        [Cfg.NumPorts-1:0] grant_o,
  input  commit_req_t [Cfg.NumPorts-1:0] commit_i,
  output logic        [Cfg.NumPorts-1:0] commit_ready_o,
  output lock_t                          lock_o,

  // Results for the ports' egresses, never refused: each has given credits for them.
  output result_t [Cfg.NumPorts-1:0] result_o,
  input  credit_t [Cfg.NumPorts-1:0] credit_i,

  // What was found in banks, slot records and tables.
  output mem_event_t row_event_o,
  output mem_event_t hdr_event_o,
  output mem_event_t slot_event_o,
  output mem_event_t conn_event_o,
  output mem_event_t message_event_o,

  // Filters of a tree: pulses for the counters, and whether the device is a leaf of some ring.
  output relay_status_t relay_o,

  // What is done for each ring.
  output ring_event_t ring_event_o,

  // Observation only.
  output obs_state_t obs_o,
  output obs_flush_t obs_flush_o
);

  // Channels as a filter of a tree leaves them; its other side is named after who sends.
  lookup_req_t [Cfg.NumPorts-1:0]               lookup;
  logic        [Cfg.NumPorts-1:0]               lookup_ready;
  decide_req_t                                  answer, decide;
  logic                                         answer_ready, decide_ready;
  commit_req_t [Cfg.NumPorts-1:0]               commit;
  logic        [Cfg.NumPorts-1:0]               commit_ready;
  take_req_t                                    emit_take, take;
  logic                                         emit_take_ready, take_ready;
  taken_t                                       emit_taken, taken;
  logic        [Cfg.NumBanks-1:0][BeatBits-1:0] bank_row, bank_hdr;
  logic        [Cfg.NumRanks-1:0][BeatBits-1:0] row;
  header_t     [Cfg.NumPorts-1:0]               emit_header, header;
  relay_set_rsp_t                               set_done, own_set_done;
  logic                                         own_set_valid;
  flush_conns_t                                 flush;
  logic                                         lookup_idle, conns_idle;

  // In a tree: the column of a take; and of each ring whether it has a parent, or child devices.
  /* verilator lint_off UNUSEDSIGNAL */
  column_t                                      column;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        [2**RingW-1:0]                   parents, devices;

  // What ports say, by signal.
  logic        [Cfg.NumPorts-1:0]               lookup_valid, commit_valid, busy, writing;
  frame_desc_t [Cfg.NumPorts-1:0]               desc;
  commit_t     [Cfg.NumPorts-1:0]               committed;

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    assign lookup_valid[p] = lookup[p].valid;
    assign desc[p]         = lookup[p].desc;
    assign commit_valid[p] = commit[p].valid;
    assign committed[p]    = commit[p].commit;
    assign busy[p]         = commit_i[p].busy;
    assign writing[p]      = bank_i[p].writing;
  end

  // ---------------------------------------------------------------------------------------------
  // Decisions

  logic             flush_done, flush_walks, flush_slot_valid, flush_slot_ready;
  // A ring that is being flushed is closed.
  ring_t [Cfg.NumRings-1:0] rings;
  logic [SlotW-1:0] flush_slot;
  job_t             job;
  conn_seen_t       seen;
  logic             conn_valid, conn_ready, conn_error;
  conn_set_t        conn;
  obs_flush_t       obs_flush;
  logic             aged;
  logic [RingW-1:0] aged_ring;
  logic [RankW-1:0] aged_rank;

  agg_lookup #(
    .NumPorts (Cfg.NumPorts),
    .NumRanks (Cfg.NumRanks),
    .NumRings (Cfg.NumRings),
    .NumConns (Cfg.NumConns),
    .MaxWindow(Cfg.MaxWindow),
    .SlotBytes(Cfg.SlotBytes),
    .Ecc      (Cfg.Ecc)
  ) u_lookup (
    .clk_i,
    .rst_ni,
    .req_valid_i       (lookup_valid),
    .req_ready_o       (lookup_ready),
    .req_i             (desc),
    .rings_i           (rings),
    .open_i,
    .rsp_valid_o       (answer.valid),
    .rsp_ready_i       (answer_ready),
    .rsp_o             (answer.packet),
    .conn_set_valid_i  (conn_valid),
    .conn_set_ready_o  (conn_ready),
    .conn_set_i        (conn),
    .conn_set_error_o  (conn_error),
    .conn_set_index_o  (command_o.set_index),
    .conn_count_o      (command_o.conns),
    .conn_event_o,
    .message_event_o,
    .flush_hold_i      (flush.hold),
    .idle_o            (lookup_idle),
    .flush_conns_i     (flush.valid),
    .flush_ring_i      (flush.ring),
    .flush_free_i      (flush.free),
    .flush_conns_done_o(flush_done),
    .flush_walks_o     (flush_walks),
    .seen_o            (seen)
  );

  agg_conn_age #(
    .NumRanks(Cfg.NumRanks),
    .NumRings(Cfg.NumRings)
  ) u_age (
    .clk_i,
    .rst_ni,
    .limit_i     (age_limit_i),
    .rings_i,
    .seen_i      (seen),
    .flush_i     (flush.valid),
    .flush_ring_i(flush.ring),
    .soft_valid_i(own_set_valid),
    .soft_i      (command_i.conn),
    .soft_ready_o(own_set_done.ready),
    .soft_error_o(own_set_done.error),
    .set_valid_o (conn_valid),
    .set_o       (conn),
    .set_ready_i (conn_ready),
    .set_error_i (conn_error),
    .aged_o      (aged),
    .aged_ring_o (aged_ring),
    .aged_rank_o (aged_rank)
  );

  agg_flush #(
    .NumPorts(Cfg.NumPorts),
    .NumRings(Cfg.NumRings)
  ) u_flush (
    .clk_i,
    .rst_ni,
    .flush_valid_i     (command_i.flush_valid),
    .flush_ready_o     (command_o.flush_ready),
    .flush_ring_i      (command_i.flush_ring),
    .flush_free_i      (command_i.flush_release),
    .flush_slots_i     (command_i.flush_slots),
    .rings_i,
    .rings_o           (rings),
    .hold_o            (flush.hold),
    .lookup_idle_i     (conns_idle),
    .ports_busy_i      (busy),
    .flush_conns_o     (flush.valid),
    .flush_conns_ring_o(flush.ring),
    .flush_conns_free_o(flush.free),
    .flush_conns_done_i(flush_done),
    .flush_walks_i     (flush_walks),
    .slot_valid_o      (flush_slot_valid),
    .slot_ready_i      (flush_slot_ready),
    .slot_o            (flush_slot),
    .obs_o             (obs_flush)
  );

  always_comb begin
    obs_flush_o           = obs_flush;
    obs_flush_o.aged      = aged;
    obs_flush_o.aged_ring = aged_ring;
    obs_flush_o.aged_rank = aged_rank;
  end

  agg_slot_state #(
    .NumPorts(Cfg.NumPorts),
    .NumRanks(Cfg.NumBanks),
    .NumSlots(Cfg.NumSlots),
    .Devices ((Cfg.SpineShift == 0) ? 0 : 1),
    .Uplink  (Cfg.Uplink),
    .Ecc     (Cfg.Ecc)
  ) u_slot_state (
    .clk_i,
    .rst_ni,
    .parents_i       (parents),
    .devices_i       (devices),
    .rsp_valid_i     (decide.valid),
    .rsp_ready_o     (decide_ready),
    .rsp_i           (decide.packet),
    .verdict_valid_o (verdict_o.valid),
    .verdict_o       (verdict_o.verdict),
    .commit_valid_i  (commit_valid),
    .commit_ready_o  (commit_ready),
    .commit_i        (committed),
    .take_valid_i    (take.valid),
    .take_ready_o    (take_ready),
    .take_i          (take.take),
    .take_rsp_valid_o(taken.valid),
    .take_rsp_o      (taken.taken),
    .take_column_o   (column),
    .flush_valid_i   (flush_slot_valid),
    .flush_ready_o   (flush_slot_ready),
    .flush_slot_i    (flush_slot),
    .job_first_o     (job.first),
    .job_again_o     (job.again),
    .job_ended_o     (job.ended),
    .job_ring_o      (job.ring),
    .job_slot_o      (job.slot),
    .ring_event_o,
    .mem_event_o     (slot_event_o),
    .obs_o
  );

  // ---------------------------------------------------------------------------------------------
  // Store, emit, reduce

  bank_read_t                      read;
  reduce_req_t                     reduce;
  logic                            sum_valid, sum_last, sum_bad;
  ecc_t        [Cfg.NumBanks-1:0]  row_ecc, hdr_ecc;
  logic        [BeatBits-1:0]      sum;
  // Ports that this configuration does not have are never set; the last bank is read in a tree
  // only.
  // verilator lint_off UNUSEDSIGNAL
  logic        [MaxPorts-1:0]      sum_ports;
  logic                            last_we;
  bank_write_t                     last_write;
  // verilator lint_on UNUSEDSIGNAL

  agg_banks #(
    .Cfg(Cfg)
  ) u_banks (
    .clk_i,
    .rst_ni,
    .verdict_i   (verdict_o),
    .req_i       (bank_i),
    .grant_o,
    .read_i      (read),
    .row_o       (bank_row),
    .hdr_o       (bank_hdr),
    .row_ecc_o   (row_ecc),
    .hdr_ecc_o   (hdr_ecc),
    .last_we_o   (last_we),
    .last_write_o(last_write)
  );

  agg_emit #(
    .NumPorts (Cfg.NumPorts),
    .NumRanks (Cfg.NumBanks),
    .NumRings (Cfg.NumRings),
    .NumSlots (Cfg.NumSlots),
    .SlotBytes(Cfg.SlotBytes),
    .WideLanes(Cfg.WideLanes),
    .FifoRows (Cfg.FifoRows),
    .HdrFrames(Cfg.HdrFrames),
    .Ecc      (Cfg.Ecc)
  ) u_emit (
    .clk_i,
    .rst_ni,
    .job_i       (job),
    .flushed_i   (command_o.flush_ready),
    .flushed_ring_i(command_i.flush_ring),
    .take_o      (emit_take),
    .take_ready_i(emit_take_ready),
    .taken_i     (emit_taken),
    .lock_o,
    .writing_i   (|writing),
    .read_o      (read),
    .hdr_i       (bank_hdr),
    .hdr_ecc_i   (hdr_ecc),
    .row_ecc_i   (row_ecc),
    .reduce_o    (reduce),
    .header_o    (emit_header),
    .credit_i,
    .row_event_o,
    .hdr_event_o
  );

  agg_reduce #(
    .NumRanks (Cfg.NumRanks),
    .WideLanes(Cfg.WideLanes),
    .Ecc      (Cfg.Ecc)
  ) u_reduce (
    .clk_i,
    .rst_ni,
    .in_valid_i  (reduce.valid),
    .in_rows_i   (row),
    .in_workers_i(reduce.workers),
    .in_kind_i   (reduce.kind),
    .in_last_i   (reduce.last),
    .in_ports_i  (reduce.ports),
    .in_bad_i    (reduce.bad),
    .out_valid_o (sum_valid),
    .out_row_o   (sum),
    .out_last_o  (sum_last),
    .out_ports_o (sum_ports),
    .out_bad_o   (sum_bad)
  );

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_result
    assign result_o[p] = '{header: header[p], row_we: sum_valid && sum_ports[p], row: sum,
                           last: sum_last, bad: sum_bad};
  end

  // ---------------------------------------------------------------------------------------------
  // In a tree: filters between ports, look-up, slot state, banks and egresses.

  assign command_o.set_ready = set_done.ready;
  assign command_o.set_error = set_done.error;

  if (Cfg.Tree == 0) begin : gen_rack
    assign lookup          = lookup_i;
    assign lookup_ready_o  = lookup_ready;
    assign decide          = answer;
    assign answer_ready    = decide_ready;
    assign commit          = commit_i;
    assign commit_ready_o  = commit_ready;
    assign take            = emit_take;
    assign emit_take_ready = take_ready;
    assign emit_taken      = taken;
    assign header          = emit_header;
    assign row             = bank_row;
    assign own_set_valid   = command_i.set_valid;
    assign set_done        = own_set_done;
    assign conns_idle      = lookup_idle;
    assign parents         = '0;
    assign devices         = '0;
    assign relay_o         = '0;
  end else begin : gen_tree
    relay_filters #(
      .Cfg(Cfg)
    ) u_filters (
      .clk_i,
      .rst_ni,
      .rings_i,
      .open_rings_i  (rings),
      .relays_i,
      .self_i,
      .epoch_i,
      .parents_o     (parents),
      .devices_o     (devices),
      .lookup_i,
      .lookup_ready_o,
      .lookup_o      (lookup),
      .lookup_ready_i(lookup_ready),
      .decide_i      (answer),
      .decide_ready_o(answer_ready),
      .decide_o      (decide),
      .decide_ready_i(decide_ready),
      .commit_i,
      .commit_ready_o,
      .commit_o      (commit),
      .commit_ready_i(commit_ready),
      .take_i        (emit_take),
      .take_ready_o  (emit_take_ready),
      .take_o        (take),
      .take_ready_i  (take_ready),
      .taken_i       (taken),
      .taken_o       (emit_taken),
      .column_i      (column),
      .kept_i        ('{we: last_we, write: last_write}),
      .header_i      (emit_header),
      .header_o      (header),
      .row_last_i    (reduce.valid && reduce.last),
      .row_i         (bank_row),
      .row_o         (row),
      .set_i         ('{valid: command_i.set_valid, conn: command_i.conn}),
      .set_rsp_o     (set_done),
      .set_valid_o   (own_set_valid),
      .set_rsp_i     (own_set_done),
      .flush_i       (flush),
      .idle_i        (lookup_idle),
      .idle_o        (conns_idle),
      .status_o      (relay_o)
    );
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Everything decided is written before connections and slots are emptied (FlushQuiet); else a
      // late write would land in a slot that begins anew.
      a_flush_quiet : assert (!flush.valid || (!verdict_o.valid && busy == '0))
      else $error("%m: a flush begins while packets are under way");
      // Nothing of the ring is decided while its slots are emptied; some would be emptied before it
      // and some behind it.
      a_flush_closed : assert (!(flush_slot_valid && decide.valid &&
          decide.packet.fate == FateStored && decide.packet.ring == command_i.flush_ring))
      else $error("%m: a packet of ring %0d is decided while it is flushed", command_i.flush_ring);
    end
  end

endmodule
