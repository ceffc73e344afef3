// Counts events of one clock in another.
//
// Events are counted twice: in eight bits where they happen, in Gray code, which cross; and by how
// much those have grown, here. So a link's reset loses no count, and `rst_ni` sets the counter to
// zero. Events may come every cycle as long as the counting clock is not 64 times as slow. The
// eight bits have no reset, because one that reached only one side would count as events.
module shell_count (
  input logic src_clk_i,
  input logic event_i,   // one in each cycle of src_clk_i

  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] count_o   // wraps
);

  logic [7:0] events_q = '0;
  logic [7:0] gray_q = '0;
  logic       event_q = 1'b0;
  logic [7:0] next, gray, seen, seen_q, known_q;

  assign next = events_q + 8'(event_q);
  always_ff @(posedge src_clk_i) begin
    event_q  <= event_i;
    events_q <= next;
    gray_q   <= next ^ (next >> 1);
  end

  shell_sync #(
    .Width(8)
  ) u_sync (
    .clk_i,
    .in_i (gray_q),
    .out_o(gray)
  );
  always_comb for (int unsigned i = 0; i < 8; i++) seen[i] = ^(gray >> i);

  always_ff @(posedge clk_i) begin
    seen_q  <= seen;
    known_q <= seen_q;
    count_o <= rst_ni ? count_o + 32'(8'(seen_q - known_q)) : '0;
  end

endmodule
