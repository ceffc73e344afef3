// relay_in: which wire goes where between the parts of the filter in front of slot state.
//
// What the two make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: relay_answer, and of relay_ask's
// parts relay_child and relay_accept.
module relay_in_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is below another one.
  parameter int unsigned Uplink = 1,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, 1, Uplink, 2, 9216, 0)
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input ring_t       [Cfg.NumRings-1:0]  rings_i,
  input relay_ring_t [Cfg.NumRings-1:0]  relays_i,
  input relay_self_t                     self_i,
  input lookup_req_t [Cfg.NumPorts-1:0]  port_i,
  input logic        [Cfg.NumPorts-1:0]  lookup_ready_i,
  input decide_req_t                     answer_i,
  input logic                            state_ready_i,
  input flush_conns_t                    flush_i,
  input relay_set_req_t                  row_set_i,
  input relay_notes_t                    notes_i
);

  logic        [Cfg.NumPorts-1:0] port_ready;
  lookup_req_t [Cfg.NumPorts-1:0] lookup;
  logic                           answer_ready, idle;
  decide_req_t                    state;
  relay_set_rsp_t                 row_set;
  relay_known_t                   known;
  relay_ask_status_t              status;

  relay_in #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i,
    .port_i,
    .port_ready_o  (port_ready),
    .lookup_o      (lookup),
    .lookup_ready_i,
    .answer_i,
    .answer_ready_o(answer_ready),
    .state_o       (state),
    .state_ready_i,
    .flush_i,
    .idle_o        (idle),
    .row_set_i,
    .row_set_o     (row_set),
    .notes_i,
    .known_o       (known),
    .status_o      (status)
  );

  always_ff @(posedge clk_i) begin
    // Registers and the reset reach who reads them.
    a_setup : assert (u_dut.u_ask.rst_ni == rst_ni && u_dut.u_ask.rings_i == rings_i &&
                      u_dut.u_ask.relays_i == relays_i && u_dut.u_ask.self_i == self_i &&
                      u_dut.u_answer.relays_i == relays_i)
    else $error("other registers");
    // Packets of ports are looked at by both; the first one says which of them look-up is asked
    // about.
    a_asks : assert (u_dut.u_ask.port_i == port_i && u_dut.u_answer.port_i == port_i &&
                     port_ready == u_dut.u_ask.port_ready_o && lookup == u_dut.u_ask.lookup_o &&
                     u_dut.u_ask.lookup_ready_i == lookup_ready_i)
    else $error("another packet");
    // Answers of look-up and those about packets of devices go through the second one to slot
    // state.
    a_answers : assert (u_dut.u_answer.lookup_i == answer_i &&
                        answer_ready == u_dut.u_answer.lookup_ready_o &&
                        u_dut.u_answer.own_i == u_dut.u_ask.own_o &&
                        u_dut.u_ask.own_ready_i == u_dut.u_answer.own_ready_o &&
                        state == u_dut.u_answer.state_o &&
                        u_dut.u_answer.state_ready_i == state_ready_i)
    else $error("another answer");
    // A flush forgets connections of devices, and waits for what is inside.
    a_flush : assert (u_dut.u_ask.flush_i == flush_i && idle == u_dut.u_ask.idle_o)
    else $error("another flush");
    // Connections from another leaf are registered here.
    a_set : assert (u_dut.u_ask.row_set_i == row_set_i && row_set == u_dut.u_ask.row_set_o)
    else $error("another connection");
    // Notifications that have come are kept, and looked for; messages that begin are told.
    a_notes : assert (u_dut.u_ask.kept_i == notes_i.kept && u_dut.u_ask.look_i == notes_i.look &&
                      known.note == u_dut.u_ask.note_o && known.head == u_dut.u_answer.head_o)
    else $error("another notification");
    // Counters hear of it.
    a_status : assert (status.of_leaf == u_dut.u_ask.of_leaf_o &&
                       status.events == u_dut.u_ask.events_o)
    else $error("another status");

    // Both ports ask.
    c_both : cover (lookup[0].valid && lookup[1].valid);
  end

endmodule
