// Stands in for llt_engine in proofs of tree_node: it says anything, in any cycle (`any` is cut),
// so all holds for the real one.
// verilog_lint: waive module-filename
module llt_engine
  import rc_pkg::*;
  import rc_port_pkg::rc_memory_t;
  import rc_port_pkg::both;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 8,
  parameter int unsigned RoomLate = 2,
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic        open_i,
  input logic        close_i,
  input sat_cfg_t    cfg_i,
  input logic [15:0] tree_i,
  input logic [31:0] time_i,
  input logic [NumPorts-1:0] casts_i,
  input  rc_packet_t [NumPorts-1:0]                oldest_i,
  output logic       [NumPorts-1:0]                claim_o,
  output logic       [NumPorts-1:0]                row_re_o,
  input  logic       [NumPorts-1:0][RcRowBits-1:0] row_i,
  input  logic       [NumPorts-1:0]                room_i,
  output rc_row_t    [NumPorts-1:0]                out_o,
  output logic       [NumPorts-1:0]                cast_o,
  input  rc_packet_t           cast_oldest_i,
  output logic                 cast_claim_o,
  output logic                 cast_row_re_o,
  input  logic [RcRowBits-1:0] cast_row_i,
  output logic         lock_valid_o,
  input  logic         lock_ready_i,
  output lock_ask_t    lock_o,
  input  logic         lock_answered_i,
  input  lock_answer_t lock_answer_i,
  input  logic                streams_i,
  input  logic [GroupW-1:0]   streams_group_i,
  input  sat_end_t            sat_end_i,
  input  logic [NumPorts-1:0] lost_i,
  output logic                low_down_o,
  output logic                sat_down_o,
  input  low_change_t       change_i,
  input  logic [Groups-1:0] holds_i,
  output logic              changed_o,
  output logic              changed_good_o,
  output low_observed_t observed_o,
  output low_events_t   events_o,
  output rc_memory_t    memory_o
);

  localparam int unsigned AllW =
      $bits({claim_o, row_re_o, out_o, cast_o, cast_claim_o, cast_row_re_o, lock_valid_o,
             lock_o, low_down_o, sat_down_o, changed_o, changed_good_o, observed_o,
             events_o, memory_o});

  logic [AllW-1:0] any;
  assign any = '0;
  assign {claim_o, row_re_o, out_o, cast_o, cast_claim_o, cast_row_re_o, lock_valid_o, lock_o,
          low_down_o, sat_down_o, changed_o, changed_good_o, observed_o, events_o,
          memory_o} = any;

endmodule
