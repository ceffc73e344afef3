// What is between the ports: decides on their packets, keeps them, sums columns and hands results
// out.
//
// Look-up, slot state, banks, emission and reduction in a row (docs/architecture.md draws it and
// says who may wait for whom). Ports, registers and counters are outside. In a device of a tree,
// filters of rtl/relay stand on the channels between these; in that of one rack the channels go
// straight through.
module agg_core
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: rings, in a tree their places, and the rest.
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input core_setup_t                    setup_i,

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

  // What is done for each ring, and what was found in banks, slot records and tables.
  output core_events_t  events_o,
  // Filters of a tree: pulses for the counters, and whether the device is a leaf of some ring.
  output relay_status_t relay_o,

  // Observation only.
  output obs_core_t obs_o
);

  // Channels as a filter of a tree leaves them; its other side is named after who sends.
  lookup_req_t  [Cfg.NumPorts-1:0]               lookup;
  logic         [Cfg.NumPorts-1:0]               lookup_ready;
  decide_req_t                                   answer, decide;
  logic                                          answer_ready, decide_ready;
  commit_req_t  [Cfg.NumPorts-1:0]               commit;
  logic         [Cfg.NumPorts-1:0]               commit_ready;
  take_req_t                                     emit_take, take;
  logic                                          emit_take_ready, take_ready;
  taken_t                                        emit_taken, taken;
  logic         [Cfg.NumBanks-1:0][BeatBits-1:0] bank_row, bank_hdr;
  header_t      [Cfg.NumPorts-1:0]               emit_header, header;
  // The control plane's commands on connections of this device's own table.
  command_req_t                                  command;
  command_rsp_t                                  command_done;
  logic                                          lookup_idle, conns_idle;

  // In a tree: a flush and the rings without the one that it has closed, the column of a take,
  // commands on connections of other leaves, and commits of notifications; of each ring whether it
  // has a parent, or child devices.
  /* verilator lint_off UNUSEDSIGNAL */
  flush_conns_t                                  flush;
  ring_t        [Cfg.NumRings-1:0]               rings;
  column_t                                       column;
  relay_set_req_t                                row_set;
  relay_set_rsp_t                                row_set_done;
  commit_req_t                                   noted;
  /* verilator lint_on UNUSEDSIGNAL */
  logic         [2**RingW-1:0]                   parents, devices;

  // What ports say, by signal.
  logic         [Cfg.NumPorts-1:0]               commit_valid, busy, writing;
  commit_t      [Cfg.NumPorts-1:0]               committed;

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    assign commit_valid[p] = commit[p].valid;
    assign committed[p]    = commit[p].commit;
    assign busy[p]         = commit_i[p].busy;
    assign writing[p]      = bank_i[p].writing;
  end

  // ---------------------------------------------------------------------------------------------
  // Decisions

  flush_req_t flush_slot;
  logic       flush_slot_ready;
  job_t       job;
  ahead_t     soon, ahead;
  logic       store_waits;

  agg_classify #(
    .Cfg(Cfg)
  ) u_classify (
    .clk_i,
    .rst_ni,
    .rings_i,
    .rings_o           (rings),
    .columns_i         (devices[Cfg.NumRings-1:0]),
    .setup_i,
    .command_i         (command),
    .command_o         (command_done),
    .lookup_i          (lookup),
    .lookup_ready_o    (lookup_ready),
    .decide_o          (answer),
    .decide_ready_i    (answer_ready),
    .flush_o           (flush),
    .idle_o            (lookup_idle),
    .idle_i            (conns_idle),
    .busy_i            (busy),
    .flush_slot_o      (flush_slot),
    .flush_slot_ready_i(flush_slot_ready),
    .conn_event_o      (events_o.memory.conns),
    .message_event_o   (events_o.memory.messages),
    .obs_o             (obs_o.flush)
  );

  agg_slot_state #(
    .NumPorts(Cfg.NumPorts),
    .NumRanks(Cfg.NumBanks),
    .NumSlots(Cfg.NumSlots),
    .Devices (Cfg.Spine),
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
    .waits_i         (store_waits),
    .soon_o          (soon),
    .ahead_i         (ahead),
    .take_valid_i    (take.valid),
    .take_ready_o    (take_ready),
    .take_i          (take.take),
    .take_rsp_valid_o(taken.valid),
    .take_rsp_o      (taken.taken),
    .take_column_o   (column),
    .flush_valid_i   (flush_slot.valid),
    .flush_ready_o   (flush_slot_ready),
    .flush_slot_i    (flush_slot.slot),
    .job_first_o     (job.first),
    .job_again_o     (job.again),
    .job_ended_o     (job.ended),
    .job_ring_o      (job.ring),
    .job_slot_o      (job.slot),
    .ring_event_o    (events_o.ring),
    .mem_event_o     (events_o.memory.slots),
    .obs_o           (obs_o.state)
  );

  // ---------------------------------------------------------------------------------------------
  // Store, emit, reduce

  bank_read_t                      read;
  reduce_req_t                     reduce;
  logic                            sum_valid, sum_last, sum_bad;
  ecc_t        [Cfg.NumBanks-1:0]  row_ecc, hdr_ecc;
  logic        [BeatBits-1:0]      sum;
  logic                            pairs_valid;
  logic        [PairsW-1:0]        pairs;
  // Below a parent only.
  // verilator lint_off UNUSEDSIGNAL
  parent_rows_t                    parent_rows;
  // verilator lint_on UNUSEDSIGNAL
  result_t     [Cfg.NumPorts-1:0]  summed;
  logic        [Cfg.NumPorts-1:0]  part_valid;
  logic        [31:0]              part;
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
    .waits_o     (store_waits),
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
    .Uplink   (Cfg.Uplink),
    .Ecc      (Cfg.Ecc)
  ) u_emit (
    .clk_i,
    .rst_ni,
    .job_i       (job),
    .soon_i      (soon),
    .ahead_o     (ahead),
    .flushed_i   (command_done.flush_ready),
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
    .parent_o    (parent_rows),
    .pairs_valid_o(pairs_valid),
    .pairs_o     (pairs),
    .header_o    (emit_header),
    .credit_i,
    .hdr_event_o (events_o.memory.headers)
  );

  agg_sum #(
    .Cfg(Cfg)
  ) u_sum (
    .clk_i,
    .rst_ni,
    .req_i  (reduce),
    .rows_i (bank_row[Cfg.NumRanks-1:0]),
    .valid_o(sum_valid),
    .row_o  (sum),
    .last_o (sum_last),
    .ports_o(sum_ports),
    .bad_o  (sum_bad),
    .event_o(events_o.memory.rows)
  );

  roce_icrc_rows #(
    .NumPorts(Cfg.NumPorts)
  ) u_icrc_rows (
    .clk_i,
    .rst_ni,
    .pairs_valid_i(pairs_valid),
    .pairs_i     (pairs),
    .row_valid_i (sum_valid),
    .row_i       (sum),
    .row_last_i  (sum_last),
    .row_ports_i (sum_ports[Cfg.NumPorts-1:0]),
    .part_valid_o(part_valid),
    .part_o      (part)
  );

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_result
    assign summed[p] = '{header: header[p], row_we: sum_valid && sum_ports[p], row: sum,
                         last: sum_last, bad: sum_bad, part_we: part_valid[p],
                         part: part};
  end

  // ---------------------------------------------------------------------------------------------
  // In a tree: filters between ports, look-up, slot state, banks, reduction and egresses
  // (docs/relay.md).

  if (Cfg.Tree == 0) begin : gen_rack
    assign lookup          = lookup_i;
    assign lookup_ready_o  = lookup_ready;
    assign decide          = answer;
    assign answer_ready    = decide_ready;
    assign take            = emit_take;
    assign emit_take_ready = take_ready;
    assign emit_taken      = taken;
    assign header          = emit_header;
    assign result_o        = summed;
    assign conns_idle      = lookup_idle;
    assign parents         = '0;
    assign devices         = '0;
    assign relay_o         = '0;
    assign row_set_done    = '0;
  end else begin : gen_tree
    logic         own_idle;
    relay_look_t  look;
    relay_known_t known;

    relay_in #(
      .Cfg(Cfg)
    ) u_in (
      .clk_i,
      .rst_ni,
      .rings_i       (rings),
      .relays_i,
      .self_i        (setup_i.self),
      .port_i        (lookup_i),
      .port_ready_o  (lookup_ready_o),
      .lookup_o      (lookup),
      .lookup_ready_i(lookup_ready),
      .answer_i      (answer),
      .answer_ready_o(answer_ready),
      .state_o       (decide),
      .state_ready_i (decide_ready),
      .flush_i       (flush),
      .idle_o        (own_idle),
      .row_set_i     (row_set),
      .row_set_o     (row_set_done),
      .notes_i       ('{kept: noted, look: look}),
      .known_o       (known),
      .status_o      (relay_o.ask)
    );
    assign conns_idle = lookup_idle && own_idle;

    relay_out #(
      .Cfg(Cfg)
    ) u_out (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .setup_i,
      .known_i      (known),
      .look_o       (look),
      .take_i       (emit_take),
      .take_ready_o (emit_take_ready),
      .taken_o      (emit_taken),
      .state_o      (take),
      .state_ready_i(take_ready),
      .state_i      ('{taken: taken, column: column}),
      .kept_i       ('{we: last_we, write: last_write}),
      .header_i     (emit_header),
      .header_o     (header),
      .parent_i     (parent_rows),
      .parent_row_i (bank_row[Cfg.NumBanks-1]),
      .result_i     (summed),
      .result_o,
      .events_o     (relay_o.takes)
    );

    always_comb begin
      parents = '0;
      devices = '0;
      for (int unsigned g = 0; g < Cfg.NumRings; g++) begin
        parents[g] = relays_i[g].parent;
        devices[g] = relays_i[g].devices;
      end
    end
  end

  if (Cfg.Uplink == 0) begin : gen_no_parent
    assign commit         = commit_i;
    assign commit_ready_o = commit_ready;
    assign noted          = '0;
    assign command        = command_i;
    assign command_o      = command_done;
    assign row_set        = '0;
  end else begin : gen_parent
    relay_commit #(
      .Cfg(Cfg)
    ) u_commit (
      .port_i       (commit_i),
      .port_ready_o (commit_ready_o),
      .state_o      (commit),
      .state_ready_i(commit_ready),
      .kept_o       (noted)
    );

    // A connection from another leaf is relay_in's business.
    always_comb begin
      command           = command_i;
      command.set_valid = command_i.set_valid && !command_i.conn.elsewhere;
      row_set           = '{valid: command_i.set_valid && command_i.conn.elsewhere,
                            conn: command_i.conn};
      command_o         = command_done;
      if (command_i.conn.elsewhere) begin
        command_o.set_ready = row_set_done.ready;
        command_o.set_error = row_set_done.error;
      end
    end
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
      a_flush_closed : assert (!(flush_slot.valid && decide.valid &&
          decide.packet.fate == FateStored && decide.packet.ring == command_i.flush_ring))
      else $error("%m: a packet of ring %0d is decided while it is flushed", command_i.flush_ring);
    end
  end

endmodule
