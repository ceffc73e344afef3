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
  logic told_since_q, ended_q;   // he has been told, and not been let go since; he was let go once

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

  // ---------------------------------------------------------------------------------------------
  // What makes the proof one without a bound: how old what he was told is, and how much he may
  // still send until he has heard it

  // Cycles from when a pause frame is taken until he obeys.
  localparam int unsigned Way = Delay + 3;

  logic        awake_q;    // a cycle has gone by since the reset
  logic        full;       // he is to be paused
  logic        told;       // and the last frame that was made says so
  logic        leaves;     // a pause frame leaves
  logic        calm;       // he is paused, and nothing on its way lets him go
  logic        on_way;     // a pause frame has been made that he has not heard
  logic [15:0] age;        // of the last one that was made
  logic [31:0] coming;     // beats that are inside, or have been sent
  logic [31:0] rest;       // beats of his frame that are still to come
  logic [31:0] waits;      // cycles for which a pause frame waits for ours
  logic [31:0] due;        // cycles in which he may still begin a frame

  assign full   = u_dut.full_q[0];
  assign told   = u_dut.u_tx.told_q[0];
  assign age    = u_dut.u_tx.age_q;
  assign leaves = out_valid && out_data[0] == 8'h01;
  assign on_way = pause_valid || leaves || pause_q != '0;
  assign calm   = told && told_since_q && (pause_q & ~told_q) == '0 &&
                  !(leaves && {out_data[18], out_data[19]} == '0);
  assign coming = 32'(level[0]) + 32'(in_valid_q) + 32'($countones(beat_q));
  assign rest   = (his_q == '0) ? 32'd0 : Longest - 32'(his_q);
  assign waits  = u_out.within_q ? Longest - 32'(mine_q) : 32'd0;

  always_comb begin
    due = 32'd0;
    for (int unsigned d = 0; d <= Delay; d++) if (due == '0 && pause_q[d]) due = Delay + 32'd1 - d;
    if (leaves) due = Delay + 32'd2;
    if (pause_valid) due = waits + Delay + 32'd3;
    if (!told) due = (pause_valid ? waits + 32'd1 : 32'd0) + Longest + Delay + 32'd3;
  end

  // Beats of the frame that the room has a part of, with those that come behind it, up to the one
  // that he has begun.
  logic [31:0] part;
  logic        whole;   // no frame is longer than it may be
  always_comb begin
    part  = u_room.within_q ? 32'(u_room.beats_q) : 32'd0;
    whole = part < Longest;
    if (in_valid_q) part = in_last_q ? 32'd0 : part + 32'd1;
    whole = whole && part < Longest;
    for (int unsigned d = 0; d <= Delay; d++) begin
      if (beat_q[Delay-d]) part = last_q[Delay-d] ? 32'd0 : part + 32'd1;
      whole = whole && part < Longest;
    end
  end

  // In the room: beats behind the one that is shown, and those of a frame that is not whole.
  logic [CountW-1:0] behind, open;
  logic              shown;
  assign shown  = u_room.gen_queue[0].u_fifo.valid_q;
  assign behind = u_room.gen_queue[0].u_fifo.write_q - u_room.gen_queue[0].u_fifo.fetch_q;
  assign open   = u_room.gen_queue[0].u_fifo.write_q - u_room.gen_queue[0].u_fifo.commit_q;

  // Pause frames on their way, the oldest first: by turns they stop him and let him go.
  logic        newest, turns;
  logic [31:0] gone;   // cycles since the oldest one has left
  always_comb begin
    gone   = 32'd0;
    for (int unsigned d = 0; d <= Delay; d++) if (pause_q[d]) gone = d + 32'd1;
    newest = told_since_q;
    turns  = 1'b1;
    for (int unsigned d = 0; d <= Delay; d++) begin
      if (pause_q[Delay-d]) begin
        turns  = turns && (told_q[Delay-d] != newest ||
                           (newest && (pause_q >> (Delay - d + 1)) == '0));
        newest = told_q[Delay-d];
      end
    end
    if (leaves) begin
      turns  = turns && (({out_data[18], out_data[19]} != '0) != newest ||
                         (newest && pause_q == '0));
      newest = {out_data[18], out_data[19]} != '0;
    end
    if (pause_valid) turns = turns && (told != newest || (newest && pause_q == '0 && !leaves));
    else turns = turns && told == newest;
  end

  always_ff @(posedge clk_i) begin
    awake_q <= rst_ni;
    if (rst_ni && started_q) begin
      // Nothing has happened yet in the cycle after the reset.
      a_fresh : assert (awake_q || !(full || told || on_way || told_since_q || out_valid ||
                                     mine_q != '0 || his_q != '0 || stopped_q != '0 ||
                                     coming != '0))
      else $error("the reset left something");
      // The last stage always has room, since the MAC takes a beat a cycle.
      a_ready : assert (u_out.ready == awake_q && !u_out.u_skid.skid_valid_q)
      else $error("the last stage is full");
      // It has begun a frame exactly while the rest of one of ours is to come.
      a_begun : assert (u_out.within_q == (mine_q != '0) && 32'(mine_q) < Longest &&
                        32'(his_q) < Longest)
      else $error("frames that were begun are not known");
      // It is inside a frame exactly while a beat leaves that is not the last one.
      a_inside : assert (u_out.within_q == (out_valid && !out_last))
      else $error("the last stage is inside a frame that does not leave");
      // A quantum is a cycle.
      a_quantum : assert (u_dut.u_tx.part_q == (awake_q ? 17'h10000 : 17'h0))
      else $error("part of a quantum");
      // A pause frame waits for the rest of one frame at most.
      a_waits : assert (!pause_valid ||
                        (awake_q && 32'(age) < (waits != '0 ? 32'(mine_q) : Longest)))
      else $error("a pause frame is late");
      // Where a pause frame is says how old it is.
      a_way : assert (pause_valid || !on_way || !told ||
                      (32'(age) >= Way - due && 32'(age) < Way - due + Longest))
      else $error("a pause frame is late");
      // Frames on their way are as long as he has made them, and the room keeps all of each.
      a_whole : assert (whole && part == 32'(his_q) && !u_room.stops_q &&
                        (!u_room.within_q ||
                         (u_room.fate_q == '0 && u_room.to_q[0] && u_room.beats_q != '0)))
      else $error("a frame is too long, or not kept");
      // Each pause frame is about him.
      a_named : assert ((!pause_valid || u_dut.u_tx.named_q == 8'h01) &&
                        (!leaves || out_data[17] == 8'h01) && u_dut.u_tx.told_q <= 8'h01)
      else $error("a pause frame of somebody else");
      // A pause frame says something else than the one before it, unless that was heard long ago.
      a_turns : assert (turns)
      else $error("pause frames out of turn");
      // What the room shows is inside, and so is the part of a frame that is not whole.
      a_inside_room : assert (32'(level[0]) == 32'(shown) + 32'(behind) && 32'(level[0]) <= Depth &&
                              32'(open) == (u_room.within_q ? 32'(u_room.beats_q) : 32'd0) &&
                              open <= behind)
      else $error("pointers of the room");
      // The room is full when all its places are taken, and not before.
      a_full : assert (u_room.gen_queue[0].u_fifo.ready_q == (32'(level[0]) < Depth))
      else $error("room that is not given");
      // What was told is told again before half of its time is over.
      a_young : assert (pause_valid || !told || age <= Quanta / 2)
      else $error("told long ago");
      // He is never paused for longer than he was told.
      a_no_longer : assert (stopped_q <= Quanta)
      else $error("paused for longer than told");
      // When nothing is on its way he does as he was told, and for as long.
      a_obeys : assert (on_way || (told ? told_since_q && stopped_q + age >= Quanta + 16'(Way) &&
                                          32'(stopped_q + age) < 32'(Quanta) + Way + Longest :
                                          stopped_q == '0))
      else $error("he does not do as he was told");
      // When he is told again, the time that he has left is enough for it.
      a_again : assert (!calm || !on_way || (stopped_q + age >= Quanta / 2 + 16'(Way) - 16'd1 &&
                        32'(pause_valid) + 32'(leaves) + 32'($countones(pause_q)) == 32'd1))
      else $error("told again too late");
      // Whatever he hears next, he hears before his pause is over.
      a_in_time : assert (!told_since_q || !on_way || 32'(stopped_q) + 32'd1 +
                          ((pause_q != '0 || leaves) ? Longest + gone : 32'(age)) >=
                          32'(Quanta / 2) + Way)
      else $error("what he hears next comes too late");
      // He is to be paused from the beat on that is one too many.
      a_level : assert (full || (32'(level[0]) <= Xoff && coming <= Xoff + Delay + 32'd2))
      else $error("not to be paused, and too much inside");
      // What is inside, what is on the cable and what he may still send has room.
      a_fits : assert (!full || coming + (calm ? rest : due + Longest - 32'd1) <= Depth)
      else $error("more is coming than there is room for");
    end
  end

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
