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
  import uplink_pkg::*;
#(
  /// Uplinks, 2 to MaxUp.
  parameter int unsigned NumUp = 4,
  /// Places for flowlets, power of two, 2 or more; overrides, 1 or more.
  parameter int unsigned Places = 1024,
  parameter int unsigned Entries = 16,
  localparam int unsigned IndexW = (Entries > 1) ? $clog2(Entries) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  input way_settings_t    settings_i,
  input logic             write_i,    // see uplink_override
  input logic [IndexW-1:0] index_i,
  input override_t        entry_i,
  output logic            busy_o,     // the table of flowlets is being cleared

  // The clock of flowlets; links that are up; what uplink_load says.
  input logic [TimeW-1:0] now_i,
  input logic [NumUp-1:0] up_i,
  input logic [NumUp-1:0] live_i,
  input logic [UpW-1:0]   least_i,

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

  // Frames by how they were decided on (way_e), and those that were dropped for a port that died
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
    way_e           why;
    logic [UpW-1:0] port;
  } decided_t;

  logic room, take, busy;
  beat_t beat_in, beat;
  assign busy_o     = busy;
  assign in_ready_o = room && !busy;
  assign take       = in_valid_i && in_ready_o;
  assign beat_in    = '{
    last: in_last_i,
    prio: flow_prio(in_data_i, in_keep_i),
    data: in_data_i,
    keep: in_keep_i
  };

  // ---------------------------------------------------------------------------------------------
  // The flow: its hash, and the override that matches.

  logic read_valid, hit;
  // verilator lint_off UNUSEDSIGNAL
  read_t read;   // neither opcode nor PSN
  // verilator lint_on UNUSEDSIGNAL
  logic [31:0] hash;
  logic [UpW-1:0] hit_port;

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

  uplink_hash u_hash (
    .clk_i,
    .seed_i   (settings_i.seed),
    .with_qp_i(settings_i.with_qp),
    .key_i    (read.key),
    .hash_o   (hash)
  );

  uplink_override #(
    .Entries(Entries)
  ) u_override (
    .clk_i,
    .rst_ni,
    .write_i,
    .index_i,
    .entry_i,
    .key_i (read.key),
    .hit_o (hit),
    .port_o(hit_port)
  );

  // An override waits for the hash.
  localparam int unsigned Later = HashLatency - OverrideLatency;
  logic [HashLatency-1:0]     valid_q;
  logic [Later-1:0]           hit_q;
  logic [Later-1:0][UpW-1:0]  hit_port_q;

  always_ff @(posedge clk_i) begin
    valid_q    <= {valid_q[HashLatency-2:0], read_valid};
    hit_q      <= {hit_q[Later-2:0], hit};
    hit_port_q <= {hit_port_q[Later-2:0], hit_port};
    if (!rst_ni) valid_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The decision, of ports as they live in its stage 0; it stands in stage 4.

  logic [MaxUp-1:0] lives;
  logic decide, override_0, any_0;
  logic [4:1] override_q, any_q;
  logic [4:1][UpW-1:0] hit_port_at_q;
  logic [3:1][NumUp-1:0] live_q;
  logic [4:1] decide_q;

  assign lives      = MaxUp'(live_i);
  assign decide     = valid_q[HashLatency-1];
  assign any_0      = live_i != '0;
  assign override_0 = hit_q[Later-1] && lives[hit_port_q[Later-1]];

  always_ff @(posedge clk_i) begin
    decide_q      <= {decide_q[3:1], decide};
    override_q    <= {override_q[3:1], override_0};
    any_q         <= {any_q[3:1], any_0};
    hit_port_at_q <= {hit_port_at_q[3:1], hit_port_q[Later-1]};
    live_q        <= {live_q[2:1], live_i};
    if (!rst_ni) decide_q <= '0;
  end

  // By hash (uplink_choose): the high half names one of all ports, the low half one of those that
  // live.
  logic [31:0] hash1_q;
  logic [15:0] low2_q;
  logic [UpW-1:0] first2_q, first3_q, nth3_q, hash4_q, nth_port;
  logic [UpW:0] lives2_q;
  logic first_lives, moved4_q;
  logic [MaxUp-1:0] live3;

  function automatic logic [UpW:0] ones(logic [NumUp-1:0] bits);
    ones = '0;
    for (int unsigned i = 0; i < NumUp; i++) ones += (UpW + 1)'(bits[i]);
  endfunction

  assign live3       = MaxUp'(live_q[3]);
  assign first_lives = live3[first3_q];
  always_comb begin
    nth_port = '0;
    for (int unsigned u = 0; u < NumUp; u++) begin
      if (live_q[3][u] && ones(live_q[3] & ~({NumUp{1'b1}} << u)) == {1'b0, nth3_q}) begin
        nth_port |= UpW'(u);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    hash1_q  <= hash;
    first2_q <= UpW'(21'(hash1_q[31:16]) * 21'(NumUp) >> 16);
    low2_q   <= hash1_q[15:0];
    lives2_q <= ones(live_q[1]);
    first3_q <= first2_q;
    nth3_q   <= UpW'(21'(low2_q) * 21'(lives2_q) >> 16);
    moved4_q <= !first_lives;
    hash4_q  <= first_lives ? first3_q : nth_port;
  end

  // By flowlet.
  logic flowlet;
  logic [UpW-1:0] flowlet_port;
  way_e flowlet_why;
  uplink_flowlet #(
    .NumUp (NumUp),
    .Places(Places)
  ) u_flowlet (
    .clk_i,
    .rst_ni,
    .busy_o    (busy),
    .now_i,
    .interval_i(settings_i.interval),
    .valid_i   (decide && settings_i.flowlets && any_0 && !override_0),
    .place_i   (hash[$clog2(Places)-1:0]),
    .live_i,
    .least_i,
    .valid_o   (flowlet),
    .port_o    (flowlet_port),
    .why_o     (flowlet_why)
  );

  decided_t decided, way;
  always_comb begin
    decided = '{why: moved4_q ? WayMoved : WayHash, port: hash4_q};
    if (flowlet) decided = '{why: flowlet_why, port: flowlet_port};
    if (override_q[4]) decided = '{why: WayOverride, port: hit_port_at_q[4]};
    if (!any_q[4]) decided = '{why: WayNone, port: '0};
  end

  // ---------------------------------------------------------------------------------------------
  // Beats and decisions meet.

  logic beat_valid, way_valid, way_room, pop, drops, begins, dead, within_q, dropping_q;
  logic [MaxUp-1:0] up;

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
    .in_valid_i (decide_q[4]),
    .in_ready_o (way_room),
    .in_i       (decided),
    .out_valid_o(way_valid),
    .out_ready_i(pop && beat.last),
    .out_o      (way),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o    ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign up          = MaxUp'(up_i);
  assign begins      = !within_q;
  assign dead        = way.why == WayNone || !up[way.port];
  assign drops       = begins ? dead : dropping_q;
  assign out_valid_o = beat_valid && way_valid && !drops;
  assign pop         = beat_valid && way_valid && (drops || out_ready_i);
  assign out_data_o  = beat.data;
  assign out_keep_o  = beat.keep;
  assign out_last_o  = beat.last;
  assign out_prio_o  = beat.prio;
  always_comb begin
    for (int unsigned u = 0; u < NumUp; u++) out_to_o[u] = out_valid_o && way.port == UpW'(u);
  end

  always_ff @(posedge clk_i) begin
    if (pop) begin
      within_q   <= !beat.last;
      dropping_q <= drops;
    end
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (decide_q[4] && decided.why == way_e'(w)) count_o[w] <= count_o[w] + 32'd1;
    end
    if (pop && beat.last && drops && way.why != WayNone) begin
      count_o[WayLost] <= count_o[WayLost] + 32'd1;
    end
    if (!rst_ni) begin
      within_q <= 1'b0;
      count_o  <= '0;
    end
  end

  assign obs_o = '{
    decides: decide,
    beat: pop,
    begins: begins,
    drops: drops,
    port: way.port,
    why: way.why
  };

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A decision finds room; else a frame would take the way of the one behind it.
      a_room : assert (!decide_q[4] || way_room)
      else $error("%m: no room for a decision");
      // No frame begins to leave by a dead port.
      a_dead : assert (!(out_valid_o && begins) || (out_to_o & ~up_i) == '0)
      else $error("%m: a frame to port %0d, which is dead", way.port);
    end
  end

endmodule
