// Stands in for rc_port in proofs of tree_node: frames and packets are anything, in any cycle
// (`any` and `any_fault` are cut). A connection has no fault in the cycle behind an opening, a
// closing or a reset, and else keeps the one that it has, as rc_fault proves of the real one.
// verilog_lint: waive module-filename
module rc_port
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 2,
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  parameter int unsigned MaxRows = RcMaxRows,
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  input logic         [NumConns-1:0] open_i,
  input logic         [NumConns-1:0] close_i,
  input rc_conn_cfg_t [NumConns-1:0] cfg_i,
  input logic         [31:0]         time_i,
  input logic         [15:0]         cast_group_i,
  input  logic                       listens_i,
  output rc_came_t                   came_o,
  output logic                       cast_valid_o,
  output logic        [12:0]         cast_len_o,
  output rc_packet_t [NumConns-1:0]                oldest_o,
  input  logic       [NumConns-1:0]                claim_i,
  input  logic       [NumConns-1:0]                claim_drop_i,
  input  logic       [NumConns-1:0]                row_re_i,
  output logic       [NumConns-1:0][RcRowBits-1:0] row_o,
  output logic       [NumConns-1:0]                room_o,
  input  rc_row_t    [NumConns-1:0]                send_row_i,
  input  logic       [NumConns-1:0]                send_cast_i,
  output logic            [NumConns-1:0] idle_o,
  output rc_fault_e       [NumConns-1:0] fault_o,
  output rc_conn_events_t [NumConns-1:0] conn_events_o,
  output rc_port_events_t                events_o,
  output rc_memory_t                     memory_o
);

  localparam int unsigned AllW =
      $bits({s_axis_tready, m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast, came_o,
             cast_valid_o, cast_len_o, oldest_o, row_o, room_o, idle_o, conn_events_o,
             events_o, memory_o});

  logic [AllW-1:0] any;
  assign any = '0;
  assign {s_axis_tready, m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast, came_o,
          cast_valid_o, cast_len_o, oldest_o, row_o, room_o, idle_o, conn_events_o,
          events_o, memory_o} = any;

  rc_fault_e [NumConns-1:0] any_fault;
  logic      [NumConns-1:0] clears_q, failed_q;
  for (genvar c = 0; c < NumConns; c++) begin : gen_fault
    assign any_fault[c] = RcGood;
    assign fault_o[c] = clears_q[c] ? RcGood :
        (failed_q[c] && any_fault[c] == RcGood) ? RcUnanswered : any_fault[c];

    always_ff @(posedge clk_i) begin
      clears_q[c] <= open_i[c] || close_i[c] || !rst_ni;
      failed_q[c] <= fault_o[c] != RcGood;
    end
  end

endmodule
