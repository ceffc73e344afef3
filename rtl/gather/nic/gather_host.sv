// The ports of a network interface to host memory and index filter, shared by RIG units and server.
//
// Users take turns; answers come back in the order of the requests, four cycles after them or later.
// Who waits: users for each other and for the ports. Answers are never refused.
module gather_host
  import gather_pkg::*;
#(
  /// RIG units, 1 or more; the server is the user of memory behind them.
  parameter int unsigned NumUnits = 2,
  localparam int unsigned Users = NumUnits + 1,
  localparam int unsigned UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic [Users-1:0]          read_valid_i,
  output logic [Users-1:0]          read_ready_o,
  input  mem_read_t [Users-1:0]     read_i,
  output logic [Users-1:0]          data_valid_o,
  output logic [BeatBits-1:0]       data_o,
  input  logic [NumUnits-1:0]       write_valid_i,
  output logic [NumUnits-1:0]       write_ready_o,
  input  mem_write_t [NumUnits-1:0] write_i,
  output logic [NumUnits-1:0]       written_o,
  input  logic [NumUnits-1:0]       look_valid_i,
  output logic [NumUnits-1:0]       look_ready_o,
  input  logic [NumUnits-1:0][63:0] look_idx_i,
  output logic [NumUnits-1:0]       bit_valid_o,
  output logic                      bit_o,
  input  logic [NumUnits-1:0]       mark_valid_i,
  output logic [NumUnits-1:0]       mark_ready_o,
  input  logic [NumUnits-1:0][63:0] mark_idx_i,

  output logic                mem_read_valid_o,
  input  logic                mem_read_ready_i,
  output mem_read_t           mem_read_o,
  input  logic                mem_data_valid_i,
  input  logic [BeatBits-1:0] mem_data_i,
  output logic                mem_write_valid_o,
  input  logic                mem_write_ready_i,
  output mem_write_t          mem_write_o,
  input  logic                mem_written_i,
  output logic                filter_look_valid_o,
  input  logic                filter_look_ready_i,
  output logic [63:0]         filter_look_idx_o,
  input  logic                filter_bit_valid_i,
  input  logic                filter_bit_i,
  output logic                filter_mark_valid_o,
  input  logic                filter_mark_ready_i,
  output logic [63:0]         filter_mark_idx_o
);

  // Answers without data.
  // verilator lint_off UNUSEDSIGNAL
  logic       written_rsp;
  // verilator lint_on UNUSEDSIGNAL

  gather_mem_arb #(
    .Req(mem_read_t),
    .Rsp(logic [BeatBits-1:0]),
    .N  (Users)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .req_valid_i    (read_valid_i),
    .req_ready_o    (read_ready_o),
    .req_i          (read_i),
    .rsp_valid_o    (data_valid_o),
    .rsp_o          (data_o),
    .mem_valid_o    (mem_read_valid_o),
    .mem_ready_i    (mem_read_ready_i),
    .mem_o          (mem_read_o),
    .mem_rsp_valid_i(mem_data_valid_i),
    .mem_rsp_i      (mem_data_i)
  );

  gather_mem_arb #(
    .Req(mem_write_t),
    .Rsp(logic),
    .N  (NumUnits)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .req_valid_i    (write_valid_i),
    .req_ready_o    (write_ready_o),
    .req_i          (write_i),
    .rsp_valid_o    (written_o),
    .rsp_o          (written_rsp),
    .mem_valid_o    (mem_write_valid_o),
    .mem_ready_i    (mem_write_ready_i),
    .mem_o          (mem_write_o),
    .mem_rsp_valid_i(mem_written_i),
    .mem_rsp_i      (1'b0)
  );

  gather_mem_arb #(
    .Req(logic [63:0]),
    .Rsp(logic),
    .N  (NumUnits)
  ) u_looks (
    .clk_i,
    .rst_ni,
    .req_valid_i    (look_valid_i),
    .req_ready_o    (look_ready_o),
    .req_i          (look_idx_i),
    .rsp_valid_o    (bit_valid_o),
    .rsp_o          (bit_o),
    .mem_valid_o    (filter_look_valid_o),
    .mem_ready_i    (filter_look_ready_i),
    .mem_o          (filter_look_idx_o),
    .mem_rsp_valid_i(filter_bit_valid_i),
    .mem_rsp_i      (filter_bit_i)
  );

  logic [UnitW-1:0] mark_from;

  gather_grant #(
    .N(NumUnits)
  ) u_marks (
    .clk_i,
    .rst_ni,
    .request_i(mark_valid_i),
    .valid_o  (filter_mark_valid_o),
    .from_o   (mark_from),
    .ready_i  (filter_mark_ready_i),
    .last_i   (1'b1)
  );
  assign filter_mark_idx_o = mark_idx_i[mark_from];
  always_comb begin
    for (int unsigned u = 0; u < NumUnits; u++) begin
      mark_ready_o[u] = filter_mark_ready_i && mark_from == UnitW'(u);
    end
  end

endmodule
