// What a low-latency tree owes its neighbours, until it has left: contributions to the parent,
// answers, refusals, and that a tree is no more.
//
// llt_owed keeps what is owed, llt_jobs says what goes next, llt_send cuts it into packets. A
// message waits for room at its port; others go first, but for the rest of one that has begun.
module llt_leave
  import rc_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// Cycles from a packet's first row to a `room_i` that counts it, 1 to 3.
  parameter int unsigned RoomLate = 2,
  /// 1: rows of sums and of the parent's message come a cycle later.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,   // not before the tree is open, and not after it

  // The tree, its number and its parent's port; neighbours who are lost, and those who get good
  // answers by multicast, too.
  // verilator lint_off UNUSEDSIGNAL
  input sat_cfg_t            cfg_i,      // not all of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [15:0]         tree_i,
  input logic [NumPorts-1:0] parent_i,   // or none
  input logic [NumPorts-1:0] lost_i,
  input logic [NumPorts-1:0] casts_i,

  // Groups whose contribution goes up; in this cycle one's answer, to who wants its vector and to
  // the rest. What is sent of each group stands until it has left. A vector that is being summed is
  // waited for.
  input logic      [Groups-1:0]   rise_i,
  input low_owe_t                 answer_i,
  input logic      [GroupW-1:0]   answer_group_i,
  input logic      [Groups-1:0]   from_parent_i,   // the vector is the parent's, else the sum
  input sat_head_t [Groups-1:0]   head_i,
  input logic      [Groups-1:0]   summing_i,
  // In this cycle: these ports' messages go back, for this reason; a tree is no more.
  input logic         [NumPorts-1:0] reply_i,
  input low_blame_t                  reply_why_i,
  input low_message_t [NumPorts-1:0] message_i,
  input low_end_t                    end_i,

  // What has left, and what has not yet.
  output logic [Groups-1:0]   risen_o,
  output logic [Groups-1:0]   owed_o,       // of answers
  output logic [NumPorts-1:0] replying_o,   // their message is needed for that
  output logic [NumPorts-1:0] replied_o,
  output logic                telling_o,    // of the streaming tree's end; a cycle later
  output logic                sending_o,    // a message, of re_group_o

  // Rows of the sum, and of the parent's message, LowRow cycles later (llt_send).
  output logic                 re_o,
  output logic [GroupW-1:0]    re_group_o,
  output logic [4:0]           re_row_o,
  output logic                 use_sum_o,
  output logic                 use_parent_o,
  input  logic [RcRowBits-1:0] sum_row_i,
  input  logic [RcRowBits-1:0] parent_row_i,

  // The buffers of the ports (rc_send_buffer); `cast_o` with `start`: the packet is multicast, too.
  input  logic    [NumPorts-1:0] room_i,
  output rc_row_t [NumPorts-1:0] out_o,
  output logic    [NumPorts-1:0] cast_o
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t     [Groups-1:0]   want, rest, answered;
  ports_t     [1:0]          tell, told;
  low_blame_t [1:0]          tell_why;
  ports_t                    end_to, room, begun, counted;
  low_blame_t [NumPorts-1:0] reply_why;
  logic                      send_valid, send_ready;
  low_send_t                 send;

  assign end_to    = (ports_t'(cfg_i.children) | parent_i) & ~ports_t'(end_i.except);
  assign sending_o = !send_ready;
  always_ff @(posedge clk_i) telling_o <= rst_ni && tell[0] != '0;
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) owed_o[g] = want[g] != '0 || rest[g] != '0;
    for (int unsigned p = 0; p < NumPorts; p++) counted[p] = out_o[p].valid && out_o[p].start;
  end

  llt_owed #(
    .NumPorts(NumPorts)
  ) u_owed (
    .clk_i,
    .rst_ni,
    .lost_i,
    .answer_i,
    .answer_group_i,
    .reply_i,
    .reply_why_i,
    .end_i     (end_i.valid),
    .end_low_i (end_i.low),
    .end_why_i (end_i.why),
    .end_to_i  (end_to),
    .answered_i(answered),
    .told_i    (told),
    .replied_i (replied_o),
    .want_o    (want),
    .rest_o    (rest),
    .tell_o    (tell),
    .tell_why_o(tell_why),
    .reply_o   (replying_o),
    .reply_why_o(reply_why)
  );

  llt_jobs #(
    .NumPorts(NumPorts)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .parent_i,
    .room_i     (room),
    .rise_i,
    .want_i     (want),
    .rest_i     (rest),
    .summing_i,
    .from_parent_i,
    .head_i,
    .tell_i     (tell),
    .tell_why_i (tell_why),
    .tell_tree_i({tree_i, cfg_i.tree}),
    .reply_i    (replying_o),
    .reply_why_i(reply_why),
    .message_i,
    .risen_o,
    .answered_o (answered),
    .told_o     (told),
    .replied_o,
    .valid_o    (send_valid),
    .ready_i    (send_ready),
    .send_o     (send)
  );

  llt_send #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_send (
    .clk_i,
    .rst_ni,
    .mtu_i  (cfg_i.mtu),
    .valid_i(send_valid),
    .ready_o(send_ready),
    .send_i (send),
    .re_o,
    .re_group_o,
    .re_row_o,
    .use_sum_o,
    .use_parent_o,
    .sum_row_i,
    .parent_row_i,
    .room_i (room),
    .lost_i,
    .casts_i,
    .begun_o(begun),
    .out_o,
    .cast_o
  );

  sat_room #(
    .NumPorts(NumPorts),
    .RoomLate(RoomLate)
  ) u_room (
    .clk_i,
    .rst_ni,
    .room_i,
    .begun_i  (begun),
    .counted_i(counted),
    .room_o   (room)
  );

endmodule
