// The way of frames through one port: in, whatever becomes of them, and out (docs/architecture.md).
//
// A frame is checked and described by its ingress, decided and stored or passed on by agg_port;
// what passes and what the egress makes of headers and sums share the output. Nothing of another
// port is waited for but look-up, the bank of a rank, and slot state.
module agg_port_path
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import agg_timing_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg,
  /// 1: notifications may come in here (docs/relay.md).
  parameter int unsigned Notes = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Who the port is, and what registers say to it.
  input port_setup_t setup_i,

  // Frames, without FCS.
  input  axis_t s_axis_i,
  output logic  s_axis_ready_o,
  output axis_t m_axis_o,
  input  logic  m_axis_ready_i,

  // Look-up request for the packet at the port's head, and the verdict on it, a pulse.
  output lookup_req_t lookup_o,
  input  logic        lookup_ready_i,
  input  decide_rsp_t verdict_i,

  // The crossbar in front of the banks: requests, grant, writes. Writes to locked slots do not
  // start.
  output bank_req_t bank_o,
  input  logic      grant_i,
  input  lock_t     lock_i,

  // Commits: packets whose writes nothing stops any more.
  output commit_req_t commit_o,
  input  logic        commit_ready_i,

  // Results, never refused, and credits for more of them.
  input  result_t result_i,
  output credit_t credit_o,

  output port_events_t events_o,   // pulses, for the counters

  // Observation only.
  output obs_result_t obs_o
);

  localparam int unsigned QuietW = $clog2(PortQuiet + 1) + 1;

  logic        desc_valid, desc_ready, beat_valid, beat_ready;
  frame_desc_t desc;
  beat_t       in_beat, pass, result;
  logic        in_beat_bad, pass_bad, result_bad;
  logic        pass_valid, pass_ready, result_valid, result_ready, port_idle;
  logic        fate_valid, fate_valid_q;
  fate_e       fate, fate_q;
  logic [9:0]  pass_room;
  axis_t       out;   // what would leave
  logic        out_ready, tx_pass, tx_result, tx_spoiled, drops, drops_q;

  logic [Cfg.NumStores-1:0] bank, released;

  roce_ingress #(
    .FifoBeats    (Cfg.FifoBeats),
    .MaxFrameBytes(Cfg.MaxFrameBytes),
    .Notes        (Notes),
    .Ecc          (Cfg.Ecc),
    .Without      (Cfg.Without)
  ) u_ingress (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid(s_axis_i.valid),
    .s_axis_tready(s_axis_ready_o),
    .s_axis_tdata (s_axis_i.data),
    .s_axis_tkeep (s_axis_i.keep),
    .s_axis_tlast (s_axis_i.last),
    .s_axis_tuser (s_axis_i.user),
    .notes_i      (setup_i.notes),
    .desc_valid_o (desc_valid),
    .desc_ready_i (desc_ready),
    .desc_o       (desc),
    .beat_valid_o (beat_valid),
    .beat_ready_i (beat_ready),
    .beat_o       (in_beat),
    .beat_bad_o   (in_beat_bad),
    .rx_o         (events_o.rx),
    .drop_valid_o (events_o.drop_valid),
    .drop_fate_o  (events_o.drop_fate),
    .corrected_o  (events_o.ingress.corrected),
    .bad_o        (events_o.ingress.bad)
  );

  agg_port #(
    .NumBanks(Cfg.NumStores),
    .Hand    (hand_of(Cfg.Tree)),
    .Ecc     (Cfg.Ecc),
    .Without (Cfg.Without)
  ) u_port (
    .clk_i,
    .rst_ni,
    .port_i         (setup_i.port),
    .desc_valid_i   (desc_valid),
    .desc_ready_o   (desc_ready),
    .desc_i         (desc),
    .beat_valid_i   (beat_valid),
    .beat_ready_o   (beat_ready),
    .beat_i         (in_beat),
    .beat_bad_i     (in_beat_bad),
    .lookup_valid_o (lookup_o.valid),
    .lookup_ready_i,
    .lookup_o       (lookup_o.desc),
    .verdict_valid_i(verdict_i.valid),
    .verdict_i      (verdict_i.verdict),
    .pass_valid_o   (pass_valid),
    .pass_ready_i   (pass_ready),
    .pass_o         (pass),
    .pass_bad_o     (pass_bad),
    .pass_room_i    (pass_room),
    .want_o         (bank_o.want),
    .bank_o         (bank),
    .grant_i,
    .release_o      (released),
    .write_valid_o  (bank_o.write_valid),
    .write_rank_o   (bank_o.write_rank),
    .write_o        (bank_o.write),
    .write_bad_o    (bank_o.write_bad),
    .lock_valid_i   (lock_i.valid),
    .lock_slot_i    (lock_i.slot),
    .writing_slot_i (lock_i.writing_slot),
    .writing_o      (bank_o.writing),
    .commit_valid_o (commit_o.valid),
    .commit_ready_i,
    .commit_o       (commit_o.commit),
    .fate_valid_o   (fate_valid),
    .fate_o         (fate),
    .busy_o         (commit_o.busy),
    .idle_o         (port_idle)
  );
  assign bank_o.bank     = MaxRanks'(bank);
  assign bank_o.released = MaxRanks'(released);

  roce_egress #(
    .FifoRows (Cfg.FifoRows),
    .HdrFrames(Cfg.HdrFrames),
    .SlotBytes(Cfg.SlotBytes),
    .Ecc      (Cfg.Ecc),
    .Without  (Cfg.Without)
  ) u_egress (
    .clk_i,
    .rst_ni,
    .epoch_i      (setup_i.epoch),
    .hdr_we_i     (result_i.header.we),
    .hdr_word_i   (result_i.header.word),
    .hdr_bad_i    (result_i.header.bad),
    .row_we_i     (result_i.row_we),
    .row_i        (result_i.row),
    .row_last_i   (result_i.last),
    .row_bad_i    (result_i.bad),
    .part_we_i    (result_i.part_we),
    .part_i       (result_i.part),
    .row_pop_o    (credit_o.row_pop),
    .frame_pop_o  (credit_o.frame_pop),
    .out_valid_o  (result_valid),
    .out_ready_i  (result_ready),
    .out_o        (result),
    .out_bad_o    (result_bad),
    .dropped_o    (events_o.dropped),
    .corrected_o  (events_o.egress.corrected),
    .bad_o        (events_o.egress.bad),
    .start_valid_o(obs_o.valid),
    .start_conn_o (obs_o.conn),
    .start_psn_o  (obs_o.psn),
    .drop_number_o(obs_o.number)
  );
  assign obs_o.port    = setup_i.port;
  assign obs_o.dropped = events_o.dropped;

  roce_out #(
    .PassBeats(Cfg.FifoBeats),
    .Ecc      (Cfg.Ecc)
  ) u_out (
    .clk_i,
    .rst_ni,
    .ordered_i     (setup_i.epoch != '0),
    .pass_valid_i  (pass_valid),
    .pass_ready_o  (pass_ready),
    .pass_i        (pass),
    .pass_bad_i    (pass_bad),
    .pass_room_o   (pass_room),
    .result_valid_i(result_valid),
    .result_ready_o(result_ready),
    .result_i      (result),
    .result_bad_i  (result_bad),
    .m_axis_tvalid (out.valid),
    .m_axis_tready (out_ready),
    .m_axis_tdata  (out.data),
    .m_axis_tkeep  (out.keep),
    .m_axis_tlast  (out.last),
    .m_axis_tuser  (out.user),
    .tx_pass_o     (tx_pass),
    .tx_result_o   (tx_result),
    .tx_spoiled_o  (tx_spoiled),
    .corrected_o   (events_o.pass.corrected),
    .bad_o         (events_o.pass.bad)
  );

  roce_link u_link (
    .clk_i,
    .rst_ni,
    .down_i       (setup_i.down),
    .in_valid_i   (out.valid),
    .in_ready_o   (out_ready),
    .in_data_i    (out.data),
    .in_keep_i    (out.keep),
    .in_last_i    (out.last),
    .in_user_i    (out.user),
    .m_axis_tvalid(m_axis_o.valid),
    .m_axis_tready(m_axis_ready_i),
    .m_axis_tdata (m_axis_o.data),
    .m_axis_tkeep (m_axis_o.keep),
    .m_axis_tlast (m_axis_o.last),
    .m_axis_tuser (m_axis_o.user),
    .drops_o      (drops)
  );

  // Counted a cycle late: what a frame meets is known late in the cycle in which its turn comes.
  always_ff @(posedge clk_i) begin
    fate_valid_q <= fate_valid && rst_ni;
    fate_q       <= fate;
  end
  assign events_o.fate_valid = fate_valid_q;
  assign events_o.fate       = fate_q;

  // A frame has left, or was dropped, a cycle ago.
  always_ff @(posedge clk_i) drops_q <= drops;
  assign events_o.tx_pass   = tx_pass && !drops_q;
  assign events_o.tx_result = tx_result && !drops_q;
  assign events_o.spoiled   = tx_spoiled && !drops_q;
  assign events_o.unsent    = (tx_pass || tx_result) && drops_q;
  assign obs_o.unsent        = events_o.unsent;
  assign obs_o.unsent_result = tx_result;

  // The counters' sum is checked when no frame is inside the ingress or the port.
  logic [QuietW-1:0] quiet_q;
  always_ff @(posedge clk_i) begin
    if (events_o.rx || desc_valid || !port_idle) quiet_q <= '0;
    else if (quiet_q < QuietW'(PortQuiet)) quiet_q <= quiet_q + QuietW'(1);
    if (!rst_ni) quiet_q <= '0;
  end
  assign events_o.quiet = quiet_q >= QuietW'(PortQuiet);

endmodule
