// agg_bank: any one row of a payload, or of a header record, is what was last written to it. The
// two slots of a pair have one place for payloads, unless each has its own.
module agg_bank_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
#(
  parameter int unsigned SlotBytes = 256,
  parameter int unsigned NumSlots = 4,
  parameter int unsigned Pairs = 1
) (
  input logic             clk_i,
  input logic             we_i,
  input bank_write_t      write_i,
  input logic             row_re_i,
  input logic [SlotW-1:0] row_slot_i,
  input logic [7:0]       row_row_i,
  input logic             hdr_re_i,
  input logic [SlotW-1:0] hdr_slot_i,
  input logic             hdr_row_i,
  // In the first cycle: the row that is followed, of a header record or of a payload.
  input logic             header_i,
  input logic [SlotW-1:0] slot_i,
  input logic [7:0]       row_i
);

  localparam int unsigned Rows = SlotBytes / BeatBytes;
  localparam int unsigned Seen = 3;

  logic                started_q, header_q;
  logic [SlotW-1:0]    slot_q;
  logic [7:0]          row_q;
  logic [BeatBits-1:0] row, hdr;
  initial started_q = 1'b0;

  agg_bank #(
    .SlotBytes(SlotBytes),
    .NumSlots (NumSlots),
    .Pairs    (Pairs)
  ) u_dut (
    .clk_i,
    .we_i,
    .write_i,
    .bad_i    (1'b0),
    .row_re_i,
    .row_slot_i,
    .row_row_i,
    .row_o    (row),
    .row_ecc_o(),
    .hdr_re_i,
    .hdr_slot_i,
    .hdr_row_i,
    .hdr_o    (hdr),
    .hdr_ecc_o()
  );

  // What was last written to the row, and what reads of it must show.
  logic                        there_q, written, asked;
  logic             [Seen-1:0] value_q, now;
  logic [BankRead:1]           known_q;
  logic [BankRead:1][Seen-1:0] expected_q;

  /// The followed row is one of this slot.
  function automatic logic here(logic header, logic [SlotW-1:0] slot);
    return slot == slot_q || (!header && Pairs != 0 && slot == pair_of(slot_q));
  endfunction

  assign written = we_i && write_i.header == header_q && here(write_i.header, write_i.slot) &&
      write_i.row == row_q;
  assign asked   = header_q ? hdr_re_i && hdr_slot_i == slot_q && 8'(hdr_row_i) == row_q :
      row_re_i && here(1'b0, row_slot_i) && row_row_i == row_q;

  assign now     = seen(header_q ? hdr : row);

  /// Some bits stand for all of a row, which is moved as a whole.
  function automatic logic [Seen-1:0] seen(logic [BeatBits-1:0] data);
    return {data[BeatBits-1], data[BeatBits/2], data[0]};
  endfunction

  function automatic logic there_is(logic header, logic [SlotW-1:0] slot, logic [7:0] row);
    return 32'(slot) < NumSlots && 32'(row) < (header ? 2 : Rows);
  endfunction

  initial there_q = 1'b0;
  initial known_q = '0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      header_q <= header_i;
      slot_q   <= slot_i;
      row_q    <= row_i;
    end else begin
      if (written) begin
        there_q <= 1'b1;
        value_q <= seen(write_i.data);
      end
      known_q <= {known_q[BankRead-1:1], asked && there_q};
    end
    expected_q <= {expected_q[BankRead-1:1], value_q};
    // Rows and slots are those that there are. Dropped: what is written beyond lands in another
    // row.
    e_inside : assume ((!we_i || there_is(write_i.header, write_i.slot, write_i.row)) &&
        (!row_re_i || there_is(1'b0, row_slot_i, row_row_i)) &&
        (!hdr_re_i || there_is(1'b1, hdr_slot_i, 8'(hdr_row_i))));
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      // What is read of a payload row or of a header record is what was last written there before
      // the cycle of the request, whatever is written to all others.
      a_data : assert (!known_q[BankRead] || now == expected_q[BankRead]);
      // A row is read while another one of its slot is written.
      c_other : cover (known_q[BankRead] && !header_q && we_i && !write_i.header &&
                       write_i.slot == slot_q && write_i.row != row_q);
      // A header record's second row is read.
      c_header : cover (known_q[BankRead] && header_q && row_q == 8'd1);
    end
  end

endmodule
