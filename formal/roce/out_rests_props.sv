// roce_out as long as no frame passes by: it tells of all its room and would take a beat, whatever
// results come and however long the MAC holds them up. It is what stands in for it where no frame
// passes (formal/top/out_stand_in.sv).
module out_rests_props
  import roce_pkg::*;
#(
  parameter int unsigned PassBeats = 16
) (
  input logic  clk_i,
  input logic  rst_ni,
  input logic  ordered_i,
  input logic  passes_i,          // a frame passes after all, and from then on nothing is said
  input beat_t pass_i,
  input logic  result_valid_i,
  input beat_t result_i,
  input logic  m_axis_tready_i
);

  logic       begun_q, passed_q, result_q, ready;
  logic [9:0] room;

  roce_out #(
    .PassBeats(PassBeats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ordered_i,
    .pass_valid_i  (passes_i),
    .pass_ready_o  (ready),
    .pass_i,
    .pass_bad_i    (1'b0),
    .pass_room_o   (room),
    .result_valid_i,
    .result_ready_o(),
    .result_i,
    .result_bad_i  (1'b0),
    .m_axis_tvalid (),
    .m_axis_tready (m_axis_tready_i),
    .m_axis_tdata  (),
    .m_axis_tkeep  (),
    .m_axis_tlast  (),
    .m_axis_tuser  (),
    .tx_pass_o     (),
    .tx_result_o   (),
    .tx_spoiled_o  (),
    .corrected_o   (),
    .bad_o         ()
  );

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    passed_q <= rst_ni && (passed_q || passes_i);
    result_q <= rst_ni && (result_q || result_valid_i);
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // Nothing has passed: there is room for as many beats as there are places, and one would be
      // taken at once.
      a_room : assert (passed_q || 32'(room) == PassBeats)
      else $error("room for %0d beats", room);
      a_ready : assert (passed_q || ready)
      else $error("no beat would be taken");
      // Results have come, and nothing has passed; one does, and takes room.
      c_result : cover (result_q && !passed_q);
      c_passes : cover (passed_q && 32'(room) != PassBeats);
    end
  end

endmodule
