// gather_concat: what its parts tell each other, when it is idle, and when the oldest queue is
// closed for want of storage.
//
// What the parts make of it is left out of the circuit and free. They have proofs of their own.
module concat_levels_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter bit Virtual = 1'b1,
  localparam int unsigned ClockW = 10
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [ClockW-3:0] delay_i,
  input logic              pr_valid_i,
  input pr_beat_t          pr_i,
  input logic              packet_ready_i,
  input logic              data_ready_i
);

  logic         pr_ready, packet_valid, data_valid, idle;
  closed_t      packet;
  packet_beat_t data;
  concat_obs_t  obs;

  gather_concat #(
    .NumNodes   (4),
    .Mtu        (1500),
    .Virtual    (Virtual),
    .VirtualRows(32),
    .Spare      (2),
    .ExpiryDepth(16),
    .ClockW     (ClockW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .delay_i,
    .pr_valid_i,
    .pr_ready_o    (pr_ready),
    .pr_i,
    .packet_valid_o(packet_valid),
    .packet_ready_i,
    .packet_o      (packet),
    .data_valid_o  (data_valid),
    .data_ready_i,
    .data_o        (data),
    .obs_o         (obs),
    .idle_o        (idle)
  );

  // A packet is leaving, or waits to.
  logic leaves;
  assign leaves = u_dut.u_store.busy_o || u_dut.u_closed.busy_o;

  // A cycle ago a PR was stalled for storage, nothing was leaving, and nothing moved that could
  // make something leave.
  logic past_q, stuck_q, moves;
  assign moves = u_dut.u_expiry.due_taken_o || u_dut.u_admit.go_o || u_dut.u_queue.moving_o;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    stuck_q <= rst_ni && u_dut.u_admit.stall_pool_o && !leaves && !moves;
  end

  always_ff @(posedge clk_i) begin
    // It is idle when no PR waits, no queue holds one, and no packet leaves or waits to.
    a_idle : assert (idle == (u_dut.u_admit.idle_o && u_dut.u_queue.idle_o && !leaves))
    else $error("idle: %b", idle);
    // The oldest queue is closed for storage if a PR waits for that and nothing else will bring
    // some back; never where each queue has storage of its own.
    a_force : assert (!past_q || u_dut.u_expiry.force_i == (Virtual && stuck_q))
    else $error("closes for room: %b", u_dut.u_expiry.force_i);
    // A beat that enters reserves a row, or a unit if it begins a PR.
    a_reserve : assert (u_dut.u_store.reserve_i ==
                        (u_dut.u_admit.go_o && (Virtual || u_dut.u_admit.pr_o.first)))
    else $error("reserves: %b", u_dut.u_store.reserve_i);
    // An entry that is due enters with its queue, and how late it is.
    a_due : assert (u_dut.u_queue.due_valid_i == u_dut.u_expiry.due_taken_o &&
                    u_dut.u_queue.due_i == {11'(u_dut.u_expiry.due_queue_o),
                                            16'(u_dut.u_expiry.due_id_o),
                                            u_dut.u_expiry.due_late_o,
                                            32'(u_dut.u_expiry.due_lateness_o)})
    else $error("another entry is due");
    // How late the latest packet was is shown as it was found, and why packets were closed.
    a_late : assert (obs.lateness == 32'(u_dut.u_queue.lateness_o) &&
                     {obs.full, obs.late, obs.other_len, obs.for_room} ==
                     {u_dut.u_queue.full_o, u_dut.u_queue.late_o, u_dut.u_queue.length_o,
                      u_dut.u_queue.room_o} &&
                     {obs.stall_pool, obs.stall_out} ==
                     {u_dut.u_admit.stall_pool_o, u_dut.u_admit.stall_out_o})
    else $error("another event");

    // Nothing leaves, and a queue is closed for room.
    c_force : cover (past_q && u_dut.u_expiry.force_i && !idle && !leaves);
  end

endmodule
