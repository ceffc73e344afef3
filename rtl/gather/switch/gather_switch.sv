// The data path of the gather switch: all of it but its registers. The top says what it does.
//
// Who waits: frames at a port for its group's pipe, pipes for the ports that their frames leave at.
// Nothing is lost inside. A port whose receiver stops stops the pipes that have frames for it.
module gather_switch
  import roce_pkg::*;
  import gather_pkg::*;
#(
  /// Ports, 1 to 64, a multiple of NumPipes.
  parameter int unsigned NumPorts = 4,
  /// Middle pipes, 1 to 16.
  parameter int unsigned NumPipes = 2,
  /// Nodes of the network, 2 to 1024; nodes are 0 to NumNodes - 1.
  parameter int unsigned NumNodes = 16,
  /// Most bytes of an IP packet, 1108 to 3900.
  parameter int unsigned Mtu = 1500,
  /// 1: virtual queues, of `VirtualRows` rows of 128 bytes in each pipe.
  parameter bit Virtual = 1'b0,
  parameter int unsigned VirtualRows = 256,
  /// Entries of the expiry queue, power of two, at least the largest delay.
  parameter int unsigned ExpiryDepth = 128,
  /// Bits of the clock for expiry; delays are less than 2 ** (ClockW - 2).
  parameter int unsigned ClockW = 18,
  /// Sets of the property cache of each pipe, 8 KB each. Power of two.
  parameter int unsigned CacheSets = 64,
  /// Bits of an index that the cache can keep, 32 to 64.
  parameter int unsigned IndexBits = 40,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings; they change while nothing is inside, but for `cache_invalidate_i`, one cycle long,
  // which comes with every new kernel and iteration.
  input logic [ClockW-3:0]   delay_i,
  input logic                cache_enable_i,
  input logic [2:0]          cache_mode_i,
  input logic [10:0]         cache_len_i,
  input logic                cache_invalidate_i,
  // Ports whose responses are kept.
  input logic [NumPorts-1:0] cache_ports_i,
  // The switch's own addresses, and the table of nodes.
  input logic [47:0]         own_mac_i,
  input logic [31:0]         own_ip_i,
  input logic                node_we_i,
  input logic [NodeW-1:0]    node_i,
  input logic [47:0]         node_mac_i,
  input logic [31:0]         node_ip_i,
  input logic [PortW-1:0]    node_port_i,

  // Frames without FCS.
  input  logic [NumPorts-1:0]                s_axis_tvalid,
  output logic [NumPorts-1:0]                s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]                s_axis_tlast,
  input  logic [NumPorts-1:0]                s_axis_tuser,
  output logic [NumPorts-1:0]                m_axis_tvalid,
  input  logic [NumPorts-1:0]                m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]                m_axis_tlast,

  // Observation of the caches, as gather_cache has it.
  output logic [NumPipes-1:0]                obs_valid_o,
  output logic [NumPipes-1:0]                obs_response_o,
  output logic [NumPipes-1:0][IndexBits-1:0] obs_idx_o,
  output logic [NumPipes-1:0][3:0]           obs_way_o,
  output logic [NumPipes-1:0]                obs_hit_o,
  output logic [NumPipes-1:0]                obs_insert_o,
  output logic [NumPipes-1:0]                obs_evict_o,
  output logic [NumPipes-1:0][IndexBits-1:0] obs_evicted_o,

  // Counters since reset. Of a port, index 0 first: frames received, in error, too long, with a bad
  // ICRC, taken, foreign, of unknown type, of wrong length, for an unknown node, sent. Of a pipe:
  // PRs in, read hits, insertions, evictions; packets closed full, late, for another length, for
  // room; cycles that PRs waited for storage, for packets to leave; the latest of the late ones,
  // cycles.
  output logic [NumPorts-1:0][9:0][31:0] count_port_o,
  output logic [NumPipes-1:0][10:0][31:0] count_pipe_o,
  // The caches are being cleared, after reset: 32 * CacheSets cycles.
  output logic clearing_o
);

  localparam int unsigned Group = NumPorts / NumPipes;
  localparam int unsigned PipeW = (NumPipes > 1) ? $clog2(NumPipes) : 1;
  /// Longest frame; some bytes may follow the packet.
  localparam int unsigned MaxFrameBytes = Mtu + 36;

  if (NumPorts < 1 || NumPorts > 64 || NumPipes < 1 || NumPipes > 16 ||
      NumPorts != Group * NumPipes) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be 1 to 64 and a multiple of NumPipes, which is 1 to 16");
  end

  // ---------------------------------------------------------------------------------------------
  // Ports of the nodes, and which middle pipe is a packet's.

  logic [NumNodes-1:0][PortW-1:0] port_of_q;
  always_ff @(posedge clk_i) begin
    if (node_we_i) port_of_q[node_i] <= node_port_i;
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
    logic [9:0]   events;
    logic         packet_valid, data_valid, data_ready;
    packet_t      packet;
    packet_beat_t data;
    in_t          came;

    gather_receive #(
      .NumNodes     (NumNodes),
      .MaxFrameBytes(MaxFrameBytes)
    ) u_receive (
      .clk_i,
      .rst_ni,
      .own_only_i    (1'b0),
      .own_node_i    ('0),
      .cacheable_i   (cache_ports_i[p]),
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
      .events_o      (events[8:0])
    );
    assign events[9] = m_axis_tvalid[p] && m_axis_tready[p] && m_axis_tlast[p];

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
      .N(10)
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
  address_t                          own, node_address;

  assign own          = '{mac: own_mac_i, ip: own_ip_i};
  assign node_address = '{mac: node_mac_i, ip: node_ip_i};
  assign clearing_o   = pipe_clearing != '0;

  for (genvar m = 0; m < NumPipes; m++) begin : gen_pipe
    logic [NumPorts-1:0] request;
    logic [PortW-1:0]    from;
    logic                any, ready, chosen_valid, chosen_ready, made_valid, made_ready, pr_in;
    out_t                made;
    logic [3:0]          close;
    logic [ClockW-1:0]   lateness;
    logic [1:0]          stall;
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
      .NumNodes   (NumNodes),
      .NumPorts   (NumPorts),
      .Mtu        (Mtu),
      .Virtual    (Virtual),
      .VirtualRows(VirtualRows),
      .ExpiryDepth(ExpiryDepth),
      .ClockW     (ClockW),
      .Sets       (CacheSets),
      .IndexBits  (IndexBits)
    ) u_pipe (
      .clk_i,
      .rst_ni,
      .delay_i,
      .cache_enable_i,
      .cache_mode_i,
      .cache_len_i,
      .cache_invalidate_i,
      .node_we_i,
      .node_i,
      .node_address_i(node_address),
      .node_port_i,
      .own_i         (own),
      .packet_valid_i(chosen_valid),
      .packet_i      (chosen.packet),
      .data_valid_i  (chosen_valid),
      .data_ready_o  (chosen_ready),
      .data_i        (chosen.data),
      .out_valid_o   (made_valid),
      .out_ready_i   (made_ready),
      .out_o         (made.beat),
      .out_port_o    (made.out_port),
      .obs_valid_o   (obs_valid_o[m]),
      .obs_response_o(obs_response_o[m]),
      .obs_idx_o     (obs_idx_o[m]),
      .obs_way_o     (obs_way_o[m]),
      .obs_hit_o     (obs_hit_o[m]),
      .obs_insert_o  (obs_insert_o[m]),
      .obs_evict_o   (obs_evict_o[m]),
      .obs_evicted_o (obs_evicted_o[m]),
      .clearing_o    (pipe_clearing[m]),
      .pr_in_o       (pr_in),
      .pr_out_o      (pr_out),
      .close_o       (close),
      .lateness_o    (lateness),
      .stall_o       (stall),
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

    logic [9:0] events;
    assign events = {stall, close, obs_valid_o[m] && obs_evict_o[m],
                     obs_valid_o[m] && obs_insert_o[m],
                     obs_valid_o[m] && obs_hit_o[m] && !obs_response_o[m], pr_in};

    gather_tally #(
      .N(10)
    ) u_tally (
      .clk_i,
      .rst_ni,
      .events_i(events),
      .count_o (count_pipe_o[m][9:0])
    );

    logic [ClockW-1:0] latest_q;
    assign count_pipe_o[m][10] = 32'(latest_q);
    always_ff @(posedge clk_i) begin
      if (close[1] && lateness > latest_q) latest_q <= lateness;
      if (!rst_ni) latest_q <= '0;
    end
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
