// weir_ring_counters: what is added to which counter of a ring for each event, when counters of a
// ring begin anew, and what a read says. (The counters are prim_tally's, which is left out; what it
// says is free.)
module ring_counts_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  localparam int unsigned NumRings = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input ring_event_t      event_i,
  input logic             begins_i,
  input logic [RingW-1:0] begins_ring_i,
  input logic [RingW-1:0] ring_i,
  input logic [4:0]       which_i,
  input logic [1:0]       at_i,   // any ring
  input logic [4:0]       of_i    // any of its counters
);

  logic [47:0] value;

  weir_ring_counters #(
    .NumRings(NumRings)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .event_i,
    .begins_i,
    .begins_ring_i,
    .ring_i,
    .which_i,
    .value_o(value)
  );

  // An event, two cycles ago: of a packet, its fate; or else results, as many as have a bit.
  logic             past_q, past2_q, past3_q, adds, adds_q, adds2_q;
  logic [4:0]       which, which_q, which2_q;
  logic [RingW-1:0] ring_q, ring2_q;
  logic [4:0]       many, many_q, many2_q;
  logic             live_q;
  always_comb begin
    adds  = event_i.decided;
    which = 5'd20;
    many  = '0;
    if (event_i.decided) begin
      which = 5'(event_i.fate);
      many  = 5'd1;
    end
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      if (event_i.results[r]) begin
        adds = 1'b1;
        if (!event_i.decided) many += 5'd1;
      end
    end
  end

  // A read: whether the ring that was named is there, and where its counter is; who begins.
  logic       there_q, there2_q, there3_q, begins_q;
  logic [1:0] at_q;
  logic [4:0] of_q, read_of_q;
  logic [RingW-1:0] read_ring_q;
  initial {past_q, past2_q, past3_q} = '0;
  always_ff @(posedge clk_i) begin
    {past_q, past2_q, past3_q} <= {1'b1, past_q, past2_q};
    live_q                     <= rst_ni;
    {adds_q, adds2_q}          <= {adds && rst_ni, adds_q};
    {which_q, which2_q}        <= {which, which_q};
    {ring_q, ring2_q}          <= {event_i.ring, ring_q};
    {many_q, many2_q}          <= {many, many_q};
    {there_q, there2_q}        <= {32'(ring_i) < NumRings, there_q};
    there3_q                   <= there2_q;
    {read_ring_q, read_of_q}   <= {ring_i, which_i};
    {at_q, of_q}               <= {at_i, of_i};
    begins_q                   <= begins_i && begins_ring_i == RingW'(at_i);
  end

  always_ff @(posedge clk_i) begin
    // Two cycles behind an event something is added, unless there was a reset.
    a_adds : assert (!past2_q || !past_q || u_dut.u_tally.add_i == (live_q && adds2_q))
    else $error("adds %b", u_dut.u_tally.add_i);
    // To the counter of its ring and fate, or of results (in as many bits as counters have).
    a_where : assert (!past2_q || !past_q ||
                      u_dut.u_tally.at_i == 7'(32 * 32'(ring2_q) + 32'(which2_q)))
    else $error("counter %0d", u_dut.u_tally.at_i);
    // One for a packet, as many as there are for results.
    a_many : assert (!past2_q || !past_q || 32'(u_dut.u_tally.amount_i) == 32'(many2_q))
    else $error("%0d, not %0d", u_dut.u_tally.amount_i, many2_q);
    // All counters of a ring that begins anew are 0, and of no other.
    a_begins : assert (!past_q || 32'(at_q) >= NumRings ||
                       u_dut.u_tally.forget_i[32*32'(at_q)+32'(of_q)] == begins_q)
    else $error("counter %0d of ring %0d", of_q, at_q);
    a_reset : assert (u_dut.u_tally.rst_ni == rst_ni)
    else $error("reset");
    // A counter that is named is read in the next cycle, if its ring is there.
    a_reads : assert (!past_q || 32'(u_dut.u_tally.read_at_i) ==
                      (there_q ? 32 * 32'(read_ring_q) + 32'(read_of_q) : 32'd0))
    else $error("reads counter %0d", u_dut.u_tally.read_at_i);
    // Two cycles later it is there, 0 of a ring that is not.
    a_value : assert (!past3_q || !past2_q || !past_q ||
                      value == (there2_q ? u_dut.u_tally.value_o : '0))
    else $error("value %0d", value);

    // Results of all ranks.
    c_results : cover (past2_q && past_q && live_q && adds2_q && many2_q == 5'd16);
  end

endmodule
