// rc_queue: what of a packet is written and kept, what is shown, what is read, and when a place
// comes free, cycle by cycle, whatever comes and whoever claims.
//
// Its memories and the two queues of claims are left out of the circuit and free (`cuts` of the
// task); what they get is looked at. They have proofs of their own: prim_ram_checked,
// prim_ram_ecc_at, prim_fifo. That all together is a queue is proved of the whole (rc_queue).
module queue_steps_props
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam int unsigned Room = 8,
  localparam int unsigned MaxRows = 4,
  localparam int unsigned AtW = $clog2(Room),
  localparam int unsigned RowW = $clog2(MaxRows),
  localparam int unsigned CountW = AtW + 1
) (
  input logic     clk_i,
  input logic     rst_ni,
  input logic     clear_i,
  input rc_came_t came_i,
  input logic     keep_i,
  input rc_kept_t kept_i,
  input logic     claim_i,
  input logic     claim_drop_i,
  input logic     row_re_i
);

  logic                 gone;
  rc_packet_t           oldest;
  logic [RcRowBits-1:0] row;
  rc_memory_t           memory;

  rc_queue #(
    .Room   (Room),
    .MaxRows(MaxRows),
    .Ecc    (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .came_i,
    .keep_i,
    .kept_i,
    .gone_o      (gone),
    .oldest_o    (oldest),
    .claim_i,
    .claim_drop_i,
    .row_re_i,
    .row_o       (row),
    .memory_o    (memory)
  );

  // What is said of a packet.
  typedef struct packed {
    rc_kept_t        is;
    logic            some;
    logic [RowW-1:0] last_row;
  } known_t;
  known_t shown, known;
  assign shown = u_dut.u_known.rdata_o;

  // In this cycle: the packet that comes had no place; a row of it; it is kept. A packet is
  // fetched to be shown; one leaves; a row is read, the last one of a packet.
  logic                       inner, lost, keeps, fetches, leaves, reads, finishes, tells;
  logic [RowW:0]              number;
  logic [RowW-1:0]            last_row;   // of the packet that is read
  logic                       with_rows;  // a packet that is claimed, to be read
  always_comb begin
    inner  = rst_ni && !clear_i;
    lost   = u_dut.lost_q;
    number = u_dut.next_row_q;
    if (came_i.start) number = '0;
    if (came_i.valid && came_i.start) lost = 32'(u_dut.count_q) == Room;
    keeps = came_i.stop && (keep_i || u_dut.keep_q);
    known.is       = keep_i ? kept_i : u_dut.kept_q;
    known.some     = known.is.len > 13'd0;
    known.last_row = known.is.len[RowW+5:6] - RowW'(known.is.len[5:0] == '0);
    fetches  = u_dut.fresh_q > '0 && !u_dut.fetch_q && !oldest.valid;
    leaves   = u_dut.u_order.out_valid_o;
    if (u_dut.u_order.out_o && u_dut.read_q == '0) leaves = 1'b0;
    last_row  = u_dut.u_rows.out_o[RowW-1:0];
    reads     = row_re_i && u_dut.u_rows.out_valid_o;
    finishes  = reads && u_dut.read_row_q == last_row;
    with_rows = shown.some && !claim_drop_i;
    tells     = u_dut.owed_q > '0 && !u_dut.lost_q;
  end

  // The same in the cycle before, with what was remembered then.
  typedef struct packed {
    logic              inner, lost, keeps, fetches, leaves, reads, finishes, tells, valid, stop;
    logic              keep, fetched, shown, claim, counted, kept_before;
    logic [RowW:0]     number, next;
    rc_kept_t          kept, old;
    logic [AtW-1:0]    write_at, show_at, shown_at;
    logic [CountW-1:0] count, fresh, read, owed;
    logic [RowW-1:0]   read_row;
  } was_t;
  was_t       w;
  logic       past_q;
  rc_memory_t found_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    w <= '{inner: inner, lost: lost, keeps: keeps, fetches: fetches, leaves: leaves, reads: reads,
           finishes: finishes, tells: tells, valid: came_i.valid, stop: came_i.stop, keep: keep_i,
           fetched: u_dut.fetch_q, shown: oldest.valid, claim: claim_i,
           counted: u_dut.u_order.out_o, kept_before: u_dut.keep_q, number: number,
           next: u_dut.next_row_q, kept: kept_i, old: u_dut.kept_q, write_at: u_dut.write_at_q,
           show_at: u_dut.show_at_q, shown_at: u_dut.shown_at_q, count: u_dut.count_q,
           fresh: u_dut.fresh_q, read: u_dut.read_q, owed: u_dut.owed_q,
           read_row: u_dut.read_row_q};
    // What memories found: a row, or a packet, of which the head counts only if it has rows.
    found_q <= '0;
    if (Ecc != 0 && rst_ni) begin
      found_q.word.scope <= OfTrees;
      found_q.corrected  <= u_dut.u_ram.corrected_o;
      found_q.bad        <= u_dut.u_ram.bad_o || u_dut.u_known.bad_o ||
          (u_dut.u_heads.bad_o && shown.some);
      if (u_dut.u_known.bad_o) begin
        {found_q.word.memory, found_q.word.at} <= {MemCame, 16'(u_dut.u_known.at_o)};
      end else if (u_dut.u_heads.bad_o && shown.some) begin
        {found_q.word.memory, found_q.word.at} <= {MemCame, 16'(u_dut.u_heads.at_o)};
      end else begin
        {found_q.word.memory, found_q.word.at} <= {MemCameRows, 16'(u_dut.u_ram.at_o)};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // A row is written behind those of its packet, in the place behind what is kept, if the packet
    // had one as it began, and as far as a place goes.
    a_writes : assert (u_dut.u_ram.we_i == (came_i.valid && !lost && 32'(number) < MaxRows) &&
                       u_dut.u_ram.waddr_i == {u_dut.write_at_q, number[RowW-1:0]} &&
                       u_dut.u_ram.wdata_i == came_i.row)
    else $error("row %0d", number);
    // With the first one its head is,
    a_head : assert (u_dut.u_heads.we_i == (came_i.valid && came_i.start &&
                                            32'(u_dut.count_q) != Room) &&
                     u_dut.u_heads.waddr_i == u_dut.write_at_q &&
                     u_dut.u_heads.wdata_i == came_i.row[255:0])
    else $error("another head");
    // and with its end what is known of it, if it is kept.
    a_keeps : assert (u_dut.u_known.we_i == keeps && u_dut.u_known.waddr_i == u_dut.write_at_q)
    else $error("keeps %b", u_dut.u_known.we_i);
    // It has rows if it has bytes, and the last one is that of its last byte.
    a_known : assert ({u_dut.u_known.wdata_i[$bits(known_t)-1:RowW+1],
                       u_dut.u_known.wdata_i[RowW]} == {known.is, known.some} &&
                      (!known.some || u_dut.u_known.wdata_i[RowW-1:0] == known.last_row))
    else $error("known %h", u_dut.u_known.wdata_i);
    // A packet is fetched if none is shown; both memories are read at its place.
    a_fetches : assert ({u_dut.u_heads.re_i, u_dut.u_known.re_i} == {2{fetches}} &&
                        {u_dut.u_heads.raddr_i, u_dut.u_known.raddr_i} == {2{u_dut.show_at_q}})
    else $error("fetches %b", u_dut.u_heads.re_i);
    // It is shown as it is kept, with its head.
    a_shown : assert ({oldest.first, oldest.last, oldest.len, oldest.head} ==
                      {shown.is.first, shown.is.last, shown.is.len, u_dut.u_heads.rdata_o})
    else $error("a packet of %0d bytes", oldest.len);
    // A claim is remembered: whether it will be read, and if so, where and up to which row.
    a_claim : assert ({u_dut.u_order.in_valid_i, u_dut.u_order.in_i} == {claim_i, with_rows} &&
                      {u_dut.u_rows.in_valid_i, u_dut.u_rows.in_i} ==
                      {claim_i && with_rows, u_dut.shown_at_q, shown.last_row})
    else $error("another claim");
    // Rows are read in order, and a packet is done with its last one.
    a_reads : assert (u_dut.u_ram.re_i == reads && u_dut.u_ram.raddr_i ==
                      {u_dut.u_rows.out_o[AtW+RowW-1:RowW], u_dut.read_row_q} &&
                      u_dut.u_rows.out_ready_i == finishes && row == u_dut.u_ram.rdata_o)
    else $error("reads %b", u_dut.u_ram.re_i);
    // The next one leaves in turn, if it is not read or was.
    a_leaves : assert (u_dut.u_order.out_ready_i == leaves)
    else $error("leaves %b", u_dut.u_order.out_ready_i);
    // All that is read counts; claims are forgotten with all else.
    a_used : assert ({u_dut.u_heads.use_i, u_dut.u_known.use_i, u_dut.u_ram.use_i} == '1 &&
                     {u_dut.u_rows.rst_ni, u_dut.u_order.rst_ni} == {2{inner}})
    else $error("not used");

    if (past_q) begin
      // Rows are counted up to one more than a place has.
      a_next : assert (u_dut.next_row_q == (!w.valid ? w.next : (32'(w.number) >= MaxRows) ?
                       w.number : w.number + (RowW + 1)'(1)))
      else $error("row %0d", u_dut.next_row_q);
      // A packet without a place is lost to its end.
      a_lost : assert (u_dut.lost_q == (w.inner && w.lost && !w.stop))
      else $error("lost %b", u_dut.lost_q);
      // That a packet is to be kept is remembered to its end, and as what.
      a_keep : assert (u_dut.keep_q == (w.inner && !w.stop && (w.keep || w.kept_before)))
      else $error("keep %b", u_dut.keep_q);
      a_kept : assert (u_dut.kept_q == (w.keep ? w.kept : w.old))
      else $error("kept %h", u_dut.kept_q);
      // The next place is behind each packet that is kept.
      a_place : assert (u_dut.write_at_q == (!w.inner ? '0 : AtW'(w.write_at + AtW'(w.keeps))))
      else $error("place %0d", u_dut.write_at_q);
      // Packets inside: one more with each that is kept, one less with each that leaves;
      a_count : assert (u_dut.count_q == (!w.inner ? '0 : CountW'(w.count + CountW'(w.keeps) -
                                                                  CountW'(w.leaves))))
      else $error("%0d inside", u_dut.count_q);
      // those that were not shown yet; those that were read and have not left;
      a_fresh : assert (u_dut.fresh_q == (!w.inner ? '0 : CountW'(w.fresh + CountW'(w.keeps) -
                                                                  CountW'(w.fetches))))
      else $error("%0d fresh", u_dut.fresh_q);
      a_read : assert (u_dut.read_q == (!w.inner ? '0 : CountW'(w.read + CountW'(w.finishes) -
                                                      CountW'(w.leaves && w.counted))))
      else $error("%0d read", u_dut.read_q);
      // and those that have left, which was not told yet.
      a_owed : assert (u_dut.owed_q == (!w.inner ? '0 : CountW'(w.owed + CountW'(w.leaves) -
                                                                CountW'(w.tells))))
      else $error("%0d owed", u_dut.owed_q);
      // It is told while no packet comes that is lost.
      a_gone : assert (gone == (w.inner && w.tells))
      else $error("gone %b", gone);
      // What is fetched is shown two cycles later, until it is claimed.
      a_fetched : assert (u_dut.fetch_q == (w.inner && w.fetches))
      else $error("fetched %b", u_dut.fetch_q);
      a_shows : assert (oldest.valid == (w.inner && (w.fetched || (w.shown && !w.claim))))
      else $error("shown %b", oldest.valid);
      // Its place is remembered, and the next one is fetched behind it.
      a_at : assert (u_dut.shown_at_q == (w.fetches ? w.show_at : w.shown_at) &&
                     u_dut.show_at_q == (!w.inner ? '0 : AtW'(w.show_at + AtW'(w.fetches))))
      else $error("place %0d", u_dut.shown_at_q);
      // The row that is read next is the one behind, or a packet's first.
      a_row : assert (u_dut.read_row_q == ((!w.inner || w.finishes) ? '0 :
                                           RowW'(w.read_row + RowW'(w.reads))))
      else $error("row %0d", u_dut.read_row_q);
      // What memories found is told a cycle later, a packet before a row.
      a_memory : assert (memory == found_q)
      else $error("memory %h", memory);
    end

    // A packet of two rows is read while one comes that is lost.
    c_lost : cover (past_q && finishes && last_row == RowW'(1) && lost && w.reads && w.inner);
  end

endmodule
