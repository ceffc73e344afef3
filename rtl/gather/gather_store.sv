// Storage of packets that are being collected or leave: a pool of units, the rows in them, and the
// way out.
//
// A packet's storage belongs to it until it has left. Units are as long as a packet, or rows that are
// linked. Who waits: closed packets for beats to be taken.
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
  localparam int unsigned FreeW = $clog2(NumUnits + 1),
  localparam int unsigned ClosedW = $clog2(Closed + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // A free unit, if there is one, and how many there are.
  output logic             unit_valid_o,
  output logic [UnitW-1:0] unit_o,
  output logic [FreeW-1:0] free_o,

  // A part of a packet, from byte `at` of the packet on. It takes the free unit if `new`; `tail` is
  // the packet's latest unit so far, if it was opened before.
  input logic                    write_valid_i,
  input logic                    write_new_i,
  input logic                    write_opened_i,
  input logic [UnitW-1:0]        write_tail_i,
  input logic [11:0]             write_at_i,
  input logic [6:0]              write_bytes_i,
  input logic [8*ChunkBytes-1:0] write_data_i,

  // A packet is closed, two cycles after its last part or later: where it ends and where it begins.
  input  logic               closed_valid_i,
  output logic               closed_ready_o,
  input  logic [11:0]        closed_stop_i,
  input  logic [UnitW-1:0]   closed_first_i,
  output logic [ClosedW-1:0] closed_count_o,

  // Closed packets, in order.
  output logic         data_valid_o,
  input  logic         data_ready_i,
  output packet_beat_t data_o,

  // A packet waits or leaves.
  output logic busy_o
);

  localparam int unsigned NumRows = NumUnits * UnitRows;
  localparam int unsigned RowW = $clog2(NumRows);

  typedef struct packed {
    logic [11:0]      stop;
    logic [UnitW-1:0] first;
  } stored_t;

  stored_t            stored, head;
  logic               head_valid, head_ready, drain_busy;
  logic [RowW-1:0]    row, row_next, read_row;
  logic               read_valid, give;
  logic [RowBits-1:0] read_data;
  logic [UnitW-1:0]   give_unit, tail;

  gather_pool #(
    .Size(NumUnits)
  ) u_pool (
    .clk_i,
    .rst_ni,
    .valid_o  (unit_valid_o),
    .take_i   (write_valid_i && write_new_i),
    .id_o     (unit_o),
    .give_i   (give),
    .give_id_i(give_unit),
    .free_o
  );

  // A part that begins in an old row may end in a new one; one that begins at the front of a row
  // begins in the new one.
  assign tail = (!write_opened_i || (write_at_i[6:0] == '0 && write_new_i)) ? unit_o : write_tail_i;
  if (Linked) begin : gen_linked_row
    assign row      = tail;
    assign row_next = unit_o;
    // Which of the packet's rows it is, the links know.
    logic unused;
    assign unused = ^write_at_i[11:7];
  end else begin : gen_whole_row
    assign row      = RowW'(32'(tail) * UnitRows) + RowW'(write_at_i[11:7]);
    assign row_next = row + RowW'(1);
  end

  gather_rows #(
    .NumRows(NumRows)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .write_valid_i,
    .write_row_i  (row),
    .write_next_i (row_next),
    .write_at_i   (write_at_i[6:0]),
    .write_bytes_i,
    .write_data_i,
    .read_valid_i (read_valid),
    .read_row_i   (read_row),
    .read_data_o  (read_data)
  );

  assign stored = '{stop: closed_stop_i, first: closed_first_i};

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
    .stop_i        (head.stop),
    .first_i       (head.first),
    .link_valid_i  (Linked && write_valid_i && write_opened_i && write_new_i),
    .link_from_i   (write_tail_i),
    .link_to_i     (unit_o),
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

endmodule
