// The engine of one streaming tree of a node (SHARP Streaming-Aggregation, 3; docs/tree.md): packet
// by packet, what all children send is added and handed on, and what comes back is replicated.
//
// Connections are its neighbours': a queue of packets that came, and a buffer of packets that
// leave, for each port. Packets of a message keep their cut, and rows their place in it: the
// header's 32 bytes go through the half rings like any others, and are replaced behind them.
//
//   a vector's life                                                  who waits for whom
//   sat_gather    a child's first packet is looked at, and stays;    the early child for the others
//                 all have come: do their headers agree?
//   sat_issue     packet i of each child is claimed, its rows are    for packet i of each child,
//                 asked for, one a cycle                             for room in u_results
//   sat_ring      rows of all children become one                    nobody
//   u_results     rows, until the ports have room                    nobody: room was claimed
//   sat_emit      packet i gets its header and leaves: up, or, if    for room at its ports
//                 the operation turns round, down; the last one down
//                 ends the operation
//   sat_fall      packet i of the parent's answer leaves downwards;  for the parent, and room at
//                 the last one ends the operation                    all children that want it
//   sat_leave     rows, and headers alone, to the ports' buffers     nobody
//
// Rows of several packets are in the ring at once. The next operation begins when the last packet
// of the one before has room, while its rows are still on their way: `u_results` keeps the order,
// and sat_emit and sat_fall have taken along what they need of it. Towards a port packets of
// sat_emit, of sat_fall, and headers alone (refusals, and to those who want no result) follow each
// other and never mix: who begins one looks whether another is under way there, and sat_leave
// counts it.
//
// Who decides of a packet, and who begins one, does it a cycle behind what it is made of: claims,
// headers alone and the end are registers, and a packet that is claimed is shown to nobody inside.
//
// What cannot go on ends the tree: `end_o` says why, and nothing more is taken. Packets that were
// begun leave to their end.
module sat_stream
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node, even, 4 to 16.
  parameter int unsigned NumPorts = 8,
  /// 1: a row of 16-bit elements every cycle; 0: every second one.
  parameter int unsigned WideLanes = 0,
  /// Rows that wait behind the ring, a power of two, 128 or more.
  parameter int unsigned ResultRows = 256,
  /// 0: buffers count a packet from its first row on; 1: once its last one is there. Then packets
  /// to a port have holes of some cycles between them.
  parameter bit RoomAtStop = 1'b0,
  /// Cycles from that row to a `room_i` that counts the packet, 1 to 3.
  parameter int unsigned RoomLate = 2,
  /// Cycles behind `events_o.done` until `lock_i` counts it, 1 to 15.
  parameter int unsigned LockLate = 4,
  /// 1: rows of the queues come a cycle later; those behind the ring are looked at.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The tree begins, from nothing, and `cfg_i` stands as long as it lasts; rows that were asked for
  // and not read are forgotten. `close_i`: it is no more, but for claims of that cycle, a cycle
  // later. Both may come at any time.
  input logic        open_i,
  input logic        close_i,
  input sat_cfg_t    cfg_i,
  input sat_lock_t   lock_i,
  input logic [31:0] time_i,   // microseconds, of a clock that all share

  // The queue of each port: its oldest packet, which is claimed. In the next cycle that one is not
  // shown any more. Its rows are asked for in order, from that cycle on, behind those of packets
  // claimed before, and are here QueueRow cycles later; or, with `claim_drop_o`, not at all, and
  // then all rows before it have been asked for.
  input  rc_packet_t [NumPorts-1:0]                oldest_i,
  output logic       [NumPorts-1:0]                claim_o,
  output logic       [NumPorts-1:0]                claim_drop_o,
  output logic       [NumPorts-1:0]                row_re_o,
  input  logic       [NumPorts-1:0][RcRowBits-1:0] row_i,

  // The buffer of each port. It does not wait; a packet begins only where `room_i` says that the
  // largest one has room, beside those that it counts (RoomAtStop).
  input  logic    [NumPorts-1:0] room_i,
  output rc_row_t [NumPorts-1:0] out_o,

  output sat_end_t    end_o,
  // An operation is under way, of this group; with `events_o.done` still of the one that is done.
  output logic                      streams_o,
  output logic [$clog2(Groups)-1:0] group_o,
  output sat_events_t               events_o,
  output rc_port_pkg::rc_memory_t   memory_o
);

  typedef logic [NumPorts-1:0] ports_t;

  logic   opened, clear, clear_n;
  ports_t parent_q, claim, claim_drop;
  rc_packet_t [NumPorts-1:0] oldest;   // but for what was claimed

  // Nothing of before is left in the cycle behind the opening.
  assign clear   = !rst_ni || open_i;
  assign clear_n = !clear;

  always_ff @(posedge clk_i) parent_q <= cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : '0;

  // ---------------------------------------------------------------------------------------------
  // Operations.

  sat_op_t   op;
  sat_head_t refuse_head;
  ports_t    gather_drop, refuse, posted, missing, owed;
  logic      first, agreed, begun, active, done, refused, refuse_valid, refuse_ready;
  sat_end_t  blame;

  sat_gather #(
    .NumPorts(NumPorts),
    .LockLate(LockLate)
  ) u_gather (
    .clk_i,
    .rst_ni        (clear_n),
    .open_i        (opened),
    .cfg_i,
    .lock_i,
    .oldest_i       (oldest),
    .owed_i        (owed),
    .drop_o        (gather_drop),
    .refuse_o      (refuse),
    .refuse_head_o (refuse_head),
    .refuse_valid_o(refuse_valid),
    .refuse_ready_i(refuse_ready),
    .posted_o      (posted),
    .op_o          (op),
    .first_o       (first),
    .agreed_o      (agreed),
    .blame_o       (blame),
    .begun_o       (begun),
    .active_o      (active),
    .group_o,
    .missing_o     (missing),
    .done_i        (done),
    .refused_o     (refused)
  );

  // ---------------------------------------------------------------------------------------------
  // Upwards.

  typedef struct packed {
    logic                 stop;
    logic [RcRowBits-1:0] row;
  } result_t;

  ports_t     issue_claim, issue_drop, ring_children, ring_re, silent, wrong_at;
  logic       ring_valid, ring_ready, ring_stop, left, issue_wrong;
  logic [7:0] ring_kind;
  logic       sum_valid, result_valid, result_ready;
  result_t    sum, result;
  logic       piece_valid, piece_ready;
  sat_piece_t piece;

  sat_issue #(
    .NumPorts  (NumPorts),
    .ResultRows(ResultRows)
  ) u_issue (
    .clk_i,
    .rst_ni         (clear_n),
    .open_i         (opened),
    .mtu_i          (cfg_i.mtu),
    .op_i           (op),
    .first_i        (first),
    .agreed_i       (agreed),
    .oldest_i       (oldest),
    .owed_i         (owed),
    .claim_o        (issue_claim),
    .drop_o         (issue_drop),
    .ring_valid_o   (ring_valid),
    .ring_ready_i   (ring_ready),
    .ring_kind_o    (ring_kind),
    .ring_children_o(ring_children),
    .ring_stop_o    (ring_stop),
    .row_gone_i     (result_valid && result_ready),
    .piece_valid_o  (piece_valid),
    .piece_ready_i  (piece_ready),
    .piece_o        (piece),
    .left_o         (left),
    .silent_o       (silent),
    .wrong_o        (issue_wrong),
    .wrong_at_o     (wrong_at)
  );

  sat_ring #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes),
    .RowRead  (rc_port_pkg::QueueRow + Ecc),
    .AlongW   (1)
  ) u_ring (
    .clk_i,
    .rst_ni       (clear_n),
    .in_valid_i   (ring_valid),
    .in_ready_o   (ring_ready),
    .in_kind_i    (ring_kind),
    .in_children_i(ring_children),
    .in_along_i   (ring_stop),
    .row_re_o     (ring_re),
    .row_i,
    .out_valid_o  (sum_valid),
    .out_row_o    (sum.row),
    .out_along_o  (sum.stop)
  );

  logic sum_ready;

  sat_results #(
    .Rows(ResultRows),
    .Ecc (Ecc)
  ) u_results (
    .clk_i,
    .rst_ni     (clear_n),
    .in_valid_i (sum_valid),
    .in_ready_o (sum_ready),
    .in_stop_i  (sum.stop),
    .in_row_i   (sum.row),
    .out_valid_o(result_valid),
    .out_ready_i(result_ready),
    .out_stop_o (result.stop),
    .out_row_o  (result.row),
    .memory_o
  );

  ports_t    room, emit_soon, emit_head_to, emit_to, fall_to;
  sat_head_t emit_head;
  logic      risen, risen_last, column, waits;
  rc_row_t   emit_row;

  sat_emit #(
    .NumPorts(NumPorts)
  ) u_emit (
    .clk_i,
    .rst_ni       (clear_n),
    .op_i         (op),
    .parent_i     (parent_q),
    .piece_valid_i(piece_valid),
    .piece_ready_o(piece_ready),
    .piece_i      (piece),
    .row_valid_i  (result_valid),
    .row_ready_o  (result_ready),
    .row_i        (result.row),
    .row_stop_i   (result.stop),
    .room_i       (room),
    .taken_i      (fall_to | posted),
    .soon_o       (emit_soon),
    .head_to_o    (emit_head_to),
    .head_o       (emit_head),
    .risen_o      (risen),
    .last_o       (risen_last),
    .column_o     (column),
    .waits_o      (waits),
    .to_o         (emit_to),
    .row_o        (emit_row)
  );

  // ---------------------------------------------------------------------------------------------
  // Downwards.

  ports_t    fall_claim, fall_drop, fall_re, fall_soon, fall_head_to, fall_row_to;
  sat_head_t fall_head;
  logic      all_risen, fallen, fallen_last, fall_wrong, fall_silent;
  rc_row_t   fall_row;

  sat_fall #(
    .NumPorts(NumPorts),
    .RowRead (rc_port_pkg::QueueRow + Ecc)
  ) u_fall (
    .clk_i,
    .rst_ni      (clear_n),
    .open_i      (opened),
    .mtu_i       (cfg_i.mtu),
    .parent_i    (parent_q),
    .op_i        (op),
    .agreed_i    (agreed),
    .risen_i     (risen),
    .risen_last_i(risen_last),
    .all_risen_o (all_risen),
    .oldest_i       (oldest),
    .owed_i      (owed),
    .claim_o     (fall_claim),
    .drop_o      (fall_drop),
    .row_re_o    (fall_re),
    .row_i,
    .room_i      (room),
    .taken_i     (posted),
    .soon_o      (fall_soon),
    .head_to_o   (fall_head_to),
    .head_o      (fall_head),
    .fallen_o    (fallen),
    .last_o      (fallen_last),
    .wrong_o     (fall_wrong),
    .silent_o    (fall_silent),
    .to_o        (fall_to),
    .row_to_o    (fall_row_to),
    .row_o       (fall_row)
  );

  assign done = op.valid && (op.up ? fallen && fallen_last : risen && risen_last);

  // ---------------------------------------------------------------------------------------------
  // The queues, the buffers, the end.

  assign claim      = gather_drop | issue_claim | fall_claim;
  assign claim_drop = gather_drop | issue_drop | fall_drop;
  assign row_re_o   = ring_re | fall_re;

  sat_claims #(
    .NumPorts(NumPorts)
  ) u_claims (
    .clk_i,
    .rst_ni      (clear_n),
    .oldest_i,
    .claim_o,
    .claim_drop_o,
    .row_re_i    (row_re_o),
    .oldest_o    (oldest),
    .claim_i     (claim),
    .drop_i      (claim_drop),
    .owed_o      (owed)
  );

  sat_leave #(
    .NumPorts  (NumPorts),
    .RoomAtStop(RoomAtStop),
    .RoomLate  (RoomLate)
  ) u_leave (
    .clk_i,
    .rst_ni        (clear_n),
    .room_i,
    .room_o        (room),
    .out_o,
    .begun_i       ((risen ? emit_soon : '0) | (fallen ? fall_soon : '0) | posted),
    .taken_i       (emit_to | fall_to | emit_soon | fall_soon),
    .emit_to_i     (emit_to),
    .emit_row_i    (emit_row),
    .fall_to_i     (fall_to),
    .fall_row_to_i (fall_row_to),
    .fall_row_i    (fall_row),
    .head_to_i     (emit_head_to | fall_head_to),
    .head_i        ((fallen && fallen_last) ? fall_head : emit_head),
    .refuse_valid_i(refuse_valid),
    .refuse_ready_o(refuse_ready),
    .refuse_i      (refuse),
    .refuse_head_i (refuse_head),
    .posted_i      (posted)
  );

  sat_end #(
    .NumPorts(NumPorts)
  ) u_end (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .time_i,
    .blame_i      (blame),
    .issue_wrong_i(issue_wrong),
    .wrong_at_i   (wrong_at),
    .fall_wrong_i (fall_wrong),
    .active_i     (active),
    .moved_i      (begun || risen || fallen),
    .rose_i       (risen && risen_last && op.up),
    .asked_i      (op.valid && op.up && all_risen && fall_silent),
    .missing_i    (missing),
    .silent_i     ((op.valid && left) ? silent : '0),
    .waits_i      (waits),
    .open_o       (opened),
    .end_o
  );

  assign streams_o = opened && active;

  always_ff @(posedge clk_i) begin
    events_o.refused <= refused;
    events_o.column  <= column;
    events_o.done    <= done;
    if (clear) events_o <= '0;
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!clear) begin
      // One header alone a cycle.
      a_head : assert ($onehot0({emit_head_to != '0, fall_head_to != '0}))
      else $error("%m: two headers at once");
      // Room for sums was claimed; one that finds none is lost.
      a_sum : assert (!sum_valid || sum_ready)
      else $error("%m: a row behind the ring finds no room");
      // A packet is claimed once.
      a_claim : assert ((gather_drop & issue_claim) == '0 &&
                        ((gather_drop | issue_claim) & fall_claim) == '0)
      else $error("%m: a packet is claimed twice");
    end
  end

endmodule
