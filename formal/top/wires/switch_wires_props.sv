// weir_gather_switch: which wire goes where between registers, the data path and counters; when
// settings take effect, and which tables of nodes a command writes (rtl/csr/gather_switch_csr.rdl).
//
// What registers and the data path make of it is left out of the circuit and free (`cuts` of the
// task), so this holds whatever they do. They have proofs of their own.
module switch_wires_props
  import roce_pkg::*;
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter bit Virtual = 1'b1,
  localparam int unsigned NumPorts = 4,
  localparam int unsigned NumPipes = 2,
  localparam int unsigned NumNodes = 20
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic                                s_axil_awvalid,
  input logic [11:0]                         s_axil_awaddr,
  input logic [2:0]                          s_axil_awprot,
  input logic                                s_axil_wvalid,
  input logic [31:0]                         s_axil_wdata,
  input logic [3:0]                          s_axil_wstrb,
  input logic                                s_axil_bready,
  input logic                                s_axil_arvalid,
  input logic [11:0]                         s_axil_araddr,
  input logic [2:0]                          s_axil_arprot,
  input logic                                s_axil_rready,
  input logic [NumPorts-1:0]                 s_axis_tvalid,
  input logic [NumPorts-1:0][BeatBits-1:0]   s_axis_tdata,
  input logic [NumPorts-1:0][BeatBytes-1:0]  s_axis_tkeep,
  input logic [NumPorts-1:0]                 s_axis_tlast,
  input logic [NumPorts-1:0]                 s_axis_tuser,
  input logic [NumPorts-1:0]                 m_axis_tready,
  input logic [NumPorts-1:0][Classes-1:0]    pause_i
);

  logic                               awready, wready, bvalid, arready, rvalid;
  logic [1:0]                         bresp, rresp;
  logic [31:0]                        rdata;
  logic [NumPorts-1:0]                s_ready, m_valid, m_last;
  logic [NumPorts-1:0][BeatBits-1:0]  m_data;
  logic [NumPorts-1:0][BeatBytes-1:0] m_keep;
  logic [NumPorts-1:0][Classes-1:0]   pause;
  cache_obs_t   [NumPipes-1:0]        observed;
  stopped_obs_t [NumPipes-1:0]        stopped;

  weir_gather_switch #(
    .NumPorts   (NumPorts),
    .NumPipes   (NumPipes),
    .NumNodes   (NumNodes),
    .Virtual    (Virtual),
    .VirtualRows(48),
    .ExpiryDepth(32),
    .CacheSets  (16),
    .HoldBeats  (512),
    .ClassBeats (1024),
    .Headroom   (256)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid,
    .s_axil_awready(awready),
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wvalid,
    .s_axil_wready (wready),
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bvalid (bvalid),
    .s_axil_bready,
    .s_axil_bresp  (bresp),
    .s_axil_arvalid,
    .s_axil_arready(arready),
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rvalid (rvalid),
    .s_axil_rready,
    .s_axil_rdata  (rdata),
    .s_axil_rresp  (rresp),
    .s_axis_tvalid,
    .s_axis_tready (s_ready),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid (m_valid),
    .m_axis_tready,
    .m_axis_tdata  (m_data),
    .m_axis_tkeep  (m_keep),
    .m_axis_tlast  (m_last),
    .pause_o       (pause),
    .pause_i,
    .obs_o         (observed),
    .stopped_o     (stopped)
  );

  gather_switch_csr_pkg::gather_switch_csr__out_t csr;
  gather_switch_csr_pkg::gather_switch_csr__in_t  says;
  switch_settings_t                               settings;
  node_write_t                                    node;
  assign csr      = u_dut.u_csr.hwif_out;
  assign says     = u_dut.u_csr.hwif_in;
  assign settings = u_dut.u_switch.settings_i;
  assign node     = u_dut.u_switch.node_i;

  // A cycle ago: what was said of the cache, and whether it was to be forgotten; the counter.
  logic        past_q, alive_q, forgets_q;
  cache_mode_t cache_q, kept_q;
  logic [63:0] ports_q, kept_ports_q;
  logic [31:0] count_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q             <= 1'b1;
    alive_q            <= rst_ni;
    forgets_q          <= csr.CACHE_COMMAND.invalidate.value;
    cache_q.enable     <= csr.CACHE.enable.value;
    cache_q.mode       <= csr.CACHE.mode.value;
    cache_q.len        <= csr.CACHE.len.value;
    cache_q.generation <= csr.CACHE_GENERATION.generation.value;
    ports_q            <= {csr.CACHE_PORTS_HIGH.word.value, csr.CACHE_PORTS_LOW.word.value};
    kept_q             <= settings.cache;
    kept_ports_q       <= settings.cache_ports;
    count_q            <= (csr.COUNTER_SELECT.pipe.value) ? u_dut.u_pipe_count.value_o :
        u_dut.u_port_count.value_o;
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // Frames of a port go through the data path as they are, and so do its pauses.
      a_in : assert ({u_dut.u_switch.s_axis_tvalid[p], u_dut.u_switch.s_axis_tdata[p],
                      u_dut.u_switch.s_axis_tkeep[p], u_dut.u_switch.s_axis_tlast[p],
                      u_dut.u_switch.s_axis_tuser[p], s_ready[p]} ==
                     {s_axis_tvalid[p], s_axis_tdata[p], s_axis_tkeep[p], s_axis_tlast[p],
                      s_axis_tuser[p], u_dut.u_switch.s_axis_tready[p]})
      else $error("port %0d", p);
      a_out : assert ({u_dut.u_switch.m_axis_tvalid[p], u_dut.u_switch.m_axis_tdata[p],
                       u_dut.u_switch.m_axis_tkeep[p], u_dut.u_switch.m_axis_tlast[p],
                       m_axis_tready[p]} ==
                      {m_valid[p], m_data[p], m_keep[p], m_last[p],
                       u_dut.u_switch.m_axis_tready[p]})
      else $error("port %0d", p);
      a_pause : assert (pause[p] == u_dut.u_switch.pause_o[p] &&
                        u_dut.u_switch.pause_i[p] == pause_i[p])
      else $error("port %0d", p);
    end
  end

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert ({u_dut.u_csr.rst_n, u_dut.u_switch.rst_ni, u_dut.u_port_count.rst_ni,
                       u_dut.u_pipe_count.rst_ni} == {4{rst_ni}})
    else $error("reset");
    // Software writes and reads registers.
    a_asks : assert (
        {u_dut.u_csr.s_axil_awvalid, u_dut.u_csr.s_axil_awaddr, u_dut.u_csr.s_axil_awprot,
         u_dut.u_csr.s_axil_wvalid, u_dut.u_csr.s_axil_wdata, u_dut.u_csr.s_axil_wstrb,
         u_dut.u_csr.s_axil_bready, u_dut.u_csr.s_axil_arvalid, u_dut.u_csr.s_axil_araddr,
         u_dut.u_csr.s_axil_arprot, u_dut.u_csr.s_axil_rready} ==
        {s_axil_awvalid, s_axil_awaddr, s_axil_awprot, s_axil_wvalid, s_axil_wdata, s_axil_wstrb,
         s_axil_bready, s_axil_arvalid, s_axil_araddr, s_axil_arprot, s_axil_rready})
    else $error("another access");
    a_answers : assert ({awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp} ==
        {u_dut.u_csr.s_axil_awready, u_dut.u_csr.s_axil_wready, u_dut.u_csr.s_axil_bvalid,
         u_dut.u_csr.s_axil_bresp, u_dut.u_csr.s_axil_arready, u_dut.u_csr.s_axil_rvalid,
         u_dut.u_csr.s_axil_rdata, u_dut.u_csr.s_axil_rresp})
    else $error("another answer");
    // Who sends, and how long PRs and packets may wait, is what registers say.
    a_settings : assert (settings.delay == csr.DELAY.cycles.value &&
                         settings.pause_limit == csr.PAUSE_LIMIT.word.value &&
                         settings.own.mac == {csr.OWN_MAC_HIGH.word.value,
                                              csr.OWN_MAC_LOW.word.value} &&
                         settings.own.ip == csr.OWN_IP.word.value)
    else $error("other settings");
    // What is kept is what registers said when all was last made invalid, a cycle ago then; else it
    // stands, from a reset on as nothing.
    a_cache : assert (!past_q || (settings.invalidate == (alive_q && forgets_q) &&
        {settings.cache, settings.cache_ports} == (!alive_q ? '0 :
         forgets_q ? {cache_q, ports_q} : {kept_q, kept_ports_q})))
    else $error("something else is kept");
    // A command stores a node that there is, with a port that there is.
    a_node : assert (node.valid == (csr.NODE_COMMAND.store.value &&
                     csr.NODE_COMMAND.index.value < 16'(NumNodes) &&
                     csr.NODE_PORT.port.value < 6'(NumPorts)) &&
                     node.node == csr.NODE_COMMAND.index.value[9:0] &&
                     node.out_port == csr.NODE_PORT.port.value)
    else $error("node %0d", node.node);
    // With its addresses, in the tables that are named.
    a_tables : assert (node.address.mac == {csr.NODE_MAC_HIGH.word.value,
                                            csr.NODE_MAC_LOW.word.value} &&
                       node.address.ip == csr.NODE_IP.word.value &&
                       node.reads == csr.NODE_TABLES.reads.value &&
                       node.pipes == csr.NODE_TABLES.pipes.value)
    else $error("another address of node %0d", node.node);

    // Counters of ports and of pipes are asked for the one that is named.
    a_counters : assert (
        {u_dut.u_port_count.row_i, u_dut.u_port_count.which_i} ==
        {csr.COUNTER_SELECT.index.value, csr.COUNTER_SELECT.which.value} &&
        {u_dut.u_pipe_count.row_i, u_dut.u_pipe_count.which_i} ==
        {csr.COUNTER_SELECT.index.value, csr.COUNTER_SELECT.which.value} &&
        u_dut.u_port_count.count_i == u_dut.u_switch.count_port_o &&
        u_dut.u_pipe_count.count_i == u_dut.u_switch.count_pipe_o)
    else $error("another counter");
    // A cycle later it is there.
    a_count : assert (!past_q || says.COUNTER_VALUE.value.next == count_q)
    else $error("%0d, not %0d", says.COUNTER_VALUE.value.next, count_q);
    // Registers say what was built, and whether tags are being cleared.
    a_shape : assert (says.CAP_SHAPE.ports.next == 8'd4 && says.CAP_SHAPE.pipes.next == 8'd2 &&
                      says.CAP_SHAPE.nodes.next == 16'd20 && says.CAP_CACHE.sets.next == 16'd16 &&
                      says.CAP_ROOM.hold.next == 16'd512 &&
                      says.CAP_ROOM.classes.next == 16'd1024 &&
                      says.CAP_QUEUES.pieces.next == (Virtual ? 16'd48 : 16'd0) &&
                      says.CAP_QUEUES.expiry.next == 16'd32 &&
                      says.CACHE_COMMAND.clearing.next == u_dut.u_switch.clearing_o)
    else $error("another device");
    // Who watches sees caches, and frames that are thrown away.
    a_watched : assert (observed == u_dut.u_switch.obs_o && stopped == u_dut.u_switch.stopped_o)
    else $error("something else is seen");

    // A new generation is kept.
    c_keeps : cover (past_q && alive_q && settings.invalidate && settings.cache.enable);
  end

endmodule
