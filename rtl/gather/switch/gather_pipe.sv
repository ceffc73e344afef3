// A middle pipe of the switch (NetSparse 6.2.1, figure 8): splits packets into PRs, lets each of
// them look into the property cache, and concatenates what comes out of it into new frames.
//
// A read that hits leaves as a response to its requester, all others as they came. So every PR that
// comes in goes out once. Packets wait for frames to leave.
module gather_pipe
  import roce_pkg::beat_t;
  import gather_pkg::*;
#(
  /// Nodes of the network, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Ports of the switch.
  parameter int unsigned NumPorts = 4,
  /// Most bytes of an IP packet.
  parameter int unsigned Mtu = 1500,
  /// 1: virtual queues, of `VirtualRows` rows of 128 bytes.
  parameter bit Virtual = 1'b0,
  parameter int unsigned VirtualRows = 256,
  /// Entries of the expiry queue, at least the largest delay.
  parameter int unsigned ExpiryDepth = 128,
  /// Bits of the clock for expiry.
  parameter int unsigned ClockW = 18,
  /// Sets of the property cache, 8 KB each.
  parameter int unsigned Sets = 64,
  /// Bits of an index that the cache can keep.
  parameter int unsigned IndexBits = 40,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // As gather_concat, gather_cache and gather_frame have them.
  input logic [ClockW-3:0] delay_i,
  input logic              cache_enable_i,
  input logic [2:0]        cache_mode_i,
  input logic [10:0]       cache_len_i,
  input logic              cache_invalidate_i,
  input logic              node_we_i,
  input logic [NodeW-1:0]  node_i,
  input address_t          node_address_i,
  input logic [PortW-1:0]  node_port_i,
  input address_t          own_i,

  // Well-formed packets.
  input  logic         packet_valid_i,
  input  packet_t      packet_i,
  input  logic         data_valid_i,
  output logic         data_ready_o,
  input  packet_beat_t data_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output beat_t            out_o,
  output logic [PortW-1:0] out_port_o,

  // Observation of the cache, as gather_cache has it.
  output logic                 obs_valid_o,
  output logic                 obs_response_o,
  output logic [IndexBits-1:0] obs_idx_o,
  output logic [3:0]           obs_way_o,
  output logic                 obs_hit_o,
  output logic                 obs_insert_o,
  output logic                 obs_evict_o,
  output logic [IndexBits-1:0] obs_evicted_o,
  // The cache is being cleared. A PR came in; one went into concatenation. A packet was closed
  // because it was full, late (by how many cycles), of another length, or for room; a PR waits for
  // storage, or for packets to leave. Nothing is inside.
  output logic              clearing_o,
  output logic              pr_in_o,
  output logic              pr_out_o,
  output logic [3:0]        close_o,
  output logic [ClockW-1:0] lateness_o,
  output logic [1:0]        stall_o,
  output logic              idle_o
);

  logic       split_valid, split_ready, cached_valid, cached_ready, send_idle;
  pr_beat_t   split, cached;

  gather_split u_split (
    .clk_i,
    .rst_ni,
    .packet_valid_i,
    .packet_i,
    .data_valid_i,
    .data_ready_o,
    .data_i,
    .pr_valid_o(split_valid),
    .pr_ready_i(split_ready),
    .pr_o      (split)
  );

  gather_cache #(
    .Sets     (Sets),
    .IndexBits(IndexBits),
    .NumNodes (NumNodes)
  ) u_cache (
    .clk_i,
    .rst_ni,
    .enable_i    (cache_enable_i),
    .mode_i      (cache_mode_i),
    .len_i       (cache_len_i),
    .invalidate_i(cache_invalidate_i),
    .pr_valid_i  (split_valid),
    .pr_ready_o  (split_ready),
    .pr_i        (split),
    .pr_valid_o  (cached_valid),
    .pr_ready_i  (cached_ready),
    .pr_o        (cached),
    .obs_valid_o,
    .obs_response_o,
    .obs_idx_o,
    .obs_way_o,
    .obs_hit_o,
    .obs_insert_o,
    .obs_evict_o,
    .obs_evicted_o,
    .clearing_o
  );

  gather_send #(
    .NumNodes   (NumNodes),
    .NumPorts   (NumPorts),
    .Mtu        (Mtu),
    .Virtual    (Virtual),
    .VirtualRows(VirtualRows),
    .ExpiryDepth(ExpiryDepth),
    .ClockW     (ClockW)
  ) u_send (
    .clk_i,
    .rst_ni,
    .delay_i,
    .node_we_i,
    .node_i,
    .node_address_i,
    .node_port_i,
    .own_i,
    .pr_valid_i(cached_valid),
    .pr_ready_o(cached_ready),
    .pr_i      (cached),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .out_port_o,
    .close_o,
    .lateness_o,
    .stall_o,
    .idle_o    (send_idle)
  );

  // PRs that came in and are not yet in concatenation.
  logic [7:0] inside_q;

  assign pr_in_o  = split_valid && split_ready && split.first;
  assign pr_out_o = cached_valid && cached_ready && cached.last;
  assign idle_o   = inside_q == '0 && send_idle && !packet_valid_i && !split_valid && !out_valid_o;

  always_ff @(posedge clk_i) begin
    inside_q <= inside_q + 8'(pr_in_o) - 8'(pr_out_o);
    if (!rst_ni) inside_q <= '0;
  end

endmodule
