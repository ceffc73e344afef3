// Asks the index filter of a RIG unit which columns are here already (NetSparse 5.2): an index goes
// in, and comes out with its bit.
//
// One index a cycle. Who waits: indices, while as many look-ups are under way as there is room for,
// and for whoever takes them.
module gather_filter #(
  /// What is looked up.
  parameter type T = logic [7:0],
  /// Look-ups under way. Power of two, 8 or more.
  parameter int unsigned LookUps = 64
) (
  input logic clk_i,
  input logic rst_ni,
  // Flush: everything is dropped. Only while `open_o` is low.
  input logic clear_i,

  // Pulse: the filter takes a look-up, of `want_i`. Only with `room_o`.
  output logic room_o,
  input  logic look_i,
  input  T     want_i,
  // Its bit, in order, never refused.
  input  logic bit_valid_i,
  input  logic bit_i,

  // Look-ups with their bits, in order.
  output logic valid_o,
  input  logic ready_i,
  output logic known_o,
  output T     want_o,

  // Levels: a look-up is unanswered, or was two cycles ago; nothing is inside.
  output logic open_o,
  output logic empty_o
);

  localparam int unsigned OpenW = $clog2(LookUps + 1);

  logic             want_valid, bits_ready, bit_valid, known, pop, both_ready;
  T                 want;
  logic [OpenW-1:0] open_q;   // as of the cycle before
  logic             looked_q, told_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [OpenW-1:0] wants_count, bits_count;
  // verilator lint_on UNUSEDSIGNAL

  prim_fifo_ram #(
    .T     (T),
    .Depth (LookUps),
    .Around(1'b0)
  ) u_wants (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (look_i),
    .in_ready_o (room_o),
    .in_i       (want_i),
    .out_valid_o(want_valid),
    .out_ready_i(pop),
    .out_o      (want),
    .count_o    (wants_count)
  );

  prim_fifo_ram #(
    .T     (logic),
    .Depth (LookUps),
    .Around(1'b0)
  ) u_bits (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (bit_valid_i),
    .in_ready_o (bits_ready),
    .in_i       (bit_i),
    .out_valid_o(bit_valid),
    .out_ready_i(pop),
    .out_o      (known),
    .count_o    (bits_count)
  );

  prim_skid #(
    .T(logic [$bits(T):0])
  ) u_both (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (want_valid && bit_valid),
    .in_ready_o (both_ready),
    .in_i       ({known, want}),
    .out_valid_o(valid_o),
    .out_ready_i(ready_i),
    .out_o      ({known_o, want_o})
  );

  assign pop     = want_valid && bit_valid && both_ready;
  assign open_o  = looked_q || open_q != '0;
  assign empty_o = !valid_o && !want_valid;

  always_ff @(posedge clk_i) begin
    looked_q <= look_i;
    told_q   <= bit_valid_i;
    open_q   <= open_q + OpenW'(looked_q) - OpenW'(told_q);
    if (!rst_ni) begin
      looked_q <= 1'b0;
      told_q   <= 1'b0;
      open_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A bit finds room; else an index would be taken for another one's.
      a_bits : assert (!bit_valid_i || bits_ready)
      else $error("%m: no room for a filter bit");
    end
  end

endmodule
