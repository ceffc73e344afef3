// rc_port: neither decision of a connection (rc_request, rc_respond) has ever to take packets or
// answers of two cycles in a row, whatever frames come; both need two cycles for one. What a frame
// says, and when it ends, is free; nothing is taken for granted, not even a reset.
module rc_spacing_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumConns = 2
) (
  input logic                               clk_i,
  input logic                               rst_ni,
  input logic                               tvalid_i,
  input logic [BeatBits-1:0]                tdata_i,
  input logic [BeatBytes-1:0]               tkeep_i,
  input logic                               tlast_i,
  input logic [0:0]                         tuser_i,
  input logic         [NumConns-1:0]        open_i,
  input logic         [NumConns-1:0]        close_i,
  input rc_conn_cfg_t [NumConns-1:0]        cfg_i
);

  rc_conn_events_t [NumConns-1:0] events;

  rc_port #(
    .NumConns (NumConns),
    .QueueRoom(4),
    .SendRoom (4),
    .MaxRows  (4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid(tvalid_i),
    .s_axis_tready(),
    .s_axis_tdata (tdata_i),
    .s_axis_tkeep (tkeep_i),
    .s_axis_tlast (tlast_i),
    .s_axis_tuser (tuser_i),
    .m_axis_tvalid(),
    .m_axis_tready(1'b1),
    .m_axis_tdata (),
    .m_axis_tkeep (),
    .m_axis_tlast (),
    .open_i,
    .close_i,
    .cfg_i,
    .time_i       ('0),
    .cast_group_i ('0),
    .listens_i    (1'b0),
    .came_o       (),
    .cast_valid_o (),
    .cast_len_o   (),
    .oldest_o     (),
    .claim_i      ('0),
    .claim_drop_i ('0),
    .row_re_i     ('0),
    .row_o        (),
    .room_o       (),
    .send_row_i   ('0),
    .send_cast_i  ('0),
    .idle_o       (),
    .fault_o      (),
    .conn_events_o(events),
    .events_o     (),
    .memory_o     ()
  );

  logic [2:1] answered_q;   // so many cycles ago
  initial answered_q = '0;
  always_ff @(posedge clk_i) answered_q <= {answered_q[1], events[0].answered && rst_ni};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Answers of a connection come in every second cycle.
      c_answers : cover (events[0].answered && !answered_q[1] && answered_q[2]);
    end
  end

endmodule
