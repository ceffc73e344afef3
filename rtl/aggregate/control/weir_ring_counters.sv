// Counts what becomes of each ring's packets, and its results, for whoever has several tenants on
// one device.
//
// A packet is of the ring that its INA header names, or else of its connection's. Slot state
// decides one packet a cycle or takes one column, so one counter grows at a time. A ring's counters
// begin at 0 when it is set up anew, and stay when it goes, to be read. Nobody waits.
module weir_ring_counters
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // Its dues are not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input ring_event_t      event_i,
  // verilator lint_on UNUSEDSIGNAL
  // A ring begins anew.
  input logic             begins_i,
  input logic [RingW-1:0] begins_ring_i,

  // One counter, three cycles after it was named: 0 to 19 fates, 20 results. Any other number reads
  // 0, and so does a ring that this device does not have.
  input  logic [RingW-1:0] ring_i,
  input  logic [4:0]       which_i,
  output logic [47:0]      value_o
);

  localparam int unsigned Whichs = 32;
  localparam int unsigned TxResult = NumFates + 1;
  localparam int unsigned Words = NumRings * Whichs;
  localparam int unsigned AtW = $clog2(Words);

  // Results are counted by fours, then all of them.
  localparam int unsigned Fours = MaxRanks / 4;
  logic [Fours-1:0][2:0] fours_q;
  logic                decided_q, event_q, add_q, there, there_q, there2_q;
  logic [AtW-1:0]      event_at_q, at_q, read_at_q;
  logic [RankW:0]      amount_q;
  logic [NumRings-1:0] begins_q;
  logic [Words-1:0]    forget;
  logic [47:0]         value;

  assign there = 32'(ring_i) < NumRings;

  always_ff @(posedge clk_i) begin
    event_q    <= (event_i.decided || event_i.results != '0) && rst_ni;
    event_at_q <= AtW'({event_i.ring, event_i.decided ? 5'(event_i.fate) : 5'(TxResult)});
    decided_q  <= event_i.decided;
    for (int unsigned f = 0; f < Fours; f++) begin
      fours_q[f] <= 3'(event_i.results[4*f]) + 3'(event_i.results[4*f+1]) +
          3'(event_i.results[4*f+2]) + 3'(event_i.results[4*f+3]);
    end
    add_q     <= event_q && rst_ni;
    at_q      <= event_at_q;
    amount_q  <= decided_q ? (RankW + 1)'(1) :
        ((RankW + 1)'(fours_q[0]) + (RankW + 1)'(fours_q[1])) +
        ((RankW + 1)'(fours_q[2]) + (RankW + 1)'(fours_q[3]));
    read_at_q <= there ? AtW'({ring_i, which_i}) : '0;
    there_q   <= there;
    there2_q  <= there_q;
    for (int unsigned g = 0; g < NumRings; g++) begin
      begins_q[g] <= begins_i && begins_ring_i == RingW'(g);
    end
  end

  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) forget[Whichs*g+:Whichs] = {Whichs{begins_q[g]}};
  end

  prim_tally #(
    .Words  (Words),
    .Width  (48),
    .AmountW(RankW + 2)
  ) u_tally (
    .clk_i,
    .rst_ni,
    .add_i    (add_q),
    .at_i     (at_q),
    .amount_i ({1'b0, amount_q}),
    .forget_i (forget),
    .read_at_i(read_at_q),
    .value_o  (value)
  );

  assign value_o = there2_q ? value : '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Slot state speaks of rings that exist; another one's counter would grow.
      a_ring : assert (!(event_i.decided || event_i.results != '0) ||
          32'(event_i.ring) < NumRings)
      else $error("%m: an event of ring %0d of %0d", event_i.ring, NumRings);
    end
  end

endmodule
