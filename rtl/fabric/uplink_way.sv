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
  // while no frame is under way here (LiveQuiet cycles behind `hold_i`), and that with the least
  // load.
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
  output logic [NumUp-1:0] out_to_o,     // a bit for its port, while there is something
  input  logic             out_ready_i,
  output bytes_t           out_data_o,
  output keep_t            out_keep_o,
  output logic             out_last_o,
  output logic [2:0]       out_prio_o,

  // The headers of each frame, as they were read.
  output logic  read_valid_o,
  output read_t read_o,

  // Frames by how they were decided on (uplink_way_e), and those that were dropped for a port that
  // died behind the decision.
  output logic [NumWays:0][31:0] count_o,
  output source_obs_t            obs_o
);

  /// Beats of the queue: more than a decision takes.
  localparam int unsigned Depth = 32;

  typedef struct packed {
    logic [2:0] prio;
    bytes_t     data;
    keep_t      keep;
  } beat_t;

  logic room, take, busy;
  beat_t beat_in, beat;
  assign busy_o     = busy;
  assign in_ready_o = room && !busy && !hold_i;
  assign take       = in_valid_i && in_ready_o;
  assign beat_in    = '{
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
  decided_t decided;

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

  logic pop, drops, begins, out_last;
  decided_t way;

  uplink_leave #(
    .T    (beat_t),
    .NumUp(NumUp),
    .Depth(Depth)
  ) u_leave (
    .clk_i,
    .rst_ni,
    .up_i,
    .in_valid_i     (take),
    .in_ready_o     (room),
    .in_last_i,
    .in_i           (beat_in),
    .decided_valid_i(decided_valid),
    .decided_i      (decided),
    .out_to_o,
    .out_ready_i,
    .out_last_o     (out_last),
    .out_o          (beat),
    .gone_o         (pop),
    .begins_o       (begins),
    .drops_o        (drops),
    .way_o          (way)
  );
  assign out_data_o = beat.data;
  assign out_keep_o = beat.keep;
  assign out_last_o = out_last;
  assign out_prio_o = beat.prio;

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (decided_valid && counter_of(decided.none, decided.why) == 3'(w)) begin
        count_o[w] <= count_o[w] + 32'd1;
      end
    end
    if (pop && out_last && drops && !way.none) begin
      count_o[WayLost] <= count_o[WayLost] + 32'd1;
    end
    if (!rst_ni) count_o <= '0;
  end

  logic [ChoiceLatency-1:0] deciding_q;   // frames that are being decided on, by age
  logic [NumUp-1:0]         live_q;

  always_ff @(posedge clk_i) begin
    deciding_q <= {deciding_q[ChoiceLatency-2:0], read_valid};
    live_q     <= live_i;
    if (!rst_ni) deciding_q <= '0;
    if (rst_ni) begin
      // No frame is decided on by the old links and the new ones; its flow would be told another
      // way than it took.
      a_live_still : assert (live_i == live_q || deciding_q == '0)
      else $error("%m: links change while a frame is being decided on");
      // A frame is decided on at its time; else its decision would be another frame's.
      a_choice_time : assert (decided_valid == deciding_q[ChoiceLatency-1])
      else $error("%m: a frame is not decided on %0d cycles after it was read", ChoiceLatency);
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

endmodule
