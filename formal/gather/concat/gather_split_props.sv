// gather_split: of each packet that comes in as many PRs leave as it says, each once, with the
// packet's type, destination, generation and length. With gather_cache, which keeps PRs as they
// come, and gather_concat, each of whose PRs is in one packet, that is every PR in, one PR out.
module gather_split_props
  import gather_pkg::*;
(
  input logic         clk_i,
  input logic         rst_ni,
  input logic         packet_valid_i,
  input packet_t      packet_i,
  input logic         data_valid_i,
  input packet_beat_t data_i,
  input logic         pr_ready_i
);

  localparam int unsigned CountW = 9;

  logic     started_q, data_ready, pr_valid, begun_q;
  packet_t  packet_q;
  pr_beat_t pr;

  gather_split u_dut (
    .clk_i,
    .rst_ni,
    .packet_valid_i,
    .packet_i,
    .data_valid_i,
    .data_ready_o(data_ready),
    .data_i,
    .pr_valid_o  (pr_valid),
    .pr_ready_i,
    .pr_o        (pr)
  );

  // ---------------------------------------------------------------------------------------------
  // PRs that packets have said, and that have left; both wrap.

  logic [CountW-1:0] said_q, sent_q, held;
  logic              middle_q;  // of a PR some beats have left, but not the last one
  logic              takes, gives;

  assign takes = packet_valid_i && data_valid_i && data_ready;
  assign gives = pr_valid && pr_ready_i;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: PRs are inside that nobody sent.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // A packet has PRs, at most as many as a receiver counts.
      e_some : assume (!packet_valid_i || (packet_i.count != '0 && packet_i.count <= 8'd127));
      // What is said of a packet stays until its last beat is taken.
      e_stays : assume (!begun_q || !packet_valid_i || packet_i == packet_q);
    end
    packet_q <= packet_i;
    begun_q  <= rst_ni && packet_valid_i && !(takes && data_i.last);
    if (u_dut.begins) said_q <= said_q + CountW'(packet_i.count);
    if (gives && pr.first) sent_q <= sent_q + CountW'(1);
    if (gives) begin
      middle_q <= !pr.last;
    end
    if (!rst_ni) begin
      said_q   <= '0;
      sent_q   <= '0;
      middle_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // PRs inside: of the packet those whose header was not taken yet, then by stages, oldest first.

  logic [5:0] valid, first, last;
  logic       begins, in_order, same;

  assign valid = {u_dut.valid_q[0], u_dut.valid_q[1], u_dut.valid_q[2], u_dut.valid_q[3],
                  u_dut.u_skid.skid_valid_q, u_dut.u_skid.out_valid_q};
  assign first = {u_dut.op0_q.header, u_dut.op1_q.header, u_dut.op2_q.header, u_dut.op3_q.header,
                  u_dut.u_skid.skid_q.first, u_dut.u_skid.out_q.first};
  assign last  = {u_dut.op0_q.last, u_dut.op1_q.last, u_dut.op2_q.last, u_dut.op3_q.last,
                  u_dut.u_skid.skid_q.last, u_dut.u_skid.out_q.last};

  // The packet whose first beat was taken last, and that of each stage, as it was said at the
  // input.
  packet_t       split_q;
  packet_t [3:0] of_q;
  logic          rest_q;   // of a packet some beats were taken, but not the last one
  logic    [3:0] packets;
  always_ff @(posedge clk_i) begin
    if (takes) rest_q <= !data_i.last;
    if (takes && !rest_q) split_q <= packet_i;
    if (u_dut.go) of_q <= {of_q[2:0], split_q};
    if (!rst_ni) rest_q <= 1'b0;
  end

  function automatic logic agrees(packet_t packet, packet_t said);
    agrees = packet.response == said.response && packet.cacheable == said.cacheable &&
        packet.dest == said.dest && packet.generation == said.generation && packet.len == said.len;
  endfunction

  assign packets = {agrees(u_dut.op3_q.packet, of_q[3]), agrees(u_dut.op2_q.packet, of_q[2]),
                    agrees(u_dut.op1_q.packet, of_q[1]), agrees(u_dut.op0_q.packet, of_q[0])};
  assign same    = u_dut.out.pr.response == of_q[3].response &&
      u_dut.out.pr.cacheable == of_q[3].cacheable && u_dut.out.pr.dest == of_q[3].dest &&
      u_dut.out.pr.generation == of_q[3].generation && u_dut.out.pr.len == of_q[3].len;

  // The header of the PR of which a beat has left last; of those behind it each is compared with
  // the beat in front.
  pr_t  left_q, in_front;
  logic headed;
  always_ff @(posedge clk_i) if (gives) left_q <= pr.pr;

  always_comb begin
    held     = (u_dut.active_q && u_dut.some_q) ?
        CountW'(u_dut.left_q) - CountW'(!u_dut.step_q.header) : '0;
    begins   = !middle_q;
    in_order = 1'b1;
    headed   = 1'b1;
    in_front = left_q;
    for (int unsigned i = 0; i < 6; i++) begin
      held = held + CountW'(valid[i] && first[i]);
      if (valid[i]) begin
        in_order = in_order && first[i] == begins;
        if (i == 0) begin
          headed   = headed && (first[0] || u_dut.u_skid.out_q.pr == in_front);
          in_front = u_dut.u_skid.out_q.pr;
        end else if (i == 1) begin
          headed   = headed && (first[1] || u_dut.u_skid.skid_q.pr == in_front);
          in_front = u_dut.u_skid.skid_q.pr;
        end
        begins   = last[i];
      end
      if (i == 1) headed = headed && (begins || u_dut.pr_q == in_front);
    end
    if (u_dut.active_q && u_dut.some_q) in_order = in_order && u_dut.step_q.header == begins;
    else in_order = in_order && begins;
  end

  // What steps take is told twice: in bytes, and where these reach into. Of a PR of one step the
  // second one means nothing.
  logic [5:0] alike;
  assign alike = {told(u_dut.first_q), u_dut.first_q.last || told(u_dut.second_q),
                  told(u_dut.step_q.this_one),
                  u_dut.step_q.this_one.last || told(u_dut.step_q.next_one),
                  told(u_dut.known_step_q.this_one),
                  u_dut.known_step_q.this_one.last || told(u_dut.known_step_q.next_one)};

  function automatic logic told(logic [34:0] chunk);
    told = chunk[18:11] == chunk[26:19] + 8'(BeatBytes - 1) &&
        32'(chunk[26:19]) <= PrBytes + BeatBytes;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every PR that a packet has said leaves, and leaves once: what was said and has not left is
      // inside.
      a_once : assert (said_q - sent_q == held)
      else $error("%0d PRs said, %0d sent, %0d inside", said_q, sent_q, held);
      // When nothing is inside, all have left: none is lost.
      a_none_lost : assert (u_dut.active_q || u_dut.valid_q != '0 || pr_valid || said_q == sent_q)
      else $error("%0d PRs said, %0d sent", said_q, sent_q);
      // A packet is not done with before its last PR, and control knows how many are left.
      a_left : assert (!u_dut.active_q || (u_dut.some_q == (u_dut.left_q != '0) &&
                                           u_dut.one_q == (u_dut.left_q == 8'd1)))
      else $error("%0d PRs left", u_dut.left_q);
      // What is known of a step beforehand agrees.
      a_told : assert ((!u_dut.active_q || alike[5:2] == '1) &&
                       (!u_dut.known_q || alike[1:0] == '1))
      else $error("steps %b", alike);
      // A step takes no byte of a beat that it has not waited for.
      a_beats : assert ((!(u_dut.active_q && u_dut.some_q) ||
                         u_dut.step_q.after <= {u_dut.step_q.beats, 6'd0}) &&
                        (!u_dut.known_q ||
                         u_dut.known_step_q.after <= {u_dut.known_step_q.beats, 6'd0}))
      else $error("a step of %0d beats ends at %0d", u_dut.step_q.beats, u_dut.step_q.after);
      // Beats of a PR follow each other: one begins where the one in front has ended.
      a_in_order : assert (in_order)
      else $error("a PR begins in the middle of another one");
      // What leaves is of the type, destination, generation and length of a packet that is inside.
      a_same : assert (!(u_dut.valid_q[3] && u_dut.op3_q.header) || same)
      else $error("a PR of another packet");
      // What is known of a packet goes along with the bytes of its PRs.
      a_along : assert ((!u_dut.active_q || (agrees(u_dut.packet_q, split_q) &&
                                             rest_q == !u_dut.tail_q)) &&
                        (u_dut.active_q || !rest_q) &&
                        (u_dut.valid_q & ~packets) == '0)
      else $error("stages %b of %b are of their packets", packets, u_dut.valid_q);
      // Each beat of a PR says the header that the first one said.
      a_header : assert ((!pr_valid || pr.first || pr.pr == left_q) && headed)
      else $error("beats of a PR have several headers");
      // Two PRs have left, one behind the other; one of several beats has.
      c_two : cover (said_q == CountW'(2) && sent_q == CountW'(2) && !pr_valid);
      c_long : cover (gives && pr.last && !pr.first);
    end
  end

endmodule
