// Packets of a connection from when they come in until their last row was read (docs/tree.md).
//
// Rows are written while they come, whoever they are for, into the place behind the packets that
// are kept; `keep_i` keeps them, else the next packet takes the same place. What was kept is shown
// in its order, one packet at a time; who uses the connection claims it, and then reads its rows,
// behind those of all that was claimed before. A packet's room goes back (`gone_o`) in the order of
// packets: behind its last row, or at once if it was dropped or has no row.
//
// While a packet comes that found no place, room that comes free is told only behind its end:
// whoever decides of it must not find that there was room when its rows are lost.
module rc_queue
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Packets that are kept, a power of two.
  parameter int unsigned Room = 64,
  /// Rows of a packet, a power of two. What comes behind them is thrown away.
  parameter int unsigned MaxRows = RcMaxRows,
  /// 1: rows are corrected, and read a cycle later; the rest is looked at (rc_memory_t).
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // All is forgotten. Rows of it that are still read are anything; no packet that comes later is
  // claimed before the last of those reads.
  input logic clear_i,

  // What comes in, one row a cycle, never refused. `keep_i` comes with the packet's `stop` or
  // before, behind the `stop` of the one in front.
  input rc_came_t came_i,
  input logic     keep_i,
  input rc_kept_t kept_i,

  // A packet that was kept has left.
  output logic gone_o,

  // The oldest packet that was not claimed; two cycles or more behind a claim there is the next
  // one.
  output rc_packet_t oldest_o,
  input  logic       claim_i,        // with oldest_o.valid
  input  logic       claim_drop_i,   // with claim_i: its rows will not be read

  // The next row of what was claimed, from the cycle behind the claim on; QueueRow cycles later.
  input  logic                 row_re_i,
  output logic [RcRowBits-1:0] row_o,

  output rc_memory_t memory_o   // flipped bits that were read
);

  if (Room < 4 || Room > 1024 || Room != 2 ** $clog2(Room)) begin : gen_check_room
    $fatal(1, "%m: Room must be a power of two, 4 to 1024");
  end
  if (MaxRows < 4 || MaxRows > RcMaxRows || MaxRows != 2 ** $clog2(MaxRows)) begin : gen_check_rows
    $fatal(1, "%m: MaxRows must be a power of two, 4 to 64");
  end
  if (QueueRow != 2) begin : gen_check_row
    $fatal(1, "%m: prim_ram_deep shows a row two cycles after the request, not %0d", QueueRow);
  end

  localparam int unsigned AtW = $clog2(Room);
  localparam int unsigned RowW = $clog2(MaxRows);
  localparam int unsigned CountW = AtW + 1;

  /// What is known of a packet that is kept.
  typedef struct packed {
    rc_kept_t        is;
    logic            some;       // it has rows
    logic [RowW-1:0] last_row;
  } known_t;

  logic inner_rst_n;
  assign inner_rst_n = rst_ni && !clear_i;

  // ---------------------------------------------------------------------------------------------
  // What comes.

  logic [AtW-1:0]    write_at_q;      // the place behind what is kept
  logic [RowW:0]     row_at, next_row_q;
  logic              full, lost, lost_q, keep_q, keeps;
  rc_kept_t          kept_q;
  known_t            known;
  logic [CountW-1:0] count_q;         // packets that are kept
  logic              gone;            // one of them has left

  assign full   = count_q == CountW'(Room);
  assign row_at = came_i.start ? '0 : next_row_q;
  assign lost   = (came_i.valid && came_i.start) ? full : lost_q;
  assign keeps  = came_i.stop && (keep_q || keep_i);

  always_comb begin
    known.is       = keep_i ? kept_i : kept_q;
    known.some     = known.is.len != '0;
    known.last_row = RowW'(roce_pkg::last_row_of(14'(known.is.len)));
  end

  always_ff @(posedge clk_i) begin
    if (came_i.valid) next_row_q <= row_at + (RowW + 1)'(!row_at[RowW]);
    lost_q <= lost && !came_i.stop;
    keep_q <= (keep_i || keep_q) && !came_i.stop;
    if (keep_i) kept_q <= kept_i;
    if (keeps) write_at_q <= write_at_q + AtW'(1);
    count_q <= count_q + CountW'(keeps) - CountW'(gone);
    if (!inner_rst_n) begin
      lost_q     <= 1'b0;
      keep_q     <= 1'b0;
      write_at_q <= '0;
      count_q    <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is shown: the packet at `show_at_q`, read when it is the oldest one.

  logic [AtW-1:0]    show_at_q, shown_at_q;
  logic [CountW-1:0] fresh_q;         // packets that were not shown yet
  logic              fetch, fetch_q, shown_q;
  known_t            shown;
  logic [255:0]      head;

  assign fetch = fresh_q != '0 && !fetch_q && !shown_q;

  logic           head_bad, known_bad;
  logic [AtW-1:0] head_at, known_at;

  prim_ram_checked #(
    .Width(256),
    .Depth(Room),
    .Check(Ecc)
  ) u_heads (
    .clk_i,
    .we_i   (came_i.valid && came_i.start && !full),
    .waddr_i(write_at_q),
    .wdata_i(came_i.row[255:0]),
    .re_i   (fetch),
    .raddr_i(show_at_q),
    .rdata_o(head),
    .use_i  (1'b1),
    .bad_o  (head_bad),
    .at_o   (head_at)
  );

  prim_ram_checked #(
    .Width($bits(known_t)),
    .Depth(Room),
    .Check(Ecc)
  ) u_known (
    .clk_i,
    .we_i   (keeps),
    .waddr_i(write_at_q),
    .wdata_i(known),
    .re_i   (fetch),
    .raddr_i(show_at_q),
    .rdata_o(shown),
    .use_i  (1'b1),
    .bad_o  (known_bad),
    .at_o   (known_at)
  );

  always_ff @(posedge clk_i) begin
    fetch_q <= fetch;
    shown_q <= fetch_q || (shown_q && !claim_i);
    fresh_q <= fresh_q + CountW'(keeps) - CountW'(fetch);
    if (fetch) begin
      show_at_q  <= show_at_q + AtW'(1);
      shown_at_q <= show_at_q;
    end
    if (!inner_rst_n) begin
      fetch_q   <= 1'b0;
      shown_q   <= 1'b0;
      fresh_q   <= '0;
      show_at_q <= '0;
    end
  end

  assign oldest_o = '{valid: shown_q, first: shown.is.first, last: shown.is.last,
                      len: shown.is.len, head: head};

  // ---------------------------------------------------------------------------------------------
  // What was claimed: the rows that are read, packet by packet, and in which order places come
  // free.

  typedef struct packed {
    logic [AtW-1:0]  at;
    logic [RowW-1:0] last_row;
  } claimed_t;

  logic              reads, rows_ready, rows_valid, order_ready, order_valid, order_reads, row_re;
  logic              read_last, finishes, tells;
  claimed_t          rows;
  logic [RowW-1:0]   read_row_q;
  logic [CountW-1:0] read_q;          // packets that were read and hold their places yet
  logic [CountW-1:0] owed_q;          // packets that have left, which was not told yet
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Room+1)-1:0] rows_count, order_count;
  // verilator lint_on UNUSEDSIGNAL

  assign reads     = !claim_drop_i && shown.some;
  assign row_re    = row_re_i && rows_valid;
  assign read_last = read_row_q == rows.last_row;
  assign finishes  = row_re && read_last;
  assign gone      = order_valid && (!order_reads || read_q != '0);
  assign tells     = owed_q != '0 && !lost_q;

  prim_fifo #(
    .T    (claimed_t),
    .Depth(Room),
    .Head (1'b1)
  ) u_rows (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .in_valid_i (claim_i && reads),
    .in_ready_o (rows_ready),
    .in_i       ('{at: shown_at_q, last_row: shown.last_row}),
    .out_valid_o(rows_valid),
    .out_ready_i(finishes),
    .out_o      (rows),
    .count_o    (rows_count)
  );

  prim_fifo #(
    .T    (logic),
    .Depth(Room)
  ) u_order (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .in_valid_i (claim_i),
    .in_ready_o (order_ready),
    .in_i       (reads),
    .out_valid_o(order_valid),
    .out_ready_i(gone),
    .out_o      (order_reads),
    .count_o    (order_count)
  );

  always_ff @(posedge clk_i) begin
    if (row_re) read_row_q <= read_last ? '0 : read_row_q + RowW'(1);
    read_q <= read_q + CountW'(finishes) - CountW'(gone && order_reads);
    owed_q <= owed_q + CountW'(gone) - CountW'(tells);
    gone_o <= tells;
    if (!inner_rst_n) begin
      gone_o     <= 1'b0;
      read_row_q <= '0;
      read_q     <= '0;
      owed_q     <= '0;
    end
  end

  logic                row_corrected, row_bad;
  logic [AtW+RowW-1:0] row_of;

  prim_ram_ecc_at #(
    .Width  (RcRowBits),
    .Depth  (Room * MaxRows),
    .Latency(QueueRow + Ecc),
    .Deep   (1'b1),
    .Ecc    (Ecc)
  ) u_ram (
    .clk_i,
    .we_i       (came_i.valid && !lost && !row_at[RowW]),
    .waddr_i    ({write_at_q, row_at[RowW-1:0]}),
    .wdata_i    (came_i.row),
    .re_i       (row_re),
    .raddr_i    ({rows.at, read_row_q}),
    .rdata_o    (row_o),
    .use_i      (1'b1),
    .corrected_o(row_corrected),
    .bad_o      (row_bad),
    .at_o       (row_of)
  );

  if (Ecc != 0) begin : gen_memory
    rc_memory_t rows_found, packets_found;

    assign rows_found = '{corrected: row_corrected, bad: row_bad,
                          word: '{memory: MemCameRows, scope: OfTrees, port: '0,
                                  at: 16'(row_of)}};
    // A packet without a row has no head.
    assign packets_found = '{corrected: 1'b0, bad: (head_bad && shown.some) || known_bad,
                             word: '{memory: MemCame, scope: OfTrees, port: '0,
                                     at: known_bad ? 16'(known_at) : 16'(head_at)}};

    always_ff @(posedge clk_i) begin
      memory_o <= both(packets_found, rows_found);
      if (!rst_ni) memory_o <= '0;
    end
  end else begin : gen_no_memory
    assign memory_o = '0;
    logic unused;
    assign unused = row_corrected || row_bad || row_of != '0 || head_bad || known_bad ||
        head_at != '0 || known_at != '0;
  end

  // ---------------------------------------------------------------------------------------------

  logic forgotten_q;   // reads may be of what was forgotten,
  logic broken_q;      // or of a packet that is not as long any more as it was
  always_ff @(posedge clk_i) begin
    if (claim_i) forgotten_q <= 1'b0;
    if (known_bad) broken_q <= 1'b1;
    if (!inner_rst_n) begin
      forgotten_q <= 1'b1;
      broken_q    <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // A packet is kept only in a place of its own; else it would replace one that nobody has
      // read.
      a_place : assert (!keeps || (!full && !lost_q))
      else $error("%m: a packet is kept without room");
      // Only what is shown is claimed, or was forgotten meanwhile: a packet is claimed up to two
      // cycles behind the end of its connection. Else packets and claims would be out of step.
      a_claim : assert (!claim_i || shown_q || forgotten_q)
      else $error("%m: a claim of nothing");
      // Only rows of what was claimed are read; they would be another packet's.
      a_read : assert (!row_re_i || rows_valid || forgotten_q || broken_q || known_bad)
      else $error("%m: a row is read of no packet");
      // Each claim is remembered; else a place would never come free.
      a_remembered : assert (!claim_i || (order_ready && rows_ready))
      else $error("%m: more claims than packets");
    end
  end

endmodule
