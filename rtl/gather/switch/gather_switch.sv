// The data path of the gather switch: all of it but its registers. The top says what it does.
//
// Who waits: packets at a port for its group's pipe, each class for itself, and for room where they
// leave (gather_enter). Nothing is lost inside from who pauses when he is asked to. A port whose
// receiver stops, or pauses a class, stops nobody but packets of that class to that port, and for
// the time that the pause watchdog gives it (gather_out).
module gather_switch
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The switch's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // There are bits for more nodes and ports than a switch may have.
  // verilator lint_off UNUSEDSIGNAL
  input switch_settings_t settings_i,
  // A write to the table of nodes; not while packets to that node are inside.
  input node_write_t      node_i,
  // verilator lint_on UNUSEDSIGNAL

  // Frames without FCS.
  input  logic [Cfg.NumPorts-1:0]                s_axis_tvalid,
  output logic [Cfg.NumPorts-1:0]                s_axis_tready,
  input  logic [Cfg.NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [Cfg.NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [Cfg.NumPorts-1:0]                s_axis_tlast,
  input  logic [Cfg.NumPorts-1:0]                s_axis_tuser,
  output logic [Cfg.NumPorts-1:0]                m_axis_tvalid,
  input  logic [Cfg.NumPorts-1:0]                m_axis_tready,
  output logic [Cfg.NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [Cfg.NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [Cfg.NumPorts-1:0]                m_axis_tlast,
  // By port and class, levels: the other end is to send no more of it; it wants no more.
  output logic [Cfg.NumPorts-1:0][Classes-1:0]   pause_o,
  input  logic [Cfg.NumPorts-1:0][Classes-1:0]   pause_i,

  // Observation of the caches, and of frames that are thrown away.
  output cache_obs_t   [Cfg.NumPipes-1:0] obs_o,
  output stopped_obs_t [Cfg.NumPipes-1:0] stopped_o,

  // Counters since reset, by port_counter_e and pipe_counter_e; they wrap.
  output logic [Cfg.NumPorts-1:0][NumPortCounters-1:0][31:0] count_port_o,
  output logic [Cfg.NumPipes-1:0][NumPipeCounters-1:0][31:0] count_pipe_o,
  // The caches are being cleared, after reset: 32 * CacheSets cycles.
  output logic                                               clearing_o
);

  localparam int unsigned NumPorts = Cfg.NumPorts;
  localparam int unsigned NumPipes = Cfg.NumPipes;
  localparam int unsigned NodeW = Cfg.NodeW;
  localparam int unsigned PortW = Cfg.PortW;
  localparam int unsigned Group = NumPorts / NumPipes;
  localparam int unsigned PipeW = (NumPipes > 1) ? $clog2(NumPipes) : 1;

  // ---------------------------------------------------------------------------------------------
  // Ports of the nodes, for reads and for responses in each pipe, and which middle pipe is a
  // packet's.

  logic [Cfg.NumNodes-1:0][PortW-1:0]               read_port_q;
  logic [NumPipes-1:0][Cfg.NumNodes-1:0][PortW-1:0] response_port_q;
  always_ff @(posedge clk_i) begin
    if (node_i.valid) begin
      if (node_i.reads) read_port_q[node_i.node[NodeW-1:0]] <= node_i.out_port[PortW-1:0];
      for (int unsigned m = 0; m < NumPipes; m++) begin
        if (node_i.pipes[m]) begin
          response_port_q[m][node_i.node[NodeW-1:0]] <= node_i.out_port[PortW-1:0];
        end
      end
    end
  end

  function automatic logic [PipeW-1:0] pipe_of(logic [PortW-1:0] at);
    pipe_of = PipeW'(32'(at) / Group);
  endfunction

  localparam int unsigned Waiting = Classes * NumPorts;

  logic   [Waiting-1:0]               in_valid, in_taken;
  enter_t [Waiting-1:0]               in;      // by class and port
  logic   [NumPipes-1:0][Waiting-1:0] taken;   // by pipes
  logic   [NumPorts-1:0][Classes-1:0] gives_up;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [NumPortCounters-1:0] events;
    logic               packet_valid, data_valid;
    packet_t            packet;
    // verilator lint_off UNUSEDSIGNAL
    packet_t            look;   // where it goes is looked up
    // verilator lint_on UNUSEDSIGNAL
    packet_beat_t       data;
    logic               look_response_q;
    logic [PortW-1:0]   read_at_q, response_at_q, out_port;
    logic [Classes-1:0] queue_valid;
    enter_t [Classes-1:0] queue;
    logic [Classes-1:0] queue_taken;

    gather_receive #(
      .NumNodes     (Cfg.NumNodes),
      .MaxFrameBytes(Cfg.MaxFrameBytes)
    ) u_receive (
      .clk_i,
      .rst_ni,
      .own_only_i    (1'b0),
      .own_node_i    ('0),
      .cacheable_i   (settings_i.cache_ports[p]),
      .s_axis_tvalid (s_axis_tvalid[p]),
      .s_axis_tready (s_axis_tready[p]),
      .s_axis_tdata  (s_axis_tdata[p]),
      .s_axis_tkeep  (s_axis_tkeep[p]),
      .s_axis_tlast  (s_axis_tlast[p]),
      .s_axis_tuser  (s_axis_tuser[p]),
      .packet_valid_o(packet_valid),
      .packet_o      (packet),
      .data_valid_o  (data_valid),
      .data_ready_i  (1'b1),
      .data_o        (data),
      .events_o      (events[PortBadDest:PortRx])
    );

    always_ff @(posedge clk_i) begin
      look_response_q <= look.response;
      response_at_q   <= response_port_q[pipe_of(PortW'(p))][look.dest[NodeW-1:0]];
      read_at_q       <= read_port_q[look.dest[NodeW-1:0]];
    end
    assign out_port = look_response_q ? response_at_q : read_at_q;

    gather_classes #(
      .Beats   (Cfg.ClassBeats),
      .Headroom(Cfg.Headroom),
      .MaxBeats(Cfg.MaxFrameBeats)
    ) u_classes (
      .clk_i,
      .rst_ni,
      .valid_i   (packet_valid && data_valid),
      .packet_i  (packet),
      .data_i    (data),
      .look_o    (look),
      .target_i  (4'(pipe_of(look_response_q ? PortW'(p) : out_port))),
      .out_port_i(6'(out_port)),
      .valid_o   (queue_valid),
      .ready_i   (queue_taken),
      .out_o     (queue),
      .pause_o   (pause_o[p]),
      .no_room_o (events[PortNoRoomResponses:PortNoRoomReads])
    );

    for (genvar c = 0; c < Classes; c++) begin : gen_class
      assign in_valid[c*NumPorts+p] = queue_valid[c];
      assign in[c*NumPorts+p]       = queue[c];
      assign queue_taken[c]         = in_taken[c*NumPorts+p];
    end

    assign events[PortSent] = m_axis_tvalid[p] && m_axis_tready[p] && m_axis_tlast[p];
    assign events[PortStoppedResponses:PortStoppedReads] = gives_up[p];

    gather_tally #(
      .N(NumPortCounters)
    ) u_tally (
      .clk_i,
      .rst_ni,
      .events_i(events),
      .count_o (count_port_o[p])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // Middle pipes

  logic  [NumPipes-1:0]                            pipe_clearing, out_valid;
  beat_t [NumPipes-1:0]                            out;
  logic  [NumPipes-1:0][PortW-1:0]                 out_port;
  logic  [NumPipes-1:0][Classes-1:0][NumPorts-1:0] waits;
  logic  [NumPipes-1:0][NumPorts-1:0]              ask, asked;
  logic  [NumPorts-1:0]                            ask_response;
  logic  [Classes-1:0][NumPorts-1:0]               give_up;

  assign clearing_o = pipe_clearing != '0;

  always_comb begin
    in_taken = '0;
    for (int unsigned m = 0; m < NumPipes; m++) in_taken |= taken[m];
  end

  for (genvar m = 0; m < NumPipes; m++) begin : gen_pipe
    logic        pr_in, not_turned;
    concat_obs_t concat;

    gather_pipe #(
      .Cfg (Cfg),
      .Pipe(m)
    ) u_pipe (
      .clk_i,
      .rst_ni,
      .settings_i,
      .node_i,
      .read_port_i    (read_port_q),
      .response_port_i(response_port_q[m]),
      .valid_i       (in_valid),
      .in_i          (in),
      .taken_o       (taken[m]),
      .waits_o       (waits[m]),
      .ask_i         (ask[m]),
      .ask_response_i(ask_response),
      .asked_o       (asked[m]),
      .give_up_i     (give_up),
      .stopped_o     (stopped_o[m]),
      .out_valid_o   (out_valid[m]),
      .out_o         (out[m]),
      .out_port_o    (out_port[m]),
      .cache_obs_o   (obs_o[m]),
      .concat_obs_o  (concat),
      .pr_in_o       (pr_in),
      .not_turned_o  (not_turned),
      .clearing_o    (pipe_clearing[m])
    );

    logic [PipeLatest-1:0] events;
    assign events[PipePrs]       = pr_in;
    assign events[PipeHits]      = obs_o[m].valid && obs_o[m].hit && !obs_o[m].response;
    assign events[PipeInserted]  = obs_o[m].valid && obs_o[m].insert;
    assign events[PipeEvicted]   = obs_o[m].valid && obs_o[m].evict;
    assign events[PipeFull]      = concat.full;
    assign events[PipeLate]      = concat.late;
    assign events[PipeLength]    = concat.other_len;
    assign events[PipeRoom]      = concat.for_room;
    assign events[PipeStallPool] = concat.stall_pool;
    assign events[PipeStallOut]  = concat.stall_out;
    assign events[PipeNotTurned] = not_turned;
    assign events[PipeThrownReads]     = stopped_o[m].valid && !stopped_o[m].response;
    assign events[PipeThrownResponses] = stopped_o[m].valid && stopped_o[m].response;

    gather_tally #(
      .N(PipeLatest)
    ) u_tally (
      .clk_i,
      .rst_ni,
      .events_i(events),
      .count_o (count_pipe_o[m][PipeLatest-1:0])
    );

    gather_latest #(
      .ClockW(Cfg.ClockW)
    ) u_latest (
      .clk_i,
      .rst_ni,
      .obs_i   (concat),
      .latest_o(count_pipe_o[m][PipeLatest])
    );
  end

  // ---------------------------------------------------------------------------------------------
  // Ports take frames from pipes.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_out
    logic [NumPipes-1:0][Classes-1:0] waits_here;
    logic [NumPipes-1:0]              ask_here, asked_here, comes;
    logic [Classes-1:0]               give_up_here;
    beat_t                            beat;

    always_comb begin
      beat = '0;
      for (int unsigned m = 0; m < NumPipes; m++) begin
        for (int unsigned c = 0; c < Classes; c++) waits_here[m][c] = waits[m][c][p];
        asked_here[m] = asked[m][p];
        comes[m]      = out_valid[m] && out_port[m] == PortW'(p);
        // One pipe at a time was asked.
        if (comes[m]) beat = beat | out[m];
      end
    end
    for (genvar m = 0; m < NumPipes; m++) begin : gen_ask
      assign ask[m][p] = ask_here[m];
    end
    for (genvar c = 0; c < Classes; c++) begin : gen_give_up
      assign give_up[c][p] = give_up_here[c];
    end

    gather_out #(
      .NumPipes(NumPipes),
      .MaxBeats(Cfg.MaxFrameBeats)
    ) u_out (
      .clk_i,
      .rst_ni,
      .pause_limit_i (settings_i.pause_limit),
      .pause_i       (pause_i[p]),
      .waits_i       (waits_here),
      .ask_o         (ask_here),
      .ask_response_o(ask_response[p]),
      .taken_i       (asked_here),
      .give_up_o     (give_up_here),
      .in_valid_i    (comes != '0),
      .in_i          (beat),
      .m_axis_tvalid (m_axis_tvalid[p]),
      .m_axis_tready (m_axis_tready[p]),
      .m_axis_tdata  (m_axis_tdata[p]),
      .m_axis_tkeep  (m_axis_tkeep[p]),
      .m_axis_tlast  (m_axis_tlast[p]),
      .gives_up_o    (gives_up[p])
    );
  end

endmodule
