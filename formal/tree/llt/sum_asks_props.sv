// What llt_sum is asked to add, where operations are decided (llt_look, llt_decide, llt_scan and
// llt_pending, as llt_engine connects them): a vector of somebody, and no longer than the longest.
// Messages, set-up, lock cells, sums and what leaves are free in every cycle.
module sum_asks_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                        clk_i,
  input logic                        open_i,
  input sat_cfg_t                    cfg_i,
  input logic         [15:0]         tree_i,
  input logic         [31:0]         time_i,
  input low_message_t [NumPorts-1:0] message_i,
  input low_message_t                cast_i,
  input logic         [NumPorts-1:0] not_i,
  input logic                        lock_ready_i,
  input logic                        lock_answered_i,
  input lock_answer_t                lock_answer_i,
  input logic                        streams_i,
  input logic [GroupW-1:0]           streams_group_i,
  input logic [Groups-1:0]           owed_i,
  input logic [Groups-1:0]           risen_i,
  input logic                        sending_i,
  input logic [GroupW-1:0]           sending_group_i,
  input low_change_t                 change_i,
  input logic [Groups-1:0]           holds_i,
  input logic                        telling_i,
  input logic [NumPorts-1:0]         lost_i,
  input sat_end_t                    sat_end_i,
  input logic                        sum_ready_i,
  input logic                        sum_done_i,
  input logic [GroupW-1:0]           sum_group_i
);

  typedef logic [NumPorts-1:0] ports_t;

  low_seen_t                   seen;
  logic                        seen_ready, flush, join_it, sum_put, sum_valid;
  logic      [Groups-1:0]      any, summing;
  logic      [Groups-1:0][31:0] sequence_no;
  logic      [Groups-1:0][7:0] operation;
  sat_head_t [Groups-1:0]      head;
  low_scan_t                   scan;
  low_scanned_t                scanned;
  low_sum_t                    sum_of, sum;
  logic      [GroupW-1:0]      group;

  for (genvar g = 0; g < Groups; g++) begin : gen_operation
    assign operation[g] = head[g].operation;
  end

  llt_look #(
    .NumPorts(NumPorts)
  ) u_look (
    .clk_i,
    .rst_ni       (open_i),
    .cfg_i,
    .tree_i,
    .message_i,
    .cast_i,
    .not_i,
    .any_i        (any),
    .sequence_no_i(sequence_no),
    .operation_i  (operation),
    .flush_i      (flush),
    .ready_i      (seen_ready),
    .seen_o       (seen)
  );

  llt_decide #(
    .NumPorts(NumPorts)
  ) u_decide (
    .clk_i,
    .open_i,
    .cfg_i,
    .time_i,
    .seen_i       (seen),
    .seen_ready_o (seen_ready),
    .flush_o      (flush),
    .take_o       (),
    .keep_o       (),
    .cast_take_o  (),
    .cast_keep_o  (),
    .join_o       (join_it),
    .any_o        (any),
    .sequence_no_o(sequence_no),
    .scan_o       (scan),
    .scanned_i    (scanned),
    .lock_valid_o (),
    .lock_ready_i,
    .lock_o       (),
    .lock_answered_i,
    .lock_answer_i,
    .streams_i,
    .streams_group_i,
    .sum_o        (sum_put),
    .sum_of_o     (sum_of),
    .summing_i    (summing),
    .rise_o       (),
    .from_parent_o(),
    .from_cast_o  (),
    .head_o       (head),
    .group_o      (group),
    .answer_o     (),
    .reply_o      (),
    .reply_why_o  (),
    .end_o        (),
    .owed_i,
    .risen_i,
    .sending_i,
    .sending_group_i,
    .change_i,
    .holds_i,
    .telling_i,
    .changed_o    (),
    .changed_good_o(),
    .lost_i,
    .sat_end_i,
    .low_down_o   (),
    .sat_down_o   (),
    .observed_o   (),
    .events_o     ()
  );

  llt_scan #(
    .NumPorts(NumPorts)
  ) u_scan (
    .clk_i,
    .rst_ni       (open_i),
    .write_i      (join_it),
    .write_group_i(seen.group),
    .write_port_i (seen.port),
    .write_head_i (seen.head),
    .scan_i       (scan),
    .group_i      (group),
    .node_i       (cfg_i.node),
    .scanned_o    (scanned),
    .memory_o     ()
  );

  llt_pending u_pending (
    .clk_i,
    .rst_ni      (open_i),
    .put_i       (sum_put),
    .put_sum_i   (sum_of),
    .valid_o     (sum_valid),
    .ready_i     (sum_ready_i),
    .sum_o       (sum),
    .done_i      (sum_done_i),
    .done_group_i(sum_group_i),
    .busy_o      (summing)
  );

  /// A header that has no longer vector than the longest.
  function automatic logic fits(sat_head_t h);
    return h.length <= LowMost;
  endfunction

  /// What can be added.
  function automatic logic can_be(low_sum_t s);
    return s.children != '0 && s.rows != '0 && 32'(s.rows) <= LowRows;
  endfunction

  // llt_decide's states.
  localparam logic [3:0] Act = 4'd1, Scan = 4'd2, Agreed = 4'd3, Ask = 4'd4, Answered = 4'd5,
      Complete = 4'd6, Expire = 4'd8;
  logic [3:0] state;
  assign state = u_decide.state_q;

  // What stands in llt_scan's memory, and where llt_decide and llt_scan are.
  logic      [Groups-1:0][NumPorts-1:0] come, kept_fits;
  logic      [Groups-1:0]               waits_fit, gathers, somebody;
  ports_t                               asked, looked;   // ports on their way in a scan
  sat_head_t                            work, agree_head;
  logic                                 work_fits, scans, acts, quiet, lock_rises;
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    for (genvar p = 0; p < NumPorts; p++) begin : gen_port
      sat_head_t kept;
      assign kept = u_scan.u_heads.gen_plain.u_ram.mem[g*NumPorts+p];
      assign kept_fits[g][p] = fits(kept);
    end
    assign gathers[g]   = u_decide.phase[g] == LowGathers;
    assign somebody[g]  = come[g] != '0;
    assign waits_fit[g] = can_be(u_pending.sum_q[g]);
  end
  assign come       = u_decide.come;
  assign work       = u_decide.work_q;
  assign work_fits  = !work.flags.carries || (fits(work) && u_decide.carry_q != '0);
  assign scans      = state == Scan;
  assign acts       = state == Act;
  assign lock_rises = u_decide.lock_rises;
  assign agree_head = u_scan.u_agree.op_o.head;
  assign asked      = u_scan.read_q ? ports_t'(1) << u_scan.port1_q : '0;
  assign looked     = u_scan.seen_q.valid ? ports_t'(1) << u_scan.seen_q.port : '0;
  // Nothing of a scan is on its way.
  assign quiet      = u_scan.left_q == '0 && !u_scan.read_q && !u_scan.seen_q.valid &&
      !u_scan.words2_q && !u_scan.done_q && !u_scan.agreed && !u_scan.blame.valid;

  logic begun_q, put_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    put_q   <= sum_put && open_i;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one in front of the tree.
    e_reset : assume (begun_q || !open_i);
    if (begun_q && open_i) begin
      // A vector that is to be added is of somebody, and has a row and no more than the longest
      // one; else it would have no value, or go on in another group's place.
      a_sum : assert (!(sum_valid && sum_ready_i) || (sum.children != '0 && sum.rows != '0 &&
                                                      32'(sum.rows) <= LowRows))
      else $error("%0d rows of ports %b", sum.rows, sum.children);
      // So is what waits to be.
      a_put : assert (!sum_put || can_be(sum_of))
      else $error("%0d rows of ports %b", sum_of.rows, sum_of.children);
      // Helper: what is looked at as good fits, and what joins was.
      a_good : assert ((!u_look.seen1_q.valid || !u_look.seen1_q.good ||
          fits(u_look.seen1_q.head)) && (!seen.valid || !seen.good || fits(seen.head)) &&
          (!acts || !(u_decide.fate_q.begins || u_decide.fate_q.joins) || seen.good) &&
          (!acts || (seen.valid && u_decide.group_q == seen.group)) &&
          (!acts || !(u_decide.fate_q.begins || u_decide.fate_q.joins) ||
          !(u_decide.fate_q.answers || u_decide.fate_q.tears)));
      // Helper: who joins is among those who have come.
      a_joins : assert (!acts || !(u_decide.fate_q.begins || u_decide.fate_q.joins) ||
          u_decide.come_next_q == (come[u_decide.group_q] | (ports_t'(1) << seen.port)));
      // Helper: so do headers of those who have contributed.
      a_kept : assert ((come & ~kept_fits) == '0);
      // Helper: somebody has contributed to what gathers, and who is looked at is a port.
      a_gathers : assert ((gathers & ~somebody) == '0 && (!acts || u_decide.come_next_q != '0));
      a_port : assert ((!u_look.seen1_q.valid || 32'(u_look.seen1_q.port) < NumPorts) &&
          (!u_scan.seen_q.valid || 32'(u_scan.seen_q.port) < NumPorts) &&
          (!seen.valid || 32'(seen.port) < NumPorts));
      // Helper: of a scan only these are read, while its operation gathers.
      a_reads : assert (!scans || ((u_scan.left_q & ~come[u_decide.group_q]) == '0 &&
          u_decide.phase[u_decide.group_q] == LowGathers));
      a_expires : assert (state != Expire || !u_decide.gathers_q ||
          u_decide.phase[u_decide.group_q] == LowGathers);
      a_begins : assert (!acts || !u_decide.all_come || (u_decide.fate_q.begins ||
          u_decide.phase[u_decide.group_q] == LowGathers));
      // Helper: the last one is behind all others, and there is no scan without a child's.
      a_last : assert ((!(u_scan.read_q && u_scan.last1_q) || u_scan.left_q == '0) &&
          (!((u_scan.seen_q.valid || u_scan.words2_q) && u_scan.last2_q) ||
          (u_scan.left_q == '0 && !u_scan.read_q)) &&
          (!(u_scan.agreed || u_scan.done_q) || (u_scan.left_q == '0 && !u_scan.read_q &&
          !u_scan.seen_q.valid && !u_scan.words2_q && !u_scan.blame.valid)));
      a_quiet : assert (scans || quiet);
      a_over : assert (!u_scan.blame.valid || u_scan.u_agree.over_q);
      a_words : assert (u_scan.words_q ? (!u_scan.seen_q.valid && !u_scan.agreed &&
          !u_scan.blame.valid) : (!u_scan.words2_q && !u_scan.done_q));
      // Helper: each port is read once.
      a_each : assert (u_scan.words_q || ((u_scan.left_q & asked) == '0 &&
          ((u_scan.left_q | asked) & looked) == '0 && (u_scan.u_agree.first_q ||
          ((u_scan.left_q | asked | looked) & u_scan.u_agree.op_o.come[NumPorts-1:0]) == '0)));
      a_carrying : assert (u_scan.u_agree.first_q ||
          (u_scan.u_agree.op_o.carrying & ~u_scan.u_agree.op_o.come) == '0);
      // Helper: what is read fits, and what is agreed on.
      a_read : assert ((!u_scan.read_q || fits(u_scan.head)) &&
          (!u_scan.seen_q.valid || fits(u_scan.seen_q.head)) &&
          (u_scan.u_agree.first_q || (fits(agree_head) &&
          agree_head.flags.carries == (u_scan.u_agree.op_o.carrying != '0))) &&
          !(u_scan.agreed && u_scan.u_agree.first_q));
      // Helper: so does the header in work on its way up, and somebody has its vector.
      a_work : assert (work_fits || !(state inside {Agreed, Complete}
          || (state inside {Ask, Answered} && lock_rises)));
      // Helper: and each vector that waits.
      a_waits : assert ((u_pending.waits_q & ~waits_fit) == '0);
      // Somebody's longest vector is to be added.
      c_longest : cover (put_q && sum_valid && sum_ready_i && 32'(sum.rows) == LowRows);
    end
  end

endmodule
