// The filters of a device in a tree (docs/relay.md) behind slot state: what a take's read becomes,
// a packet up, a notification or results, and with which headers it leaves.
//
// Each channel comes in and goes out. Only headers have a filter in any device of a tree; without a
// parent the others go straight through. Each filter says who waits for whom.
module relay_out
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes; `Tree` is 1.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers: rings, their places, and the device's own address and mark.
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input core_setup_t                    setup_i,

  // Below a parent: of relay_in, messages that begin, and in the cycle after a look what is known
  // of one.
  input  relay_known_t known_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output relay_look_t  look_o,

  // Emission to slot state, and the answers.
  input  take_req_t     take_i,
  output logic          take_ready_o,
  output taken_t        taken_o,
  output take_req_t     state_o,
  input  logic          state_ready_i,
  // Columns and kept headers: below a parent only.
  /* verilator lint_off UNUSEDSIGNAL */
  input  relay_answer_t state_i,

  // Emission to egresses; what is written into the bank of kept headers.
  input  relay_kept_t                    kept_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  header_t     [Cfg.NumPorts-1:0] header_i,
  output header_t     [Cfg.NumPorts-1:0] header_o,

  // Below a parent: what row of its result leaves its bank in this cycle. Results of the reduction,
  // and all results.
  /* verilator lint_off UNUSEDSIGNAL */
  input  parent_rows_t                   parent_i,
  input  logic        [BeatBits-1:0]     parent_row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  result_t     [Cfg.NumPorts-1:0] result_i,
  output result_t     [Cfg.NumPorts-1:0] result_o,

  // Pulses for the counters.
  output relay_take_events_t events_o
);

  relay_edit_req_t edit;

  relay_header #(
    .Cfg(Cfg)
  ) u_header (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i (setup_i.self),
    .epoch_i(setup_i.epoch),
    .taken_i(taken_o),
    .edit_i (edit),
    .kept_i,
    .header_i,
    .header_o
  );

  if (Cfg.Uplink != 0) begin : gen_parent
    relay_take #(
      .Cfg(Cfg)
    ) u_take (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .head_i        (known_i.head),
      .take_i,
      .take_ready_o,
      .taken_o,
      .state_o,
      .state_ready_i,
      .state_taken_i (state_i.taken),
      .state_column_i(state_i.column),
      .look_o,
      .note_i        (known_i.note),
      .edit_o        (edit),
      .events_o
    );

    relay_rows #(
      .Cfg(Cfg)
    ) u_rows (
      .clk_i,
      .rst_ni,
      .parent_i,
      .row_i   (parent_row_i),
      .result_i,
      .result_o
    );
  end else begin : gen_no_parent
    assign look_o       = '0;
    assign state_o      = take_i;
    assign take_ready_o = state_ready_i;
    assign taken_o      = state_i.taken;
    assign edit         = '0;
    assign events_o     = '0;
    assign result_o     = result_i;
  end

endmodule
