// relay_counters: a counter is the number of its pulses since reset, modulo 2^48, and is what is
// read a cycle after its number; others go through.
//
// Followed is one counter, which one is free.
module relay_counters_props
  import roce_pkg::*;
  import relay_pkg::*;
(
  input logic               clk_i,
  input logic               rst_ni,
  input relay_ask_events_t  asks_i,
  input relay_take_events_t takes_i,
  input logic [4:0]         which_i,
  input logic [47:0]        value_i,
  // In the first cycle: the counter that is followed.
  input logic [2:0]         counter_i
);

  localparam int unsigned First = NumFates + 3;
  localparam int unsigned Counters = 7;

  logic        started_q;
  logic [2:0]  counter_q;
  logic [47:0] value, count_q;
  logic [4:0]  which_q;
  logic [47:0] was_q;
  logic        event_now, asked_q;
  initial started_q = 1'b0;

  relay_counters u_dut (
    .clk_i,
    .rst_ni,
    .asks_i,
    .takes_i,
    .which_i,
    .value_i,
    .value_o(value)
  );

  // As docs/relay.md numbers them.
  always_comb begin
    unique case (counter_q)
      3'd0:    event_now = takes_i.up;
      3'd1:    event_now = takes_i.note;
      3'd2:    event_now = asks_i.note_refused;
      3'd3:    event_now = asks_i.bad_parent;
      3'd4:    event_now = takes_i.no_headers;
      3'd5:    event_now = takes_i.no_way;
      default: event_now = asks_i.table_full;
    endcase
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) counter_q <= counter_i;
    which_q <= which_i;
    asked_q <= rst_ni;
    was_q   <= count_q;
    if (event_now) count_q <= count_q + 48'd1;
    if (!rst_ni) count_q <= '0;
    // The first cycle is one of reset. Dropped: a count that nobody began.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // What is read is the number of its own pulses, to the cycle before its number was given.
      a_count : assert (!asked_q || 32'(counter_q) >= Counters ||
          which_i != 5'(First + 32'(counter_q)) || which_q != which_i || value == was_q);
      // What is no counter of these goes through.
      a_through : assert (32'(which_i) >= First || value == value_i);
      // A number behind the last counter reads as none has counted.
      a_behind : assert (!asked_q || 32'(which_i) < First + Counters || which_q != which_i ||
                         value == '0);
      // It is what stands there (helps the proof).
      a_held : assert (32'(counter_q) >= Counters || u_dut.counters_q[counter_q] == count_q);
      // A counter that has counted is read.
      c_read : cover (counter_q == 3'd4 && which_i == 5'(First + 4) && which_q == which_i &&
                      value == 48'd2);
    end
  end

endmodule
