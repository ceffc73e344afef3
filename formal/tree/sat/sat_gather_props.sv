// sat_gather: a child's packet is taken into an operation only while its group holds the lock, and
// nobody's of another group is; not before the lock counts the operation in front of it; and what
// is in an operation is not thrown away as refused. What packets say is free.
module sat_gather_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned LockLate = 4
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      open_i,
  input sat_cfg_t                  cfg_i,
  input sat_lock_t                 lock_i,
  input rc_packet_t [NumPorts-1:0] oldest_i,
  input logic [NumPorts-1:0]       owed_i,
  input logic                      refuse_ready_i,
  input logic                      done_i
);

  typedef logic [NumPorts-1:0] ports_t;

  logic      begun_q, refuse_valid, first, agreed, begun, active, refused;
  ports_t    drop, refuse, posted, missing, come, come_q;
  sat_head_t refuse_head;
  sat_op_t   op;
  sat_end_t  blame;
  sat_cfg_t  cfg_q;
  sat_lock_t lock_q;
  logic      active_q, was_open_q, closed_q;
  logic [$clog2(Groups)-1:0] group;
  logic [3:0] since_q;   // cycles since an operation was done

  sat_gather #(
    .NumPorts(NumPorts),
    .LockLate(LockLate)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .cfg_i         (cfg_q),
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

  // Children that are in the operation, as one outside tells it.
  ports_t children;
  assign children = cfg_q.groups[group].children[NumPorts-1:0];
  assign come     = active ? children & ~missing : '0;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q    <= 1'b1;
    if (!begun_q || !open_i) cfg_q <= cfg_i;
    lock_q     <= lock_i;
    come_q     <= done_i ? '0 : come;
    active_q   <= active && !done_i;
    was_open_q <= open_i && rst_ni && begun_q;
    closed_q   <= begun_q && (!open_i || !rst_ni);
    since_q    <= done_i ? '0 : (since_q == '1) ? since_q : since_q + 4'd1;
    if (!rst_ni || !open_i) since_q <= '1;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (begun_q) begin
      // Behind the end of a tree nothing of it is under way: no operation, nobody who has come, no
      // refusal.
      a_ended : assert (!closed_q || (!active && refuse == '0 && posted == '0 && drop == '0))
      else $error("the tree is no more, and an operation is under way");
    end
    if (rst_ni && open_i && begun_q && was_open_q) begin
      // A child comes into an operation only while its group holds the lock; else packets of two
      // groups would be added in one tree.
      a_locked : assert ((come & ~come_q) == '0 || (lock_q.valid && lock_q.group == group))
      else $error("ports %b of group %0d come without the lock", come & ~come_q, group);
      // An operation is under way only of children that have come; nothing goes on without them.
      a_active : assert (!(active && !active_q) || come != '0)
      else $error("an operation of nobody");
      // All agree only when all have come.
      a_all : assert (!agreed || (active && missing == '0))
      else $error("agreed, and ports %b are missing", missing);
      // After an operation nobody comes before the lock has counted it: it may have been the last
      // one.
      a_counted : assert (32'(since_q) >= LockLate || (come & ~come_q) == '0)
      else $error("a child comes %0d cycles behind the operation before", since_q);
      // Nothing of a child that is in the operation is thrown away here.
      a_kept : assert ((drop & come_q & come) == '0)
      else $error("packets of ports %b are thrown away", drop & come);
      // All children of a group have come, behind an operation before.
      c_all : cover (active && missing == '0 && (come & (come - ports_t'(1))) != '0);
      c_next : cover (active && since_q != '1);
      c_refused : cover (refused && drop != '0);
    end
  end

endmodule
