// llt_leave, as what begins packets of a low-latency tree: one begins only where sat_room says that
// there is room, and the row that counts comes once, behind that. What is sent next is anything.
module low_leaves_props
  import rc_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned Ecc = 0
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input sat_cfg_t                 cfg_i,
  input logic [NumPorts-1:0]      lost_i,
  input logic [NumPorts-1:0]      room_i
);

  logic begun_q, begins, counts;

  llt_leave #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .cfg_i,
    .tree_i        ('0),
    .parent_i      ('0),
    .lost_i,
    .casts_i       ('0),
    .rise_i        ('0),
    .answer_i      ('0),
    .answer_group_i('0),
    .from_parent_i ('0),
    .head_i        ('0),
    .summing_i     ('0),
    .reply_i       ('0),
    .reply_why_i   ('0),
    .message_i     ('0),
    .end_i         ('0),
    .risen_o       (),
    .owed_o        (),
    .replying_o    (),
    .replied_o     (),
    .telling_o     (),
    .sending_o     (),
    .re_o          (),
    .re_group_o    (),
    .re_row_o      (),
    .use_sum_o     (),
    .use_parent_o  (),
    .sum_row_i     ('0),
    .parent_row_i  ('0),
    .room_i,
    .out_o         (),
    .cast_o        ()
  );

  room_handover #(
    .NumPorts(NumPorts)
  ) u_shown (
    .clk_i,
    .rst_ni,
    .there_i  (u_dut.u_room.rst_ni),
    .begun_i  (u_dut.u_room.begun_i),
    .counted_i(u_dut.u_room.counted_i),
    .room_i   (u_dut.u_room.room_o),
    .begins_o (begins),
    .counts_o (counts)
  );

  // Ports that were full, of whom one has room again and gets a packet.
  logic [NumPorts-1:0] full_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    full_q  <= rst_ni ? full_q | u_dut.counted : '0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni) begin
      // A packet begins where there is room, or there was a cycle ago and none has begun since.
      a_begins : assert (begins)
      else $error("packets without room for ports %b", u_dut.begun);
      // A row that counts comes once, behind the beginning of its packet.
      a_counts : assert (counts)
      else $error("rows of ports %b are of no packet that has begun", u_dut.counted);
    end
    if (rst_ni && begun_q) begin
      // A port gets a second packet.
      c_second : cover ((full_q & u_dut.begun) != '0);
    end
  end

endmodule
