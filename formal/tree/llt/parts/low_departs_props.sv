// llt_leave: who is told of a tree's end, what is owed of any group, and what is on its way to any
// port, beside what its parts say of themselves (low_owed, low_jobs, sat_room).
module low_departs_props
  import rc_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input sat_cfg_t                    cfg_i,
  input logic [15:0]                 tree_i,
  input logic [NumPorts-1:0]         parent_i,
  input logic [NumPorts-1:0]         lost_i,
  input logic [NumPorts-1:0]         casts_i,
  input logic      [Groups-1:0]      rise_i,
  input low_owe_t                    answer_i,
  input logic      [GroupW-1:0]      answer_group_i,
  input logic      [Groups-1:0]      from_parent_i,
  input sat_head_t [Groups-1:0]      head_i,
  input logic      [Groups-1:0]      summing_i,
  input logic         [NumPorts-1:0] reply_i,
  input low_blame_t                  reply_why_i,
  input low_message_t [NumPorts-1:0] message_i,
  input low_end_t                    end_i,
  input logic [RcRowBits-1:0]        sum_row_i,
  input logic [RcRowBits-1:0]        parent_row_i,
  input logic    [NumPorts-1:0]      room_i,
  input logic [GroupW-1:0]           group_i,   // any
  input logic [1:0]                  port_i     // any
);

  logic [Groups-1:0]      risen, owed;
  logic [NumPorts-1:0]    replying, replied, cast;
  logic                   telling, sending, re, use_sum, use_parent;
  logic [GroupW-1:0]      re_group;
  logic [4:0]             re_row;
  rc_row_t [NumPorts-1:0] out;

  // The first cycle is one of reset.
  logic begun_q, told_q, rst_q, rst_n;
  assign rst_n = rst_ni && begun_q;

  llt_leave #(
    .NumPorts(NumPorts),
    .RoomLate(2)
  ) u_dut (
    .clk_i,
    .rst_ni(rst_n),
    .cfg_i,
    .tree_i,
    .parent_i,
    .lost_i,
    .casts_i,
    .rise_i,
    .answer_i,
    .answer_group_i,
    .from_parent_i,
    .head_i,
    .summing_i,
    .reply_i,
    .reply_why_i,
    .message_i,
    .end_i,
    .risen_o     (risen),
    .owed_o      (owed),
    .replying_o  (replying),
    .replied_o   (replied),
    .telling_o   (telling),
    .sending_o   (sending),
    .re_o        (re),
    .re_group_o  (re_group),
    .re_row_o    (re_row),
    .use_sum_o   (use_sum),
    .use_parent_o(use_parent),
    .sum_row_i,
    .parent_row_i,
    .room_i,
    .out_o       (out),
    .cast_o      (cast)
  );

  logic [1:0] p;
  assign p = (32'(port_i) < NumPorts) ? port_i : '0;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    told_q  <= u_dut.u_owed.tell_o[0] != '0;
    rst_q   <= rst_n;
  end

  always_ff @(posedge clk_i) begin
    // The end of a tree is told to each child and to the parent, but for who is left out.
    a_end : assert (u_dut.u_owed.end_to_i[p] ==
                    ((cfg_i.children[p] || parent_i[p]) && !end_i.except[p]))
    else $error("port %0d: %b", p, u_dut.u_owed.end_to_i);
    // A port has a packet on its way until the first row of that is there.
    a_counted : assert (u_dut.u_room.counted_i[p] == (out[p].valid && out[p].start))
    else $error("port %0d", p);

    // Something is owed of a group as long as one port waits for its answer.
    a_waits : assert (owed[group_i] == ({u_dut.u_owed.want_o[group_i],
                                         u_dut.u_owed.rest_o[group_i]} != '0))
    else $error("group %0d: %b", group_i, owed);
    // Neighbours are to hear of the streaming tree's end until all have been told; a cycle later.
    a_telling : assert (!begun_q || telling == (rst_q && told_q))
    else $error("telling %b", telling);
    // A message is being sent while none can be taken.
    a_sending : assert (sending == !u_dut.u_send.ready_o)
    else $error("sending %b", sending);

    // Somebody is told, and an answer is owed beside that.
    c_telling : cover (begun_q && telling && owed != '0 && sending);
  end

endmodule
