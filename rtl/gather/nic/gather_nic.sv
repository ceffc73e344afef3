// The data path of the network interface: all of it but its registers. The top says what it does.
//
// Who waits: PRs of units and server for room for their class to leave, reads and responses not for
// each other; frames that come in for memory. Reads that come in wait in a queue of their own for
// the server's responses to be taken, and never hold up what comes behind them: while half of it is
// in use `pause_reads_o` asks the network for no more of them (gather_reads). So what comes in
// never waits for what leaves, and no circle of nodes that wait for each other can close.
module gather_nic
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The network interface's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings; the table of nodes, as gather_frame has it; the partition.
  input nic_settings_t settings_i,
  input node_write_t   node_i,
  // There are bits for more nodes and columns than a network may have.
  // verilator lint_off UNUSEDSIGNAL
  input first_write_t  first_i,
  // verilator lint_on UNUSEDSIGNAL

  // Gathers, a port a unit, and their ends, as gather_rig has them.
  input  logic     [Cfg.NumUnits-1:0] command_valid_i,
  output logic     [Cfg.NumUnits-1:0] command_ready_o,
  input  command_t [Cfg.NumUnits-1:0] command_i,
  output logic     [Cfg.NumUnits-1:0] done_valid_o,
  input  logic     [Cfg.NumUnits-1:0] done_ready_i,
  output logic     [Cfg.NumUnits-1:0] done_failed_o,

  // Host memory and index filter.
  output host_req_t host_o,
  input  host_rsp_t host_i,

  // The network: frames without FCS.
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,
  input  logic [BeatBits-1:0]  s_axis_tdata,
  input  logic [BeatBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic [0:0]           s_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,
  output logic [BeatBits-1:0]  m_axis_tdata,
  output logic [BeatBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  // Level: the network is to send no more reads, of which some may be under way.
  output logic                 pause_reads_o,
  // By class, levels: the network wants no more of it.
  input  logic [Classes-1:0]   pause_i,

  // Observation: a frame is thrown away.
  output stopped_obs_t stopped_o,

  // Counters since reset, by rig_counter_e, and by port_counter_e and nic_counter_e; they wrap.
  output logic [Cfg.NumUnits-1:0][NumRigCounters-1:0][31:0] count_unit_o,
  output logic [NumNicCounters-1:0][31:0]                   count_port_o
);

  localparam int unsigned NumUnits = Cfg.NumUnits;
  /// Senders of PRs: units, then the server.
  localparam int unsigned Users = NumUnits + 1;

  // ---------------------------------------------------------------------------------------------
  // Frames in, PRs to units and server

  logic                in_valid, in_ready, in_unit_valid, in_none;
  pr_beat_t            in;
  logic [NumUnits-1:0] in_unit_ready;
  logic [NicLatest-1:0] events;

  gather_arrive #(
    .NumNodes     (Cfg.NumNodes),
    .MaxFrameBytes(Cfg.MaxFrameBytes)
  ) u_arrive (
    .clk_i,
    .rst_ni,
    .own_node_i(settings_i.own_node),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .pr_valid_o(in_valid),
    .pr_ready_i(in_ready),
    .pr_o      (in),
    .events_o  (events[PortBadDest:PortRx])
  );

  // A read from a node that does not exist could not be answered.
  assign in_none       = in.pr.response ? 32'(in.pr.tid) >= NumUnits : in.pr.src >= Cfg.NumNodes;
  assign in_unit_valid = in_valid && in.pr.response && !in_none;

  always_comb begin
    in_ready = in_none || !in.pr.response;
    for (int unsigned u = 0; u < NumUnits; u++) begin
      if (in.pr.response && in.pr.tid == 16'(u)) in_ready = in_unit_ready[u];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Units and server

  logic      [Users-1:0]    out_valid, out_ready;
  pr_beat_t  [Users-1:0]    out;
  host_req_t [NumUnits-1:0] unit_req;
  host_rsp_t [NumUnits-1:0] unit_rsp;

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    pr_t request;

    assign out[u] = '{pr: request, first: 1'b1, last: 1'b1, data: '0};

    gather_rig #(
      .NumNodes (Cfg.NumNodes),
      .IndexBits(Cfg.IndexBits),
      .Pending  (Cfg.Pending),
      .Lines    (Cfg.UnitLines),
      .Writes   (Cfg.UnitWrites)
    ) u_rig (
      .clk_i,
      .rst_ni,
      .own_node_i     (settings_i.own_node),
      .tid_i          (16'(u)),
      .timeout_i      (settings_i.timeout),
      .generation_i   (settings_i.generation),
      .first_we_i     (first_i.valid),
      .first_node_i   (first_i.node[Cfg.NodeW-1:0]),
      .first_i        (first_i.first[Cfg.IndexBits-1:0]),
      .command_valid_i(command_valid_i[u]),
      .command_ready_o(command_ready_o[u]),
      .command_i      (command_i[u]),
      .done_valid_o   (done_valid_o[u]),
      .done_ready_i   (done_ready_i[u]),
      .done_failed_o  (done_failed_o[u]),
      .host_o         (unit_req[u]),
      .host_i         (unit_rsp[u]),
      .pr_valid_o     (out_valid[u]),
      .pr_ready_i     (out_ready[u]),
      .pr_o           (request),
      .pr_valid_i     (in_unit_valid && in.pr.tid == 16'(u)),
      .pr_ready_o     (in_unit_ready[u]),
      .pr_i           (in),
      .count_o        (count_unit_o[u])
    );
  end

  logic                asked_valid, asked_ready, served, not_served, no_room;
  pr_t                 asked;
  logic                server_valid, server_ready, server_data_valid;
  mem_read_t           server_read;
  logic [BeatBits-1:0] server_data;

  gather_reads #(
    .NumNodes (Cfg.NumNodes),
    .ReadQueue(Cfg.ReadQueue)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .serve_i     (settings_i.serve),
    .generation_i(settings_i.generation),
    .pr_valid_i  (in_valid && !in.pr.response && !in_none),
    .pr_i        (in.pr),
    .read_valid_o(asked_valid),
    .read_ready_i(asked_ready),
    .read_o      (asked),
    .served_o    (served),
    .pause_o     (pause_reads_o),
    .not_served_o(not_served),
    .no_room_o   (no_room)
  );

  gather_server #(
    .Beats(Cfg.HostBeats)
  ) u_server (
    .clk_i,
    .rst_ni,
    .serve_i     (settings_i.serve),
    .pr_valid_i  (asked_valid),
    .pr_ready_o  (asked_ready),
    .pr_i        (asked),
    .read_valid_o(server_valid),
    .read_ready_i(server_ready),
    .read_o      (server_read),
    .data_valid_i(server_data_valid),
    .data_i      (server_data),
    .pr_valid_o  (out_valid[NumUnits]),
    .pr_ready_i  (out_ready[NumUnits]),
    .pr_o        (out[NumUnits])
  );

  gather_host #(
    .NumUnits(NumUnits),
    .Beats   (Cfg.HostBeats)
  ) u_host (
    .clk_i,
    .rst_ni,
    .unit_i             (unit_req),
    .unit_o             (unit_rsp),
    .server_valid_i     (server_valid),
    .server_ready_o     (server_ready),
    .server_i           (server_read),
    .server_data_valid_o(server_data_valid),
    .server_data_o      (server_data),
    .host_o,
    .host_i
  );

  // ---------------------------------------------------------------------------------------------
  // PRs out

  concat_obs_t        obs;
  logic [Classes-1:0] gives_up;

  gather_leave #(
    .Cfg  (Cfg),
    .Users(Users)
  ) u_leave (
    .clk_i,
    .rst_ni,
    .delay_i   ((Cfg.ClockW - 2)'(settings_i.delay)),
    .node_i,
    .own_i     (settings_i.own),
    .pause_limit_i(settings_i.pause_limit),
    .pr_valid_i(out_valid),
    .pr_ready_o(out_ready),
    .pr_i      (out),
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .pause_i,
    .obs_o     (obs),
    .sent_o    (events[PortSent]),
    .stopped_o,
    .gives_up_o(gives_up)
  );

  // ---------------------------------------------------------------------------------------------

  assign events[NicFull]      = obs.full;
  assign events[NicLate]      = obs.late;
  assign events[NicLength]    = obs.other_len;
  assign events[NicRoom]      = obs.for_room;
  assign events[NicNoUnit]    = in_valid && in_none && in.last;
  assign events[NicServed]    = served;
  assign events[NicStallPool] = obs.stall_pool;
  assign events[NicStallOut]  = obs.stall_out;

  gather_tally #(
    .N(NicLatest)
  ) u_tally (
    .clk_i,
    .rst_ni,
    .events_i(events),
    .count_o (count_port_o[NicLatest-1:0])
  );

  gather_latest #(
    .ClockW(Cfg.ClockW)
  ) u_latest (
    .clk_i,
    .rst_ni,
    .obs_i   (obs),
    .latest_o(count_port_o[NicLatest])
  );

  gather_tally #(
    .N(6)
  ) u_dropped (
    .clk_i,
    .rst_ni,
    .events_i({stopped_o.valid && stopped_o.response, stopped_o.valid && !stopped_o.response,
               gives_up, no_room, not_served}),
    .count_o (count_port_o[NicThrownResponses:NicNotServed])
  );

endmodule
