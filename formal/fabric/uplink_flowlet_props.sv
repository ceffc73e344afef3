// uplink_flowlet: frames of a flow stay on one way while there is no boundary of a flowlet, so
// none overtakes another. One entry of the table is followed; what holds for any holds for all.
module uplink_flowlet_props
  import uplink_route_pkg::*;
#(
  /// Entries of the table.
  parameter int unsigned Entries = 2,
  /// Bits of time.
  parameter int unsigned TickW = 7,
  localparam int unsigned NumPorts = 3,
  localparam int unsigned IndexW = $clog2(Entries)
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [TickW-1:0]    now_i,
  input logic [TickW-3:0]    any_interval_i,
  input logic [NumPorts-1:0] live_i,
  input logic [PortW-1:0]    least_i,
  input logic                valid_i,
  input logic [IndexW-1:0]   index_i,

  // The entry that is followed.
  input logic [IndexW-1:0] follow_i
);

  logic              valid, busy;
  logic [PortW-1:0]  port;
  uplink_way_e       why;
  logic [TickW-3:0]  interval_q;
  logic [IndexW-1:0] follow_q;

  uplink_flowlet #(
    .Entries (Entries),
    .NumPorts(NumPorts),
    .TickW   (TickW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .now_i,
    .interval_i(interval_q),
    .live_i,
    .least_i,
    .valid_i,
    .index_i,
    .valid_o   (valid),
    .port_o    (port),
    .why_o     (why),
    .busy_o    (busy)
  );

  logic started_q;
  initial started_q = 1'b0;

  // What came up to three cycles ago: whether it was a frame of the entry, when, whether it came
  // within an interval of the frame before it, and when that came.
  logic [3:1]            mine_q, fits_q;
  logic [3:1][TickW-1:0] at_q, before_q;
  // The last frame of the entry that came, and whether an interval has been over since. Time wraps,
  // so what is too old stays so until the next frame.
  logic                  came_q, old_q, fits;
  logic [TickW-1:0]      last_q;
  // The port of the last one that was answered.
  logic [PortW-1:0]      port_q;
  logic [3:0]            live_before_q;
  logic                  mine, answers, goes_on;

  assign mine    = valid_i && index_i == follow_q;
  assign fits    = came_q && !old_q && now_i - last_q <= TickW'(interval_q);
  assign answers = valid && mine_q[3];
  assign goes_on = fits_q[3] && live_before_q[port_q[1:0]];

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      interval_q <= any_interval_i;
      follow_q   <= follow_i;
    end
    mine_q        <= {mine_q[2:1], mine};
    fits_q        <= {fits_q[2:1], fits};
    at_q          <= {at_q[2:1], now_i};
    before_q      <= {before_q[2:1], last_q};
    live_before_q <= 4'(live_i);
    if (mine) begin
      came_q <= 1'b1;
      last_q <= now_i;
    end
    old_q <= !mine && !fits;
    if (answers) port_q <= port;
    if (!rst_ni) {came_q, mine_q, fits_q} <= '0;

    // The first cycle is one of reset. Dropped: the table holds anything from the start.
    e_reset : assume (started_q || !rst_ni);
    // A port with the least load is one of the device's.
    e_least : assume (32'(least_i) < NumPorts);
  end

  // ---------------------------------------------------------------------------------------------
  // These help the proof: they hold by themselves, and the others follow from them.

  typedef struct packed {
    logic             valid;
    logic [PortW-1:0] port;
    logic [TickW-1:0] last;
  } entry_t;

  entry_t             table_at[Entries], read, e2, e3, e4, kept;
  logic               look3;   // a look at the entry is being written
  logic [3:1]         busy_at, frame_at;
  logic [3:1][IndexW-1:0] index_at;
  logic [3:1][TickW-1:0]  now_at, floor_at;
  for (genvar i = 0; i < Entries; i++) begin : gen_table
    assign table_at[i] = u_dut.u_table.mem[i];
  end
  assign read     = u_dut.read;
  assign e2       = u_dut.e2_q;
  assign e3       = u_dut.e3_q;
  assign e4       = u_dut.e4_q;
  assign kept     = table_at[follow_q];
  assign busy_at  = {u_dut.s3_q.valid, u_dut.s2_q.valid, u_dut.s1_q.valid};
  assign frame_at = {u_dut.s3_q.frame, u_dut.s2_q.frame, u_dut.s1_q.frame};
  assign index_at = {u_dut.s3_q.index, u_dut.s2_q.index, u_dut.s1_q.index};
  assign now_at   = {u_dut.s3_q.now, u_dut.s2_q.now, u_dut.s1_q.now};
  assign floor_at = {u_dut.s3_q.floor, u_dut.s2_q.floor, u_dut.s1_q.floor};
  assign look3    = busy_at[3] && !frame_at[3] && index_at[3] == follow_q;

  for (genvar i = 1; i < 4; i++) begin : gen_stage
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // The model's frames are those on their way, with their time.
        a_stage : assert (mine_q[i] == (busy_at[i] && frame_at[i] && index_at[i] == follow_q) &&
            (!busy_at[i] ||
            (now_at[i] == at_q[i] && floor_at[i] == at_q[i] - TickW'(interval_q))))
        else $error("stage %0d", i);
        // Nothing is on its way while the table is being cleared.
        a_clears : assert (!u_dut.clears_q || !busy_at[i])
        else $error("stage %0d", i);
        // What fits came within an interval.
        a_within : assert (!fits_q[i] || at_q[i] - before_q[i] <= TickW'(interval_q))
        else $error("stage %0d", i);
      end
    end
  end

  for (genvar i = 1; i < 3; i++) begin : gen_next
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // What fits is behind a frame, or behind something that fits as well.
        a_behind : assert (!fits_q[i] || (mine_q[i+1] ? before_q[i] == at_q[i+1] :
                           fits_q[i+1] && before_q[i] == before_q[i+1]))
        else $error("stage %0d", i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // So is what comes now.
      a_behind_now : assert (!came_q || old_q || (mine_q[1] ? last_q == at_q[1] :
                             fits_q[1] && last_q == before_q[1]))
      else $error("too old");
      // A lookup sees what is being written, and else what is in the table.
      a_ahead : assert (!busy_at[2] ||
                        (u_dut.ahead_q == (busy_at[3] && index_at[3] == index_at[2]) &&
                        (u_dut.ahead_q || e2 == table_at[index_at[2]])))
      else $error("stage 2 sees something else");
      // What was written last is in the table, unless that was cleared since.
      a_written : assert (!u_dut.valid4_q ||
          (u_dut.clears_q ? u_dut.at_q == '0 : e4 == table_at[u_dut.index4_q]))
      else $error("something else was written");
      // What was read is in the table, but for what was written last.
      a_read : assert (!busy_at[1] || (u_dut.valid4_q && u_dut.index4_q == index_at[1]) ||
                       read == table_at[index_at[1]])
      else $error("something else was read");
      // There is no flowlet while the table is being cleared.
      a_none : assert (!u_dut.clears_q || (!came_q && fits_q == '0))
      else $error("a flowlet while the table is being cleared");
      // While a flowlet lasts the table has it.
      a_kept : assert (!fits_q[3] ||
                       (kept == {1'b1, port_q, before_q[3]} && 32'(port_q) < NumPorts))
      else $error("the flowlet is not in the table");
      // A look that is being written keeps it.
      a_look : assert (!(fits_q[3] && look3) || e3 == {1'b1, port_q, before_q[3]})
      else $error("a look forgets the flowlet");
      // A frame that is being written is the last one of its flowlet.
      a_frame : assert (!mine_q[3] || (e3.valid && e3.last == at_q[3]))
      else $error("a frame is not in its flowlet");
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A frame that comes no later than an interval behind the one before of its flow takes the
      // same way, as long as that way's link is up: no frame overtakes another.
      a_one_way : assert (!answers || !goes_on || (port == port_q && why == WayGoesOn))
      else $error("port %0d, before %0d", port, port_q);
      // A frame is answered three cycles behind, and nothing else is.
      a_answered : assert (!mine_q[3] || valid)
      else $error("not answered");
      // A frame has a port that lives, or that was the least loaded.
      a_port : assert (!answers || 32'(port) < NumPorts)
      else $error("port %0d", port);
    end
    // A flowlet goes on behind a frame of two cycles ago, and ends behind a gap.
    c_goes_on : cover (rst_ni && answers && goes_on && mine_q[1]);
    c_gap : cover (rst_ni && answers && why == WayGap && port != port_q);
  end

endmodule
