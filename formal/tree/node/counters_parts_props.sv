// tree_counters: what one counter counts, whichever that is, as COUNTER_SELECT names it: every
// event goes into its small counter, which is added to the large one in its row's turn, and none is
// lost. And what a read says. (The large ones are prim_tally's, which is left out; what it says is
// free.)
module counters_parts_props
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::sat_events_t;
  import llt_pkg::low_events_t;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input rc_port_events_t [NumPorts-1:0]  port_events_i,
  input rc_conn_events_t [NumPorts-1:0][1:0] conn_events_i,
  input low_events_t                     low_events_i,
  input sat_events_t                     sat_events_i,
  input logic            [NumPorts-1:0]  unsent_i,
  input logic                            corrected_i,
  input logic                            lost_i,
  input logic [1:0]                      of_i,
  input logic [3:0]                      port_i,
  input logic [7:0]                      which_i,
  // Any: the counter that is followed.
  input logic [1:0]                      scope_i,
  input logic [$clog2(NumPorts)-1:0]     at_i,
  input logic [3:0]                      lane_i
);

  logic [31:0] value;

  tree_counters #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .port_events_i,
    .conn_events_i,
    .low_events_i,
    .sat_events_i,
    .unsent_i,
    .corrected_i,
    .lost_i,
    .of_i,
    .port_i,
    .which_i,
    .value_o(value)
  );

  localparam int unsigned Lanes = 15;
  localparam int unsigned Rows = 3 * NumPorts + 1;
  localparam int unsigned RowW = $clog2(Rows);

  // ---------------------------------------------------------------------------------------------
  // The counter: its name, its row among those that have turns, and whether it counts now.

  logic                        begun_q, row_there, counts;
  logic [1:0]                  scope_q;
  logic [$clog2(NumPorts)-1:0] port_q;
  logic [3:0]                  lane_q;
  logic [RowW-1:0]             row;
  rc_port_events_t             of_port;
  rc_conn_events_t             of_conn;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (!begun_q) {scope_q, port_q, lane_q} <= {scope_i, at_i, lane_i};
  end
  assign row = (scope_q == 2'd3) ? RowW'(3 * NumPorts) :
      RowW'(32'(scope_q) * NumPorts + 32'(port_q));
  assign of_port   = port_events_i[port_q];
  assign of_conn   = conn_events_i[port_q][scope_q == 2'd2];
  assign row_there = begun_q && 32'(lane_q) < Lanes;
  always_comb begin
    counts = 1'b0;
    unique case (scope_q)
      2'd0: begin
        unique case (lane_q)
          4'd0:    counts = of_port.came;
          4'd1:    counts = of_port.frame_error;
          4'd2:    counts = of_port.bad_icrc;
          4'd3:    counts = of_port.stray;
          4'd4:    counts = of_port.left;
          4'd5:    counts = of_port.cast;
          4'd6:    counts = unsent_i[port_q];
          4'd7:    counts = of_port.cast_in;
          default: ;
        endcase
      end
      2'd1, 2'd2: begin
        unique case (lane_q)
          4'd0:    counts = of_conn.request.sent;
          4'd1:    counts = of_conn.request.repeated;
          4'd2:    counts = of_conn.request.limited;
          4'd3:    counts = of_conn.request.acknowledged;
          4'd4:    counts = of_conn.request.sequence_nak;
          4'd5:    counts = of_conn.request.rnr_nak;
          4'd6:    counts = of_conn.request.timeout;
          4'd7:    counts = of_conn.answered;
          4'd8:    counts = of_conn.acked;
          4'd9:    counts = of_conn.decided && of_conn.fate == RcTaken;
          4'd10:   counts = of_conn.decided && of_conn.fate == RcDuplicate;
          4'd11:   counts = of_conn.decided && of_conn.fate == RcGap;
          4'd12:   counts = of_conn.decided && of_conn.fate == RcNoRoom;
          4'd13:   counts = of_conn.decided && of_conn.fate == RcInvalid;
          4'd14:   counts = of_conn.decided && of_conn.fate == RcClosed;
          default: ;
        endcase
      end
      default: begin
        unique case (lane_q)
          4'd0:    counts = low_events_i.refused;
          4'd1:    counts = low_events_i.done;
          4'd2:    counts = low_events_i.failed;
          4'd3:    counts = low_events_i.locked;
          4'd4:    counts = low_events_i.lock_failed;
          4'd5:    counts = low_events_i.unlocked;
          4'd6:    counts = low_events_i.torn_down;
          4'd7:    counts = sat_events_i.refused;
          4'd8:    counts = sat_events_i.column;
          4'd9:    counts = sat_events_i.done;
          4'd10:   counts = corrected_i;
          4'd11:   counts = lost_i;
          4'd12:   counts = low_events_i.cast;
          default: ;
        endcase
      end
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Events that have not been handed on, in a number that does not overflow. A turn hands on those
  // of up to three cycles before it is seen.

  logic            reset_q, reset2_q;    // it was reset; so it was a cycle ago
  logic            now_q, now2_q;        // the event of a cycle ago, and of two
  logic            alive_q, adds_q;      // a cycle ago there was no reset; a row was added to
  logic [31:0]     waiting_q, since;     // events; cycles since the row's last turn, or more
  logic [RowW-1:0] turn, turn_q;
  logic [31:0]     small_q;              // as the RTL has it, a cycle ago
  initial {reset_q, reset2_q} = '0;
  assign turn  = u_dut.u_tally.at_i;
  assign since = (turn > row) ? 32'(turn) - 32'(row) : Rows + 32'(turn) - 32'(row);
  always_ff @(posedge clk_i) begin
    reset_q   <= reset_q || !rst_ni;
    reset2_q  <= reset_q;
    alive_q   <= rst_ni;
    now_q     <= rst_ni && begun_q && counts;
    now2_q    <= now_q;
    waiting_q <= !alive_q ? '0 : ((turn == row) ? '0 : waiting_q) + 32'(now2_q);
    turn_q    <= turn;
    adds_q    <= u_dut.u_tally.add_i;
    small_q   <= 32'(u_dut.small_q[row][lane_q]);
  end

  // ---------------------------------------------------------------------------------------------
  // A read: what is named now, and was a cycle ago and two.

  logic            named, past_q, past2_q, past3_q, there_q, there2_q;
  logic [7:0]      which_q, which2_q;
  logic [31:0]     tally_q;
  assign named = of_i == 2'd3 || port_i <= 4'(NumPorts - 1);
  initial {past_q, past2_q, past3_q} = '0;
  always_ff @(posedge clk_i) begin
    {past_q, past2_q}     <= {1'b1, past_q};
    past3_q               <= past2_q;
    {there_q, there2_q}   <= {named, there_q};
    {which_q, which2_q}   <= {which_i, which_q};
    tally_q               <= '0;
    if (there2_q && 32'(which2_q) < Lanes) tally_q <= u_dut.u_tally.value_o[which2_q[3:0]];
  end

  always_ff @(posedge clk_i) begin
    // Rows are added to in turn, in each cycle but behind a reset.
    a_adds : assert (!past_q || !past2_q || (u_dut.u_tally.add_i == alive_q &&
        turn == ((turn_q == RowW'(Rows - 1) || !adds_q) ? '0 : turn_q + RowW'(1))))
    else $error("row %0d behind %0d", turn, turn_q);
    // What is added to a counter in its turn is what has happened since the last one.
    a_amount : assert (!(row_there && reset2_q && reset_q) || turn != row ||
                       32'(u_dut.u_tally.amount_i[lane_q]) == waiting_q)
    else $error("%0d, not %0d", u_dut.u_tally.amount_i[lane_q], waiting_q);
    if (row_there) begin
      // A small counter has counted no more than there were cycles since its turn.
      a_small : assert (!(reset2_q && reset_q) || (small_q == waiting_q && waiting_q <= since &&
                        32'(turn) < Rows && 32'(u_dut.turn_q) < Rows))
      else $error("%0d, not %0d", small_q, waiting_q);
      // An event is counted a cycle behind it.
      a_event : assert (!(reset2_q && reset_q) || u_dut.event_q[row][lane_q] == now_q)
      else $error("an event: %b", now_q);
    end
    // No counter is set to 0, and the large ones are reset with the small ones.
    a_forgets : assert (u_dut.u_tally.forget_i == '0 && u_dut.u_tally.rst_ni == rst_ni)
    else $error("forgets");
    // A read asks for the row of the counter that is named.
    a_reads : assert (u_dut.u_tally.read_at_i == (of_i == 2'd3 ? RowW'(3 * NumPorts) :
                      !named ? '0 : RowW'(32'(of_i) * NumPorts + 32'(port_i))))
    else $error("row %0d", u_dut.u_tally.read_at_i);
    // Three cycles behind its name a counter's value is there; 0 of those that there are not.
    a_value : assert (!past3_q || value == tally_q)
    else $error("%0d, not %0d", value, tally_q);

    // A small counter is as full as it can be.
    c_full : cover (row_there && reset2_q && waiting_q == Rows);
  end

endmodule
