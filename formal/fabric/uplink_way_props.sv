// uplink_way: a frame is decided on once, behind its first beat, whatever beats come and whichever
// way it takes. It is what uplink_leave takes for granted.
//
// Beats that are let in are free (`cuts` of the task); none is beside the reset.
module uplink_way_props
  import shell_pkg::*;
  import uplink_pkg::*;
  import uplink_route_pkg::*;
  import uplink_flow_pkg::*;
(
    input logic   clk_i,
    input logic   rst_ni,
    input bytes_t in_data_i,
    input keep_t  in_keep_i,
    input logic   in_last_i
);

  localparam int unsigned NumUp = 3;
  localparam int unsigned Entries = 2;
  // Frames that are read, and then decided on: three cycles behind a beat, and those of a choice.
  localparam int unsigned Reads = 3;
  localparam int unsigned Frames = Reads + ChoiceLatency;
  localparam int unsigned FramesW = $clog2(Frames + 2) + 1;

  uplink_override_t [Entries-1:0] override;
  assign override = '0;

  uplink_way #(
    .NumUp  (NumUp),
    .Places (2),
    .Entries(Entries)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .settings_i  ('0),
    .override_i  (override),
    .busy_o      (),
    .now_i       ('0),
    .up_i        ('1),
    .live_i      ('1),
    .least_i     ('0),
    .hold_i      (1'b0),
    .in_valid_i  (1'b0),
    .in_ready_o  (),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .out_to_o    (),
    .out_ready_i (1'b1),
    .out_data_o  (),
    .out_keep_o  (),
    .out_last_o  (),
    .out_prio_o  (),
    .read_valid_o(),
    .read_o      (),
    .count_o     (),
    .obs_o       ()
  );

  // ---------------------------------------------------------------------------------------------
  // Frames whose first beat has come and that have not been decided on, as uplink_leave_props
  // counts them; and those that are being read or decided on.

  logic started_q, within_q, takes, decides;
  logic [FramesW-1:0] owed_q, coming;
  initial started_q = 1'b0;
  assign takes   = u_dut.take;
  assign decides = u_dut.decided_valid;

  always_comb begin
    coming = FramesW'(u_dut.u_parse.at_q == 2'd1) + FramesW'(u_dut.u_parse.done_q) +
        FramesW'(u_dut.u_parse.ip_q);
    for (int unsigned i = 0; i < HashLatency; i++) begin
      coming += FramesW'(u_dut.u_choice.u_hash.valid_q[i]);
    end
    for (int unsigned i = 0; i < ChooseLatency; i++) begin
      coming += FramesW'(u_dut.u_choice.u_choose.valid_q[i]);
    end
    coming += FramesW'(u_dut.read_valid) + FramesW'(decides);
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (takes) within_q <= !in_last_i;
    owed_q <= owed_q + FramesW'(takes && !within_q) - FramesW'(decides);
    if (!rst_ni) begin
      within_q <= 1'b0;
      owed_q   <= '0;
    end
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame is decided on once, behind its first beat: a decision is of a frame that has come
      // and has none.
      a_decided : assert (!decides || owed_q != '0)
      else $error("a decision, and no frame waits for one");
      // Each frame that has none is on its way to it (helps the proof).
      a_inside : assert (owed_q == coming && within_q == (u_dut.u_parse.at_q != 2'd0) &&
                         32'(owed_q) <= Frames)
      else $error("%0d frames wait, %0d are on their way", owed_q, coming);
      // A frame is decided on in each of two cycles, and one ends as its first beat comes.
      c_short : cover (decides && takes && !within_q && in_last_i && u_dut.read_valid);
    end
  end

endmodule
