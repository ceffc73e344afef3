// A top-of-rack switch that concatenates property requests and caches properties on their way
// (NetSparse 6.2.1, figure 8).
//
// ports -> ingress -> two classes -> middle pipes -> two classes -> ports. Ports are grouped; a
// group has a middle pipe. A packet of responses goes to the middle pipe of the port it came in at,
// a packet of reads to that of the port it will leave at: so a read passes the cache that responses
// from the same direction have filled. A frame that is no gather packet is dropped and counted.
//
// Who waits: packets for room where they leave, reads and responses not for each other, and nobody
// for another port. Both ends of a cable pause a class when they have no room for more. A receiver
// that stops for PAUSE_LIMIT cycles is given up: what is for it is thrown away and counted, until
// it takes again.
//
// Settings and counters are behind AXI4-Lite: docs/registers/gather-switch.md.
module weir_gather_switch
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// Ports, 1 to 64, a multiple of NumPipes.
  parameter int unsigned NumPorts = 4,
  /// Middle pipes, 1 to 16.
  parameter int unsigned NumPipes = 2,
  /// Nodes of the network, 2 to 1024; nodes are 0 to NumNodes - 1.
  parameter int unsigned NumNodes = 16,
  /// Most bytes of an IP packet, 1108 to 2369.
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
  /// Beats of each class that may wait to leave, of each port in each pipe. Power of two.
  parameter int unsigned HoldBeats = 512,
  /// Beats of each class that may wait at a port for a pipe, a power of two; and those of them that
  /// may still come when `pause_o` has risen: 450 ns of a cable there and back, and the FIFOs.
  parameter int unsigned ClassBeats = 2048,
  parameter int unsigned Headroom = 1024
) (
  input logic clk_i,
  input logic rst_ni,

  // AXI4-Lite, 32 bits; addresses without a register are answered with SLVERR.
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

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
  // By port and class, levels, reads in the lowest bit, responses above: who sends to this port is
  // to send no more of it; who receives from it wants no more, of which a frame or two may come.
  output logic [NumPorts-1:0][Classes-1:0]   pause_o,
  input  logic [NumPorts-1:0][Classes-1:0]   pause_i,

  // Observation only: the look-up of each pipe's cache in this cycle; a frame that is thrown away.
  output cache_obs_t   [NumPipes-1:0] obs_o,
  output stopped_obs_t [NumPipes-1:0] stopped_o
);

  localparam cfg_t Cfg = switch_cfg(NumPorts, NumPipes, NumNodes, Mtu, Virtual, VirtualRows,
                                    ExpiryDepth, ClockW, CacheSets, IndexBits, HoldBeats,
                                    ClassBeats, Headroom);

  gather_check #(
    .Cfg(Cfg)
  ) u_check ();

  gather_switch_csr_pkg::gather_switch_csr__in_t  csr_in;
  gather_switch_csr_pkg::gather_switch_csr__out_t csr;

  gather_switch_csr u_csr (
    .clk     (clk_i),
    .rst_n   (rst_ni),
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_bresp,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid,
    .s_axil_rready,
    .s_axil_rdata,
    .s_axil_rresp,
    .hwif_in (csr_in),
    .hwif_out(csr)
  );

  // ---------------------------------------------------------------------------------------------
  // The data path

  logic [NumPorts-1:0][NumPortCounters-1:0][31:0] port_counts;
  logic [NumPipes-1:0][NumPipeCounters-1:0][31:0] pipe_counts;
  logic                                        clearing, known;
  switch_settings_t settings;
  node_write_t      node;

  // What is kept changes as a whole, in the cycle in which all that was kept becomes invalid: PRs
  // may be inside.
  cache_mode_t cache_q;
  logic [63:0] cache_ports_q;
  logic        invalidate_q;

  always_ff @(posedge clk_i) begin
    invalidate_q <= csr.CACHE_COMMAND.invalidate.value;
    if (csr.CACHE_COMMAND.invalidate.value) begin
      cache_q       <= '{
        enable: csr.CACHE.enable.value,
        mode: csr.CACHE.mode.value,
        generation: csr.CACHE_GENERATION.generation.value,
        len: csr.CACHE.len.value
      };
      cache_ports_q <= {csr.CACHE_PORTS_HIGH.word.value, csr.CACHE_PORTS_LOW.word.value};
    end
    if (!rst_ni) begin
      invalidate_q  <= 1'b0;
      cache_q       <= '0;
      cache_ports_q <= '0;
    end
  end

  assign known    = 32'(csr.NODE_COMMAND.index.value) < NumNodes &&
      32'(csr.NODE_PORT.port.value) < NumPorts;
  assign settings = '{
    delay: csr.DELAY.cycles.value,
    pause_limit: csr.PAUSE_LIMIT.word.value,
    cache: cache_q,
    invalidate: invalidate_q,
    cache_ports: cache_ports_q,
    own: '{
      mac: {csr.OWN_MAC_HIGH.word.value, csr.OWN_MAC_LOW.word.value},
      ip: csr.OWN_IP.word.value
    }
  };
  assign node     = '{
    valid: csr.NODE_COMMAND.store.value && known,
    node: csr.NODE_COMMAND.index.value[9:0],
    address: '{
      mac: {csr.NODE_MAC_HIGH.word.value, csr.NODE_MAC_LOW.word.value},
      ip: csr.NODE_IP.word.value
    },
    out_port: csr.NODE_PORT.port.value,
    reads: csr.NODE_TABLES.reads.value,
    pipes: csr.NODE_TABLES.pipes.value
  };

  gather_switch #(
    .Cfg(Cfg)
  ) u_switch (
    .clk_i,
    .rst_ni,
    .settings_i  (settings),
    .node_i      (node),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .pause_o,
    .pause_i,
    .obs_o,
    .stopped_o,
    .count_port_o(port_counts),
    .count_pipe_o(pipe_counts),
    .clearing_o  (clearing)
  );

  // ---------------------------------------------------------------------------------------------
  // What software reads. A counter that there is not reads as zero.

  logic [31:0] port_count, pipe_count, count_q;

  gather_select #(
    .Rows(NumPorts),
    .N   (NumPortCounters)
  ) u_port_count (
    .clk_i,
    .rst_ni,
    .row_i  (csr.COUNTER_SELECT.index.value),
    .which_i(csr.COUNTER_SELECT.which.value),
    .count_i(port_counts),
    .value_o(port_count)
  );

  gather_select #(
    .Rows(NumPipes),
    .N   (NumPipeCounters)
  ) u_pipe_count (
    .clk_i,
    .rst_ni,
    .row_i  (csr.COUNTER_SELECT.index.value),
    .which_i(csr.COUNTER_SELECT.which.value),
    .count_i(pipe_counts),
    .value_o(pipe_count)
  );

  always_ff @(posedge clk_i) begin
    count_q <= csr.COUNTER_SELECT.pipe.value ? pipe_count : port_count;
  end

  always_comb begin
    csr_in                              = '0;
    csr_in.CAP_SHAPE.ports.next         = 8'(NumPorts);
    csr_in.CAP_SHAPE.pipes.next         = 8'(NumPipes);
    csr_in.CAP_SHAPE.nodes.next         = 16'(NumNodes);
    csr_in.CAP_CACHE.sets.next          = 16'(CacheSets);
    csr_in.CAP_ROOM.hold.next           = 16'(HoldBeats);
    csr_in.CAP_ROOM.classes.next        = 16'(ClassBeats);
    csr_in.CAP_QUEUES.pieces.next       = Virtual ? 16'(VirtualRows) : '0;
    csr_in.CAP_QUEUES.expiry.next       = 16'(ExpiryDepth);
    csr_in.CACHE_COMMAND.clearing.next  = clearing;
    csr_in.COUNTER_VALUE.value.next     = count_q;
  end

endmodule
