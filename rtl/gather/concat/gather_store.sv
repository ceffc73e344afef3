// Storage of packets that are being collected or leave: a pool of units, the rows in them, and the
// way out.
//
// A packet's storage belongs to it until it has left. Units are as long as a packet, or rows that
// are linked. Who waits: closed packets for beats to be taken.
module gather_store
  import gather_pkg::*;
#(
  /// Units of storage.
  parameter int unsigned NumUnits = 256,
  /// Rows of 128 bytes in a unit.
  parameter int unsigned UnitRows = 1,
  /// 1: the rows of a packet are linked; a unit is a row.
  parameter bit Linked = 1'b1,
  /// Closed packets that may wait.
  parameter int unsigned Closed = 8,
  localparam int unsigned UnitW = $clog2(NumUnits),
  localparam int unsigned ClosedW = $clog2(Closed + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // `enough_o`: there are units for the longest PR. Whoever may need a unit reserves a credit; a
  // cycle later or more it takes a unit for it, `unit_o`, or gives the credit back (`refund_i`).
  output logic             enough_o,
  input  logic             reserve_i,
  input  logic             refund_i,
  input  logic             take_i,
  output logic [UnitW-1:0] unit_o,

  // A part of a packet, never refused. Units have as many bits as the largest device needs.
  input logic  write_valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input part_t write_i,
  // verilator lint_on UNUSEDSIGNAL

  // A packet is closed, ClosedAfter cycles after its last part or later: where it ends, and its
  // first unit. `count`: closed packets that wait.
  input  logic               closed_valid_i,
  output logic               closed_ready_o,
  input  logic [11:0]        closed_stop_i,
  input  logic [UnitW-1:0]   closed_first_i,
  output logic [ClosedW-1:0] closed_count_o,

  // Beats of the closed packets, in order.
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  // Level: a closed packet waits or leaves.
  output logic busy_o
);

  localparam int unsigned NumRows = NumUnits * UnitRows;
  localparam int unsigned RowW = $clog2(NumRows);
  localparam int unsigned FreeW = $clog2(NumUnits + 1);
  /// Units that the longest PR may need, one that may be reserved before that is seen, and those of
  /// beats that are under way and will give theirs back.
  localparam int unsigned LongRows = (PrBytes + MaxLen + PrStart + RowBytes - 1) / RowBytes;
  localparam int unsigned Enough = Linked ? LongRows + 5 : 2;
  /// Cycles from a unit that comes back until it can be taken.
  localparam int unsigned Back = 4;

  typedef struct packed {
    logic [6:0]       beats;
    logic [5:0]       rows;
    logic [UnitW-1:0] first;
  } stored_t;

  stored_t            stored, head;
  logic               head_valid, head_ready, drain_busy;
  logic [RowW-1:0]    row, row_next, read_row;
  logic               read_valid, give, unit_valid, pool_valid, pool_ready;
  logic [RowBits-1:0] read_data;
  logic [UnitW-1:0]   give_unit, tail_q, unit_q, pool_unit;
  logic [4:0]         part_q;   // which of the unit's rows
  logic [FreeW-1:0]   credit_q;
  logic [1:0]         returned_q;
  logic [Back-1:0]    back_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [FreeW-1:0]   free;
  // verilator lint_on UNUSEDSIGNAL

  gather_pool #(
    .Size(NumUnits)
  ) u_pool (
    .clk_i,
    .rst_ni,
    .valid_o  (pool_valid),
    .take_i   (pool_valid && pool_ready),
    .id_o     (pool_unit),
    .give_i   (give),
    .give_id_i(give_unit),
    .free_o   (free)
  );

  // Units stand ready in registers.
  prim_skid #(
    .T(logic [UnitW-1:0])
  ) u_unit (
    .clk_i,
    .rst_ni,
    .in_valid_i (pool_valid),
    .in_ready_o (pool_ready),
    .in_i       (pool_unit),
    .out_valid_o(unit_valid),
    .out_ready_i(take_i),
    .out_o      (unit_o)
  );

  // Units that can be taken and are not reserved. What comes back is counted when it can be taken.
  always_ff @(posedge clk_i) begin
    back_q     <= {back_q[Back-2:0], give};
    returned_q <= 2'(refund_i) + 2'(back_q[Back-1]);
    credit_q   <= credit_q + FreeW'(returned_q) - FreeW'(reserve_i);
    enough_o   <= 32'(credit_q) >= Enough;
    if (!rst_ni) begin
      back_q     <= '0;
      returned_q <= '0;
      credit_q   <= FreeW'(NumUnits);
      enough_o   <= 1'b0;
    end
  end

  // A part that begins in an old row may end in a new one; one that begins at the front of a row
  // begins in the new one.
  always_ff @(posedge clk_i) begin
    tail_q <= (!write_i.opened || (write_i.at[6:0] == '0 && write_i.fresh)) ?
        write_i.unit[UnitW-1:0] : write_i.tail[UnitW-1:0];
    unit_q <= write_i.unit[UnitW-1:0];
    part_q <= write_i.at[11:7];
  end
  if (Linked) begin : gen_linked_row
    assign row      = tail_q;
    assign row_next = unit_q;
    // Which of the packet's rows it is, the links know.
    logic unused;
    assign unused = ^part_q;
  end else begin : gen_whole_row
    assign row      = RowW'(32'(tail_q) * UnitRows) + RowW'(part_q);
    assign row_next = row + RowW'(1);
    logic unused;
    assign unused = ^unit_q;
  end

  gather_rows #(
    .NumRows(NumRows)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .write_valid_i,
    .write_row_i  (row),
    .write_next_i (row_next),
    .write_at_i   (write_i.at[6:0]),
    .write_bytes_i(write_i.bytes),
    .write_data_i (write_i.data),
    .read_valid_i (read_valid),
    .read_row_i   (read_row),
    .read_data_o  (read_data)
  );

  assign stored = '{
    beats: 7'((13'(closed_stop_i) + 13'(pad_bytes(closed_stop_i)) + 13'(BeatBytes - 1)) >> 6),
    rows: 6'((13'(closed_stop_i) + 13'(RowBytes - 1)) >> 7),
    first: closed_first_i
  };

  prim_fifo #(
    .T    (stored_t),
    .Depth(Closed)
  ) u_closed (
    .clk_i,
    .rst_ni,
    .in_valid_i (closed_valid_i),
    .in_ready_o (closed_ready_o),
    .in_i       (stored),
    .out_valid_o(head_valid),
    .out_ready_i(head_ready),
    .out_o      (head),
    .count_o    (closed_count_o)
  );

  gather_drain #(
    .NumUnits(NumUnits),
    .UnitRows(UnitRows),
    .Linked  (Linked)
  ) u_drain (
    .clk_i,
    .rst_ni,
    .closed_valid_i(head_valid),
    .closed_ready_o(head_ready),
    .beats_i       (head.beats),
    .rows_i        (head.rows),
    .first_i       (head.first),
    .link_valid_i  (Linked && write_valid_i && write_i.opened && write_i.fresh),
    .link_from_i   (write_i.tail[UnitW-1:0]),
    .link_to_i     (write_i.unit[UnitW-1:0]),
    .read_valid_o  (read_valid),
    .read_row_o    (read_row),
    .read_data_i   (read_data),
    .give_valid_o  (give),
    .give_unit_o   (give_unit),
    .data_valid_o,
    .data_ready_i,
    .data_o,
    .busy_o        (drain_busy)
  );

  assign busy_o = drain_busy || closed_count_o != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Whoever reserved a unit finds one; else its PR would be written over another one's.
      a_unit : assert (!take_i || unit_valid)
      else $error("%m: a unit is taken, and none is there");
      a_credit : assert (32'(credit_q) <= NumUnits && (!reserve_i || credit_q != '0))
      else $error("%m: %0d units are not reserved", credit_q);
    end
  end

endmodule
