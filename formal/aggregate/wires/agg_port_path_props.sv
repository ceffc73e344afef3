// agg_port_path: which wire goes where between a port's ingress, agg_port, its egress, the output
// and the link, and when its counters hear of what happens.
//
// What the five make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: roce_ingress, agg_port, roce_egress, roce_out,
// roce_link.
module agg_port_path_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import agg_timing_pkg::*;
#(
  /// 1: the device is above others and below one, and notifications come in here.
  parameter int unsigned Tree = 1,
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, Tree, Tree, 2, 9216, Ecc)
) (
  input logic        clk_i,
  input logic        rst_ni,
  input port_setup_t setup_i,
  input axis_t       s_axis_i,
  input logic        m_axis_ready_i,
  input logic        lookup_ready_i,
  input decide_rsp_t verdict_i,
  input logic        grant_i,
  input lock_t       lock_i,
  input logic        commit_ready_i,
  input result_t     result_i
);

  logic         s_axis_ready;
  axis_t        m_axis;
  lookup_req_t  lookup;
  bank_req_t    bank;
  commit_req_t  commit;
  credit_t      credit;
  port_events_t events;
  obs_result_t  obs;

  agg_port_path #(
    .Cfg  (Cfg),
    .Notes(Tree)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .setup_i,
    .s_axis_i,
    .s_axis_ready_o(s_axis_ready),
    .m_axis_o      (m_axis),
    .m_axis_ready_i,
    .lookup_o      (lookup),
    .lookup_ready_i,
    .verdict_i,
    .bank_o        (bank),
    .grant_i,
    .lock_i,
    .commit_o      (commit),
    .commit_ready_i,
    .result_i,
    .credit_o      (credit),
    .events_o      (events),
    .obs_o         (obs)
  );

  // A cycle ago: a frame met its fate, and the link dropped what would leave.
  logic  met_q, drops_q, past_q;
  fate_e fate_q;
  logic  reset_q;   // it was reset
  initial {past_q, reset_q} = '0;
  // Cycles since something was inside, and reset.
  logic [5:0] since_q;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    reset_q <= reset_q || !rst_ni;
    met_q   <= rst_ni && u_dut.u_port.fate_valid_o;
    fate_q  <= u_dut.u_port.fate_o;
    drops_q <= u_dut.u_link.drops_o;
    if (!rst_ni || u_dut.u_ingress.rx_o || u_dut.u_ingress.desc_valid_o || !u_dut.u_port.idle_o)
      since_q <= '0;
    else if (since_q != 6'(PortQuiet)) since_q <= since_q + 6'd1;
  end

  // What leaves in this cycle, or is dropped.
  logic leaves;
  assign leaves = u_dut.u_out.tx_pass_o || u_dut.u_out.tx_result_o;

  always_ff @(posedge clk_i) begin
    // All five are reset.
    a_reset : assert (u_dut.u_ingress.rst_ni == rst_ni && u_dut.u_port.rst_ni == rst_ni &&
                      u_dut.u_egress.rst_ni == rst_ni && u_dut.u_out.rst_ni == rst_ni &&
                      u_dut.u_link.rst_ni == rst_ni)
    else $error("reset");
    // What registers say reaches who reads it. Results that are marked keep their order with what
    // passes.
    a_setup : assert (u_dut.u_ingress.notes_i == setup_i.notes &&
                      u_dut.u_port.port_i == setup_i.port &&
                      u_dut.u_egress.epoch_i == setup_i.epoch &&
                      u_dut.u_out.ordered_i == (setup_i.epoch > 8'd0) &&
                      u_dut.u_link.down_i == setup_i.down)
    else $error("other registers");

    // Frames come in through the ingress.
    a_in : assert ({u_dut.u_ingress.s_axis_tvalid, u_dut.u_ingress.s_axis_tdata,
                    u_dut.u_ingress.s_axis_tkeep, u_dut.u_ingress.s_axis_tlast,
                    u_dut.u_ingress.s_axis_tuser} == s_axis_i &&
                   s_axis_ready == u_dut.u_ingress.s_axis_tready)
    else $error("another frame");
    // It gives descriptors and beats to the port, which takes each when it likes.
    a_desc : assert (u_dut.u_port.desc_valid_i == u_dut.u_ingress.desc_valid_o &&
                     u_dut.u_port.desc_i == u_dut.u_ingress.desc_o &&
                     u_dut.u_ingress.desc_ready_i == u_dut.u_port.desc_ready_o)
    else $error("another descriptor");
    a_beat : assert (u_dut.u_port.beat_valid_i == u_dut.u_ingress.beat_valid_o &&
                     u_dut.u_port.beat_i == u_dut.u_ingress.beat_o &&
                     u_dut.u_port.beat_bad_i == u_dut.u_ingress.beat_bad_o &&
                     u_dut.u_ingress.beat_ready_i == u_dut.u_port.beat_ready_o)
    else $error("another beat");
    // The port asks look-up, and hears the verdict.
    a_asks : assert (lookup.valid == u_dut.u_port.lookup_valid_o &&
                     lookup.desc == u_dut.u_port.lookup_o &&
                     u_dut.u_port.lookup_ready_i == lookup_ready_i &&
                     u_dut.u_port.verdict_valid_i == verdict_i.valid &&
                     u_dut.u_port.verdict_i == verdict_i.verdict)
    else $error("another request");
    // It wants a bank of those that there are, and is granted it.
    a_wants : assert (bank.want == u_dut.u_port.want_o &&
                      bank.bank == {'0, u_dut.u_port.bank_o} &&
                      bank.released == {'0, u_dut.u_port.release_o} &&
                      u_dut.u_port.grant_i == grant_i)
    else $error("another bank");
    // What it writes is written, unless the slot is locked.
    a_writes : assert ({bank.write_valid, bank.write_rank, bank.write, bank.write_bad,
                        bank.writing} ==
                       {u_dut.u_port.write_valid_o, u_dut.u_port.write_rank_o,
                        u_dut.u_port.write_o, u_dut.u_port.write_bad_o, u_dut.u_port.writing_o} &&
                       {u_dut.u_port.lock_valid_i, u_dut.u_port.lock_slot_i,
                        u_dut.u_port.writing_slot_i} == lock_i)
    else $error("another write");
    // And committed.
    a_commits : assert (commit.valid == u_dut.u_port.commit_valid_o &&
                        commit.commit == u_dut.u_port.commit_o &&
                        commit.busy == u_dut.u_port.busy_o &&
                        u_dut.u_port.commit_ready_i == commit_ready_i)
    else $error("another commit");

    // What passes goes from the port to the output, which says how much it has room for.
    a_pass : assert (u_dut.u_out.pass_valid_i == u_dut.u_port.pass_valid_o &&
                     u_dut.u_out.pass_i == u_dut.u_port.pass_o &&
                     u_dut.u_out.pass_bad_i == u_dut.u_port.pass_bad_o &&
                     u_dut.u_port.pass_ready_i == u_dut.u_out.pass_ready_o &&
                     u_dut.u_port.pass_room_i == u_dut.u_out.pass_room_o)
    else $error("another frame passes");
    // Results come to the egress, which gives credits for more.
    a_result : assert ({u_dut.u_egress.hdr_we_i, u_dut.u_egress.hdr_word_i,
                        u_dut.u_egress.hdr_bad_i, u_dut.u_egress.row_we_i, u_dut.u_egress.row_i,
                        u_dut.u_egress.row_last_i, u_dut.u_egress.row_bad_i,
                        u_dut.u_egress.part_we_i, u_dut.u_egress.part_i} == result_i &&
                       credit.row_pop == u_dut.u_egress.row_pop_o &&
                       credit.frame_pop == u_dut.u_egress.frame_pop_o)
    else $error("another result");
    // It makes frames of them for the output.
    a_made : assert (u_dut.u_out.result_valid_i == u_dut.u_egress.out_valid_o &&
                     u_dut.u_out.result_i == u_dut.u_egress.out_o &&
                     u_dut.u_out.result_bad_i == u_dut.u_egress.out_bad_o &&
                     u_dut.u_egress.out_ready_i == u_dut.u_out.result_ready_o)
    else $error("another frame of a result");
    // What the output chooses goes through the link, and out.
    a_out : assert ({u_dut.u_link.in_valid_i, u_dut.u_link.in_data_i, u_dut.u_link.in_keep_i,
                     u_dut.u_link.in_last_i, u_dut.u_link.in_user_i} ==
                    {u_dut.u_out.m_axis_tvalid, u_dut.u_out.m_axis_tdata,
                     u_dut.u_out.m_axis_tkeep, u_dut.u_out.m_axis_tlast,
                     u_dut.u_out.m_axis_tuser} &&
                    u_dut.u_out.m_axis_tready == u_dut.u_link.in_ready_o)
    else $error("another beat leaves");
    a_link : assert (m_axis == {u_dut.u_link.m_axis_tvalid, u_dut.u_link.m_axis_tdata,
                                u_dut.u_link.m_axis_tkeep, u_dut.u_link.m_axis_tlast,
                                u_dut.u_link.m_axis_tuser} &&
                     u_dut.u_link.m_axis_tready == m_axis_ready_i)
    else $error("another beat on the link");

    // Counters hear of frames that come in and are dropped there.
    a_came : assert (events.rx == u_dut.u_ingress.rx_o &&
                     events.drop_valid == u_dut.u_ingress.drop_valid_o &&
                     events.drop_fate == u_dut.u_ingress.drop_fate_o)
    else $error("another frame came in");
    // Of what memories found, each for itself.
    a_found : assert (
        events.ingress == {u_dut.u_ingress.corrected_o, u_dut.u_ingress.bad_o} &&
        events.egress == {u_dut.u_egress.corrected_o, u_dut.u_egress.bad_o} &&
        events.pass == {u_dut.u_out.corrected_o, u_dut.u_out.bad_o} &&
        events.dropped == u_dut.u_egress.dropped_o)
    else $error("other memories");
    // Of a fate a cycle late.
    a_fate : assert (!past_q || (events.fate_valid == met_q && (!met_q || events.fate == fate_q)))
    else $error("fate %0d", events.fate);
    // A frame that would leave counts as one that has left, or as unsent if the link dropped what
    // came to it a cycle ago.
    a_left : assert (!past_q || drops_q ||
                     (events.tx_pass == u_dut.u_out.tx_pass_o &&
                      events.tx_result == u_dut.u_out.tx_result_o &&
                      events.spoiled == u_dut.u_out.tx_spoiled_o && !events.unsent))
    else $error("a frame that has left");
    a_unsent : assert (!past_q || !drops_q ||
                       (events.unsent == leaves && !events.tx_pass && !events.tx_result &&
                        !events.spoiled))
    else $error("a frame that was dropped");
    // A port is quiet if nothing came in and nothing was inside for PortQuiet cycles, and only
    // then. It counts them.
    a_quiet : assert (!reset_q || events.quiet == (since_q == 6'(PortQuiet)))
    else $error("quiet after %0d cycles", since_q);
    a_counts : assert (!reset_q || u_dut.quiet_q == since_q)
    else $error("%0d of %0d cycles", u_dut.quiet_q, since_q);

    // Who watches is told of results by their port, as the egress begins or drops them.
    a_watched : assert (obs.port == setup_i.port && obs.valid == u_dut.u_egress.start_valid_o &&
                        obs.conn == u_dut.u_egress.start_conn_o &&
                        obs.psn == u_dut.u_egress.start_psn_o &&
                        obs.dropped == u_dut.u_egress.dropped_o &&
                        obs.number == u_dut.u_egress.drop_number_o)
    else $error("another result is told of");
    // And of frames that are not sent.
    a_lost : assert (obs.unsent == events.unsent && (!obs.unsent || obs.unsent_result ==
                                                     u_dut.u_out.tx_result_o))
    else $error("another frame is told of");

    // The port is quiet again behind a frame; a result is not sent.
    c_quiet : cover (rst_ni && reset_q && events.quiet);
    c_unsent : cover (rst_ni && past_q && events.unsent && obs.unsent_result);
  end

endmodule
