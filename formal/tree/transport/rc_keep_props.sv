// rc_request with its rc_send_buffer: a packet keeps its place until it is acknowledged, and leaves
// from there with its PSN, as often as it does. Each child of a node has such a buffer of its own,
// so what one has not acknowledged is never overwritten, whatever the others have. That only what
// was taken is acknowledged is rc_pair's affair.
module rc_keep_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned Room = 4,
  localparam int unsigned AtW = $clog2(Room)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            open_i,
  input logic            close_i,
  input rc_request_cfg_t cfg_i,
  input logic [31:0]     time_i,
  input rc_row_t         row_i,
  input logic            send_ready_i,
  input logic            answer_valid_i,
  input rc_answer_t      answer_i,
  input logic            watch_i
);

  localparam int unsigned MaxRows = 4;

  logic               room, more, post, post_last, send_valid, ack_request, idle, buffer_room;
  logic [AtW-1:0]     place, send_at;
  logic [PsnW-1:0]    send_psn;
  rc_fault_e          fault;
  rc_request_events_t events;

  rc_request #(
    .Room(Room)
  ) u_request (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i,
    .time_i,
    .post_i            (post),
    .post_last_i       (post_last),
    .room_o            (room),
    .more_o            (more),
    .place_o           (place),
    .send_valid_o      (send_valid),
    .send_ready_i,
    .send_psn_o        (send_psn),
    .send_at_o         (send_at),
    .send_ack_request_o(ack_request),
    .answer_valid_i,
    .answer_i,
    .idle_o            (idle),
    .fault_o           (fault),
    .events_o          (events)
  );

  rc_send_buffer #(
    .Room   (Room),
    .MaxRows(MaxRows)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .clear_i     (open_i || close_i),
    .room_o      (buffer_room),
    .row_i,
    .row_cast_i  (1'b0),
    .room_i      (room),
    .more_i      (more),
    .place_i     (place),
    .post_o      (post),
    .post_last_o (post_last),
    .kept_re_i   (1'b0),
    .kept_at_i   ('0),
    .kept_o      (),
    .row_re_i    (1'b0),
    .row_at_i    ('0),
    .row_number_i('0),
    .row_o       (),
    .memory_o    ()
  );

  // Any packet: its place, and how many are kept in front of it.
  logic           begun_q, watched_q, before_q;
  logic [AtW-1:0] at_q, was_q;
  logic [AtW:0]   ahead_q;
  logic           acknowledged;

  assign acknowledged = u_request.gone > ahead_q;

  initial begin
    begun_q   = 1'b0;
    watched_q = 1'b0;
    before_q  = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    if (watched_q) begin
      ahead_q   <= ahead_q - u_request.gone;
      watched_q <= !acknowledged;
      if (acknowledged) begin
        before_q <= 1'b1;
        was_q    <= at_q;
      end
    end else if (post && watch_i) begin
      watched_q <= 1'b1;
      at_q      <= place;
      ahead_q   <= u_request.posted_q - u_request.gone;
    end
    if (!rst_ni || open_i || close_i) begin
      watched_q <= 1'b0;
      before_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // Nothing is written over a packet that is not acknowledged.
      a_kept : assert (!(watched_q && u_buffer.takes && place == at_q))
      else $error("place %0d is written, and its packet is not acknowledged", at_q);
      // It leaves with its PSN from its place, and nothing else leaves from there.
      a_its_place : assert (!(watched_q && send_valid) || ((send_at == at_q) ==
          (send_psn == u_request.oldest_q + PsnW'(ahead_q))))
      else $error("PSN %h leaves from place %0d", send_psn, send_at);
      // Helpers: a packet is among those that are kept, in their order; counts are in theirs.
      a_among : assert (!watched_q || (ahead_q < u_request.posted_q &&
          at_q == AtW'(u_request.oldest_at_q + AtW'(ahead_q))));
      a_counts : assert (!u_request.good_q || (u_request.next_q <= u_request.most_q &&
          u_request.most_q <= u_request.posted_q && u_request.posted_q <= (AtW + 1)'(Room)));
      a_places : assert (!u_request.good_q || (
          u_request.place_q == AtW'(u_request.oldest_at_q + AtW'(u_request.posted_q)) &&
          u_request.next_at_q == AtW'(u_request.oldest_at_q + AtW'(u_request.next_q))));
      a_offer : assert (!send_valid || (u_request.next_q < u_request.posted_q &&
          send_psn == u_request.oldest_q + PsnW'(u_request.next_q) &&
          send_at == u_request.next_at_q));
      // A place is given to another packet once its own is acknowledged; a packet is sent again.
      c_again : cover (before_q && u_buffer.takes && place == was_q);
      c_repeat : cover (watched_q && events.repeated && send_at == at_q);
    end
  end

endmodule
