// rc_conn: a packet is gone from the buffer (rc_queue) only if it was taken before (rc_respond),
// and no more of them than were taken, whatever frames come, and whatever is claimed and read of
// what is shown. What rows and packets say is free, and a connection may begin and end at any time.
// Behind its end anything may be claimed, until it begins anew: sat_gather claims a packet that it
// has refused a cycle late, of a queue that has been cleared.
module rc_gone_props
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned Room = 4
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input logic            close_i,
  input rc_respond_cfg_t respond_cfg_i,
  input rc_came_t        came_i,
  input logic            data_valid_i,
  input rc_data_t        data_i,
  input logic            ack_ready_i,
  input logic            claim_i,
  input logic            claim_drop_i,
  input logic            row_re_i
);

  rc_packet_t oldest;

  rc_conn #(
    .QueueRoom(Room),
    .SendRoom (4),
    .MaxRows  (4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .request_cfg_i ('0),
    .respond_cfg_i,
    .time_i        ('0),
    .oldest_o      (oldest),
    .claim_i,
    .claim_drop_i,
    .row_re_i,
    .row_o         (),
    .room_o        (),
    .send_row_i    ('0),
    .send_cast_i   (1'b0),
    .came_i,
    .data_valid_i,
    .data_i,
    .answer_valid_i(1'b0),
    .answer_i      ('0),
    .ack_valid_o   (),
    .ack_ready_i,
    .ack_o         (),
    .ack_ip_id_o   (),
    .send_valid_o  (),
    .send_ready_i  (1'b0),
    .send_o        (),
    .send_at_o     (),
    .sent_o        (),
    .sent_re_i     (1'b0),
    .sent_at_i     ('0),
    .sent_number_i ('0),
    .sent_row_o    (),
    .idle_o        (),
    .fault_o       (),
    .events_o      (),
    .memory_o      ()
  );

  // Packets that were taken, by where they are: on their way to the queue, kept, shown or claimed,
  // and those that have left.
  logic [7:0] taken, coming, kept, unclaimed, claimed, leaving;
  assign taken     = 8'(u_dut.u_respond.waiting_q);
  assign coming    = 8'(u_dut.keep_q) + 8'(u_dut.u_queue.keep_q);
  assign kept      = 8'(u_dut.u_queue.count_q);
  assign unclaimed = 8'(u_dut.u_queue.fresh_q) + 8'(u_dut.u_queue.fetch_q) +
      8'(u_dut.u_queue.shown_q);
  assign claimed   = 8'(u_dut.u_queue.order_count);
  assign leaving   = 8'(u_dut.u_queue.owed_q) + 8'(u_dut.u_queue.gone_o);

  logic begun_q, up;
  assign up = u_dut.u_respond.open_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;

  logic gone_q;   // two packets one behind the other
  initial gone_q = 1'b0;
  always_ff @(posedge clk_i) gone_q <= u_dut.gone && rst_ni && up && !open_i;

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // Of a connection that is there only the packet that is shown is claimed.
    e_claim : assume (!rst_ni || !up || open_i || close_i || !claim_i || oldest.valid);
    if (rst_ni && begun_q) begin
      // Each packet that is kept is shown in its turn, and claimed, once.
      a_kept : assert (!up || kept == unclaimed + claimed)
      else $error("%0d kept, %0d not claimed, %0d claimed", kept, unclaimed, claimed);
      // No more packets are in the buffer, and on their way to it and out of it, than were taken.
      a_inside : assert (!up || coming + kept + leaving <= taken)
      else $error("%0d come, %0d are kept, %0d leave, of %0d", coming, kept, leaving, taken);
      // The buffer never has more packets than room.
      a_room : assert (!up || 32'(taken) <= Room)
      else $error("%0d packets", taken);
      // Of a connection that is no more nothing comes to be kept.
      a_closed : assert (up || coming == '0)
      else $error("%0d packets come of no connection", coming);
      // Helper: a packet is decided on only while it has room, and of a connection that is there.
      a_takes : assert (!u_dut.u_respond.takes || (up && 32'(taken) < Room));
      // Packets are gone one behind the other, and the buffer is empty again.
      c_gone : cover (up && u_dut.gone && gone_q);
      c_empty : cover (up && gone_q && taken == '0);
      // Something is claimed of no connection.
      c_late : cover (!up && claim_i && !oldest.valid && claimed != '0);
      // The buffer is full, and a place comes free.
      c_full : cover (up && 32'(taken) == Room && u_dut.gone);
    end
  end

endmodule
