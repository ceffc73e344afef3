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

  // Settings, of which not all mean something to all sizes; the table of nodes, as gather_frame has
  // it; the partition.
  // verilator lint_off UNUSEDSIGNAL
  input nic_settings_t settings_i,
  // verilator lint_on UNUSEDSIGNAL
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
  // And reads that units share, if they do.
  output merge_obs_t   merge_o,

  // Counters since reset, by rig_counter_e, and by port_counter_e and nic_counter_e; they wrap.
  output logic [Cfg.NumUnits-1:0][NumRigCounters-1:0][31:0] count_unit_o,
  output logic [NumNicCounters-1:0][31:0]                   count_port_o
);

  localparam int unsigned NumUnits = Cfg.NumUnits;
  localparam bit          Merges = Cfg.MergeSlots != 0;
  localparam int unsigned EpochW = 32 - $clog2(Cfg.Pending);
  /// Senders of PRs: units, or one for all of them, then the server.
  localparam int unsigned Users = Merges ? 2 : NumUnits + 1;

  // ---------------------------------------------------------------------------------------------
  // Frames in, PRs to units and server

  logic                in_valid, in_ready, in_unit_valid, in_none;
  pr_beat_t            in;
  logic [NumUnits-1:0] in_unit_ready;
  // Responses: those that come, and those that units get.
  logic                brought_ready, to_valid, to_ready, merged, copied;
  pr_beat_t            to;
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
  assign in_ready      = in_none || !in.pr.response || brought_ready;

  always_comb begin
    to_ready = 1'b0;
    for (int unsigned u = 0; u < NumUnits; u++) begin
      if (to.pr.tid == 16'(u)) to_ready = in_unit_ready[u];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Units and server

  logic      [Users-1:0]    out_valid, out_ready;
  pr_t       [Users-2:0]    read;
  pr_beat_t                 response;
  host_req_t [NumUnits-1:0] unit_req;
  host_rsp_t [NumUnits-1:0] unit_rsp;
  logic      [NumUnits-1:0] ask_valid, ask_ready;
  pr_t       [NumUnits-1:0] request;
  // Who does not share reads does not look.
  // verilator lint_off UNUSEDSIGNAL
  logic      [NumUnits-1:0]             unit_runs;
  logic      [NumUnits-1:0][EpochW-1:0] unit_epoch;
  // verilator lint_on UNUSEDSIGNAL

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
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
      .run_o          (unit_runs[u]),
      .epoch_o        (unit_epoch[u]),
      .host_o         (unit_req[u]),
      .host_i         (unit_rsp[u]),
      .pr_valid_o     (ask_valid[u]),
      .pr_ready_i     (ask_ready[u]),
      .pr_o           (request[u]),
      .pr_valid_i     (to_valid && to.pr.tid == 16'(u)),
      .pr_ready_o     (in_unit_ready[u]),
      .pr_i           (to),
      .count_o        (count_unit_o[u])
    );
  end

  // Units share reads, or each sends its own and gets its own responses.
  if (Merges) begin : gen_merge
    pr_t                       shared;
    logic                      look_valid, look_ready, known_valid, known_ready;
    logic [NumUnits-1:0]       copies;
    logic [NumUnits-1:0][31:0] ids;

    gather_merge #(
      .NumUnits (NumUnits),
      .Slots    (Cfg.MergeSlots),
      .IndexBits(Cfg.IndexBits),
      .EpochW   (EpochW)
    ) u_merge (
      .clk_i,
      .rst_ni,
      .enable_i      (settings_i.merge),
      .run_i         (unit_runs),
      .epoch_i       (unit_epoch),
      .ask_valid_i   (ask_valid),
      .ask_ready_o   (ask_ready),
      .ask_i         (request),
      .pr_valid_o    (out_valid[0]),
      .pr_ready_i    (out_ready[0]),
      .pr_o          (shared),
      .answer_valid_i(look_valid),
      .answer_ready_o(look_ready),
      .answer_i      (in.pr),
      .known_valid_o (known_valid),
      .known_ready_i (known_ready),
      .copies_o      (copies),
      .ids_o         (ids),
      .merged_o      (merged),
      .obs_o         (merge_o)
    );
    assign read[0] = shared;

    gather_copy #(
      .NumUnits(NumUnits)
    ) u_copy (
      .clk_i,
      .rst_ni,
      .pr_valid_i   (in_unit_valid),
      .pr_ready_o   (brought_ready),
      .pr_i         (in),
      .look_valid_o (look_valid),
      .look_ready_i (look_ready),
      .known_valid_i(known_valid),
      .known_ready_o(known_ready),
      .copies_i     (copies),
      .ids_i        (ids),
      .pr_valid_o   (to_valid),
      .pr_ready_i   (to_ready),
      .pr_o         (to),
      .copied_o     (copied)
    );
  end else begin : gen_alone
    for (genvar u = 0; u < NumUnits; u++) begin : gen_out
      assign out_valid[u] = ask_valid[u];
      assign ask_ready[u] = out_ready[u];
      assign read[u]      = request[u];
    end
    assign to_valid      = in_unit_valid;
    assign to            = in;
    assign brought_ready = to_ready;
    assign merged        = 1'b0;
    assign copied        = 1'b0;
    assign merge_o       = '0;
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
    .pr_valid_o  (out_valid[Users-1]),
    .pr_ready_i  (out_ready[Users-1]),
    .pr_o        (response)
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
    .read_i    (read),
    .response_i(response),
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
    .N(8)
  ) u_rest (
    .clk_i,
    .rst_ni,
    .events_i({copied, merged, stopped_o.valid && stopped_o.response,
               stopped_o.valid && !stopped_o.response, gives_up, no_room, not_served}),
    .count_o (count_port_o[NicCopied:NicNotServed])
  );

endmodule
