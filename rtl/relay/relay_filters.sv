// The filters of a device in a tree (docs/relay.md), in one place: what stands on the channels
// between ports, look-up, slot state, banks, reduction and egresses, and what the filters tell each
// other.
//
// Each channel comes in and goes out under one name. The filters of look-up's channels and of
// headers are there in any device of a tree, the others below a parent only; where there is none, a
// channel goes straight through. Each filter says who waits for whom.
module relay_filters
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes; `Tree` is 1.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: rings, also with those closed that are being flushed, their places, the device's own
  // address, and what notifications are marked with.
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input ring_t       [Cfg.NumRings-1:0] open_rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  input relay_self_t                    self_i,
  input logic        [7:0]              epoch_i,

  // Of each ring: it has a parent; its children are devices.
  output logic [2**RingW-1:0] parents_o,
  output logic [2**RingW-1:0] devices_o,

  // Ports to look-up.
  input  lookup_req_t [Cfg.NumPorts-1:0] lookup_i,
  output logic        [Cfg.NumPorts-1:0] lookup_ready_o,
  output lookup_req_t [Cfg.NumPorts-1:0] lookup_o,
  input  logic        [Cfg.NumPorts-1:0] lookup_ready_i,

  // Look-up to slot state.
  input  decide_req_t decide_i,
  output logic        decide_ready_o,
  output decide_req_t decide_o,
  input  logic        decide_ready_i,

  // Ports to slot state.
  input  commit_req_t [Cfg.NumPorts-1:0] commit_i,
  output logic        [Cfg.NumPorts-1:0] commit_ready_o,
  output commit_req_t [Cfg.NumPorts-1:0] commit_o,
  input  logic        [Cfg.NumPorts-1:0] commit_ready_i,

  // Emission to slot state, and the answers, which come with the column.
  input  take_req_t take_i,
  output logic      take_ready_o,
  output take_req_t take_o,
  input  logic      take_ready_i,
  input  taken_t    taken_i,
  output taken_t    taken_o,
  // Below a parent only.
  /* verilator lint_off UNUSEDSIGNAL */
  input  column_t   column_i,

  // Emission to egresses; what is written into the bank of kept headers.
  input  relay_kept_t                    kept_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  header_t     [Cfg.NumPorts-1:0] header_i,
  output header_t     [Cfg.NumPorts-1:0] header_o,

  // Banks to reduction; `last`: the last row of a read.
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic                                  row_last_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [Cfg.NumBanks-1:0][BeatBits-1:0] row_i,
  output logic [Cfg.NumRanks-1:0][BeatBits-1:0] row_o,

  // The control plane to the connection table. A connection from another leaf is relay_ask's
  // business.
  input  relay_set_req_t set_i,
  output relay_set_rsp_t set_rsp_o,
  output logic           set_valid_o,
  input  relay_set_rsp_t set_rsp_i,

  // A flush, and look-up's answer to it.
  input  flush_conns_t flush_i,
  input  logic         idle_i,
  output logic         idle_o,

  output relay_status_t status_o
);

  decide_req_t     own;
  logic            own_ready, own_idle;
  relay_set_req_t  row_set;
  commit_req_t     noted;
  relay_look_t     look;
  relay_edit_req_t edit;
  // Only below a parent.
  /* verilator lint_off UNUSEDSIGNAL */
  relay_set_rsp_t  row_set_done;
  relay_note_t     note;
  relay_head_t     head;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    parents_o = '0;
    devices_o = '0;
    for (int unsigned g = 0; g < Cfg.NumRings; g++) begin
      parents_o[g] = relays_i[g].parent;
      devices_o[g] = relays_i[g].devices;
    end
  end
  assign idle_o = idle_i && own_idle;

  relay_ask #(
    .Cfg(Cfg)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .rings_i       (open_rings_i),
    .relays_i,
    .self_i,
    .port_i        (lookup_i),
    .port_ready_o  (lookup_ready_o),
    .lookup_o,
    .lookup_ready_i,
    .own_o         (own),
    .own_ready_i   (own_ready),
    .row_set_i     (row_set),
    .row_set_o     (row_set_done),
    .flush_i,
    .idle_o        (own_idle),
    .kept_i        (noted),
    .look_i        (look),
    .note_o        (note),
    .of_leaf_o     (status_o.of_leaf),
    .events_o      (status_o.asks)
  );

  relay_answer #(
    .Cfg(Cfg)
  ) u_answer (
    .relays_i,
    .port_i        (lookup_i),
    .lookup_i      (decide_i),
    .lookup_ready_o(decide_ready_o),
    .own_i         (own),
    .own_ready_o   (own_ready),
    .state_o       (decide_o),
    .state_ready_i (decide_ready_i),
    .head_o        (head)
  );

  relay_header #(
    .Cfg(Cfg)
  ) u_header (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i,
    .epoch_i,
    .taken_i (taken_o),
    .edit_i  (edit),
    .kept_i,
    .header_i,
    .header_o
  );

  if (Cfg.Uplink != 0) begin : gen_parent
    relay_read_t read;

    relay_commit #(
      .Cfg(Cfg)
    ) u_commit (
      .port_i       (commit_i),
      .port_ready_o (commit_ready_o),
      .state_o      (commit_o),
      .state_ready_i(commit_ready_i),
      .kept_o       (noted)
    );

    relay_take #(
      .Cfg(Cfg)
    ) u_take (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .head_i        (head),
      .take_i,
      .take_ready_o,
      .taken_o,
      .state_o       (take_o),
      .state_ready_i (take_ready_i),
      .state_taken_i (taken_i),
      .state_column_i(column_i),
      .look_o        (look),
      .note_i        (note),
      .edit_o        (edit),
      .read_o        (read),
      .events_o      (status_o.takes)
    );

    relay_row #(
      .Cfg(Cfg)
    ) u_row (
      .clk_i,
      .rst_ni,
      .read_i(read),
      .last_i(row_last_i),
      .rows_i(row_i),
      .rows_o(row_o)
    );

    assign set_valid_o = set_i.valid && !set_i.conn.elsewhere;
    assign row_set     = '{valid: set_i.valid && set_i.conn.elsewhere, conn: set_i.conn};
    assign set_rsp_o   = set_i.conn.elsewhere ? row_set_done : set_rsp_i;
  end else begin : gen_no_parent
    assign commit_o       = commit_i;
    assign commit_ready_o = commit_ready_i;
    assign take_o         = take_i;
    assign take_ready_o   = take_ready_i;
    assign taken_o        = taken_i;
    assign row_o          = row_i;
    assign set_valid_o    = set_i.valid;
    assign row_set        = '{valid: 1'b0, conn: set_i.conn};
    assign set_rsp_o      = set_rsp_i;
    assign noted          = '0;
    assign look           = '0;
    assign edit           = '0;
    assign status_o.takes = '0;
  end

endmodule
