// rc_port: a connection that has failed says so until it is opened anew or closed, and says nothing
// of the life before in the cycle behind that. What frames say, and when they end, is free.
module rc_fault_props
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
  input logic         [31:0]                time_i,
  input logic         [NumConns-1:0]        open_i,
  input logic         [NumConns-1:0]        close_i,
  input logic         [NumConns-1:0]        claim_i,
  input rc_row_t      [NumConns-1:0]        send_row_i,
  input logic                               tready_i,
  input rc_conn_cfg_t [NumConns-1:0]        cfg_i
);

  rc_fault_e [NumConns-1:0] fault;

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
    .m_axis_tready(tready_i),
    .m_axis_tdata (),
    .m_axis_tkeep (),
    .m_axis_tlast (),
    .open_i,
    .close_i,
    .cfg_i,
    .time_i,
    .cast_group_i ('0),
    .listens_i    (1'b0),
    .came_o       (),
    .cast_valid_o (),
    .cast_len_o   (),
    .oldest_o     (),
    .claim_i,
    .claim_drop_i ('0),
    .row_re_i     ('0),
    .row_o        (),
    .room_o       (),
    .send_row_i,
    .send_cast_i  ('0),
    .idle_o       (),
    .fault_o      (fault),
    .conn_events_o(),
    .events_o     (),
    .memory_o     ()
  );

  // Of the cycle before: connections that were opened or closed, or that had failed.
  logic                begun_q;
  logic [NumConns-1:0] opens_q, clears_q, failed_q, bad;
  initial begun_q = 1'b0;

  always_comb for (int unsigned c = 0; c < NumConns; c++) bad[c] = fault[c] != RcGood;

  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    opens_q  <= open_i;
    clears_q <= open_i | close_i | {NumConns{!rst_ni}};
    failed_q <= bad;
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // A connection that has failed says so until it is opened, closed or reset; else who is lost
      // would be there again.
      a_stays : assert ((failed_q & ~clears_q & ~bad) == '0)
      else $error("connection %b is good again by itself", failed_q & ~clears_q & ~bad);
      // Once it is opened, closed or reset it has not failed.
      a_clear : assert ((clears_q & bad) == '0)
      else $error("connection %b has failed before it began", clears_q & bad);
      // One that had failed is opened, and has not failed.
      c_anew : cover (rst_ni && opens_q[0] && failed_q[0] && !bad[0]);
    end
  end

endmodule
