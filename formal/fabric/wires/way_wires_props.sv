// uplink_way: which wire goes where between what reads headers, what chooses an uplink and what
// lets frames leave; when frames are let in, and what is counted and shown of them.
//
// What the three make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own, or tests: uplink_parse, uplink_choice,
// uplink_leave.
module way_wires_props
  import shell_pkg::*;
  import uplink_pkg::*;
  import uplink_route_pkg::*;
#(
  localparam int unsigned NumUp = 3,
  localparam int unsigned Entries = 2
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input way_settings_t                  settings_i,
  input uplink_override_t [Entries-1:0] override_i,
  input logic [TimeW-1:0]               now_i,
  input logic [NumUp-1:0]               up_i,
  input logic [NumUp-1:0]               live_i,
  input logic [PortW-1:0]               least_i,
  input logic                           hold_i,
  input logic                           in_valid_i,
  input bytes_t                         in_data_i,
  input keep_t                          in_keep_i,
  input logic                           in_last_i,
  input logic                           out_ready_i,
  input logic [3:0]                     counter_i   // any
);

  logic                   busy, in_ready, out_last, read_valid;
  logic [NumUp-1:0]       out_to;
  bytes_t                 out_data;
  keep_t                  out_keep;
  logic [2:0]             out_prio;
  read_t                  read;
  logic [NumWays:0][31:0] count;
  source_obs_t            obs;

  uplink_way #(
    .NumUp  (NumUp),
    .Places (2),
    .Entries(Entries)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .settings_i,
    .override_i,
    .busy_o      (busy),
    .now_i,
    .up_i,
    .live_i,
    .least_i,
    .hold_i,
    .in_valid_i,
    .in_ready_o  (in_ready),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .out_to_o    (out_to),
    .out_ready_i,
    .out_data_o  (out_data),
    .out_keep_o  (out_keep),
    .out_last_o  (out_last),
    .out_prio_o  (out_prio),
    .read_valid_o(read_valid),
    .read_o      (read),
    .count_o     (count),
    .obs_o       (obs)
  );

  // The priority of a frame by its first beat (Meta RoCE 5.1).
  logic [15:0] of_type;
  logic [2:0]  prio;
  assign of_type = {in_data_i[12], in_data_i[13]};
  always_comb begin
    prio = '0;
    if (in_keep_i[14]) begin
      case (of_type)
        16'h8100: prio = in_data_i[14][7:5];
        16'h0800: if (in_keep_i[15] && in_data_i[14][7:4] == 4'd4) prio = in_data_i[15][7:5];
        16'h86DD: if (in_data_i[14][7:4] == 4'd6) prio = in_data_i[14][3:1];
        default:  prio = '0;
      endcase
    end
  end

  // One counter, and whether a frame is of it: by how it was decided on, or dropped for a port that
  // died behind the decision, as its last beat goes.
  logic [3:0]  any_q, counter;
  logic        decided, lost, more, more_q, ready_q;
  logic [31:0] count_q;
  logic [1:0]  past_q;   // so many cycles have gone by
  initial past_q = '0;
  assign counter = (any_q <= 4'(NumWays)) ? any_q : '0;
  assign decided = u_dut.u_choice.valid_o && (u_dut.u_choice.none_o ? counter == 4'(WayNone) :
                                              counter == 4'(u_dut.u_choice.why_o));
  assign lost    = u_dut.u_leave.gone_o && u_dut.u_leave.out_last_o && u_dut.u_leave.drops_o &&
      !u_dut.u_leave.way_o.none;
  assign more    = (counter == 4'(WayLost)) ? lost : decided;

  // Headers read in the cycles before, none of before a reset.
  localparam int unsigned Looks = HashLatency + FlowletLatency - 1;
  logic [Looks:0] read_q;
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[0], 1'b1};
    if (!past_q[0]) any_q <= counter_i;
    ready_q <= rst_ni;
    more_q  <= more;
    count_q <= count[counter];
    read_q  <= rst_ni ? {read_q[Looks-1:0], u_dut.u_parse.valid_o} : '0;
  end
  logic [4:0] since_q;   // cycles since the first one, as far as they matter
  initial since_q = '0;
  always_ff @(posedge clk_i) if (since_q != '1) since_q <= since_q + 5'd1;

  logic taken;
  assign taken = in_valid_i && in_ready;

  always_ff @(posedge clk_i) begin
    // All three are reset.
    a_reset : assert ({u_dut.u_parse.rst_ni, u_dut.u_choice.rst_ni, u_dut.u_leave.rst_ni} ==
                      {3{rst_ni}})
    else $error("reset");
    // While the table of flowlets is being cleared nothing is let in, and it is told; nothing while
    // links change, and nothing without room. Else all is.
    a_lets : assert (busy == u_dut.u_choice.busy_o && in_ready ==
                     (u_dut.u_leave.in_ready_o && !busy && !hold_i))
    else $error("lets in: %b", in_ready);
    // A beat that is let in is read, and no other.
    a_read : assert (u_dut.u_parse.valid_i == taken && u_dut.u_parse.data_i == in_data_i &&
                     u_dut.u_parse.keep_i == in_keep_i && u_dut.u_parse.last_i == in_last_i)
    else $error("another beat is read");
    // It waits for its decision, with the priority that its frame has if it is the first one.
    a_waits : assert (u_dut.u_leave.in_valid_i == taken && u_dut.u_leave.in_last_i == in_last_i &&
                      u_dut.u_leave.in_i == {prio, in_data_i, in_keep_i})
    else $error("another beat waits");

    // What was read is told, and chosen for.
    a_told : assert (read_valid == u_dut.u_parse.valid_o && read == u_dut.u_parse.read_o &&
                     u_dut.u_choice.valid_i == u_dut.u_parse.valid_o &&
                     u_dut.u_choice.key_i == u_dut.u_parse.read_o.key)
    else $error("another key");
    // By the settings as they are, by overrides, the time, and the links that frames are decided on
    // by.
    a_chosen : assert ({u_dut.u_choice.seed_i, u_dut.u_choice.with_qp_i,
                        u_dut.u_choice.flowlets_i, u_dut.u_choice.interval_i} == settings_i &&
                       u_dut.u_choice.override_i == override_i &&
                       u_dut.u_choice.now_i == now_i && u_dut.u_choice.live_i == live_i &&
                       u_dut.u_choice.least_i == least_i)
    else $error("chosen by other settings");
    // A decision meets its frame.
    a_meets : assert (u_dut.u_leave.decided_valid_i == u_dut.u_choice.valid_o &&
                      u_dut.u_leave.decided_i.none == u_dut.u_choice.none_o &&
                      u_dut.u_leave.decided_i.port == u_dut.u_choice.port_o &&
                      u_dut.u_leave.decided_i.why == u_dut.u_choice.why_o)
    else $error("another decision");
    // Which links are up counts at once there.
    a_up : assert (u_dut.u_leave.up_i == up_i && u_dut.u_leave.out_ready_i == out_ready_i)
    else $error("links %b", u_dut.u_leave.up_i);
    // What may leave is shown, with its port.
    a_out : assert (out_to == u_dut.u_leave.out_to_o && out_last == u_dut.u_leave.out_last_o &&
                    {out_prio, out_data, out_keep} == u_dut.u_leave.out_o)
    else $error("another beat leaves");

    // A counter is one more a cycle behind a frame of it, and else what it was; behind a reset it
    // is 0.
    a_counts : assert (!past_q[1] || count[counter] ==
                       (ready_q ? count_q + 32'(more_q) : 32'd0))
    else $error("counter %0d: %0d", counter, count[counter]);
    // Who watches is told when a frame is decided on: as its flowlet is looked at.
    a_decides : assert (32'(since_q) <= Looks || obs.decides == read_q[Looks-1])
    else $error("decides: %b", obs.decides);
    // And what becomes of it.
    a_watched : assert (obs.beat == u_dut.u_leave.gone_o && obs.begins == u_dut.u_leave.begins_o &&
                        obs.drops == u_dut.u_leave.drops_o &&
                        obs.port == u_dut.u_leave.way_o.port && obs.why == u_dut.u_leave.way_o.why)
    else $error("another frame is told of");

    // A frame is lost behind its decision.
    c_lost : cover (past_q[1] && ready_q && counter == 4'(WayLost) && more_q &&
                    count[counter] == 32'd2);
  end

endmodule
