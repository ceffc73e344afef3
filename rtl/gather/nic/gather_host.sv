// The ports of a network interface to host memory and index filter, shared by RIG units and server.
//
// Users take turns; answers come back in the order of the requests, MemAnswer cycles after them or
// later. Who waits: users for each other and for the ports. Answers are never refused.
module gather_host
  import gather_pkg::*;
#(
  /// RIG units, 1 or more; the server is the user of memory behind them.
  parameter int unsigned NumUnits = 2,
  /// Reads, and writes, that memory may owe. Power of two, 8 or more.
  parameter int unsigned Beats = 64,
  localparam int unsigned Users = NumUnits + 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Units. Each channel has an arbiter of its own.
  input  host_req_t [NumUnits-1:0] unit_i,
  output host_rsp_t [NumUnits-1:0] unit_o,
  // The server, which only reads.
  input  logic                     server_valid_i,
  output logic                     server_ready_o,
  input  mem_read_t                server_i,
  output logic                     server_data_valid_o,
  output logic [BeatBits-1:0]      server_data_o,

  // Host memory and index filter.
  output host_req_t host_o,
  input  host_rsp_t host_i
);

  logic       [Users-1:0]          read_valid, read_ready, data_valid;
  mem_read_t  [Users-1:0]          read;
  logic       [BeatBits-1:0]       data;
  logic       [NumUnits-1:0]       write_valid, write_ready, written;
  mem_write_t [NumUnits-1:0]       write;
  logic       [NumUnits-1:0]       look_valid, look_ready, bit_valid, mark_valid;
  logic       [NumUnits-1:0][63:0] look_idx, mark_idx;
  logic                            bit_set;
  logic       [NumUnits-1:0]       mark_turn;
  // Writes are answered without data.
  // verilator lint_off UNUSEDSIGNAL
  logic                            written_rsp;
  // verilator lint_on UNUSEDSIGNAL

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    assign read_valid[u]  = unit_i[u].read_valid;
    assign read[u]        = unit_i[u].read;
    assign write_valid[u] = unit_i[u].write_valid;
    assign write[u]       = unit_i[u].write;
    assign look_valid[u]  = unit_i[u].look_valid;
    assign look_idx[u]    = unit_i[u].look_idx;
    assign mark_valid[u]  = unit_i[u].mark_valid;
    assign mark_idx[u]    = unit_i[u].mark_idx;
    assign unit_o[u]      = '{
      read_ready: read_ready[u],
      data_valid: data_valid[u],
      data: data,
      write_ready: write_ready[u],
      written: written[u],
      look_ready: look_ready[u],
      bit_valid: bit_valid[u],
      bit_set: bit_set,
      mark_ready: host_i.mark_ready && mark_turn[u]
    };
  end
  assign read_valid[NumUnits] = server_valid_i;
  assign read[NumUnits]       = server_i;
  assign server_ready_o       = read_ready[NumUnits];
  assign server_data_valid_o  = data_valid[NumUnits];
  assign server_data_o        = data;

  gather_mem_arb #(
    .Req(mem_read_t),
    .Rsp(logic [BeatBits-1:0]),
    .N  (Users),
    .Depth(Beats)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .req_valid_i    (read_valid),
    .req_ready_o    (read_ready),
    .req_i          (read),
    .rsp_valid_o    (data_valid),
    .rsp_o          (data),
    .mem_valid_o    (host_o.read_valid),
    .mem_ready_i    (host_i.read_ready),
    .mem_o          (host_o.read),
    .mem_rsp_valid_i(host_i.data_valid),
    .mem_rsp_i      (host_i.data)
  );

  gather_mem_arb #(
    .Req(mem_write_t),
    .Rsp(logic),
    .N  (NumUnits),
    .Depth(Beats)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .req_valid_i    (write_valid),
    .req_ready_o    (write_ready),
    .req_i          (write),
    .rsp_valid_o    (written),
    .rsp_o          (written_rsp),
    .mem_valid_o    (host_o.write_valid),
    .mem_ready_i    (host_i.write_ready),
    .mem_o          (host_o.write),
    .mem_rsp_valid_i(host_i.written),
    .mem_rsp_i      (1'b0)
  );

  gather_mem_arb #(
    .Req(logic [63:0]),
    .Rsp(logic),
    .N  (NumUnits)
  ) u_looks (
    .clk_i,
    .rst_ni,
    .req_valid_i    (look_valid),
    .req_ready_o    (look_ready),
    .req_i          (look_idx),
    .rsp_valid_o    (bit_valid),
    .rsp_o          (bit_set),
    .mem_valid_o    (host_o.look_valid),
    .mem_ready_i    (host_i.look_ready),
    .mem_o          (host_o.look_idx),
    .mem_rsp_valid_i(host_i.bit_valid),
    .mem_rsp_i      (host_i.bit_set)
  );

  gather_turns #(
    .NumUnits(NumUnits),
    .Server  (1'b0)
  ) u_marks (
    .clk_i,
    .rst_ni,
    .valid_i  (mark_valid),
    .request_i(mark_valid),
    .turn_o   (mark_turn),
    .ready_i  (host_i.mark_ready),
    .last_i   (1'b1)
  );

  prim_pick #(
    .Width(64),
    .Words(NumUnits)
  ) u_mark (
    .in_i    (mark_idx),
    .select_i(mark_turn),
    .out_o   (host_o.mark_idx)
  );
  assign host_o.mark_valid = (mark_turn & mark_valid) != '0;

endmodule
