// agg_lookup, agg_flush and agg_conn_age as agg_classify puts them together: who may count on what
// time of whom. What agg_flush takes for granted of look-up's answers, and agg_conn_age of
// look-up's times, is shown here.
//
// It is a matter of control alone: what the table and the registers of a packet say is left out of
// the circuit and free (`cuts` of the task), so it holds whatever they say.
module lookup_quiet_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Ports, and what else look-up is built for.
  parameter int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 2,
  localparam int unsigned NumRings = 2,
  localparam int unsigned NumConns = 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic        [NumPorts-1:0] req_valid_i,
  input frame_desc_t [NumPorts-1:0] req_i,
  input ring_t       [NumRings-1:0] rings_i,
  input logic        [NumPorts-1:0] open_i,
  input logic                       rsp_ready_i,
  input logic                 [1:0] limit_i,
  input logic                       soft_valid_i,
  input conn_set_t                  soft_i,
  input logic                       flush_valid_i,
  input logic           [RingW-1:0] flush_ring_i,
  input logic                       flush_free_i,
  input logic                       flush_slots_i,
  input logic        [NumPorts-1:0] ports_busy_i,
  input logic                       slot_ready_i
);

  logic                 started_q;
  logic                 set_valid, set_ready, set_error, hold, idle, walks, soft_ready;
  logic                 flush_conns, flush_done, flush_ready, flush_free;
  logic     [RingW-1:0] flush_ring;
  ring_t [NumRings-1:0] rings;
  conn_set_t            set;
  conn_seen_t           seen;
  initial started_q = 1'b0;

  // One name for all three, by which the task leaves their own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    agg_lookup #(
      .NumPorts (NumPorts),
      .NumRanks (NumRanks),
      .NumRings (NumRings),
      .NumConns (NumConns),
      .MaxWindow(1),
      .SlotBytes(64)
    ) u_lookup (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_ready_o       (),
      .req_i,
      .rings_i           (rings),
      .columns_i         ('0),
      .open_i,
      .rsp_valid_o       (),
      .rsp_ready_i,
      .rsp_o             (),
      .conn_set_valid_i  (set_valid),
      .conn_set_ready_o  (set_ready),
      .conn_set_i        (set),
      .conn_set_error_o  (set_error),
      .flush_hold_i      (hold),
      .idle_o            (idle),
      .flush_conns_i     (flush_conns),
      .flush_ring_i      (flush_ring),
      .flush_free_i      (flush_free),
      .flush_conns_done_o(flush_done),
      .flush_walks_o     (walks),
      .seen_o            (seen)
    );

    agg_flush #(
      .NumPorts(NumPorts),
      .NumRings(NumRings)
    ) u_flush (
      .clk_i,
      .rst_ni,
      .flush_valid_i,
      .flush_ready_o     (flush_ready),
      .flush_ring_i,
      .flush_free_i,
      .flush_slots_i,
      .rings_i,
      .rings_o           (rings),
      .hold_o            (hold),
      .lookup_idle_i     (idle),
      .ports_busy_i,
      .flush_conns_o     (flush_conns),
      .flush_conns_ring_o(flush_ring),
      .flush_conns_free_o(flush_free),
      .flush_conns_done_i(flush_done),
      .flush_walks_i     (walks),
      .slot_valid_o      (),
      .slot_ready_i,
      .slot_o            ()
    );

    agg_conn_age #(
      .NumRanks(NumRanks),
      .NumRings(NumRings),
      .UnitLog2(1)
    ) u_age (
      .clk_i,
      .rst_ni,
      .limit_i     (32'(limit_i)),
      .rings_i,
      .seen_i      (seen),
      .flush_i     (flush_conns),
      .flush_ring_i(flush_ring),
      .soft_valid_i,
      .soft_i,
      .soft_ready_o(soft_ready),
      .soft_error_o(),
      .set_valid_o (set_valid),
      .set_o       (set),
      .set_ready_i (set_ready),
      .set_error_i (set_error)
    );
  end

  // ---------------------------------------------------------------------------------------------
  // As in agg_flush_props and agg_conn_age_props: a flush has forgotten its ring's connections, and
  // was told so; cycles of a request to the table, cycles without a packet, cycles behind a flush.

  logic       waits_q, forgot_q, done_q, walks_q;
  logic [2:0] quiet_set_q;
  logic [1:0] quiet_seen_q;
  logic [2:0] flushed_q;

  always_ff @(posedge clk_i) begin
    started_q    <= 1'b1;
    waits_q      <= rst_ni && flush_valid_i && !flush_ready;
    walks_q      <= walks && rst_ni;
    quiet_set_q  <= !set_valid ? '0 : (quiet_set_q == 3'd6) ? quiet_set_q : quiet_set_q + 3'd1;
    quiet_seen_q <= seen.valid ? '0 : (quiet_seen_q == '1) ? quiet_seen_q : quiet_seen_q + 2'd1;
    flushed_q    <= flush_conns ? 3'd6 : (flushed_q == '0) ? '0 : flushed_q - 3'd1;
    if (flush_conns) forgot_q <= 1'b1;
    if (flush_done) done_q <= 1'b1;
    if (!rst_ni || flush_ready || !flush_valid_i) begin
      forgot_q <= 1'b0;
      done_q   <= 1'b0;
    end
    if (!rst_ni) {quiet_set_q, quiet_seen_q, flushed_q} <= '0;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A flush stays until it is done.
      e_stays : assume (!waits_q || flush_valid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // That connections are forgotten is answered in the cycle behind the request, once: a flush
      // neither goes on before that nor waits for ever.
      a_done : assert (flush_done == (forgot_q && !done_q))
      else $error("answered %b", flush_done);
      // The table goes through its entries for a flush only, from its request on and once: a ring
      // opens when that is over.
      a_walks : assert (!walks || (forgot_q && (!done_q || walks_q)))
      else $error("walks");
      // When the table answers a request there has been no packet for three cycles: what is known
      // of its connection is what the table says.
      a_answer : assert (!set_ready || (set_valid && quiet_seen_q == '1 && !seen.valid))
      else $error("answered %0d cycles behind a packet", quiet_seen_q);
      // While a connection is to be retired no packet comes through, but for those that were inside
      // when that was asked for: none brings back what is about to go.
      a_inside : assert (!(seen.valid && quiet_set_q == 3'd6) || set.act == ConnRegister)
      else $error("a packet beside a request");
      // Behind a flush of connections the first packet needs seven cycles: what it brings is not
      // forgotten with them.
      a_later : assert (!seen.valid || flushed_q == '0)
      else $error("%0d cycles early", flushed_q);
      // Connections are forgotten when no packet has come for three cycles, and not as the table
      // answers.
      a_flush : assert (!flush_conns || (quiet_seen_q == '1 && !seen.valid && !set_ready))
      else $error("forgotten %0d cycles behind a packet", quiet_seen_q);
      // A connection is retired while packets are about.
      c_answer : cover (set_ready && set.act == ConnRetire && flushed_q == '0);
      // The first packet behind a flush is as early as it can be.
      c_later : cover (seen.valid && done_q);
      // A registration waits for the end of a walk, and packets go on.
      c_beside : cover (seen.valid && quiet_set_q == 3'd6);
    end
  end

endmodule
