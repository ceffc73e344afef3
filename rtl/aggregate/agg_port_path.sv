// The way of frames through one port: in, whatever becomes of them, and out (docs/architecture.md).
//
// A frame is checked and described by its ingress, decided and stored or passed on by agg_port; what
// passes and what the egress makes of headers and sums share the output. Nothing of another port is
// waited for but look-up, the bank of a rank, and slot state.
module agg_port_path
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Number of the port.
  parameter int unsigned Port = 0,
  /// Banks, one a rank.
  parameter int unsigned NumBanks = 6,
  /// Beats of the frame FIFO and of the pass FIFO.
  parameter int unsigned FifoBeats = 512,
  /// Rows and header records that wait at the egress.
  parameter int unsigned FifoRows = 256,
  parameter int unsigned HdrFrames = 8,
  /// Longest frame, bytes; a longer one is dropped.
  parameter int unsigned MaxFrameBytes = 9728,
  /// 1: notifications may come in here (docs/relay.md).
  parameter int unsigned Notes = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Frames, without FCS. tuser of those that come in: the MAC found the frame in error.
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic                 s_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tuser,

  // Notifications are told from other packets; changes only when registers do.
  input logic notes_i,

  // Look-up, and the verdict on the frame that stands here.
  output logic        lookup_valid_o,
  input  logic        lookup_ready_i,
  output frame_desc_t lookup_o,
  input  logic        verdict_valid_i,
  input  verdict_t    verdict_i,

  // The bank of a rank: asked for, granted, given back; rows and header records into it.
  output logic                want_o,
  output logic [NumBanks-1:0] bank_o,
  input  logic                grant_i,
  output logic [NumBanks-1:0] release_o,
  output logic                write_valid_o,
  output logic [RankW-1:0]    write_rank_o,
  output bank_write_t         write_o,

  // Slots that are read: is one of them being written here?
  input  logic [1:0]            lock_valid_i,
  input  logic [1:0][SlotW-1:0] lock_slot_i,
  input  logic [SlotW-1:0]      writing_slot_i,
  output logic                  writing_o,

  // What has been written.
  output logic    commit_valid_o,
  input  logic    commit_ready_i,
  output commit_t commit_o,

  // Results: header records and rows of sums.
  input  logic                   hdr_we_i,
  input  logic [HdrWordBits-1:0] hdr_word_i,
  input  logic                   row_we_i,
  input  logic [BeatBits-1:0]    row_i,
  input  logic                   row_last_i,
  output logic                   row_pop_o,
  output logic                   frame_pop_o,

  // Something that was decided is under way. Then pulses for the counters; and no frame is inside.
  output logic  busy_o,
  output logic  rx_o,
  output logic  drop_valid_o,
  output fate_e drop_fate_o,
  output logic  fate_valid_o,
  output fate_e fate_o,
  output logic  tx_pass_o,
  output logic  tx_result_o,
  output logic  quiet_o,

  // Observation only.
  output obs_result_t obs_result_o
);

  /// Cycles without a frame after which a port is taken to be empty; longer than the ingress pipeline.
  localparam int unsigned QuietCycles = 31;

  logic        desc_valid, desc_ready, beat_valid, beat_ready;
  frame_desc_t desc;
  beat_t       beat, pass, result;
  logic        pass_valid, pass_ready, result_valid, result_ready, port_idle;
  logic [9:0]  pass_room;

  roce_ingress #(
    .FifoBeats    (FifoBeats),
    .MaxFrameBytes(MaxFrameBytes),
    .Notes        (Notes)
  ) u_ingress (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .notes_i,
    .desc_valid_o (desc_valid),
    .desc_ready_i (desc_ready),
    .desc_o       (desc),
    .beat_valid_o (beat_valid),
    .beat_ready_i (beat_ready),
    .beat_o       (beat),
    .rx_o,
    .drop_valid_o,
    .drop_fate_o
  );

  agg_port #(
    .Port    (Port),
    .NumBanks(NumBanks)
  ) u_port (
    .clk_i,
    .rst_ni,
    .desc_valid_i (desc_valid),
    .desc_ready_o (desc_ready),
    .desc_i       (desc),
    .beat_valid_i (beat_valid),
    .beat_ready_o (beat_ready),
    .beat_i       (beat),
    .lookup_valid_o,
    .lookup_ready_i,
    .lookup_o,
    .verdict_valid_i,
    .verdict_i,
    .pass_valid_o (pass_valid),
    .pass_ready_i (pass_ready),
    .pass_o       (pass),
    .pass_room_i  (pass_room),
    .want_o,
    .bank_o,
    .grant_i,
    .release_o,
    .write_valid_o,
    .write_rank_o,
    .write_o,
    .lock_valid_i,
    .lock_slot_i,
    .writing_slot_i,
    .writing_o,
    .commit_valid_o,
    .commit_ready_i,
    .commit_o,
    .fate_valid_o,
    .fate_o,
    .busy_o,
    .idle_o       (port_idle)
  );

  roce_egress #(
    .FifoRows (FifoRows),
    .HdrFrames(HdrFrames)
  ) u_egress (
    .clk_i,
    .rst_ni,
    .hdr_we_i,
    .hdr_word_i,
    .row_we_i,
    .row_i,
    .row_last_i,
    .row_pop_o,
    .frame_pop_o,
    .out_valid_o  (result_valid),
    .out_ready_i  (result_ready),
    .out_o        (result),
    .start_valid_o(obs_result_o.valid),
    .start_conn_o (obs_result_o.conn),
    .start_psn_o  (obs_result_o.psn)
  );
  assign obs_result_o.port = PortW'(Port);

  roce_out #(
    .PassBeats(FifoBeats)
  ) u_out (
    .clk_i,
    .rst_ni,
    .pass_valid_i  (pass_valid),
    .pass_ready_o  (pass_ready),
    .pass_i        (pass),
    .pass_room_o   (pass_room),
    .result_valid_i(result_valid),
    .result_ready_o(result_ready),
    .result_i      (result),
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser,
    .tx_pass_o,
    .tx_result_o
  );

  // The counters' sum is checked when no frame is inside the ingress or the port.
  logic [5:0] quiet_q;
  always_ff @(posedge clk_i) begin
    if (rx_o || desc_valid || !port_idle) quiet_q <= '0;
    else if (quiet_q < 6'(QuietCycles)) quiet_q <= quiet_q + 6'd1;
    if (!rst_ni) quiet_q <= '0;
  end
  assign quiet_o = quiet_q >= 6'(QuietCycles);

endmodule
