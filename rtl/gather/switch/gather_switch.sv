// The data path of the gather switch: all of it but its registers. The top says what it does.
//
// Who waits: frames at a port for its group's pipe, pipes for the ports that their frames leave at.
// Nothing is lost inside. A port whose receiver stops stops the pipes that have frames for it.
module gather_switch
  import roce_pkg::*;
  import gather_pkg::*;
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

  // Observation of the caches.
  output cache_obs_t [Cfg.NumPipes-1:0] obs_o,

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
  // Ports of the nodes, and which middle pipe is a packet's.

  logic [Cfg.NumNodes-1:0][PortW-1:0] port_of_q;
  always_ff @(posedge clk_i) begin
    if (node_i.valid) port_of_q[node_i.node[NodeW-1:0]] <= node_i.out_port[PortW-1:0];
  end

  function automatic logic [PipeW-1:0] pipe_of(logic [PortW-1:0] at);
    pipe_of = PipeW'(32'(at) / Group);
  endfunction

  // A beat with its packet and the pipe that it goes to.
  typedef struct packed {
    packet_t          packet;
    packet_beat_t     data;
    logic [PipeW-1:0] target;
  } in_t;

  logic [NumPorts-1:0]                in_valid;
  in_t [NumPorts-1:0]                 in;
  logic [NumPorts-1:0][NumPipes-1:0]  granted;   // crossbar 1: port p sends to pipe m

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [NumPortCounters-1:0] events;
    logic         packet_valid, data_valid, data_ready;
    packet_t      packet;
    packet_beat_t data;
    in_t          came;

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
      .data_ready_i  (data_ready),
      .data_o        (data),
      .events_o      (events[PortBadDest:PortRx])
    );
    assign events[PortSent] = m_axis_tvalid[p] && m_axis_tready[p] && m_axis_tlast[p];

    assign came = '{packet: packet, data: data,
                    target: pipe_of(packet.response ? PortW'(p) :
                                    port_of_q[packet.dest[NodeW-1:0]])};

    // Which pipe it is stands in a register before pipes choose among ports.
    prim_skid #(
      .T(in_t)
    ) u_in (
      .clk_i,
      .rst_ni,
      .in_valid_i (packet_valid && data_valid),
      .in_ready_o (data_ready),
      .in_i       (came),
      .out_valid_o(in_valid[p]),
      .out_ready_i(granted[p] != '0),
      .out_o      (in[p])
    );

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
  // Crossbar 1 and the middle pipes. A packet keeps its pipe to its last beat.

  // A beat of a frame and the port that it leaves by.
  typedef struct packed {
    beat_t            beat;
    logic [PortW-1:0] out_port;
  } out_t;

  logic [NumPipes-1:0]               out_valid, pipe_clearing;
  beat_t [NumPipes-1:0]              out;
  logic [NumPipes-1:0][PortW-1:0]    out_port;
  logic [NumPipes-1:0][NumPorts-1:0] taken;      // crossbar 2: port p takes from pipe m

  assign clearing_o = pipe_clearing != '0;

  for (genvar m = 0; m < NumPipes; m++) begin : gen_pipe
    logic [NumPorts-1:0] request;
    logic [PortW-1:0]    from;
    logic                any, ready, chosen_valid, chosen_ready, made_valid, made_ready, pr_in;
    out_t                made;
    concat_obs_t         concat;
    // verilator lint_off UNUSEDSIGNAL
    in_t                 chosen;   // its target is this pipe
    logic                pr_out, idle;
    // verilator lint_on UNUSEDSIGNAL

    always_comb begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        request[p] = in_valid[p] && in[p].target == PipeW'(m);
      end
    end

    gather_grant #(
      .N(NumPorts)
    ) u_grant (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .valid_o  (any),
      .from_o   (from),
      .ready_i  (ready),
      .last_i   (in[from].data.last)
    );

    always_comb begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        granted[p][m] = any && ready && from == PortW'(p);
      end
    end

    prim_skid #(
      .T(in_t)
    ) u_chosen (
      .clk_i,
      .rst_ni,
      .in_valid_i (any),
      .in_ready_o (ready),
      .in_i       (in[from]),
      .out_valid_o(chosen_valid),
      .out_ready_i(chosen_ready),
      .out_o      (chosen)
    );

    gather_pipe #(
      .Cfg(Cfg)
    ) u_pipe (
      .clk_i,
      .rst_ni,
      .settings_i,
      .node_i,
      .packet_valid_i(chosen_valid),
      .packet_i      (chosen.packet),
      .data_valid_i  (chosen_valid),
      .data_ready_o  (chosen_ready),
      .data_i        (chosen.data),
      .out_valid_o   (made_valid),
      .out_ready_i   (made_ready),
      .out_o         (made.beat),
      .out_port_o    (made.out_port),
      .cache_obs_o   (obs_o[m]),
      .concat_obs_o  (concat),
      .pr_in_o       (pr_in),
      .pr_out_o      (pr_out),
      .clearing_o    (pipe_clearing[m]),
      .idle_o        (idle)
    );

    // Where it leaves stands in a register before ports choose among pipes.
    prim_skid #(
      .T(out_t)
    ) u_made (
      .clk_i,
      .rst_ni,
      .in_valid_i (made_valid),
      .in_ready_o (made_ready),
      .in_i       (made),
      .out_valid_o(out_valid[m]),
      .out_ready_i(taken[m] != '0),
      .out_o      ({out[m], out_port[m]})
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
  // Crossbar 2. A frame keeps its port to its last beat.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_out
    logic [NumPipes-1:0] request;
    logic [PipeW-1:0]    from;
    logic                any, ready;

    always_comb begin
      for (int unsigned m = 0; m < NumPipes; m++) begin
        request[m]  = out_valid[m] && out_port[m] == PortW'(p);
        taken[m][p] = any && ready && from == PipeW'(m);
      end
    end

    gather_grant #(
      .N(NumPipes)
    ) u_grant (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .valid_o  (any),
      .from_o   (from),
      .ready_i  (ready),
      .last_i   (out[from].last)
    );

    gather_axis u_axis (
      .clk_i,
      .rst_ni,
      .in_valid_i   (any),
      .in_ready_o   (ready),
      .in_i         (out[from]),
      .m_axis_tvalid(m_axis_tvalid[p]),
      .m_axis_tready(m_axis_tready[p]),
      .m_axis_tdata (m_axis_tdata[p]),
      .m_axis_tkeep (m_axis_tkeep[p]),
      .m_axis_tlast (m_axis_tlast[p])
    );
  end

endmodule
