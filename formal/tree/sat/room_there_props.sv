// sat_room in front of the buffer of a connection, as rc_conn has it: a packet that begins where
// sat_room's users begin one finds room there, however late its rows come. Other ports say of their
// room what they like. A packet may have any rows, and connections begin, end and fail at any time.
module room_there_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned RoomLate = 2,
  parameter int unsigned Room = 2,
  localparam int unsigned NumPorts = 4,
  localparam int unsigned AtW = $clog2(Room)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                keeps_i,        // else sat_room forgets all, and rows on their way go
  input logic [1:0]          port_i,         // the port of the buffer
  input logic [1:0]          late_i,         // cycles from a row of sat_room's user to the buffer
  input logic [NumPorts-1:0] room_i,         // of the other ports
  input logic [NumPorts-1:0] begun_i,
  input logic [NumPorts-1:0] counted_i,
  input rc_row_t             row_i,          // of that port; whether it starts a packet is above
  input logic                open_i,
  input logic                close_i,
  input rc_request_cfg_t     cfg_i,
  input logic [31:0]         time_i,
  input logic                send_ready_i,
  input logic                answer_valid_i,
  input rc_answer_t          answer_i
);

  logic [NumPorts-1:0] shows, room;
  logic                begun_q, there, begins, counts;
  logic [1:0]          port_q, late_q;
  rc_row_t             row, late_row;
  rc_row_t [RoomLate-1:0] row_q;   // [0]: of now
  logic                buffer_room, free, more, post, post_last;
  logic [AtW-1:0]      place;

  assign there = rst_ni && keeps_i;

  always_comb begin
    shows         = room_i;
    shows[port_q] = buffer_room;
    row           = row_i;
    row.start     = row_i.valid && counted_i[port_q];
    if (counted_i[port_q]) row = '{valid: 1'b1, start: 1'b1, stop: row_i.stop, first: row_i.first,
                                   last: row_i.last, len: row_i.len, row: row_i.row};
    row_q[0] = row;
  end
  assign late_row = row_q[late_q];

  sat_room #(
    .NumPorts(NumPorts),
    .RoomLate(RoomLate)
  ) u_dut (
    .clk_i,
    .rst_ni   (there),
    .room_i   (shows),
    .begun_i  (begun_i),
    .counted_i(counted_i),
    .room_o   (room)
  );

  room_handover #(
    .NumPorts(NumPorts)
  ) u_given (
    .clk_i,
    .rst_ni,
    .there_i  (there),
    .begun_i  (begun_i),
    .counted_i(counted_i),
    .room_i   (room),
    .begins_o (begins),
    .counts_o (counts)
  );

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
    .room_o            (free),
    .more_o            (more),
    .place_o           (place),
    .send_valid_o      (),
    .send_ready_i,
    .send_psn_o        (),
    .send_at_o         (),
    .send_ack_request_o(),
    .answer_valid_i,
    .answer_i,
    .idle_o            (),
    .fault_o           (),
    .events_o          ()
  );

  rc_send_buffer #(
    .Room   (Room),
    .MaxRows(4)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .clear_i     (open_i || close_i),
    .room_o      (buffer_room),
    .row_i       (late_row),
    .row_cast_i  (1'b0),
    .room_i      (free),
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

  logic good, good_q, full_q;   // the connection is there, and has not failed
  assign good = u_request.good_q && !open_i && !close_i;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    good_q  <= u_request.good_q;
    full_q  <= full_q || (good && !buffer_room && !u_buffer.inside_q);
    if (!rst_ni) full_q <= 1'b0;
    // Any port, and any way to its buffer that is not longer than it may be.
    if (!begun_q) begin
      port_q <= port_i;
      late_q <= (32'(late_i) < RoomLate) ? late_i : 2'd0;
    end
    for (int unsigned n = 1; n < RoomLate; n++) begin
      row_q[n] <= row_q[n-1];
      if (!there) row_q[n].valid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni) begin
      // A packet begins where there is room, or there was a cycle ago and none has begun since.
      e_begins : assume (begins);
      // A row that counts comes once, behind the beginning of its packet.
      e_counts : assume (counts);
    end
    if (rst_ni && begun_q) begin
      // A packet that begins finds room in the buffer of a connection that has not failed, and so
      // do all its rows; else it would be lost, or written over another one.
      a_taken : assert (!(good && late_row.valid && (late_row.start || u_buffer.inside_q)) ||
          u_buffer.takes)
      else $error("a row finds no room");
      // Where a packet begins without room by now, its connection has failed or ended: nothing
      // else takes room away from one that nobody has begun.
      a_room : assert (!(begun_i[port_q] && !room[port_q]) || !good_q)
      else $error("room is gone, and the connection is there");
      // A buffer that was full has room again, and a packet begins.
      c_again : cover (full_q && begun_i[port_q]);
      // A connection fails just as a packet is decided on.
      c_fails : cover (begun_i[port_q] && !room[port_q]);
    end
  end

endmodule
