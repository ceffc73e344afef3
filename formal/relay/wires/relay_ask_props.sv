// relay_ask: which wire goes where between ports, look-up and the parts of the filter between them,
// and when the counters hear that the device is a leaf.
//
// What these make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: relay_child, relay_accept.
module relay_ask_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is below another one.
  parameter int unsigned Uplink = 1,
  localparam cfg_t Cfg = make_cfg(3, 2, 64, 8, 3, 4, 1, 0, 1, Uplink, 2, 9216, 0),
  localparam int unsigned UpPort = Cfg.NumPorts - 1
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input ring_t       [Cfg.NumRings-1:0]        rings_i,
  input relay_ring_t [Cfg.NumRings-1:0]        relays_i,
  input relay_self_t                           self_i,
  input lookup_req_t [Cfg.NumPorts-1:0]        port_i,
  input logic        [Cfg.NumPorts-1:0]        lookup_ready_i,
  input logic                                  own_ready_i,
  input relay_set_req_t                        row_set_i,
  input flush_conns_t                          flush_i,
  input commit_req_t                           kept_i,
  input relay_look_t                           look_i,
  input logic [$clog2(Cfg.NumRings)-1:0]       ring_i   // any
);

  logic        [Cfg.NumPorts-1:0] port_ready;
  lookup_req_t [Cfg.NumPorts-1:0] lookup;
  decide_req_t                    own;
  relay_set_rsp_t                 row_set;
  logic                           idle, of_leaf;
  relay_note_t                    note;
  relay_ask_events_t              events;

  relay_ask #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i,
    .port_i,
    .port_ready_o(port_ready),
    .lookup_o    (lookup),
    .lookup_ready_i,
    .own_o       (own),
    .own_ready_i,
    .row_set_i,
    .row_set_o   (row_set),
    .flush_i,
    .idle_o      (idle),
    .kept_i,
    .look_i,
    .note_o      (note),
    .of_leaf_o   (of_leaf),
    .events_o    (events)
  );

  // What the last port's packet is asked about and heard by: relay_accept, if there is a parent.
  logic last_valid, last_ready, below;

  // A ring is enabled below a parent, with workers of its own; a cycle ago, this one and any.
  logic [Cfg.NumRings-1:0] leaf;
  logic                    one_q, none_q, past_q;
  initial past_q = 1'b0;
  for (genvar g = 0; g < Cfg.NumRings; g++) begin : gen_ring
    assign leaf[g] = {rings_i[g].enable, relays_i[g].parent, relays_i[g].devices} == 3'b110;
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    one_q  <= 32'(ring_i) < Cfg.NumRings && leaf[ring_i];
    none_q <= leaf == '0;
  end

  always_ff @(posedge clk_i) begin
    // It is a leaf, a cycle late, if one ring is so; and is none if none is.
    a_leaf : assert (!past_q || !one_q || of_leaf)
    else $error("no leaf");
    a_no_leaf : assert (!past_q || !none_q || !of_leaf)
    else $error("a leaf");
    // What comes from the parent goes to relay_accept, which says whether look-up is asked; without
    // a parent it is a packet like others.
    a_last : assert (lookup[UpPort].valid == last_valid && port_ready[UpPort] == last_ready)
    else $error("another packet");
    // Registers, flushes, registrations and notifications reach relay_accept, and its answers are
    // what is told; without a parent there is none.
    a_below : assert (below)
    else $error("another answer");

    // The last ring alone is below a parent.
    c_leaf : cover (past_q && of_leaf && one_q && ring_i == 2'd2 && port_ready == '1);
  end

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // Of each port's packet its own relay_child says what it is for look-up, by the registers.
      a_child : assert (u_dut.gen_port[p].u_child.rst_ni == rst_ni &&
                        u_dut.gen_port[p].u_child.rings_i == rings_i &&
                        u_dut.gen_port[p].u_child.relays_i == relays_i &&
                        u_dut.gen_port[p].u_child.valid_i == port_i[p].valid &&
                        u_dut.gen_port[p].u_child.desc_i == port_i[p].desc &&
                        lookup[p].desc == u_dut.gen_port[p].u_child.desc_o)
      else $error("port %0d", p);
      // It hears when the packet is taken, as the port does.
      a_taken : assert (u_dut.gen_port[p].u_child.taken_i == port_ready[p])
      else $error("port %0d", p);
      // Of workers and child devices look-up is asked when it says so, and takes them.
      a_asks : assert (p == UpPort ||
                       (lookup[p].valid == u_dut.gen_port[p].u_child.valid_o &&
                        port_ready[p] == lookup_ready_i[p]))
      else $error("port %0d", p);
    end
  end

  if (Uplink != 0) begin : gen_accept
    assign last_valid = u_dut.gen_below.u_accept.other_valid_o;
    assign last_ready = u_dut.gen_below.u_accept.req_ready_o;
    assign below = u_dut.gen_below.u_accept.rst_ni == rst_ni &&
        u_dut.gen_below.u_accept.rings_i == rings_i &&
        u_dut.gen_below.u_accept.relays_i == relays_i &&
        u_dut.gen_below.u_accept.self_ip_i == self_i.ip &&
        u_dut.gen_below.u_accept.req_i == port_i[UpPort] &&
        u_dut.gen_below.u_accept.other_ready_i == lookup_ready_i[UpPort] &&
        u_dut.gen_below.u_accept.own_ready_i == own_ready_i &&
        u_dut.gen_below.u_accept.flush_i == flush_i &&
        u_dut.gen_below.u_accept.row_set_i == row_set_i &&
        u_dut.gen_below.u_accept.kept_i == kept_i && u_dut.gen_below.u_accept.look_i == look_i &&
        {own, idle, row_set, note, events} ==
        {u_dut.gen_below.u_accept.own_o, u_dut.gen_below.u_accept.idle_o,
         u_dut.gen_below.u_accept.row_set_o, u_dut.gen_below.u_accept.look_o,
         u_dut.gen_below.u_accept.events_o};
  end else begin : gen_top
    assign last_valid = u_dut.gen_port[UpPort].u_child.valid_o;
    assign last_ready = lookup_ready_i[UpPort];
    assign below = idle && {own, row_set, note, events} == '0;
  end

endmodule
