// A middle pipe of the switch (NetSparse 6.2.1, figure 8): splits packets into PRs, lets each of
// them look into the property cache, and concatenates what comes out of it into new frames.
//
// A read that hits leaves as a response to its requester, all others as they came. So every PR that
// comes in goes out once. Packets wait for frames to leave.
module gather_pipe
  import roce_pkg::beat_t;
  import gather_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The switch's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Settings that concern a pipe, and the table of nodes, as gather_frame has it.
  // verilator lint_off UNUSEDSIGNAL
  input switch_settings_t settings_i,
  // verilator lint_on UNUSEDSIGNAL
  input node_write_t      node_i,

  // Well-formed packets, as gather_accept shows them; they wait for PRs to be taken.
  input  logic         packet_valid_i,
  input  packet_t      packet_i,
  input  logic         data_valid_i,
  output logic         data_ready_o,
  input  packet_beat_t data_i,

  // Frames, and the port of each with all its beats.
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output beat_t                out_o,
  output logic [Cfg.PortW-1:0] out_port_o,

  // Observation only: of the cache, of concatenation; a PR came in, one went into concatenation.
  output cache_obs_t  cache_obs_o,
  output concat_obs_t concat_obs_o,
  output logic        pr_in_o,
  output logic        pr_out_o,
  // The cache is being cleared. Nothing is inside.
  output logic        clearing_o,
  output logic        idle_o
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
    .Sets     (Cfg.CacheSets),
    .IndexBits(Cfg.IndexBits),
    .NumNodes (Cfg.NumNodes)
  ) u_cache (
    .clk_i,
    .rst_ni,
    .enable_i    (settings_i.cache.enable),
    .mode_i      (settings_i.cache.mode),
    .generation_i(settings_i.cache.generation),
    .len_i       (settings_i.cache.len),
    .invalidate_i(settings_i.invalidate),
    .pr_valid_i  (split_valid),
    .pr_ready_o  (split_ready),
    .pr_i        (split),
    .pr_valid_o  (cached_valid),
    .pr_ready_i  (cached_ready),
    .pr_o        (cached),
    .obs_o       (cache_obs_o),
    .clearing_o
  );

  gather_send #(
    .Cfg(Cfg)
  ) u_send (
    .clk_i,
    .rst_ni,
    .delay_i    ((Cfg.ClockW - 2)'(settings_i.delay)),
    .node_i,
    .own_i      (settings_i.own),
    .pr_valid_i (cached_valid),
    .pr_ready_o (cached_ready),
    .pr_i       (cached),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .out_port_o,
    .obs_o      (concat_obs_o),
    .idle_o     (send_idle)
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
