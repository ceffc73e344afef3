// agg_bank beside its two memories, whose answers are free (`cuts` of the task;
// prim_ram_ecc_props): where rows of payloads and of header records are written and read, whatever
// slots and rows are named, those included that the bank does not have.
module bank_wires_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  parameter int unsigned Pairs = 1,
  parameter int unsigned Ecc = 0,
  localparam int unsigned NumSlots = 8,
  localparam int unsigned SlotBytes = 256   // four rows
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             we_i,
  input bank_write_t      write_i,
  input logic             bad_i,
  input logic             row_re_i,
  input logic [SlotW-1:0] row_slot_i,
  input logic [7:0]       row_row_i,
  input logic             hdr_re_i,
  input logic [SlotW-1:0] hdr_slot_i,
  input logic             hdr_row_i
);

  logic [BeatBits-1:0] row, header;
  ecc_t                row_ecc, header_ecc;

  agg_bank #(
    .SlotBytes(SlotBytes),
    .NumSlots (NumSlots),
    .Pairs    (Pairs),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .we_i,
    .write_i,
    .bad_i,
    .row_re_i,
    .row_slot_i,
    .row_row_i,
    .row_o    (row),
    .row_ecc_o(row_ecc),
    .hdr_re_i,
    .hdr_slot_i,
    .hdr_row_i,
    .hdr_o    (header),
    .hdr_ecc_o(header_ecc)
  );

  // A place has as many rows as a packet, and is that of a pair of slots, or of one; a memory goes
  // round behind its last row.
  localparam int unsigned Places = (Pairs != 0) ? NumSlots / 2 : NumSlots;
  function automatic logic [31:0] row_of(logic [SlotW-1:0] slot, logic [7:0] n);
    row_of = (32'((Pairs != 0) ? slot[SlotW-1:1] : slot) * 4 + 32'(n)) % (4 * Places);
  endfunction
  // Of a header record there are two, of every slot its own.
  function automatic logic [31:0] header_of(logic [SlotW-1:0] slot, logic [7:0] n);
    header_of = (32'(slot) + 32'(slot) + 32'(n)) % (2 * NumSlots);
  endfunction

  always_ff @(posedge clk_i) begin
    // A row is written where its slot's payloads lie, unless it is one of headers.
    a_payload : assert (u_dut.u_rows.we_i == (we_i && !write_i.header) &&
                        32'(u_dut.u_rows.waddr_i) == row_of(write_i.slot, write_i.row) &&
                        {u_dut.u_rows.wdata_i, u_dut.u_rows.poison_i} == {write_i.data, bad_i})
    else $error("slot %0d, row %0d at %0d", write_i.slot, write_i.row, u_dut.u_rows.waddr_i);
    // A row of headers is written where its record lies.
    a_header : assert (u_dut.u_headers.we_i == (we_i && write_i.header) &&
                       32'(u_dut.u_headers.waddr_i) == header_of(write_i.slot, write_i.row) &&
                       {u_dut.u_headers.wdata_i, u_dut.u_headers.poison_i} ==
                       {write_i.data, bad_i})
    else $error("slot %0d, row %0d at %0d", write_i.slot, write_i.row, u_dut.u_headers.waddr_i);
    // Emission reads payloads where they are written, and gets what the memory answers.
    a_reads : assert (u_dut.u_rows.re_i == row_re_i && u_dut.u_rows.use_i &&
                      32'(u_dut.u_rows.raddr_i) == row_of(row_slot_i, row_row_i) &&
                      {row, row_ecc.corrected, row_ecc.bad} ==
                      {u_dut.u_rows.rdata_o, u_dut.u_rows.corrected_o, u_dut.u_rows.bad_o})
    else $error("slot %0d, row %0d at %0d", row_slot_i, row_row_i, u_dut.u_rows.raddr_i);
    // And headers where they are.
    a_reads_header : assert (u_dut.u_headers.re_i == hdr_re_i && u_dut.u_headers.use_i &&
        32'(u_dut.u_headers.raddr_i) == header_of(hdr_slot_i, 8'(hdr_row_i)) &&
        {header, header_ecc.corrected, header_ecc.bad} ==
        {u_dut.u_headers.rdata_o, u_dut.u_headers.corrected_o, u_dut.u_headers.bad_o})
    else $error("slot %0d, row %0d at %0d", hdr_slot_i, hdr_row_i, u_dut.u_headers.raddr_i);

    // The last row of the last slot, and of its header record.
    c_last : cover (we_i && 32'(u_dut.u_rows.waddr_i) == 4 * Places - 1 && write_i.row == 8'd3);
  end

endmodule
