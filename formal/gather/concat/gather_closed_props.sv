// gather_closed: each packet that is closed is shown once, as it was and in order, to storage and
// to whoever makes its header, and finds room there, for as long as one likes. Room is said where
// there is some, and not where there is none.
//
// One packet is followed; which one is free. Let in is as gather_admit does: a PR by the room that
// is seen, what is due by that of the cycle before. Each may close a packet three cycles later.
module gather_closed_props
  import gather_pkg::*;
(
  input logic     clk_i,
  input logic     rst_ni,
  input logic     pr_i,
  input logic     due_i,
  input logic     closes_i,
  input closing_t closed_i,
  input logic     follow_i,
  input logic     packet_ready_i,
  input logic     store_goes_i
);

  localparam int unsigned Closed = 16;
  localparam int unsigned CountW = $clog2(Closed + 1);

  logic              started_q, room, room_q, goes_in, closes, packet_valid, store_valid, pop;
  logic              busy;
  logic [2:0]        moving_q;   // let in one, two, three cycles before
  logic [11:0]       store_stop;
  logic [2:0]        store_first;
  logic [CountW-1:0] stored_q;
  closed_t           packet;

  assign goes_in = (pr_i && room) || (due_i && room_q);
  assign closes  = moving_q[2] && closes_i;
  assign pop     = packet_valid && packet_ready_i;

  gather_closed #(
    .NumNodes(2),
    .UnitW   (3),
    .Closed  (Closed)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .closed_valid_i(closes),
    .closed_i,
    .store_valid_o (store_valid),
    .store_ready_i (32'(stored_q) < Closed),
    .store_stop_o  (store_stop),
    .store_first_o (store_first),
    .store_count_i (stored_q),
    .packet_valid_o(packet_valid),
    .packet_ready_i,
    .packet_o      (packet),
    .room_o        (room),
    .busy_o        (busy)
  );

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: packets are there that nobody closed.
    e_reset : assume (started_q || !rst_ni);
    room_q   <= room;
    moving_q <= {moving_q[1:0], goes_in};
    stored_q <= stored_q + CountW'(store_valid) - CountW'(store_goes_i && stored_q != '0);
    if (!rst_ni) begin
      room_q   <= 1'b0;
      moving_q <= '0;
      stored_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Closed and not shown; of these the followed one, and how many are in front of it.

  logic [CountW-1:0] inside_q, behind, ahead_q, count, waiting_q;
  logic              followed_q;
  closing_t          value_q, before1_q, before2_q;
  logic              before1_valid_q, before2_valid_q, fits_q;

  assign behind = inside_q - CountW'(pop);
  assign count  = u_dut.shown_count;

  always_ff @(posedge clk_i) begin
    inside_q <= behind + CountW'(closes);
    if (followed_q && pop) begin
      if (ahead_q == '0) followed_q <= 1'b0;
      else ahead_q <= ahead_q - CountW'(1);
    end
    if (!followed_q && closes && follow_i) begin
      followed_q <= 1'b1;
      ahead_q    <= behind;
      value_q    <= closed_i;
    end
    // Those that wait to be shown, as one counts them who sees them come and go; whether eight more
    // find room there and in storage.
    waiting_q       <= waiting_q + CountW'(before2_valid_q) - CountW'(pop);
    fits_q          <= 32'(waiting_q) + 8 <= Closed && 32'(stored_q) + 8 <= Closed;
    before1_valid_q <= closes;
    before1_q       <= closed_i;
    before2_valid_q <= before1_valid_q;
    before2_q       <= before1_q;
    if (!rst_ni) begin
      inside_q        <= '0;
      followed_q      <= 1'b0;
      waiting_q       <= '0;
      fits_q          <= 1'b0;
      before1_valid_q <= 1'b0;
      before2_valid_q <= 1'b0;
    end
  end

  function automatic closed_t shown(closing_t one);
    shown = '{response: one.which[1], dest: 32'(one.which[0]), generation: one.generation,
              len: one.len, count: one.count, stop: one.stop};
  endfunction

  // Where the followed one is: in the queue, or on its way there.
  logic [3:0]      at;
  logic            placed;
  logic [CountW:0] moving, total, stored;
  assign at     = u_dut.u_shown.read_q + ahead_q[3:0];
  assign placed = (ahead_q < count) ? u_dut.u_shown.mem_q[at] == shown(value_q) :
      (ahead_q == count && u_dut.record2_valid_q) ? u_dut.record2_q == value_q :
      u_dut.record1_valid_q && u_dut.record1_q == value_q;

  // Packets there and on the way there; what moves may close one.
  assign moving = (CountW + 1)'(moving_q[0]) + (CountW + 1)'(moving_q[1]) +
      (CountW + 1)'(moving_q[2]);
  assign total  = (CountW + 1)'(inside_q) + moving;
  assign stored = (CountW + 1)'(u_dut.record1_valid_q) + (CountW + 1)'(u_dut.record2_valid_q) +
      moving + (CountW + 1)'(stored_q);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A closed packet is shown in its turn, as it was closed.
      a_same : assert (!(followed_q && packet_valid && ahead_q == '0) || packet == shown(value_q))
      else $error("another packet is shown");
      // Each closed packet is shown, and once: what was closed and not shown is inside.
      a_inside : assert (inside_q == count + CountW'(u_dut.record1_valid_q) +
                         CountW'(u_dut.record2_valid_q) && packet_valid == (count != '0))
      else $error("%0d packets were closed and not shown", inside_q);
      // Storage learns of each, in the same order, ClosedAfter cycles after it was closed.
      a_store : assert (store_valid == before2_valid_q &&
                        (!store_valid || (store_stop == before2_q.stop &&
                                          store_first == before2_q.first[2:0])))
      else $error("storage is told of another packet");
      // Where the followed one is. These help the proof.
      a_place : assert (!followed_q || (placed && ahead_q < inside_q))
      else $error("the packet is not where it should be");
      a_pointers : assert (u_dut.u_shown.write_q == u_dut.u_shown.read_q + count[3:0])
      else $error("pointers do not agree with the count");
      a_record : assert ((!u_dut.record1_valid_q || u_dut.record1_q == before1_q) &&
                         (!u_dut.record2_valid_q || u_dut.record2_q == before2_q) &&
                         u_dut.record1_valid_q == before1_valid_q)
      else $error("a packet changes");
      // All that may be closed of what was let in finds room.
      a_room : assert (32'(total) <= Closed && 32'(stored) <= Closed &&
                       (!room || (32'(total) + 2 <= Closed && 32'(stored) + 2 <= Closed)) &&
                       (!room_q || (32'(total) + 1 <= Closed && 32'(stored) + 1 <= Closed)))
      else $error("%0d packets may come", total);
      // There is room as long as eight packets more find it here and in storage, and only then;
      // else PRs would wait for nothing.
      a_said : assert (room == fits_q && waiting_q == count)
      else $error("room %b, %0d wait, %0d stored", room, waiting_q, stored_q);
      // A packet that was closed and that storage has not heard of before this cycle is on its way.
      a_busy : assert (busy == (closes || before1_valid_q || before2_valid_q))
      else $error("a packet is on its way and nobody says so");
      // As many wait as there is room for; a followed one is shown behind others.
      c_full : cover (32'(count) == Closed);
      c_shown : cover (followed_q && pop && ahead_q == CountW'(3));
    end
  end

endmodule
