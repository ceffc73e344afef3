// rc_conn: a packet that is shown stands until it is claimed, or the connection begins or ends, and
// a connection that is not there shows none. What comes, and what is claimed and read, is free.
module conn_shows_props
  import rc_pkg::*;
  import rc_port_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input logic            close_i,
  input rc_respond_cfg_t respond_cfg_i,
  input rc_came_t        came_i,
  input logic            data_valid_i,
  input rc_data_t        data_i,
  input logic            claim_i,
  input logic            claim_drop_i,
  input logic            row_re_i
);

  rc_packet_t oldest, oldest_q;

  rc_conn #(
    .QueueRoom(4),
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
    .ack_ready_i   (1'b0),
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

  logic begun_q, reset_q, up_q, stands_q, claimed_q, seen_q;

  initial begin
    begun_q = 1'b0;
    seen_q  = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q   <= 1'b1;
    reset_q   <= !rst_ni;
    up_q      <= rst_ni && (up_q || open_i) && !close_i;
    stands_q  <= rst_ni && oldest.valid && !claim_i && !open_i && !close_i;
    claimed_q <= rst_ni && oldest.valid && claim_i && !open_i && !close_i;
    oldest_q  <= oldest;
    seen_q    <= (seen_q || claimed_q) && rst_ni;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (begun_q) begin
      // What is shown of a packet stands until it is claimed; else one would be decided on, and
      // another one taken.
      a_stands : assert (!stands_q || oldest == oldest_q)
      else $error("another packet is shown, and the one before was not claimed");
      // A connection that is not there shows no packet.
      a_none : assert (reset_q || up_q || !oldest.valid)
      else $error("a packet of no connection");
      // Helper: nor is one kept for it.
      a_coming : assert (reset_q || (u_dut.u_respond.open_q == up_q && (up_q || (!u_dut.keep_q &&
          !u_dut.u_queue.keep_q && u_dut.u_queue.fresh_q == '0 && !u_dut.u_queue.fetch_q))));
      // What is fetched is not shown yet, and what is shown is not fetched once more.
      a_fetched : assert (reset_q || !(u_dut.u_queue.fetch_q && oldest.valid));
      // A packet is shown, and the next one behind it.
      c_next : cover (rst_ni && stands_q && seen_q);
    end
  end

endmodule
