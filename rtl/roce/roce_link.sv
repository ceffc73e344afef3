// The last stage in front of a port's MAC: while software says that the link is down, what would
// leave is taken and dropped, so that nobody waits for a cable that is not there.
//
// A frame of which the MAC has a part is ended for it by one more beat, marked as an error, so that
// the next frame does not continue it; a beat that the MAC has not taken yet is withdrawn, or
// becomes that end. When the link is up again, the first frame that leaves is a whole one.
module roce_link
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // Level: the link is down.
  input logic down_i,

  // Frames that leave.
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [BeatBits-1:0]  in_data_i,
  input  logic [BeatBytes-1:0] in_keep_i,
  input  logic                 in_last_i,
  input  logic                 in_user_i,

  // AXI4-Stream to the MAC.
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tuser,

  // Level: the last beat of a frame that is taken in this cycle is dropped.
  output logic drops_o
);

  logic drop_q;   // what comes is dropped
  logic part_q;   // a frame has begun to come
  logic cut_q;    // the MAC has the beginning of a frame
  logic part_d, cut_d;

  assign in_ready_o    = drop_q || m_axis_tready;
  assign m_axis_tvalid = drop_q ? cut_q : in_valid_i;
  assign m_axis_tdata  = in_data_i;
  // The end of a cut frame has one byte or more; nobody looks at which.
  assign m_axis_tkeep  = {in_keep_i[BeatBytes-1:1], in_keep_i[0] || drop_q};
  assign m_axis_tlast  = in_last_i || drop_q;
  assign m_axis_tuser  = in_user_i || drop_q;
  assign drops_o       = drop_q;

  assign part_d = (in_valid_i && in_ready_o) ? !in_last_i : part_q;
  assign cut_d  = (m_axis_tvalid && m_axis_tready) ? !m_axis_tlast : cut_q;

  always_ff @(posedge clk_i) begin
    part_q <= part_d;
    cut_q  <= cut_d;
    drop_q <= down_i || (drop_q && (part_d || cut_d));
    if (!rst_ni) begin
      part_q <= 1'b0;
      cut_q  <= 1'b0;
      drop_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What leaves is in step with what comes: the MAC never gets the end of a frame without its
      // beginning.
      a_step : assert (drop_q || part_q == cut_q)
      else $error("%m: a frame's rest leaves without its beginning");
    end
  end

endmodule
