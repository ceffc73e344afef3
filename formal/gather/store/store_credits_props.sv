// gather_store: who may have storage, where a part of a packet is written, and how long a closed
// packet is, whatever its parts do.
//
// Pool, rows, queue and the way out have proofs of their own. Here what they show is left out of
// the circuit and free.
module store_credits_props
  import gather_pkg::*;
#(
  parameter int unsigned NumUnits = 24,
  parameter int unsigned UnitRows = 1,
  parameter bit Linked = 1'b1,
  localparam int unsigned Closed = 8,
  localparam int unsigned UnitW = $clog2(NumUnits),
  localparam int unsigned RowW = $clog2(NumUnits * UnitRows),
  localparam int unsigned ClosedW = $clog2(Closed + 1)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             reserve_i,
  input logic             refund_i,
  input logic             take_i,
  input logic             write_valid_i,
  input part_t            write_i,
  input logic             closed_valid_i,
  input logic [11:0]      closed_stop_i,
  input logic [UnitW-1:0] closed_first_i,
  input logic             data_ready_i
);

  logic               enough, closed_ready, data_valid, busy;
  logic [UnitW-1:0]   unit;
  logic [ClosedW-1:0] closed_count;
  packet_beat_t       data;

  gather_store #(
    .NumUnits(NumUnits),
    .UnitRows(UnitRows),
    .Linked  (Linked),
    .Closed  (Closed)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enough_o      (enough),
    .reserve_i,
    .refund_i,
    .take_i,
    .unit_o        (unit),
    .write_valid_i,
    .write_i,
    .closed_valid_i,
    .closed_ready_o(closed_ready),
    .closed_stop_i,
    .closed_first_i,
    .closed_count_o(closed_count),
    .data_valid_o  (data_valid),
    .data_ready_i,
    .data_o        (data),
    .busy_o        (busy)
  );

  // The longest PR may need nine rows; five more may be reserved by then, or belong to beats that
  // are under way.
  localparam int unsigned Wanted = Linked ? 14 : 2;

  // What was told a cycle ago; what came back, so many cycles ago, since the latest reset.
  logic          past_q, refund_q, enough_q;
  logic    [5:1] back_q;
  part_t         write_q;
  logic   [31:0] credit_q;   // units that nobody has reserved
  logic          known;      // there was a reset
  initial {past_q, known} = '0;
  always_ff @(posedge clk_i) begin
    past_q   <= 1'b1;
    known    <= known || !rst_ni;
    refund_q <= refund_i;
    back_q   <= {back_q[4:1], u_dut.u_drain.give_valid_o};
    write_q  <= write_i;
    enough_q <= credit_q >= Wanted;
    credit_q <= (credit_q + 32'(refund_q) + 32'(back_q[5]) - 32'(reserve_i)) %
        (2 ** $clog2(NumUnits + 1));
    if (!rst_ni) begin
      refund_q <= 1'b0;
      back_q   <= '0;
      enough_q <= 1'b0;
      credit_q <= NumUnits;
    end
  end

  // The unit that a part begins in: its own, if its packet has none yet, or if it begins with a row
  // and has taken one; else the packet's latest one.
  logic             own;
  logic [UnitW-1:0] begins;
  logic [31:0]      row;
  assign own    = !write_q.opened || (write_q.fresh && write_q.at % RowBytes == 0);
  assign begins = own ? write_q.unit[UnitW-1:0] : write_q.tail[UnitW-1:0];
  assign row    = Linked ? 32'(begins) : 32'(begins) * UnitRows + 32'(write_q.at) / RowBytes;

  // The rows and beats of a closed packet, from the second beat of its frame on.
  logic [31:0] stop;
  assign stop = 32'(closed_stop_i) + 32'(pad_bytes(closed_stop_i));

  always_ff @(posedge clk_i) begin
    if (known) begin
      // There is storage for the longest PR while so many units are free that nobody has reserved,
      // as of the cycle before. One that comes back is free five cycles later, a credit that is
      // given back two; none is in a reset.
      a_enough : assert (enough == enough_q)
      else $error("enough: %b, %0d are not reserved", enough, credit_q);
      // That number is known (helps the proof).
      a_credit : assert (32'(u_dut.credit_q) == credit_q &&
                         {u_dut.back_q, 2'(u_dut.returned_q)} ==
                         {back_q[4:1], 2'(refund_q) + 2'(back_q[5])})
      else $error("%0d are not reserved, not %0d", u_dut.credit_q, credit_q);
    end
    // A part is written from the row on that it begins in, at its place there; rows are told a
    // cycle later than all else.
    a_row : assert (!past_q || 32'(u_dut.u_rows.write_row_i) == row % (2 ** RowW))
    else $error("row %0d", u_dut.u_rows.write_row_i);
    // What does not fit goes on in the packet's next row: that of the part's own unit, or the one
    // behind in the same unit.
    a_next : assert (!past_q || 32'(u_dut.u_rows.write_next_i) ==
                     (Linked ? 32'(write_q.unit[UnitW-1:0]) : (row + 32'd1) % (2 ** RowW)))
    else $error("next row %0d", u_dut.u_rows.write_next_i);
    a_part : assert ({u_dut.u_rows.rst_ni, u_dut.u_rows.write_valid_i, u_dut.u_rows.write_at_i,
                      u_dut.u_rows.write_bytes_i, u_dut.u_rows.write_data_i} ==
                     {rst_ni, write_valid_i, 7'(write_i.at % RowBytes), write_i.bytes,
                      write_i.data})
    else $error("another part is written");
    // A closed packet waits with its beats, pad among them, its rows and its first unit.
    a_closed : assert (u_dut.u_closed.in_valid_i == closed_valid_i &&
                       closed_ready == u_dut.u_closed.in_ready_o &&
                       closed_count == u_dut.u_closed.count_o && u_dut.u_closed.rst_ni == rst_ni)
    else $error("a closed packet");
    a_beats : assert (u_dut.u_closed.in_i.beats == 7'((stop + BeatBytes - 1) / BeatBytes))
    else $error("%0d beats", u_dut.u_closed.in_i.beats);
    a_rows : assert (32'(u_dut.u_closed.in_i.rows) ==
                     (32'(closed_stop_i) + RowBytes - 1) / RowBytes &&
                     u_dut.u_closed.in_i.first == closed_first_i)
    else $error("%0d rows from unit %0d", u_dut.u_closed.in_i.rows, u_dut.u_closed.in_i.first);
    // The oldest one leaves, by rows that are read as it leaves.
    a_leaves : assert ({u_dut.u_drain.rst_ni, u_dut.u_drain.closed_valid_i,
                        u_dut.u_drain.beats_i, u_dut.u_drain.rows_i, u_dut.u_drain.first_i} ==
                       {rst_ni, u_dut.u_closed.out_valid_o, u_dut.u_closed.out_o} &&
                       u_dut.u_closed.out_ready_i == u_dut.u_drain.closed_ready_o)
    else $error("another packet leaves");
    a_reads : assert (u_dut.u_rows.read_valid_i == u_dut.u_drain.read_valid_o &&
                      u_dut.u_rows.read_row_i == u_dut.u_drain.read_row_o &&
                      u_dut.u_drain.read_data_i == u_dut.u_rows.read_data_o)
    else $error("another row is read");
    a_data : assert ({data_valid, data} == {u_dut.u_drain.data_valid_o, u_dut.u_drain.data_o} &&
                     u_dut.u_drain.data_ready_i == data_ready_i)
    else $error("another beat leaves");
    // In linked storage a part that takes a row for an open packet links it behind the latest.
    a_link : assert (u_dut.u_drain.link_valid_i ==
                     (Linked && write_valid_i && write_i.opened && write_i.fresh))
    else $error("links: %b", u_dut.u_drain.link_valid_i);
    a_linked : assert ({u_dut.u_drain.link_from_i, u_dut.u_drain.link_to_i} ==
                       {write_i.tail[UnitW-1:0], write_i.unit[UnitW-1:0]})
    else $error("another link");
    // Units come from the pool, by way of a register stage, to whoever takes them, and go back.
    a_pool : assert ({u_dut.u_pool.rst_ni, u_dut.u_pool.take_i, u_dut.u_pool.give_i,
                      u_dut.u_pool.give_id_i} ==
                     {rst_ni, u_dut.u_pool.valid_o && u_dut.u_unit.in_ready_o,
                      u_dut.u_drain.give_valid_o, u_dut.u_drain.give_unit_o})
    else $error("pool");
    a_unit : assert ({u_dut.u_unit.rst_ni, u_dut.u_unit.in_valid_i, u_dut.u_unit.in_i,
                      u_dut.u_unit.out_ready_i} ==
                     {rst_ni, u_dut.u_pool.valid_o, u_dut.u_pool.id_o, take_i} &&
                     unit == u_dut.u_unit.out_o)
    else $error("unit");
    // It is busy while a closed packet waits or leaves.
    a_busy : assert (busy == (u_dut.u_drain.busy_o || closed_count != '0))
    else $error("busy: %b", busy);

    // The last beat of a frame is pad alone; a unit comes back while there are enough.
    c_pad  : cover (past_q && closed_valid_i && 32'(closed_stop_i) % 64 == 0 && stop % 64 == 2);
    c_back : cover (known && enough && !enough_q == 1'b0 && back_q[5]);
  end

endmodule
