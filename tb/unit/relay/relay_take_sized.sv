// relay_take with its sizes as parameters of their own.
module relay_take_sized
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned NumSlots = 16,
  parameter int unsigned NumRings = 4,
  parameter int unsigned MaxWindow = 4,
  parameter int unsigned Spine = 0
) (
  input logic clk_i,
  input logic rst_ni,

  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input relay_head_t                head_i,

  input  take_req_t take_i,
  output logic      take_ready_o,
  output taken_t    taken_o,

  output take_req_t state_o,
  input  logic      state_ready_i,
  input  taken_t    state_taken_i,
  input  column_t   state_column_i,

  output relay_look_t look_o,
  input  relay_note_t note_i,

  output relay_edit_req_t edit_o,

  output relay_take_events_t events_o,

  output logic above_o   // the device can stand above others
);

  assign above_o = Spine != 0;

  relay_take #(
    .Cfg(make_cfg(NumPorts, NumRanks, 256, NumSlots, NumRings, 16, MaxWindow, 0, Spine, 1,
                  NumRings, 9728, 0))
  ) u_take (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .head_i,
    .take_i,
    .take_ready_o,
    .taken_o,
    .state_o,
    .state_ready_i,
    .state_taken_i,
    .state_column_i,
    .look_o,
    .note_i,
    .edit_o,
    .events_o
  );

endmodule
