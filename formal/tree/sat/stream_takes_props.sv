// sat_stream beside the connections of its ports, as tree_node has them: what it takes out of a
// queue is there, an operation stands until it is done, and what a child of it shows stays until
// its packet is brought in. What packets say, whom the parent is, locks and room are free, and the
// tree may end and begin again at any time.
module stream_takes_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      open_i,
  input logic                      close_i,
  input logic                      again_i,     // a streaming tree that has ended begins anew
  input logic                      ends_i,      // it ends
  input sat_cfg_t                  cfg_i,
  input sat_lock_t                 lock_i,
  input rc_packet_t [NumPorts-1:0] oldest_i,
  input logic [NumPorts-1:0]       room_i
);

  typedef logic [NumPorts-1:0] ports_t;

  // ---------------------------------------------------------------------------------------------
  // As tree_node has it: when the engine begins and ends, and its connections, a cycle behind.

  logic   opens, closes, again_q, ends_q, clear;
  ports_t neighbours, neighbours_q, opens_q, closes_q, conn_opens, conn_closes;

  assign neighbours  = ports_t'(cfg_i.children) |
      (cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : ports_t'(0));
  assign opens       = open_i || (again_q && !close_i);
  assign closes      = (close_i || ends_i) && !open_i;
  assign conn_opens  = opens_q | (again_q ? neighbours_q : '0);
  assign conn_closes = closes_q | (ends_q ? '1 : '0);
  assign clear       = !rst_ni || opens;

  always_ff @(posedge clk_i) begin
    neighbours_q <= neighbours;
    opens_q      <= open_i ? neighbours : '0;
    closes_q     <= close_i ? '1 : open_i ? ~neighbours : '0;
    ends_q       <= ends_i && !open_i;
    again_q      <= again_i && !close_i && !open_i;
    if (!rst_ni) begin
      opens_q  <= '0;
      closes_q <= '0;
      ends_q   <= 1'b0;
      again_q  <= 1'b0;
    end
  end

  ports_t claim;

  sat_stream #(
    .NumPorts  (NumPorts),
    .ResultRows(128),
    .LockLate  (8)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i      (opens),
    .close_i     (closes),
    .cfg_i,
    .lock_i,
    .time_i      ('0),
    .oldest_i,
    .claim_o     (claim),
    .claim_drop_o(),
    .row_re_o    (),
    .row_i       ('0),
    .room_i,
    .out_o       (),
    .end_o       (),
    .streams_o   (),
    .group_o     (),
    .events_o    (),
    .memory_o    ()
  );

  // ---------------------------------------------------------------------------------------------
  // What is there: the tree, connections, and packets in their queues.

  logic                      begun_q, reset_q, live_q, set_q;
  ports_t                    up_q;        // connections that are there
  ports_t                    stands_q;    // of whom the packet that was shown is not claimed
  rc_packet_t [NumPorts-1:0] before_q;
  sat_cfg_t                  cfg_q;
  ports_t                    moved;       // of whom another one is shown
  ports_t                    cleared_q;   // that began or ended in the cycle before
  logic [Groups-1:0]         others, held, held_q;   // groups that are others; that stream, or may

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      moved[p] = stands_q[p] && oldest_i[p] != before_q[p];
    end
    for (int unsigned g = 0; g < Groups; g++) begin
      others[g] = cfg_i.groups[g] != cfg_q.groups[g];
      held[g]   = (lock_i.valid && 32'(lock_i.group) == g) ||
          (u_dut.active && 32'(u_dut.group_o) == g);
    end
  end

  initial begin
    begun_q = 1'b0;
    set_q   = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    reset_q  <= !rst_ni;
    set_q    <= begun_q && (set_q || open_i);
    live_q   <= rst_ni && (open_i || (live_q && !close_i));
    up_q     <= rst_ni ? (up_q | conn_opens) & ~conn_closes : '0;
    before_q <= oldest_i;
    cfg_q    <= cfg_i;
    held_q   <= held;
    cleared_q <= conn_opens | conn_closes;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      stands_q[p] <= rst_ni && oldest_i[p].valid && !claim[p] && !conn_opens[p] && !conn_closes[p];
    end
  end

  ports_t parent, children;
  assign parent   = cfg_i.parent_valid ? ports_t'(1) << cfg_i.parent : '0;
  assign children = cfg_i.children[NumPorts-1:0];

  logic mtu_good;
  assign mtu_good = cfg_i.mtu inside {LenW'(256), LenW'(512), LenW'(1024), LenW'(2048),
                                      LenW'(4096)};

  // ---------------------------------------------------------------------------------------------
  // Inside.

  sat_head_t [NumPorts-1:0] head;
  ports_t                   oldest_valid, shown, want, look0, look1, look2, refuse, posted, come;
  sat_op_t                  op;
  logic                     active, all, valid, agreed, agrees, first;
  ports_t                   group_children;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      head[p]  = turned(oldest_i[p].head);
      shown[p] = u_dut.oldest[p].valid;
      oldest_valid[p] = oldest_i[p].valid;
    end
  end
  assign want   = u_dut.u_gather.want_q;
  assign look0  = u_dut.u_gather.look0_q;
  assign look1  = u_dut.u_gather.look1_q;
  assign look2  = u_dut.u_gather.look2_q;
  assign refuse = u_dut.u_gather.refuse_q;
  assign posted = u_dut.posted;
  assign come   = u_dut.u_gather.come_q;
  assign op     = u_dut.op;
  assign active = u_dut.u_gather.active_q;
  assign all    = u_dut.u_gather.all_q;
  assign valid  = u_dut.u_gather.valid_q;
  assign agrees = u_dut.u_gather.agreed;
  assign agreed = agrees || valid;
  assign first  = u_dut.first;
  assign group_children = u_dut.u_gather.group.children[NumPorts-1:0];

  // The scan of all children: not asked for yet, and three on their way.
  ports_t scan_left, scan_asked, scan_looked, scan_seen, to_scan;
  assign scan_left   = u_dut.u_gather.scan_left_q;
  assign scan_asked  = (u_dut.u_gather.u_look.ask_q && u_dut.u_gather.u_look.scan_q) ?
      ports_t'(1) << u_dut.u_gather.u_look.scan_port_q : '0;
  assign scan_looked = (u_dut.u_gather.u_look.asked_q && u_dut.u_gather.u_look.scanned_q) ?
      ports_t'(1) << u_dut.u_gather.u_look.looked_q : '0;
  assign scan_seen   = (u_dut.u_gather.seen.valid && u_dut.u_gather.seen.scan) ?
      ports_t'(1) << u_dut.u_gather.seen.port : '0;
  assign to_scan     = scan_left | scan_asked | scan_looked | scan_seen;

  /// All of these are in front of all of those.
  function automatic logic in_front(ports_t these, ports_t those);
    in_front = 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r <= p; r++) if (these[p] && those[r]) in_front = 1'b0;
    end
  endfunction

  /// No port is in two of these.
  function automatic logic apart(ports_t [6:0] sets);
    apart = 1'b1;
    for (int unsigned i = 0; i < 7; i++) begin
      for (int unsigned j = 0; j < i; j++) if ((sets[i] & sets[j]) != '0) apart = 1'b0;
    end
  endfunction

  // What is known of a packet that is looked at.
  logic [NumPorts-1:0] seen_right, packet_right;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      seen_right[p] = 32'(u_dut.u_gather.seen.port) == p && u_dut.u_gather.seen.head == head[p] &&
          u_dut.u_gather.seen.possible == vector_possible(head[p]) &&
          u_dut.u_gather.seen.alone ==
              (oldest_i[p].last && oldest_i[p].len == LenW'(HeadBytes)) &&
          (!u_dut.u_gather.seen.known || head[p].length <= VectorMost);
      packet_right[p] = 32'(u_dut.u_gather.u_look.looked_q) == p &&
          u_dut.u_gather.u_look.packet_q == oldest_i[p];
    end
  end

  // What these children have sent cannot be one operation.
  function automatic logic same(sat_head_t a, sat_head_t b);
    return a.operation == b.operation && a.elem == b.elem && a.length == b.length &&
        a.sequence_no == b.sequence_no;
  endfunction

  logic   differ, lone, carried, wanted, lacking;
  ports_t carries, wants;
  ports_t gone;   // of whom a packet may be gone: the tree has ended, and its connection, too
  assign gone = u_dut.opened ? '0 : cleared_q;
  always_comb begin
    differ  = 1'b0;
    lone    = 1'b0;
    lacking = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      carries[p] = head[p].flags.carries;
      wants[p]   = head[p].flags.wants;
    end
    carried = (come & carries) != '0;
    wanted  = (come & wants) != '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (come[p]) begin
        differ |= !vector_possible(head[p]) || head[p].verdict != VerdictOk;
        lone   |= !carries[p] && !(oldest_i[p].last && oldest_i[p].len == LenW'(HeadBytes));
        lacking |= (head[p].operation == OpReduce && !wanted) ||
            (head[p].operation == OpBroadcast && !carried);
        for (int unsigned r = 0; r < p; r++) begin
          if (come[r]) begin
            differ |= !same(head[p], head[r]) ||
                (head[p].operation == OpReduce && wants[p] && wants[r]) ||
                (head[p].operation == OpBroadcast && carries[p] && carries[r]);
          end
        end
      end
    end
  end

  // The rest of the engine, and what is known of it.
  logic             over, differs, scanning, pass1, fresh, some, begins, bare, fails;
  logic [31:0]      left, fall_left;
  logic [3:0]       count;
  ports_t           carrying, wanting, pending, scanned, lones;
  sat_piece_t [7:0] piece;      // that wait, the newest one first
  logic [39:0]      bytes_q, further;
  logic [24:0]      packets_q;   // that were brought in and have not come down again; their bytes
  logic             drops, all_risen, lasts;
  logic [23:0]      ahead;

  assign over     = u_dut.u_gather.u_agree.over_q;
  assign differs  = u_dut.u_gather.u_agree.differ_o;
  assign scanning = differs || to_scan != '0 || over;
  assign pass1    = active && to_scan == '0 && !over;
  assign some     = u_dut.u_issue.some;
  assign begins   = u_dut.u_issue.first;
  assign left     = u_dut.u_issue.u_cut.left_q;
  assign fresh    = active && (first || (some && begins));
  assign carrying = op.carrying[NumPorts-1:0];
  assign wanting  = op.wanting[NumPorts-1:0];
  assign bare     = carrying == '0;
  assign pending  = want | look0 | look1 | look2 | refuse | posted;
  assign scanned  = u_dut.u_gather.u_agree.first_q ? '0 : op.come[NumPorts-1:0];
  assign fails    = differ || lone || (!u_dut.u_gather.group.up && lacking);
  assign count    = u_dut.u_emit.u_pieces.count_q;
  assign drops    = wanting == '0;
  assign ahead    = u_dut.u_fall.ahead_q;
  assign all_risen = u_dut.u_fall.all_risen_q;
  assign fall_left = u_dut.u_fall.u_cut.left_q;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      lones[p] = !carries[p] && !(oldest_i[p].last && oldest_i[p].len == LenW'(HeadBytes));
    end
    lasts = 1'b1;
    for (int unsigned n = 0; n < 8; n++) begin
      piece[n] = u_dut.u_emit.u_pieces.mem_q[3'(32'(u_dut.u_emit.u_pieces.write_q) + 7 - n)];
      if (n < 32'(count) && (piece[n].last != (n == 0 && !some) || piece[n].len == '0)) begin
        lasts = 1'b0;
      end
    end
    // Bytes of those packets, all of them but the last one of its message as long as the MTU.
    further = '0;
    for (int unsigned n = 8; n <= 12; n++) begin
      if (cfg_i.mtu[n]) further |= (40'(packets_q) - 40'(!some)) << n;
    end
    if (!some) further += 40'(piece[0].len);
  end

  // Nothing is under way, and no packet is looked at.
  logic still, opened_q;
  assign still = pending == '0 && !active && !first && !agreed && !scanning &&
      !some && !u_dut.u_issue.may_q && !u_dut.u_fall.packet_q.valid && !u_dut.u_fall.valid_q &&
      !u_dut.u_fall.may_q;
  always_ff @(posedge clk_i) opened_q <= u_dut.opened && !clear;

  always_ff @(posedge clk_i) begin
    packets_q <= (agrees ? '0 : packets_q) + 25'(u_dut.u_issue.go) - 25'(u_dut.fallen);
    bytes_q   <= (agrees ? '0 : bytes_q) + (u_dut.u_issue.go ? 40'(u_dut.u_issue.len) : '0) -
        (u_dut.fallen ? 40'(u_dut.u_fall.len) : '0);
  end

  /// What is said of the next packet is right, once it is.
  function automatic logic cut(logic some, logic [1:0] late, logic [31:0] bytes, logic last,
                               logic [LenW-1:0] len);
    return !some || (bytes != '0 && late != 2'b10 && (late == 2'b11 ||
        (last == (bytes <= 32'(cfg_i.mtu)) &&
        32'(len) == ((bytes <= 32'(cfg_i.mtu)) ? bytes : 32'(cfg_i.mtu)))));
  endfunction

  logic same_all, same_some, scan_same;
  always_comb begin
    same_all  = 1'b1;
    same_some = 1'b0;
    scan_same = 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (come[p]) begin
        if (same(head[p], op.head)) same_some = 1'b1;
        else same_all = 1'b0;
      end
      if (scanned[p] && !(same(head[p], op.head) && vector_possible(head[p]) &&
          head[p].verdict == VerdictOk)) scan_same = 1'b0;
    end
  end

  // What sat_issue takes for granted (sat_issue.e_stays).
  ports_t                    kept_q, changed;
  rc_packet_t [NumPorts-1:0] shown_q;
  always_ff @(posedge clk_i) begin
    shown_q <= u_dut.oldest;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      kept_q[p] <= !clear && u_dut.oldest[p].valid && !u_dut.issue_claim[p];
    end
  end
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      changed[p] = kept_q[p] && u_dut.opened && some && carrying[p] &&
          (!u_dut.oldest[p].valid || u_dut.oldest[p] != shown_q[p]);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What begins, and where its first row is.

  localparam int unsigned RowRead = rc_port_pkg::QueueRow;

  logic                             room_begins, room_counts, once;
  logic [RowRead+5:0][NumPorts-1:0] stage;
  ports_t                           emit_needs, fall_needs;

  assign emit_needs = u_dut.u_emit.data_to | u_dut.u_emit.head_to;
  assign fall_needs = u_dut.u_fall.data_to | u_dut.u_fall.head_to;

  always_comb begin
    stage[0] = u_dut.u_leave.counted;
    stage[1] = u_dut.u_leave.head_to_q;
    stage[2] = u_dut.u_leave.posted_q;
    stage[3] = (u_dut.u_emit.busy_q && u_dut.u_emit.start_q) ? u_dut.u_emit.to_q : '0;
    stage[4] = (u_dut.u_fall.now_q.valid && u_dut.u_fall.now_q.start) ? u_dut.u_fall.now_q.to : '0;
    for (int unsigned n = 0; n <= RowRead; n++) begin
      stage[n+5] = (u_dut.u_fall.read_q[n].valid && u_dut.u_fall.read_q[n].start) ?
          u_dut.u_fall.read_q[n].to : '0;
    end
  end

  leaving_watch #(
    .NumPorts(NumPorts),
    .Stages  (RowRead + 6)
  ) u_leaving (
    .stage_i(stage),
    .way_i  (u_dut.u_leave.u_room.way_q),
    .room_i (u_dut.u_leave.u_room.room_o),
    .room_q_i(u_shown.room_q),
    .once_o (once)
  );

  room_handover #(
    .NumPorts(NumPorts)
  ) u_shown (
    .clk_i,
    .rst_ni,
    .there_i  (u_dut.u_leave.u_room.rst_ni),
    .begun_i  (u_dut.u_leave.u_room.begun_i),
    .counted_i(u_dut.u_leave.u_room.counted_i),
    .room_i   (u_dut.u_leave.u_room.room_o),
    .begins_o (room_begins),
    .counts_o (room_counts)
  );

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // The trees begin only when they are no more.
    e_open : assume (!begun_q || !rst_ni || !open_i || !live_q);
    // The streaming tree begins anew only while the other one is there.
    e_again : assume (!begun_q || !rst_ni || !again_i || (live_q && !open_i));
    // Who children and parent are, and the MTU, stands until the trees begin; no child is the
    // parent, and the MTU is a power of two.
    e_stands : assume ((!begun_q || reset_q || open_i || (cfg_i.children == cfg_q.children &&
        cfg_i.parent_valid == cfg_q.parent_valid && cfg_i.parent == cfg_q.parent &&
        cfg_i.mtu == cfg_q.mtu)) &&
        (!(set_q || open_i) || ((parent & children) == '0 && mtu_good)));
    // A group is not another one while it streams, or may.
    e_groups : assume (!begun_q || reset_q || open_i || (others & (held | held_q)) == '0);
    // When children agree on what goes on above, the parent has not answered it yet.
    e_early : assume (!(agrees && op.up && u_dut.u_fall.valid_q));
    // A packet is shown until it is claimed, or its connection ends or begins; none of a
    // connection that is not there.
    e_shown : assume (moved == '0 &&
        (!begun_q || reset_q || (ports_t'(~up_q) & oldest_valid) == '0));

    if (rst_ni) begin
      // A packet begins where there is room, or there was a cycle ago and none has begun since.
      a_begins : assert (room_begins)
      else $error("packets without room");
      // A row that counts comes once, behind the beginning of its packet.
      a_counts : assert (room_counts)
      else $error("rows of ports %b are of no packet that has begun", u_dut.u_leave.counted);
    end
    if (rst_ni && begun_q && !clear) begin
      // A packet goes where it was looked for room a cycle before, one from below and one from
      // above to different ports, and is in one place until its first row leaves.
      a_needs : assert ((!u_dut.u_emit.may_q || (emit_needs & ~u_dut.u_emit.need_q) == '0) &&
          (!u_dut.u_fall.may_q || (fall_needs & ~u_dut.u_fall.need_q) == '0) &&
          (reset_q ? count == '0 && !u_dut.u_emit.may_q : u_dut.parent_q == parent));
      a_others : assert (!(u_dut.u_emit.may_q && u_dut.u_fall.may_q) ||
          (u_dut.u_emit.need_q & u_dut.u_fall.need_q) == '0);
      a_once : assert (once && u_shown.way_q == u_dut.u_leave.u_room.way_q);
      // What a child shows that has a vector in the operation stays until its packet is brought in.
      a_stays : assert (changed == '0)
      else $error("what ports %b show changes", changed);
      // Of a connection that is there only what its queue shows is claimed.
      a_claim : assert ((claim & up_q & ~conn_opens & ~conn_closes & ~oldest_valid) == '0)
      else $error("ports %b have no packet that is claimed", claim & ~oldest_valid);

      // The rest helps the proof. Who is looked at, and refused, has a packet, which nobody takes
      // meanwhile; what is said of it is so.
      a_looked : assert ((pending & ~shown & ~gone) == '0 &&
          apart({want, look0, look1, look2, refuse, posted, come}) &&
          ((pending | come) & ~children) == '0);
      a_answer : assert ($onehot0(look0) && $onehot0(look1) && $onehot0(look2) &&
          $onehot0(refuse) && $onehot0(posted) && (refuse == '0 || posted == '0));
      a_asked : assert (u_dut.u_gather.u_look.ask_q ? (u_dut.u_gather.u_look.scan_q ?
          (look0 == '0 && scan_asked != '0) :
          (look0 == ports_t'(1) << u_dut.u_gather.u_look.asked_port_q)) : look0 == '0);
      a_packet : assert (u_dut.u_gather.u_look.asked_q ?
          (u_dut.u_gather.u_look.scanned_q ? (look1 == '0 && scan_looked != '0) : look1 != '0) &&
          ((look1 | scan_looked) & ~packet_right & ~gone) == '0 : look1 == '0);
      a_seen : assert (u_dut.u_gather.seen.valid ?
          (u_dut.u_gather.seen.scan ? (look2 == '0 && scan_seen != '0) : look2 != '0) &&
          ((look2 | scan_seen) & ~seen_right & ~gone) == '0 : look2 == '0);
      a_known : assert (!(look2 != '0 && u_dut.u_gather.seen.known) ||
          others[u_dut.u_gather.seen.group] || (look2 & ~ports_t'(
              cfg_i.groups[u_dut.u_gather.seen.group].children)) == '0);
      // Only what is shown is taken, but for what a connection showed that has ended with the tree.
      a_taken : assert ((u_dut.claim & ~shown & ~gone) == '0);
      // Who has come is of the group; all agree only once all have come.
      a_come : assert (active ? come != '0 && (come & ~group_children) == '0 &&
          (carrying & ~come) == '0 : come == '0);
      a_all : assert ((!all || (active && come == group_children)) && (!agreed || all) &&
          !(agrees && valid));
      // A scan looks at all children in their order, and finds what is wrong with them.
      a_scan : assert (!scanning || (active && all && !agreed));
      a_over : assert ((!differs || to_scan == '0 && !over) &&
          in_front(scan_seen, scan_looked | scan_asked | scan_left) &&
          in_front(scan_looked, scan_asked | scan_left) && in_front(scan_asked, scan_left) &&
          in_front(group_children & ~to_scan, to_scan) && (to_scan & ~group_children) == '0);
      a_scanned : assert (to_scan == '0 || over || gone != '0 ||
          (scanned == (group_children & ~to_scan) && scan_same &&
          (u_dut.u_gather.u_agree.first_q || (!u_dut.u_gather.u_agree.wrong_q &&
          u_dut.u_gather.u_agree.lone_wrong_q == ((scanned & lones) != '0) &&
          carrying == (scanned & carries) && wanting == (scanned & wants) &&
          op.head.flags.carries == !bare && op.head.flags.wants == !drops &&
          (op.head.operation != OpReduce || $onehot0(wanting)) &&
          (op.head.operation != OpBroadcast || $onehot0(carrying))))));
      a_fails : assert (!scanning || fails || gone != '0);
      // What is known of those who have come so far.
      a_pass : assert (!pass1 || (!u_dut.u_gather.u_agree.first_q &&
          op.come[NumPorts-1:0] == come && (carrying & ~come) == '0 && (wanting & ~come) == '0 &&
          op.head.flags.carries == !bare && op.head.flags.wants == !drops &&
          op.head.length <= VectorMost));
      a_ports : assert (u_dut.u_gather.u_agree.first_q ||
          ((op.come | op.carrying | op.wanting) >> NumPorts) == '0);
      a_heads : assert (!(pass1 && fresh) || gone != '0 || (carrying == (come & carries) &&
          wanting == (come & wants)));
      a_same : assert (!(pass1 && fresh) || gone != '0 || (same_some &&
          (u_dut.u_gather.u_agree.wrong_q || same_all)));
      a_differ : assert (!(pass1 && fresh) || gone != '0 || !u_dut.u_gather.u_agree.wrong_q ||
          differ);
      a_lone : assert (!(pass1 && fresh) || gone != '0 || !u_dut.u_gather.u_agree.lone_wrong_q ||
          lone);
      a_wrong : assert (!agreed || !u_dut.u_gather.u_agree.wrong_q);
      // Without an operation nothing is to be brought in, and nothing waits to leave.
      a_none : assert (active || ((u_dut.u_gather.u_agree.first_q || u_dut.u_gather.done_q) &&
          !over && !some && !first && (count == '0 || !(u_dut.opened || opened_q))));
      a_done : assert (!u_dut.u_gather.done_q || !active && (u_dut.u_gather.held_q ||
          (look0 | look1 | look2) == '0));
      // The first packets of those who have come are there until the first one is brought in.
      a_fresh : assert (fresh ? (come & ~shown & ~gone) == '0 : !active || valid);
      a_first : assert (!first || (pass1 && !all && !differs && !some && !agreed &&
          $onehot(come)));
      // How messages are cut, and what is left of them.
      a_cuts : assert (cut(some, u_dut.u_issue.u_cut.late_q, left, u_dut.u_issue.last,
          u_dut.u_issue.len) && cut(u_dut.u_fall.some, u_dut.u_fall.u_cut.late_q, fall_left,
          u_dut.u_fall.last, u_dut.u_fall.len));
      a_bytes : assert (!(pass1 && some && begins && !u_dut.u_gather.u_agree.wrong_q) ||
          left == ((valid && bare) ? 32'd32 : op.head.length + 32'd32));
      a_bare : assert (!(valid && bare) || (some ? begins && count == '0 : count <= 4'd1));
      // A packet may begin only if it is there.
      a_here : assert (!some || u_dut.u_issue.u_cut.late_q == 2'b11 ||
          (u_dut.u_issue.here_q & carrying & come & ~shown & ~gone) == '0);
      a_may : assert (!u_dut.u_issue.may_q || (some && u_dut.u_issue.ready &&
          (!agreed || (carrying & ~shown & ~gone) == '0) && (!bare || !agrees)));
      // Packets that wait to leave: the last one of the message is the newest.
      a_pieces : assert (!(u_dut.opened || opened_q) || ((count == '0 || valid) && lasts &&
          (!u_dut.u_emit.may_q || count != '0) && u_dut.u_emit.u_pieces.write_q ==
              3'(u_dut.u_emit.u_pieces.read_q + 3'(count))));
      // What comes down is behind what went up; so its last packet comes behind all of that.
      a_risen : assert (!(valid && op.up) || (u_dut.u_fall.some &&
          (all_risen ? !some && count == '0 : (some || count != '0))));
      a_ahead : assert (!(valid && op.up && !all_risen && !drops) || (bare ? ahead == '0 :
          packets_q == 25'(ahead) + 25'(count)));
      a_left : assert (!(valid && op.up && !all_risen && !drops && !bare) ||
          40'(fall_left) == bytes_q + (some ? 40'(left) : '0));
      a_behind : assert (!(valid && op.up && !all_risen && !drops && !bare) ||
          bytes_q == further);
      a_may_fall : assert (!u_dut.u_fall.may_q || (valid && op.up && u_dut.u_fall.ready &&
          (all_risen || (!drops && ahead != '0))));
      a_parent : assert ((!u_dut.opened || u_dut.parent_q == parent) && $onehot0(u_dut.parent_q) &&
          (!(u_dut.u_fall.packet_q.valid || u_dut.u_fall.valid_q || u_dut.u_fall.may_q) ||
          (parent & ~shown & ~gone) == '0));
      // The engine begins beside connections that are not there yet, and ends a cycle before them.
      a_begun : assert (!(opens_q != '0 || (closes_q != '0 && closes_q != '1) ||
          (u_dut.opened && (closes_q != '0 || ends_q))) ||
          (up_q == '0 && still && claim == '0));
      a_gone : assert (gone == '0 || still || conn_closes == '1);
      a_still : assert (u_dut.opened || opened_q || still);
      // An operation that goes on above ends.
      c_ends : cover (u_dut.done && op.up);
      // A packet is refused, and one is taken in the same tree.
      c_claim : cover (posted != '0 && active);
    end
    if (rst_ni && begun_q) begin
      // The tree and its connections; nothing is left behind a reset.
      a_life : assert ((live_q || ((up_q & ~conn_closes) == '0 && conn_opens == '0)) &&
          (set_q || !(u_dut.opened || live_q)) && (!again_q || live_q) &&
          (!reset_q || (still && !u_dut.opened && claim == '0 && up_q == '0 && !live_q)));
    end
  end

endmodule
