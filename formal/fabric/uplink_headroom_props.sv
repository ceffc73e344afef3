// uplink_pause with uplink_room and the last stage of a port: pause is asked for early enough.
//
// A neighbour who obeys within the headroom loses nothing: he sends a beat a cycle, ends the frame
// that he has begun, and hears a pause frame `Delay` cycles after it left, as his own beats come
// `Delay` cycles after he sent them. A quantum is a cycle here.
module uplink_headroom_props
  import shell_pkg::*;
  import uplink_flow_pkg::*;
#(
  /// Cycles of the cable, one way.
  parameter int unsigned Delay = 1,
  /// Beats of the longest frame, either way.
  parameter int unsigned Longest = 2,
  /// Beats of the room.
  parameter int unsigned Depth = 32,
  /// Beats that its headroom is short of what it should be.
  parameter int unsigned Short = 0
) (
  input logic clk_i,
  input logic rst_ni,
  input logic send_i,        // the neighbour has a beat
  input logic end_i,         // and ends his frame with it
  input logic ours_i,        // we have one
  input logic ours_end_i,
  input logic take_i         // the inside takes a beat
);

  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam int unsigned Xoff = Depth - headroom(Delay, Longest) + Short;
  localparam int unsigned FrameW = $clog2(Longest + 1);
  localparam logic [15:0] Quanta = 16'd24;

  logic started_q;

  // ---------------------------------------------------------------------------------------------
  // The neighbour

  logic [Delay:0]    beat_q, last_q, told_q, pause_q;   // on the cable; [0]: just left
  logic [FrameW-1:0] his_q;      // beats of the frame that he has begun, 0: none
  logic [15:0]       stopped_q;  // how long he is still paused
  logic              sends, ends, heard, heard_on;

  assign sends    = send_i && (his_q != '0 || stopped_q == '0);
  assign ends     = end_i || his_q == FrameW'(Longest - 1);
  assign heard    = pause_q[Delay];
  assign heard_on = told_q[Delay];

  // ---------------------------------------------------------------------------------------------
  // We

  logic [0:0][CountW-1:0] level;
  logic                   pause_valid, pause_ready, out_valid, out_last, ours_ready, drop_room;
  logic [FrameW-1:0]      mine_q;
  logic                   mine, mine_end;
  bytes_t                 pause, out_data;
  logic [7:0]             xoff;

  assign mine     = ours_i || mine_q != '0;   // without holes
  assign mine_end = ours_end_i || mine_q == FrameW'(Longest - 1);

  uplink_pause #(
    .Depth        (Depth),
    .TxQuantumStep(65536)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .mac_i          ('0),
    .lossless_i     (8'h01),
    .quanta_i       (Quanta),
    .xoff_level_i   (CountW'(Xoff)),
    .xon_level_i    (CountW'(Xoff - 1)),
    .limit_i        ('0),
    .in_valid_i     (1'b0),
    .in_data_i      ('0),
    .in_keep_i      ('0),
    .in_last_i      (1'b0),
    .in_error_i     (1'b0),
    .in_tag_i       (1'b0),
    .out_valid_o    (),
    .out_data_o     (),
    .out_keep_o     (),
    .out_last_o     (),
    .out_error_o    (),
    .out_tag_o      (),
    .obeyed_o       (),
    .other_o        (),
    .paused_o       (),
    .storm_o        (),
    .stormed_o      (),
    .resumed_o      (),
    .clear_stormed_i('0),
    .clear_resumed_i('0),
    .storms_o       (),
    .level_i        (level),
    .xoff_o         (xoff),
    .pause_valid_o  (pause_valid),
    .pause_ready_i  (pause_ready),
    .pause_data_o   (pause)
  );

  // What comes out of u_dut a cycle later (shell_pause_rx has a register).
  logic in_valid_q, in_last_q;
  uplink_room #(
    .T       (logic),
    .Depth   (Depth),
    .MaxBeats(Longest)
  ) u_room (
    .clk_i,
    .rst_ni,
    .in_valid_i (in_valid_q),
    .in_last_i  (in_last_q),
    .in_bad_i   (1'b0),
    .in_to_i    (1'b1),
    .in_i       (1'b0),
    .taken_o    (),
    .drop_room_o(drop_room),
    .drop_long_o(),
    .drop_bad_o (),
    .out_valid_o(),
    .out_ready_i(take_i),
    .out_last_o (),
    .out_o      (),
    .level_o    (level)
  );

  shell_out u_out (
    .clk_i,
    .rst_ni,
    .in_valid_i   (mine),
    .in_ready_o   (ours_ready),
    .in_data_i    ('0),
    .in_keep_i    ('1),
    .in_last_i    (mine_end),
    .in_tag_i     (1'b0),
    .pause_valid_i(pause_valid),
    .pause_ready_o(pause_ready),
    .pause_data_i (pause),
    .out_valid_o  (out_valid),
    .out_ready_i  (1'b1),
    .out_data_o   (out_data),
    .out_keep_o   (),
    .out_last_o   (out_last),
    .out_tag_o    ()
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (sends) his_q <= ends ? '0 : his_q + FrameW'(1);
    if (mine && ours_ready) mine_q <= mine_end ? '0 : mine_q + FrameW'(1);
    // A pause frame is known by its first byte; ours are zeros.
    beat_q  <= {beat_q[Delay-1:0], sends};
    last_q  <= {last_q[Delay-1:0], sends && ends};
    pause_q <= {pause_q[Delay-1:0], out_valid && out_data[0] == 8'h01 && out_data[17][0]};
    told_q  <= {told_q[Delay-1:0], {out_data[18], out_data[19]} != '0};
    if (heard) stopped_q <= heard_on ? Quanta : '0;
    else if (stopped_q != '0) stopped_q <= stopped_q - 16'd1;
    in_valid_q <= beat_q[Delay];
    in_last_q  <= last_q[Delay];
    if (!rst_ni) begin
      his_q      <= '0;
      mine_q     <= '0;
      beat_q     <= '0;
      last_q     <= '0;
      pause_q    <= '0;
      told_q     <= '0;
      stopped_q  <= '0;
      in_valid_q <= 1'b0;
    end
    // The first cycle is one of reset. Dropped: the room is full from the start.
    e_reset : assume (started_q || !rst_ni);
  end

  // He has been told, and not been let go since; he was let go once.
  logic told_since_q, ended_q;
  always_ff @(posedge clk_i) begin
    if (heard) told_since_q <= heard_on;
    if (heard && !heard_on) ended_q <= 1'b1;
    if (!rst_ni) begin
      told_since_q <= 1'b0;
      ended_q      <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // No frame of a neighbour who obeys within the headroom finds no room.
      a_no_loss : assert (!drop_room)
      else $error("a frame found no room");
      // The pause is still going on when it is told again: between two pause frames of a queue that
      // stays full, nothing begins.
      a_refreshed : assert (!(xoff[0] && told_since_q && stopped_q == '0))
      else $error("the pause ran out");
      // Beats come for long after the pause was asked for.
      c_used : cover (32'(level[0]) >= Xoff + 6);
      // The pause ends, and comes again.
      c_again : cover (heard && heard_on && stopped_q == '0 && ended_q);
    end
  end

endmodule
