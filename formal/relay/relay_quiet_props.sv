// relay_accept and agg_flush as a device below a parent puts them together: a ring's row goes only
// while nothing in hand relies on it.
//
// It is a matter of control alone: whose a packet is is left out of the circuit and free (`cuts` of
// the task), and so are look-up, ports and slots, so it holds whatever they do.
module relay_quiet_props
  import agg_pkg::*;
  import relay_pkg::*;
#(
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRings = 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input lookup_req_t                req_i,
  input logic                       other_ready_i,
  input logic                       own_ready_i,
  input relay_set_req_t             row_set_i,
  input logic                       flush_valid_i,
  input logic           [RingW-1:0] flush_ring_i,
  input logic                       flush_free_i,
  input logic                       flush_slots_i,
  input logic                       lookup_idle_i,
  input logic        [NumPorts-1:0] ports_busy_i,
  input logic                       flush_done_i,
  input logic                       flush_walks_i,
  input logic                       slot_ready_i
);

  logic         idle;
  flush_conns_t flush;

  // One name for both, by which the task leaves their own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    relay_accept #(
      .NumPorts (NumPorts),
      .NumRanks (2),
      .NumRings (NumRings),
      .MaxWindow(1),
      .SlotBytes(64)
    ) u_accept (
      .clk_i,
      .rst_ni,
      .req_i,
      .req_ready_o  (),
      .other_valid_o(),
      .other_ready_i,
      .rings_i      ('0),
      .relays_i     ('0),
      .self_ip_i    ('0),
      .own_o        (),
      .own_ready_i,
      .flush_i      (flush),
      .idle_o       (idle),
      .row_set_i,
      .row_set_o    (),
      .kept_i       ('0),
      .look_i       ('0),
      .look_o       (),
      .events_o     ()
    );

    agg_flush #(
      .NumPorts(NumPorts),
      .NumRings(NumRings)
    ) u_flush (
      .clk_i,
      .rst_ni,
      .flush_valid_i,
      .flush_ready_o     (),
      .flush_ring_i,
      .flush_free_i,
      .flush_slots_i,
      .rings_i           ('0),
      .rings_o           (),
      .hold_o            (flush.hold),
      .lookup_idle_i     (lookup_idle_i && idle),
      .ports_busy_i,
      .flush_conns_o     (flush.valid),
      .flush_conns_ring_o(flush.ring),
      .flush_conns_free_o(flush.free),
      .flush_conns_done_i(flush_done_i),
      .flush_walks_i,
      .slot_valid_o      (),
      .slot_ready_i,
      .slot_o            (),
      .obs_o             ()
    );
  end

  logic started_q;
  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: a request is in hand that nobody made.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // A ring is flushed while no request is in hand: none is judged by a row that is gone.
      a_idle : assert (!flush.valid || (idle && (u_dut.u_accept.state_q == 4'd0 ||
          u_dut.u_accept.state_q == 4'd2)))   // Idle and Other: names are out of reach here
      else $error("a ring is flushed while a request is in hand");
      // It comes to that, also with a request that look-up has not taken.
      c_flush : cover (flush.valid && u_dut.u_accept.other_valid_o);
    end
  end

endmodule
