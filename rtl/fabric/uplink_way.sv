// Decides by which uplink each frame of one queue leaves: an override whose port lives, else its
// flowlet or its hash, as the settings have it (Meta RoCE 4.2.2, 4.3.2, 4.5).
//
// Beats wait in a queue while the frame's headers go down a pipeline of fixed length, one frame a
// cycle, so short frames follow each other without gaps. Only for the table of flowlets to be
// cleared after reset, and for room in the queue, does anybody wait. A frame whose port has died
// before its first beat left is dropped: none begins to leave by a dead port.
module uplink_way
  import shell_pkg::*;
  import uplink_flow_pkg::*;
  import uplink_route_pkg::*;
  import uplink_pkg::*;
#(
  /// Uplinks, 2 to MaxPorts.
  parameter int unsigned NumUp = 4,
  /// Places for flowlets, power of two, 2 or more; overrides, 1 or more.
  parameter int unsigned Places = 1024,
  parameter int unsigned Entries = 16
) (
  input logic clk_i,
  input logic rst_ni,

  input  way_settings_t                  settings_i,
  input  uplink_override_t [Entries-1:0] override_i,
  output logic                           busy_o,      // the table of flowlets is being cleared

  // The clock of flowlets; links that are up; those by which frames are decided on, which change
  // while no frame is under way here (32 cycles behind `hold_i`), and that with the least load.
  input logic [TimeW-1:0] now_i,
  input logic [NumUp-1:0] up_i,
  input logic [NumUp-1:0] live_i,
  input logic [PortW-1:0] least_i,
  input logic             hold_i,

  // Whole frames.
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  bytes_t in_data_i,
  input  keep_t  in_keep_i,
  input  logic   in_last_i,

  // What is shown may be withdrawn as long as a frame has not begun; then it stays.
  output logic             out_valid_o,
  output logic [NumUp-1:0] out_to_o,     // a bit for its port
  input  logic             out_ready_i,
  output bytes_t           out_data_o,
  output keep_t            out_keep_o,
  output logic             out_last_o,
  output logic [2:0]       out_prio_o,

  // The headers of each frame, as they were read.
  output logic  read_valid_o,
  output read_t read_o,

  // Frames by how they were decided on (uplink_way_e), and those that were dropped for a port that died
  // behind the decision.
  output logic [NumWays:0][31:0] count_o,
  output source_obs_t            obs_o
);

  /// Beats of the queue: more than a decision takes.
  localparam int unsigned Depth = 32;

  typedef struct packed {
    logic       last;
    logic [2:0] prio;
    bytes_t     data;
    keep_t      keep;
  } beat_t;
  typedef struct packed {
    uplink_way_e      why;
    logic             none;
    logic [PortW-1:0] port;
  } decided_t;

  logic room, take, busy;
  beat_t beat_in, beat;
  assign busy_o     = busy;
  assign in_ready_o = room && !busy && !hold_i;
  assign take       = in_valid_i && in_ready_o;
  assign beat_in    = '{
    last: in_last_i,
    prio: flow_prio(in_data_i, in_keep_i),
    data: in_data_i,
    keep: in_keep_i
  };

  // ---------------------------------------------------------------------------------------------
  // The flow, and its way.

  logic read_valid, decided_valid;
  read_t read;
  assign read_valid_o = read_valid;
  assign read_o       = read;
  decided_t decided, way;

  uplink_parse u_parse (
    .clk_i,
    .rst_ni,
    .valid_i(take),
    .data_i (in_data_i),
    .keep_i (in_keep_i),
    .last_i (in_last_i),
    .valid_o(read_valid),
    .read_o (read)
  );

  uplink_choice #(
    .NumPorts (NumUp),
    .Overrides(Entries),
    .Flowlets (Places)
  ) u_choice (
    .clk_i,
    .rst_ni,
    .seed_i    (settings_i.seed),
    .with_qp_i (settings_i.with_qp),
    .flowlets_i(settings_i.flowlets),
    .interval_i(settings_i.interval),
    .override_i,
    .now_i,
    .live_i,
    .least_i,
    .valid_i   (read_valid),
    .key_i     (read.key),
    .busy_o    (busy),
    .valid_o   (decided_valid),
    .none_o    (decided.none),
    .port_o    (decided.port),
    .why_o     (decided.why)
  );

  // What is shown of a decision: when its flowlet, or load, was looked at.
  localparam int unsigned Looked = HashLatency + FlowletLatency - 1;
  logic [Looked:1] looked_q;
  always_ff @(posedge clk_i) begin
    looked_q <= {looked_q[Looked-1:1], read_valid};
    if (!rst_ni) looked_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Beats and decisions meet.

  logic beat_valid, way_valid, way_room, pop, drops, begins, dead, within_q, dropping_q;
  logic [MaxPorts-1:0] up;

  prim_fifo #(
    .T    (beat_t),
    .Depth(Depth)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .in_valid_i (take),
    .in_ready_o (room),
    .in_i       (beat_in),
    .out_valid_o(beat_valid),
    .out_ready_i(pop),
    .out_o      (beat),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  // Each frame that has been decided on has a beat in the queue, or is the last one that came: so
  // there is room.
  prim_fifo #(
    .T    (decided_t),
    .Depth(Depth)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .in_valid_i (decided_valid),
    .in_ready_o (way_room),
    .in_i       (decided),
    .out_valid_o(way_valid),
    .out_ready_i(pop && beat.last),
    .out_o      (way),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign up          = MaxPorts'(up_i);
  assign begins      = !within_q;
  assign dead        = way.none || !up[way.port];
  assign drops       = begins ? dead : dropping_q;
  assign out_valid_o = beat_valid && way_valid && !drops;
  assign pop         = beat_valid && way_valid && (drops || out_ready_i);
  assign out_data_o  = beat.data;
  assign out_keep_o  = beat.keep;
  assign out_last_o  = beat.last;
  assign out_prio_o  = beat.prio;
  always_comb begin
    for (int unsigned u = 0; u < NumUp; u++) out_to_o[u] = out_valid_o && way.port == PortW'(u);
  end

  always_ff @(posedge clk_i) begin
    if (pop) begin
      within_q   <= !beat.last;
      dropping_q <= drops;
    end
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (decided_valid && counter_of(decided.none, decided.why) == 3'(w)) begin
        count_o[w] <= count_o[w] + 32'd1;
      end
    end
    if (pop && beat.last && drops && !way.none) begin
      count_o[WayLost] <= count_o[WayLost] + 32'd1;
    end
    if (!rst_ni) begin
      within_q <= 1'b0;
      count_o  <= '0;
    end
  end

  assign obs_o = '{
    decides: looked_q[Looked],
    beat: pop,
    begins: begins,
    drops: drops,
    port: way.port,
    why: way.why
  };

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A decision finds room; else a frame would take the way of the one behind it.
      a_room : assert (!decided_valid || way_room)
      else $error("%m: no room for a decision");
      // No frame begins to leave by a dead port.
      a_dead : assert (!(out_valid_o && begins) || (out_to_o & ~up_i) == '0)
      else $error("%m: a frame to port %0d, which is dead", way.port);
    end
  end

endmodule
