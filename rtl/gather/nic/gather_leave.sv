// PRs of a network interface to frames: those of the server and of RIG units in turn, put into
// packets.
//
// Who waits: PRs for each other and for concatenation, which waits for the network to take frames.
module gather_leave
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The network interface's sizes.
  parameter cfg_t Cfg,
  /// Senders of PRs: one unit or more, then the server.
  parameter int unsigned Users = 3
) (
  input logic clk_i,
  input logic rst_ni,

  // As gather_send has them.
  input logic [Cfg.ClockW-3:0] delay_i,
  input node_write_t           node_i,
  input address_t              own_i,

  // PRs of the senders. The arbiter's grant lasts to the end of a PR.
  input  logic [Users-1:0]     pr_valid_i,
  output logic [Users-1:0]     pr_ready_o,
  input  pr_beat_t [Users-1:0] pr_i,

  // Frames without FCS.
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,

  // Observation only: of concatenation; a frame has left.
  output concat_obs_t obs_o,
  output logic        sent_o
);

  localparam int unsigned UserW = $clog2(Users);

  logic             valid, ready, frame_valid, frame_ready;
  logic [UserW-1:0] from;
  beat_t            frame;
  // verilator lint_off UNUSEDSIGNAL
  logic             idle, frame_port;
  // verilator lint_on UNUSEDSIGNAL

  gather_turns #(
    .NumUnits(Users - 1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .request_i(pr_valid_i),
    .valid_o  (valid),
    .from_o   (from),
    .ready_i  (ready),
    .last_i   (pr_i[from].last)
  );

  always_comb begin
    for (int unsigned u = 0; u < Users; u++) pr_ready_o[u] = ready && valid && from == UserW'(u);
  end

  gather_send #(
    .Cfg(Cfg)
  ) u_send (
    .clk_i,
    .rst_ni,
    .delay_i,
    .node_i,
    .own_i,
    .pr_valid_i (valid),
    .pr_ready_o (ready),
    .pr_i       (pr_i[from]),
    .out_valid_o(frame_valid),
    .out_ready_i(frame_ready),
    .out_o      (frame),
    .out_port_o (frame_port),
    .obs_o,
    .idle_o     (idle)
  );

  gather_axis u_axis (
    .clk_i,
    .rst_ni,
    .in_valid_i(frame_valid),
    .in_ready_o(frame_ready),
    .in_i      (frame),
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast
  );

  assign sent_o = m_axis_tvalid && m_axis_tready && m_axis_tlast;

endmodule
