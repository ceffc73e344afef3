// gather_concat: every PR is in one packet of its own queue, and in no second one.
module gather_concat_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] delay_i,
  input logic       valid_i,
  input logic       response_i,
  input logic       dest_i,
  input logic       long_i,
  input logic       ready_i,
  input logic [1:0] watch_i
);

  localparam int unsigned ClockW = 4;

  logic              started_q, pr_ready, packet_valid, idle, out_ready;
  concat_obs_t       obs;
  logic [ClockW-3:0] delay_q;
  pr_beat_t          pr, held_q;
  logic              inside_q;   // a PR of several beats is half in
  logic [3:0]        left_q;     // its beats that are still to come
  closed_t           packet;

  // A read, or a response of 2 or of 128 bytes, which takes two beats.
  always_comb begin
    pr             = '0;
    pr.pr.response = response_i;
    pr.pr.dest     = 32'(dest_i);
    pr.pr.len      = long_i ? 11'd128 : 11'd2;
    pr.first       = 1'b1;
    pr.last        = !(response_i && long_i);
    if (inside_q) begin
      pr       = held_q;
      pr.first = 1'b0;
      pr.last  = left_q == 4'd1;
    end
  end

  assign out_ready = ready_i;

  gather_concat #(
    .NumNodes   (2),
    .Mtu        (1108),
    .Virtual    (1'b0),
    .VirtualRows(32),
    .Spare      (4),
    .ExpiryDepth(16),
    .ClockW     (ClockW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i       (delay_q),
    .pr_valid_i    (valid_i),
    .pr_ready_o    (pr_ready),
    .pr_i          (pr),
    .packet_valid_o(packet_valid),
    .packet_ready_i(out_ready),
    .packet_o      (packet),
    .data_valid_o  (),
    .data_ready_i  (1'b1),
    .data_o        (),
    .obs_o         (obs),
    .idle_o        (idle)
  );

  // One queue, which one is free: PRs of it that came in and are in no packet that was shown.
  logic [1:0] watch_q;
  logic [7:0] open_q;
  logic       take, mine, shown;

  assign take   = valid_i && pr_ready && rst_ni;
  assign mine   = take && pr.first && {pr.pr.response, pr.pr.dest[0]} == watch_q;
  assign shown  = packet_valid && {packet.response, packet.dest[0]} == watch_q;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: packets are there that nobody filled.
    e_reset : assume (started_q || !rst_ni);
    if (!started_q) delay_q <= delay_i;
    if (!started_q) watch_q <= watch_i;
    if (take) begin
      held_q   <= pr;
      inside_q <= !pr.last;
      left_q   <= pr.first ? 4'd1 : left_q - 4'd1;
    end
    open_q <= open_q + 8'(mine) - ((shown && out_ready) ? packet.count : 8'd0);
    if (!rst_ni) begin
      inside_q <= 1'b0;
      open_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet has a PR: nothing is sent for a queue that was flushed already.
      a_not_empty : assert (!packet_valid || packet.count != '0)
      else $error("a packet without a PR");
      // A packet has no PRs but such as came in for its queue and were in no packet before: none is
      // sent twice, none to another node.
      a_once : assert (!shown || packet.count <= open_q)
      else $error("%0d PRs in a packet, %0d inside", packet.count, open_q);
      // When nothing is queued, every PR that came in was in a packet: none is lost.
      a_none_lost : assert (!idle || packet_valid || u_dut.u_closed.shown_count != '0 ||
                            open_q == '0)
      else $error("idle, and %0d PRs were in no packet", open_q);
      // Packets leave for each of their reasons.
      c_late : cover (obs.late && packet_valid);
      c_length : cover (obs.other_len);
      c_two : cover (shown && packet.count > 8'd1);
    end
  end

endmodule
