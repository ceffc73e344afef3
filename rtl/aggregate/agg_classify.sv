// Which packet is of which ring, rank, message and slot: look-up, and all that changes what it
// knows of rings and connections: registrations, age, and flushes.
//
// Ports wait for look-up, and it waits for slot state; what the control plane wants waits for a
// moment in which nothing is inside. A flush goes on to the ring's slots.
module agg_classify
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Rings as they are set up; the same, with the one closed that is being flushed.
  input  ring_t [Cfg.NumRings-1:0] rings_i,
  output ring_t [Cfg.NumRings-1:0] rings_o,
  // With Spine, of each ring: its packets say which column they are of.
  input  logic  [Cfg.NumRings-1:0] columns_i,

  // Open ports, and how long a connection may be idle.
  /* verilator lint_off UNUSEDSIGNAL */
  input core_setup_t setup_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Connections that the control plane registers, and flushes.
  input  command_req_t command_i,
  output command_rsp_t command_o,

  // Look-up requests of the ports, and the answers, to slot state.
  input  lookup_req_t [Cfg.NumPorts-1:0] lookup_i,
  output logic        [Cfg.NumPorts-1:0] lookup_ready_o,
  output decide_req_t                    decide_o,
  input  logic                           decide_ready_i,

  // A flush waits until look-up is idle (`idle_o`), whoever else knows connections too (`idle_i`,
  // which holds `idle_o`), and no port has a packet between its look-up and its commit.
  output flush_conns_t                   flush_o,
  output logic                           idle_o,
  input  logic                           idle_i,
  input  logic        [Cfg.NumPorts-1:0] busy_i,

  // Slots of a ring that is flushed, one after the other, to slot state.
  output flush_req_t flush_slot_o,
  input  logic       flush_slot_ready_i,

  // What was found in the tables.
  output mem_event_t conn_event_o,
  output mem_event_t message_event_o,

  // Observation only.
  output obs_flush_t obs_o
);

  logic        [Cfg.NumPorts-1:0] lookup_valid;
  frame_desc_t [Cfg.NumPorts-1:0] desc;
  logic                           flush_done, flush_walks;
  conn_seen_t                     seen;
  logic                           conn_valid, conn_ready, conn_error;
  conn_set_t                      conn;
  obs_flush_t                     closes;
  logic                           aged;
  logic [RingW-1:0]               aged_ring;
  logic [RankW-1:0]               aged_rank;

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    assign lookup_valid[p] = lookup_i[p].valid;
    assign desc[p]         = lookup_i[p].desc;
  end

  agg_lookup #(
    .NumPorts (Cfg.NumPorts),
    .NumRanks (Cfg.NumRanks),
    .NumRings (Cfg.NumRings),
    .NumConns (Cfg.NumConns),
    .MaxWindow(Cfg.MaxWindow),
    .SlotBytes(Cfg.SlotBytes),
    .Ecc      (Cfg.Ecc),
    .Spine    (Cfg.Spine),
    .Uplink   (Cfg.Uplink),
    .Without  (Cfg.Without)
  ) u_lookup (
    .clk_i,
    .rst_ni,
    .req_valid_i       (lookup_valid),
    .req_ready_o       (lookup_ready_o),
    .req_i             (desc),
    .rings_i           (rings_o),
    .columns_i,
    .open_i            (setup_i.open[Cfg.NumPorts-1:0]),
    .rsp_valid_o       (decide_o.valid),
    .rsp_ready_i       (decide_ready_i),
    .rsp_o             (decide_o.packet),
    .conn_set_valid_i  (conn_valid),
    .conn_set_ready_o  (conn_ready),
    .conn_set_i        (conn),
    .conn_set_error_o  (conn_error),
    .conn_set_index_o  (command_o.set_index),
    .conn_count_o      (command_o.conns),
    .conn_event_o,
    .message_event_o,
    .flush_hold_i      (flush_o.hold),
    .idle_o,
    .flush_conns_i     (flush_o.valid),
    .flush_ring_i      (flush_o.ring),
    .flush_free_i      (flush_o.free),
    .flush_conns_done_o(flush_done),
    .flush_walks_o     (flush_walks),
    .seen_o            (seen)
  );

  agg_conn_age #(
    .NumRanks(Cfg.NumRanks),
    .NumRings(Cfg.NumRings),
    .Used    (Cfg.Without[WithoutLearning] ? 0 : 1)
  ) u_age (
    .clk_i,
    .rst_ni,
    .limit_i     (setup_i.age_limit),
    .rings_i,
    .seen_i      (seen),
    .flush_i     (flush_o.valid),
    .flush_ring_i(flush_o.ring),
    .soft_valid_i(command_i.set_valid),
    .soft_i      (command_i.conn),
    .soft_ready_o(command_o.set_ready),
    .soft_error_o(command_o.set_error),
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
    .rings_o           (rings_o),
    .hold_o            (flush_o.hold),
    .lookup_idle_i     (idle_i),
    .ports_busy_i      (busy_i),
    .flush_conns_o     (flush_o.valid),
    .flush_conns_ring_o(flush_o.ring),
    .flush_conns_free_o(flush_o.free),
    .flush_conns_done_i(flush_done),
    .flush_walks_i     (flush_walks),
    .slot_valid_o      (flush_slot_o.valid),
    .slot_ready_i      (flush_slot_ready_i),
    .slot_o            (flush_slot_o.slot),
    .obs_o             (closes)
  );

  always_comb begin
    obs_o           = closes;
    obs_o.aged      = aged;
    obs_o.aged_ring = aged_ring;
    obs_o.aged_rank = aged_rank;
  end

endmodule
