// relay_accept, the rows of its translation table alone: whose each is, and for how long, whatever
// the request in hand (`cuts` of the task: which ring it is of, what it is, which row is its own
// and whether that is written). One row is followed. (What a request makes of them:
// accept_steps_props.)
module accept_rows_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  localparam int unsigned NumRings = 4,
  localparam int unsigned NumRows = 3
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input lookup_req_t                req_i,
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input flush_conns_t               flush_i,
  input relay_set_req_t             row_set_i,
  input logic        [1:0]          row_i   // any
);

  localparam logic [3:0] Take = 4'd3, Place = 4'd4;   // the RTL's states
  localparam logic [1:0] KindRow = 2'd2;

  relay_accept #(
    .NumPorts (3),
    .NumRanks (3),
    .NumRings (NumRings),
    .MaxWindow(2),
    .SlotBytes(256),
    .Spine    (1),
    .NumRows  (NumRows)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .req_ready_o  (),
    .other_valid_o(),
    .other_ready_i(1'b0),
    .rings_i,
    .relays_i,
    .self_ip_i    ('0),
    .own_o        (),
    .own_ready_i  (1'b0),
    .flush_i,
    .idle_o       (),
    .row_set_i,
    .row_set_o    (),
    .kept_i       ('0),
    .look_i       ('0),
    .look_o       (),
    .events_o     ()
  );

  typedef struct packed {
    logic                          ran;
    logic [3:0]                    state;
    logic [RingW-1:0]              ring;
    logic                          gets;      // the row in hand becomes the ring's
    logic                          planned;   // by the control plane
    flush_conns_t                  flush;
    logic [NumRows-1:0]            at;
    logic [NumRows-1:0]            valid, fixed, own, free;
    logic [NumRows-1:0][RingW-1:0] of;
  } step_t;

  step_t      now, q;
  logic       past_q;
  logic [1:0] any_q, r;
  initial past_q = 1'b0;
  assign r   = (32'(any_q) < NumRows) ? any_q : 2'd0;
  assign now = '{rst_ni, u_dut.state_q, u_dut.ring_q, u_dut.row_write_q, u_dut.kind_q == KindRow,
                 flush_i, u_dut.row_at_q, u_dut.row_valid_q, u_dut.row_fixed_q, u_dut.row_own_q,
                 u_dut.row_free_q, u_dut.row_ring_q};
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    q      <= now;
    any_q  <= row_i;
  end

  // The followed row: a ring gets it, or it is given back. Rows in front of it are all in use.
  logic gets, forgets, first;
  assign gets    = q.gets && q.at[r];
  assign forgets = q.flush.valid && q.of[r] == q.flush.ring && !(q.fixed[r] && !q.flush.free);
  always_comb begin
    first = !q.valid[r];
    for (int unsigned n = 0; n < NumRows; n++) if (n < 32'(r) && !q.valid[n]) first = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (past_q && q.ran) begin
      // A row is in use from when a ring gets it until its connections are forgotten, or until the
      // ring is flushed if it was learned.
      a_used : assert (now.valid[r] == (gets || (q.valid[r] && !forgets)))
      else $error("row %0d in use: %b", r, now.valid[r]);
      // It stays with a flush if the control plane has set it.
      a_fixed : assert (now.fixed[r] == ((gets && q.planned) || (q.fixed[r] && !forgets)))
      else $error("row %0d fixed: %b", r, now.fixed[r]);
      // It is the ring's that got it last.
      a_of : assert (now.of[r] == (gets ? q.ring : q.of[r]))
      else $error("row %0d of ring %0d", r, now.of[r]);
    end
    if (past_q) begin
      // When a request is taken, its ring's own row is looked for, and the first that is nobody's.
      a_looks : assert (now.own[r] == (q.state == Take ? q.valid[r] && q.of[r] == q.ring :
                                       q.own[r]) &&
                        now.free[r] == (q.state == Take ? first : q.free[r]))
      else $error("row %0d: own %b, free %b", r, now.own[r], now.free[r]);

      // A flush of a ring leaves what the control plane has set.
      c_stays : cover (q.ran && q.flush.valid && q.of[r] == q.flush.ring && q.valid[r] &&
                       now.valid[r]);
    end
    if (past_q && !q.ran) begin
      // Behind a reset no row is anybody's.
      a_reset : assert (!now.valid[r] && !now.fixed[r])
      else $error("row %0d", r);
    end
  end

endmodule
