// The engine of one low-latency tree of a node (SHARP 3; docs/tree.md): vectors of up to 1,024
// bytes, barriers and locks of all groups of the tree, each group's by itself.
//
// Connections are its neighbours' (sat_stream): a queue of packets that came, and a buffer of
// packets that leave, for each port.
//
//   an operation's life                                              who waits for whom
//   llt_inboxes  a message is taken in whole, and looked at          for its group's answer to the
//                (llt_look)                                          operation before
//   llt_decide   it joins its operation; all have come: llt_scan     nobody; one thing at a time
//                says whether they agree, the lock cells whether
//                a lock is free
//   llt_sum      vectors become one, group after group               nobody
//   llt_leave    to the parent, or to all who have contributed       for room at a port; others go
//                (llt_owed, llt_jobs, llt_send)                      first, but for the rest of a
//                                                                    message that has begun
//
// An end of the streaming tree comes in, and one that neighbours tell of goes out: `sat_down_o`.
module llt_engine
  import rc_pkg::*;
  import rc_port_pkg::rc_memory_t;
  import rc_port_pkg::both;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node, even, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// Cycles from a packet's first row to a `room_i` that counts it, 1 to 3.
  parameter int unsigned RoomLate = 2,
  /// 1: memories are corrected, or looked at; rows that are read come a cycle later.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The tree begins, from nothing, and `cfg_i`, which it shares with the streaming one but for its
  // number, stands as long as it lasts, but for changes. `close_i`: it is no more. Both may come at
  // any time.
  input logic        open_i,
  input logic        close_i,
  input sat_cfg_t    cfg_i,
  input logic [15:0] tree_i,
  input logic [31:0] time_i,   // microseconds, of a clock that all share
  // Children who get good answers by multicast, too; stands as `cfg_i`.
  input logic [NumPorts-1:0] casts_i,

  // The queues and buffers of the ports, as sat_stream has them.
  input  rc_packet_t [NumPorts-1:0]                oldest_i,
  output logic       [NumPorts-1:0]                claim_o,
  output logic       [NumPorts-1:0]                row_re_o,
  input  logic       [NumPorts-1:0][RcRowBits-1:0] row_i,
  input  logic       [NumPorts-1:0]                room_i,
  output rc_row_t    [NumPorts-1:0]                out_o,
  output logic       [NumPorts-1:0]                cast_o,   // with `start` (llt_send)
  // Messages that the parent multicast (rc_casts), a packet each.
  input  rc_packet_t           cast_oldest_i,
  output logic                 cast_claim_o,
  output logic                 cast_row_re_o,
  input  logic [RcRowBits-1:0] cast_row_i,

  // The lock cells; the answer comes when it comes.
  output logic         lock_valid_o,
  input  logic         lock_ready_i,
  output lock_ask_t    lock_o,
  input  logic         lock_answered_i,
  input  lock_answer_t lock_answer_i,

  // The streaming tree: whose vector is in it, and its end; `lost_i`: neighbours of this tree whose
  // connections have failed. Both stay as long as the tree is open.
  input  logic                streams_i,
  input  logic [GroupW-1:0]   streams_group_i,
  input  sat_end_t            sat_end_i,
  input  logic [NumPorts-1:0] lost_i,
  output logic                low_down_o,
  output logic                sat_down_o,

  // What is to be another while the tree is open (llt_decide); `cfg_i` is in the cycle behind.
  input  low_change_t       change_i,
  input  logic [Groups-1:0] holds_i,
  output logic              changed_o,
  output logic              changed_good_o,

  output low_observed_t observed_o,   // for a watcher
  output low_events_t   events_o,   // pulses, for the counters
  output rc_memory_t    memory_o   // flipped bits that were read
);

  typedef logic [NumPorts-1:0] ports_t;

  logic   open_q, open_n;
  ports_t parent_q;    // its port, or none

  // Nothing of before is left in the cycle behind the opening.
  assign open_n = rst_ni && !open_i && open_q;

  always_ff @(posedge clk_i) begin
    parent_q <= cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : '0;
    open_q <= (open_q && !close_i) || open_i;
    if (!rst_ni) open_q <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Messages.

  low_message_t [NumPorts-1:0]                message;
  low_message_t                               cast_message;
  logic         [NumPorts-1:0][RcRowBits-1:0] kept_row;
  ports_t                                     take, keep, sum_re, replying, replied;
  logic                                       cast_take, cast_keep;
  low_seen_t                                  seen;
  logic                                       seen_ready, flush, join_it;
  logic [Groups-1:0]                          any;
  logic [Groups-1:0][31:0]                    sequence_no;
  logic [Groups-1:0][7:0]                     operation;
  logic [GroupW-1:0]                          sum_re_group, send_group;
  logic [4:0]                                 sum_re_row, send_row;
  logic                                       send_re, use_sum, use_parent;
  logic [RcRowBits-1:0]                       sum_row, parent_row;
  logic         [Groups-1:0]                  from_cast;
  rc_memory_t                                 inboxes_memory, scan_memory, sum_memory;

  assign memory_o = (Ecc != 0) ? both(both(scan_memory, inboxes_memory), sum_memory) : '0;

  llt_inboxes #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_inboxes (
    .clk_i,
    .rst_ni,
    .clear_i        (!open_n),
    .parent_i       (parent_q),
    .oldest_i,
    .claim_o,
    .row_re_o,
    .row_i,
    .cast_oldest_i,
    .cast_claim_o,
    .cast_row_re_o,
    .cast_row_i,
    .message_o      (message),
    .cast_message_o (cast_message),
    .take_i         (take | replied),
    .keep_i         (keep),
    .cast_take_i    (cast_take),
    .cast_keep_i    (cast_keep),
    .group_i        (seen.group),
    .sum_re_i       (sum_re),
    .sum_re_group_i (sum_re_group),
    .sum_re_row_i   (sum_re_row),
    .row_o          (kept_row),
    .send_re_i      (send_re),
    .send_use_i     (use_parent),
    .send_re_group_i(send_group),
    .send_re_row_i  (send_row),
    .from_cast_i    (from_cast[send_group]),
    .parent_row_o   (parent_row),
    .memory_o       (inboxes_memory)
  );

  llt_look #(
    .NumPorts(NumPorts)
  ) u_look (
    .clk_i,
    .rst_ni       (open_n),
    .cfg_i,
    .tree_i,
    .message_i    (message),
    .cast_i       (cast_message),
    .not_i        (replying),
    .any_i        (any),
    .sequence_no_i(sequence_no),
    .operation_i  (operation),
    .flush_i      (flush),
    .ready_i      (seen_ready),
    .seen_o       (seen)
  );

  // ---------------------------------------------------------------------------------------------
  // Operations.

  low_scan_t         scan;
  low_scanned_t      scanned;
  low_owe_t          answer;
  logic [GroupW-1:0] group;
  logic              sum_valid, sum_ready, sum_done, sending, telling;
  low_sum_t          sum, sum_of;
  logic              sum_put;
  logic [GroupW-1:0] sum_group;

  logic      [Groups-1:0] rise, summing, from_parent, risen, owed;
  sat_head_t [Groups-1:0] head;
  ports_t                 replies;
  low_blame_t             replies_why;
  low_end_t               tree_end;

  for (genvar g = 0; g < Groups; g++) begin : gen_operation
    assign operation[g] = head[g].operation;
  end

  llt_decide #(
    .NumPorts(NumPorts)
  ) u_decide (
    .clk_i,
    .open_i         (open_n),
    .cfg_i,
    .time_i,
    .seen_i         (seen),
    .seen_ready_o   (seen_ready),
    .flush_o        (flush),
    .take_o         (take),
    .keep_o         (keep),
    .cast_take_o    (cast_take),
    .cast_keep_o    (cast_keep),
    .join_o         (join_it),
    .any_o          (any),
    .sequence_no_o  (sequence_no),
    .scan_o         (scan),
    .scanned_i      (scanned),
    .lock_valid_o,
    .lock_ready_i,
    .lock_o,
    .lock_answered_i,
    .lock_answer_i,
    .streams_i,
    .streams_group_i,
    .sum_o          (sum_put),
    .sum_of_o       (sum_of),
    .summing_i      (summing),
    .rise_o         (rise),
    .from_parent_o  (from_parent),
    .from_cast_o    (from_cast),
    .head_o         (head),
    .group_o        (group),
    .answer_o       (answer),
    .reply_o        (replies),
    .reply_why_o    (replies_why),
    .end_o          (tree_end),
    .owed_i         (owed),
    .risen_i        (risen),
    .sending_i      (sending),
    .sending_group_i(send_group),
    .change_i,
    .holds_i,
    .telling_i      (telling),
    .changed_o,
    .changed_good_o,
    .lost_i,
    .sat_end_i,
    .low_down_o,
    .sat_down_o,
    .observed_o,
    .events_o
  );

  llt_scan #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_scan (
    .clk_i,
    .rst_ni       (open_n),
    .write_i      (join_it),
    .write_group_i(seen.group),
    .write_port_i (seen.port),
    .write_head_i (seen.head),
    .scan_i       (scan),
    .group_i      (group),
    .node_i       (cfg_i.node),
    .scanned_o    (scanned),
    .memory_o     (scan_memory)
  );

  llt_pending u_pending (
    .clk_i,
    .rst_ni      (open_n),
    .put_i       (sum_put),
    .put_sum_i   (sum_of),
    .valid_o     (sum_valid),
    .ready_i     (sum_ready),
    .sum_o       (sum),
    .done_i      (sum_done),
    .done_group_i(sum_group),
    .busy_o      (summing)
  );

  llt_sum #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_sum (
    .clk_i,
    .rst_ni      (open_n),
    .valid_i     (sum_valid),
    .ready_o     (sum_ready),
    .sum_i       (sum),
    .done_o      (sum_done),
    .done_group_o(sum_group),
    .re_o        (sum_re),
    .re_group_o  (sum_re_group),
    .re_row_o    (sum_re_row),
    .row_i       (kept_row),
    .re_i        (send_re),
    .use_i       (use_sum),
    .re_group_i  (send_group),
    .re_row_i    (send_row),
    .row_o       (sum_row),
    .memory_o    (sum_memory)
  );

  // ---------------------------------------------------------------------------------------------
  // What leaves.

  llt_leave #(
    .NumPorts(NumPorts),
    .RoomLate(RoomLate),
    .Ecc     (Ecc)
  ) u_leave (
    .clk_i,
    .rst_ni        (open_n),
    .cfg_i,
    .tree_i,
    .parent_i      (parent_q),
    .lost_i,
    .casts_i,
    .rise_i        (rise),
    .answer_i      (answer),
    .answer_group_i(group),
    .from_parent_i (from_parent),
    .head_i        (head),
    .summing_i     (summing),
    .reply_i       (replies),
    .reply_why_i   (replies_why),
    .message_i     (message),
    .end_i         (tree_end),
    .risen_o       (risen),
    .owed_o        (owed),
    .replying_o    (replying),
    .replied_o     (replied),
    .telling_o     (telling),
    .sending_o     (sending),
    .re_o          (send_re),
    .re_group_o    (send_group),
    .re_row_o      (send_row),
    .use_sum_o     (use_sum),
    .use_parent_o  (use_parent),
    .sum_row_i     (sum_row),
    .parent_row_i  (parent_row),
    .room_i,
    .out_o,
    .cast_o
  );

endmodule
