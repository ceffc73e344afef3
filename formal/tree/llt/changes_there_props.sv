// llt_decide: it says that something is another, and may be, only while its tree is there; of a
// group only if that holds no lock. Whatever comes, and whatever is asked for, is free.
module changes_there_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                clk_i,
  input logic                open_i,
  input sat_cfg_t            cfg_i,
  input logic [31:0]         time_i,
  input low_seen_t           seen_i,
  input low_scanned_t        scanned_i,
  input logic                lock_ready_i,
  input logic                lock_answered_i,
  input lock_answer_t        lock_answer_i,
  input logic                streams_i,
  input logic [GroupW-1:0]   streams_group_i,
  input logic [Groups-1:0]   summing_i,
  input logic [Groups-1:0]   owed_i,
  input logic [Groups-1:0]   risen_i,
  input logic                sending_i,
  input logic [GroupW-1:0]   sending_group_i,
  input logic                telling_i,
  input low_change_t         change_i,
  input logic [Groups-1:0]   holds_i,
  input logic [NumPorts-1:0] lost_i,
  input sat_end_t            sat_end_i
);

  logic changed, good;

  llt_decide #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .open_i,
    .cfg_i,
    .time_i,
    .seen_i,
    .seen_ready_o   (),
    .flush_o        (),
    .take_o         (),
    .keep_o         (),
    .cast_take_o    (),
    .cast_keep_o    (),
    .join_o         (),
    .any_o          (),
    .sequence_no_o  (),
    .from_cast_o    (),
    .scan_o         (),
    .scanned_i,
    .lock_valid_o   (),
    .lock_ready_i,
    .lock_o         (),
    .lock_answered_i,
    .lock_answer_i,
    .streams_i,
    .streams_group_i,
    .sum_o          (),
    .sum_of_o       (),
    .summing_i,
    .rise_o         (),
    .from_parent_o  (),
    .head_o         (),
    .group_o        (),
    .answer_o       (),
    .reply_o        (),
    .reply_why_o    (),
    .end_o          (),
    .owed_i,
    .risen_i,
    .sending_i,
    .sending_group_i,
    .change_i,
    .holds_i,
    .telling_i,
    .changed_o      (changed),
    .changed_good_o (good),
    .lost_i,
    .sat_end_i,
    .low_down_o     (),
    .sat_down_o     (),
    .observed_o     (),
    .events_o       ()
  );

  always_ff @(posedge clk_i) begin
    // Something is another only while the tree is there.
    a_there : assert (!changed || open_i)
    else $error("a change of no tree");
    // A group is another one only if it holds no lock.
    a_lock : assert (!changed || !good || change_i.reopen || !holds_i[change_i.group])
    else $error("group %0d holds a lock, and is another one", change_i.group);
    // A streaming tree begins anew.
    c_again : cover (changed && good && change_i.reopen);
  end

endmodule
