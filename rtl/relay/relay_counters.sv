// Counters of a device below a parent (docs/relay.md): they stand behind those of the ports, and do
// not depend on a port. Nobody waits; counters are 48 bits wide and wrap.
module relay_counters
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // Pulses, each counted by one.
  input relay_ask_events_t  asks_i,
  input relay_take_events_t takes_i,

  // Number of the counter that is read, and the value if it is one of a port. Of a counter that is
  // here `value_o` follows a cycle later; `value_i` goes through.
  input  logic [4:0]  which_i,
  input  logic [47:0] value_i,
  output logic [47:0] value_o
);

  /// Number of the first one.
  localparam int unsigned First = NumFates + 3;
  localparam int unsigned Counters = 7;

  logic [Counters-1:0]       counts;
  logic [Counters-1:0][47:0] counters_q;
  logic [47:0]               counter_q;

  assign counts = {asks_i.table_full, takes_i.no_way, takes_i.no_headers, asks_i.bad_parent,
                   asks_i.note_refused, takes_i.note, takes_i.up};

  always_ff @(posedge clk_i) begin
    counter_q <= '0;
    for (int unsigned c = 0; c < Counters; c++) begin
      if (counts[c]) counters_q[c] <= counters_q[c] + 48'd1;
      if (which_i == 5'(First + c)) counter_q <= counters_q[c];
    end
    if (!rst_ni) counters_q <= '0;
  end

  assign value_o = (which_i >= 5'(First)) ? counter_q : value_i;

endmodule
