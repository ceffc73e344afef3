// Counters of a tree node: of each port, of each of its connections, and of the trees. Up to 38
// things may happen at a port in one cycle, and each may in every cycle; so each has a small
// counter, and in turn those of a row are added to its 32-bit ones, which stand in a RAM. Nobody
// waits, and nothing is lost.
module tree_counters
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::sat_events_t;
  import llt_pkg::low_events_t;
#(
  /// Ports of the node, 4 to 16.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // Of a port: [0] low latency, [1] streaming.
  input rc_port_events_t [NumPorts-1:0]      port_events_i,
  input rc_conn_events_t [NumPorts-1:0][1:0] conn_events_i,
  input low_events_t                         low_events_i,
  input sat_events_t                         sat_events_i,
  input logic            [NumPorts-1:0]      unsent_i,   // a frame was dropped behind its port
  // Of memories: flipped bits were corrected; a word was lost.
  input logic                                corrected_i,
  input logic                                lost_i,

  // COUNTER_SELECT, and the counter's value three cycles later, without what is still in its small
  // counter: that takes a turn of 3 * NumPorts + 1 cycles. 0 where there is no such counter.
  input  logic [1:0]  of_i,
  input  logic [3:0]  port_i,
  input  logic [7:0]  which_i,
  output logic [31:0] value_o
);

  /// Counters of a row; most that a row has, which is a connection's.
  localparam int unsigned Lanes = 15;
  /// Rows: of each port its own, then those of its connections; in the end that of the trees.
  localparam int unsigned Rows = 3 * NumPorts + 1;
  localparam int unsigned RowW = $clog2(Rows);
  /// A small counter counts as many events as there are cycles in a turn, and has a sign for the
  /// RAM's adder.
  localparam int unsigned SmallW = $clog2(Rows + 1) + 1;

  logic [Rows-1:0][Lanes-1:0]             event_q;
  logic [Rows-1:0][Lanes-1:0][SmallW-1:0] small_q;
  logic [Lanes-1:0][SmallW-1:0]           amount_q;
  logic [RowW-1:0]                        turn_q, at_q, read_at;
  logic                                   add_q, there;
  logic [Lanes-1:0][31:0]                 value;
  logic [7:0]                             which_q;
  logic [Lanes-1:0]                       lane_q;    // of the counters that are read, one
  logic [31:0]                            read;

  always_ff @(posedge clk_i) begin
    event_q <= '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      event_q[p][7:0] <= {port_events_i[p].cast_in, unsent_i[p], port_events_i[p].cast,
                          port_events_i[p].left, port_events_i[p].stray,
                          port_events_i[p].bad_icrc, port_events_i[p].frame_error,
                          port_events_i[p].came};
      for (int unsigned c = 0; c < 2; c++) begin
        event_q[NumPorts*(c+1)+p][8:0] <= {
          conn_events_i[p][c].acked, conn_events_i[p][c].answered,
          conn_events_i[p][c].request.timeout, conn_events_i[p][c].request.rnr_nak,
          conn_events_i[p][c].request.sequence_nak, conn_events_i[p][c].request.acknowledged,
          conn_events_i[p][c].request.limited, conn_events_i[p][c].request.repeated,
          conn_events_i[p][c].request.sent};
        for (int unsigned f = 0; f < 6; f++) begin
          event_q[NumPorts*(c+1)+p][9+f] <=
              conn_events_i[p][c].decided && 32'(conn_events_i[p][c].fate) == f;
        end
      end
    end
    event_q[Rows-1][12:0] <= {low_events_i.cast, lost_i, corrected_i,
      sat_events_i.done, sat_events_i.column, sat_events_i.refused,
      low_events_i.torn_down, low_events_i.unlocked, low_events_i.lock_failed,
      low_events_i.locked, low_events_i.failed, low_events_i.done, low_events_i.refused};
    if (!rst_ni) event_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    turn_q   <= (turn_q == RowW'(Rows - 1)) ? '0 : turn_q + RowW'(1);
    at_q     <= turn_q;
    add_q    <= rst_ni;
    amount_q <= small_q[turn_q];
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        small_q[r][l] <= ((turn_q == RowW'(r)) ? '0 : small_q[r][l]) + SmallW'(event_q[r][l]);
      end
    end
    if (!rst_ni) begin
      turn_q  <= '0;
      small_q <= '0;
    end
  end

  assign there = of_i == 2'd3 || 32'(port_i) < NumPorts;

  always_comb begin
    unique case (of_i)
      2'd0:    read_at = RowW'(port_i);
      2'd1:    read_at = RowW'(NumPorts) + RowW'(port_i);
      2'd2:    read_at = RowW'(2 * NumPorts) + RowW'(port_i);
      default: read_at = RowW'(Rows - 1);
    endcase
    if (!there) read_at = '0;
  end

  prim_tally #(
    .Words  (Rows),
    .Lanes  (Lanes),
    .Width  (32),
    .AmountW(SmallW)
  ) u_tally (
    .clk_i,
    .rst_ni,
    .add_i    (add_q),
    .at_i     (at_q),
    .amount_i (amount_q),
    .forget_i ('0),
    .read_at_i(read_at),
    .value_o  (value)
  );

  // A port that is not there has no counters either.
  always_ff @(posedge clk_i) begin
    which_q <= there ? which_i : '1;
    for (int unsigned l = 0; l < Lanes; l++) lane_q[l] <= 32'(which_q) == l;
  end
  always_comb begin
    read = '0;
    for (int unsigned l = 0; l < Lanes; l++) read |= lane_q[l] ? value[l] : '0;
  end
  always_ff @(posedge clk_i) value_o <= read;

endmodule
