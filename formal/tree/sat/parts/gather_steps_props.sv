// sat_gather: who is looked at, what becomes of what is seen, and how an operation begins and ends,
// cycle by cycle. What its parts say is free (`cuts` of the task: whose turn it is, what a packet
// says, what headers agree on), and what it gives them is looked at.
module gather_steps_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned LockLate = 4,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      open_i,
  input sat_cfg_t                  cfg_i,
  input sat_lock_t                 lock_i,
  input rc_packet_t [NumPorts-1:0] oldest_i,
  input logic [NumPorts-1:0]       owed_i,
  input logic                      refuse_ready_i,
  input logic                      done_i,
  input logic [PortW-1:0]          port_i   // any
);

  typedef logic [NumPorts-1:0] ports_t;
  typedef logic [$clog2(Groups)-1:0] which_t;

  ports_t    drop, refuse, posted, missing;
  logic      refuse_valid, first, agreed, begun, active, refused;
  sat_head_t refuse_head;
  sat_op_t   op;
  sat_end_t  blame;
  which_t    group;

  sat_gather #(
    .NumPorts(NumPorts),
    .LockLate(LockLate)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .cfg_i,
    .lock_i,
    .oldest_i,
    .owed_i,
    .drop_o        (drop),
    .refuse_o      (refuse),
    .refuse_valid_o(refuse_valid),
    .refuse_head_o (refuse_head),
    .refuse_ready_i,
    .posted_o      (posted),
    .op_o          (op),
    .first_o       (first),
    .agreed_o      (agreed),
    .blame_o       (blame),
    .begun_o       (begun),
    .active_o      (active),
    .group_o       (group),
    .missing_o     (missing),
    .done_i,
    .refused_o     (refused)
  );

  // What the parts say.
  ports_t    turn;      // whose turn it is
  sat_seen_t s;         // a packet
  logic      differ;    // all have come, and their headers do not agree
  sat_op_t   agreed_op;
  assign turn      = u_dut.u_turn.gnt_o;
  assign s         = u_dut.u_look.seen_o;
  assign differ    = u_dut.u_agree.differ_o;
  assign agreed_op = u_dut.u_agree.op_o;

  // Children of the group under way, and those that the scan has not asked yet.
  logic                      there;   // a tree
  ports_t                    children, scan;
  logic                      scans;
  logic [PortW-1:0]          next;
  always_comb begin
    there    = rst_ni && open_i;
    children = cfg_i.groups[group].children[NumPorts-1:0];
    scan     = u_dut.scan_left_q;
    scans    = |scan;
    next     = '0;
    for (int p = NumPorts - 1; p >= 0; p--) if (scan[p]) next = PortW'(p);
  end

  // A port whose turn it was is looked at in the next two cycles, and in the third one its packet
  // is seen; `rest_q`: of a message whose rest is thrown away, `owed_q`: while rows are owed.
  ports_t              asked_q, asked2_q, at_q;
  logic                rest_q, owed_q;
  logic [LockLate-1:0] done_q;   // an operation has ended so many cycles ago
  always_ff @(posedge clk_i) begin
    asked_q  <= (there && !scans) ? turn : '0;
    asked2_q <= there ? asked_q : '0;
    at_q     <= there ? asked2_q : '0;
    rest_q   <= |(u_dut.discards_q & asked2_q);
    owed_q   <= |(owed_i & asked2_q);
    done_q   <= there ? LockLate'({done_q, done_i}) : '0;
  end

  // What becomes of the packet.
  logic decides, part, holds, waits, comes, throws, refuses;
  always_comb begin
    decides = open_i && s.valid && !s.scan;
    part    = decides && !rest_q && s.ours;   // a contribution to this tree
    holds   = s.known && lock_i.valid && s.group == lock_i.group && (!active || s.group == group);
    waits   = owed_q || refuse != '0 || posted != '0;
    comes   = part && done_q == '0 && holds;
    refuses = part && done_q == '0 && !holds && !waits;
    throws  = decides && !part && !waits;
  end

  // What was in the cycle before, of a port (`a bit`) and of all.
  typedef struct packed {
    logic      there, open, reset, done, comes, throws, refuses, all, agreed, differ, begun;
    logic      active, all_told, valid, posts, last, refuse_last, seen_last;
    logic      at, come, rest, left, refuse, posted, child, packet, turn, looked, chosen, of_group;
    which_t    group, its_group;
    sat_lock_t lock;
    sat_head_t head;      // of the refusal
    sat_head_t denied;    // the header seen, as a refusal has it
  } was_t;
  was_t      w;
  sat_head_t denied;
  logic      past_q, reset_q, reset2_q, known_q;
  initial {past_q, reset_q, reset2_q, known_q} = '0;
  always_comb begin
    denied         = s.head;
    denied.kind    = KindDown;
    denied.flags   = '0;
    denied.verdict = VerdictDenied;
    denied.node    = cfg_i.node;
    denied.port    = 8'({1'b0, s.port} + 5'd1);
  end
  logic [PortW-1:0] port_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!there) reset_q <= 1'b1;
    {reset2_q, known_q} <= {reset_q, reset2_q};
    port_q <= port_i;
    w <= '{there: there, open: open_i, reset: !rst_ni, done: done_i, comes: comes, throws: throws,
           refuses: refuses, all: active && missing == '0, agreed: agreed, differ: differ,
           begun: begun, active: active, all_told: u_dut.all_q, valid: u_dut.valid_q,
           posts: refuse_ready_i, last: s.last, refuse_last: u_dut.refuse_last_q,
           seen_last: s.last, at: at_q[port_i], come: u_dut.come_q[port_i],
           rest: u_dut.discards_q[port_i], left: scan[port_i], refuse: refuse[port_i],
           posted: posted[port_i], child: cfg_i.children[port_i],
           packet: oldest_i[port_i].valid, turn: turn[port_i] && !scans,
           looked: asked_q[port_i] || asked2_q[port_i] || at_q[port_i],
           chosen: scans && next == port_i, of_group: children[port_i], group: group,
           its_group: s.group, lock: lock_i, head: refuse_head, denied: denied};
  end

  always_ff @(posedge clk_i) begin
    // A child's first packet comes into the operation if its group holds the lock and none is
    // under way, or its own; with the first one an operation begins.
    a_begun : assert (!known_q || begun == (comes && !active))
    else $error("begun %b", begun);
    // Nobody comes for as long as it takes to count an operation that was done.
    a_held : assert (!known_q || u_dut.held_q == (done_q != '0))
    else $error("held %b", u_dut.held_q);
    a_counts : assert (!known_q || 32'(u_dut.hold_q) == (done_q[0] ? LockLate :
                       done_q[1] ? LockLate - 1 : done_q[2] ? LockLate - 2 :
                       done_q[3] ? LockLate - 3 : 0))
    else $error("%0d cycles", u_dut.hold_q);
    // Of any port: its packet is thrown away if it is none of a contribution or of one that was
    // refused, or behind the refusal itself.
    a_drop : assert (!known_q || drop[port_i] == ((throws && at_q[port_i]) || posted[port_i]))
    else $error("port %0d: %b", port_i, drop[port_i]);
    // A contribution is refused once, with the first of its packets; what is none is refused
    // without an answer.
    a_refused : assert (!known_q || refused == ((throws && !rest_q) || posted != '0))
    else $error("refused %b", refused);
    // Who is missing are children of the group that have not come.
    a_missing : assert (missing[port_i] == (children[port_i] && !u_dut.come_q[port_i]))
    else $error("port %0d: %b", port_i, missing[port_i]);
    // An operation is as its headers agree, and is valid from when they do until it is done.
    a_op : assert (op == {agreed || u_dut.valid_q, agreed_op[$bits(sat_op_t)-2:0]} &&
                   agreed == u_dut.u_agree.agreed_o && blame == u_dut.u_agree.blame_o)
    else $error("operation %h", op);

    if (past_q) begin
      // What is under way begins with the first child and ends with the operation, or the tree.
      a_active : assert (!known_q || active == (w.there && !w.done &&
                                                           (w.active || w.comes)))
      else $error("active %b", active);
      // It is of the group of the first child.
      a_group : assert (!known_q || group == ((w.comes && !w.active) ? w.its_group : w.group))
      else $error("group %0d", group);
      // The first child's header is in the operation in the cycle behind it.
      a_first : assert (first == (w.there && w.begun))
      else $error("first %b", first);
      a_valid : assert (u_dut.valid_q == (w.there && !w.done && (w.valid || w.agreed)))
      else $error("valid %b", u_dut.valid_q);
      // That all have come is told once.
      a_told : assert (u_dut.all_q == (w.there && !w.done && (w.all_told || w.all)))
      else $error("told %b", u_dut.all_q);
      // Of any port: it has come until the operation is done.
      a_come : assert (!known_q || u_dut.come_q[port_q] == (w.there && !w.done &&
                                                (w.come || (w.comes && w.at))))
      else $error("port %0d: %b", port_q, u_dut.come_q[port_q]);
      // The rest of a message that is thrown away is, too, up to its last packet.
      a_rest : assert (!known_q || u_dut.discards_q[port_q] == (w.there &&
                       ((w.throws && w.at) ? !w.seen_last :
                        (w.rest || (!w.throws && w.posted && !w.refuse_last)))))
      else $error("port %0d: %b", port_q, u_dut.discards_q[port_q]);
      a_last : assert (!known_q || u_dut.refuse_last_q == (w.refuses ? w.seen_last :
                                                           w.refuse_last))
      else $error("last %b", u_dut.refuse_last_q);
      // A refusal is asked for behind its decision, and posted behind that if it is taken.
      a_refuse : assert (!known_q || refuse[port_q] == (w.there && w.refuses && w.at))
      else $error("port %0d: %b", port_q, refuse[port_q]);
      a_posted : assert (posted[port_q] == (w.there && w.posts && w.refuse))
      else $error("port %0d: %b", port_q, posted[port_q]);
      // It is not to be posted if the lock has changed, or an operation was done.
      a_stands : assert (refuse_valid == (open_i && !w.done && lock_i == w.lock))
      else $error("valid %b", refuse_valid);
      // It says who is denied, and where, and stays so until the next one.
      a_denied : assert (!known_q || refuse_head == (w.refuses ? w.denied : w.head))
      else $error("header %h", refuse_head);
      // A scan asks all children of the group, the lowest port first.
      a_scan : assert (scan[port_q] == (w.there && (w.differ ? w.of_group :
                                                    (w.left && !w.chosen))))
      else $error("port %0d: %b", port_q, scan[port_q]);
      // A child that has a packet is to be looked at, if it has not come and is neither looked at
      // nor refused.
      a_wants : assert (!known_q || u_dut.u_turn.req_i[port_q] ==
                        (!w.reset && w.open && w.child && w.packet && !w.come && !w.turn &&
                         !w.looked && !w.refuse && !w.posted))
      else $error("port %0d: %b", port_q, u_dut.u_turn.req_i[port_q]);
      // Headers begin anew behind an operation, and for a scan.
      a_anew : assert (u_dut.u_agree.start_i == (w.done || differ))
      else $error("start %b", u_dut.u_agree.start_i);
    end

    // While a scan goes on nobody's turn is over.
    a_turn : assert ({u_dut.u_turn.advance_i, u_dut.u_turn.rst_ni} == {!scans, rst_ni})
    else $error("turn");
    // It is looked at whoever's turn it is, or the scan's.
    a_look : assert ({u_dut.u_look.rst_ni, u_dut.u_look.ask_i, u_dut.u_look.scan_i,
                      u_dut.u_look.port_i} ==
                     {there, scans || u_dut.u_turn.valid_o, scans, u_dut.u_turn.idx_o} &&
                     (!scans || u_dut.u_look.scan_port_i == next))
    else $error("look");
    a_looks_at : assert ({u_dut.u_look.cfg_i, u_dut.u_look.oldest_i} == {cfg_i, oldest_i})
    else $error("other packets");
    // Headers are compared of whoever comes, and of the scan; its last one is of the highest child.
    a_header : assert (!known_q || {u_dut.u_agree.rst_ni, u_dut.u_agree.valid_i,
                                    u_dut.u_agree.seen_i} ==
                       {there, comes || (s.valid && s.scan), s})
    else $error("another header");
    a_highest : assert (u_dut.u_agree.last_i == (32'(s.port) < NumPorts &&
                        children[PortW'(s.port)] && (children >> PortW'(s.port)) >> 1 == '0))
    else $error("last %b", u_dut.u_agree.last_i);
    a_where : assert ({u_dut.u_agree.up_i, u_dut.u_agree.node_i} ==
                      {cfg_i.groups[group].up, cfg_i.node})
    else $error("another place");
    a_all : assert (u_dut.u_agree.all_i == (active && missing == '0 && !u_dut.all_q))
    else $error("all %b", u_dut.u_agree.all_i);

    // A second child comes; a refusal is posted behind an operation; a scan of two.
    c_second : cover (known_q && comes && active && at_q == ports_t'(4));
    c_refusal : cover (known_q && posted == ports_t'(2) && !u_dut.refuse_last_q);
    c_scan : cover (known_q && scan == ports_t'(8) && w.left && port_q == PortW'(1));
  end

endmodule
