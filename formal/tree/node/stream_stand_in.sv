// Stands in for sat_stream in proofs of tree_node: it says anything, in any cycle (`any` is cut),
// so all holds for the real one.
// verilog_lint: waive module-filename
module sat_stream
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 8,
  parameter int unsigned WideLanes = 0,
  parameter int unsigned ResultRows = 256,
  parameter bit RoomAtStop = 1'b0,
  parameter int unsigned RoomLate = 2,
  parameter int unsigned LockLate = 4,
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic        open_i,
  input logic        close_i,
  input sat_cfg_t    cfg_i,
  input sat_lock_t   lock_i,
  input logic [31:0] time_i,
  input  rc_packet_t [NumPorts-1:0]                oldest_i,
  output logic       [NumPorts-1:0]                claim_o,
  output logic       [NumPorts-1:0]                claim_drop_o,
  output logic       [NumPorts-1:0]                row_re_o,
  input  logic       [NumPorts-1:0][RcRowBits-1:0] row_i,
  input  logic    [NumPorts-1:0] room_i,
  output rc_row_t [NumPorts-1:0] out_o,
  output sat_end_t    end_o,
  output logic                      streams_o,
  output logic [$clog2(Groups)-1:0] group_o,
  output sat_events_t               events_o,
  output rc_port_pkg::rc_memory_t   memory_o
);

  localparam int unsigned AllW =
      $bits({claim_o, claim_drop_o, row_re_o, out_o, end_o, streams_o, group_o, events_o,
             memory_o});

  logic [AllW-1:0] any;
  assign any = '0;
  assign {claim_o, claim_drop_o, row_re_o, out_o, end_o, streams_o, group_o, events_o,
          memory_o} = any;

endmodule
