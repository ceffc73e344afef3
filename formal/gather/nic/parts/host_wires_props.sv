// gather_host: which channel of which user is where at the four ports to memory and filter.
//
// What the arbiters make of it is left out of the circuit and free (`cuts` of the task): this holds
// whatever they do. They have proofs of their own: gather_mem_arb, gather_turns.
module host_wires_props
  import gather_pkg::*;
#(
  /// RIG units; the server is a user of reads behind them.
  parameter int unsigned NumUnits = 3
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input host_req_t [NumUnits-1:0] unit_i,
  input logic                     server_valid_i,
  input mem_read_t                server_i,
  input host_rsp_t                host_i
);

  host_rsp_t [NumUnits-1:0] unit_rsp;
  host_req_t                host;
  logic                     server_ready, server_data_valid;
  logic [BeatBits-1:0]      server_data;

  gather_host #(
    .NumUnits(NumUnits),
    .Beats   (8)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .unit_i,
    .unit_o             (unit_rsp),
    .server_valid_i,
    .server_ready_o     (server_ready),
    .server_i,
    .server_data_valid_o(server_data_valid),
    .server_data_o      (server_data),
    .host_o             (host),
    .host_i
  );

  logic [NumUnits-1:0] marking;   // whose turn it is to set a bit
  assign marking = u_dut.u_marks.turn_o;

  always_ff @(posedge clk_i) begin
    // Memory is asked for what the arbiter of reads shows, and its answers go there.
    a_reads : assert ({host.read_valid, host.read} ==
                      {u_dut.u_reads.mem_valid_o, u_dut.u_reads.mem_o} &&
                      {u_dut.u_reads.mem_ready_i, u_dut.u_reads.mem_rsp_valid_i,
                       u_dut.u_reads.mem_rsp_i} ==
                      {host_i.read_ready, host_i.data_valid, host_i.data})
    else $error("reads");
    // So it is with writes, whose answers say nothing but that they are done.
    a_writes : assert ({host.write_valid, host.write} ==
                       {u_dut.u_writes.mem_valid_o, u_dut.u_writes.mem_o} &&
                       {u_dut.u_writes.mem_ready_i, u_dut.u_writes.mem_rsp_valid_i} ==
                       {host_i.write_ready, host_i.written})
    else $error("writes");
    // The filter is asked for what the arbiter of look-ups shows, and a bit goes there.
    a_looks : assert ({host.look_valid, host.look_idx} ==
                      {u_dut.u_looks.mem_valid_o, u_dut.u_looks.mem_o} &&
                      {u_dut.u_looks.mem_ready_i, u_dut.u_looks.mem_rsp_valid_i,
                       u_dut.u_looks.mem_rsp_i} ==
                      {host_i.look_ready, host_i.bit_valid, host_i.bit_set})
    else $error("look-ups");
    // A bit is to be set if one has it in its turn; it is the one that is picked. The turn ends
    // when the filter takes it.
    a_marks : assert (host.mark_valid == ((marking & u_dut.u_marks.valid_i) != '0) &&
                      host.mark_idx == u_dut.u_mark.out_o && u_dut.u_mark.select_i == marking &&
                      u_dut.u_marks.ready_i == host_i.mark_ready && u_dut.u_marks.last_i)
    else $error("marks");
    // The server is the last user of reads.
    a_server : assert (u_dut.u_reads.req_valid_i[NumUnits] == server_valid_i &&
                       u_dut.u_reads.req_i[NumUnits] == server_i &&
                       server_ready == u_dut.u_reads.req_ready_o[NumUnits] &&
                       server_data_valid == u_dut.u_reads.rsp_valid_o[NumUnits] &&
                       server_data == u_dut.u_reads.rsp_o)
    else $error("the server");
    // All are reset together.
    a_reset : assert ({u_dut.u_reads.rst_ni, u_dut.u_writes.rst_ni, u_dut.u_looks.rst_ni,
                       u_dut.u_marks.rst_ni} == {4{rst_ni}})
    else $error("reset");

    // The last unit sets a bit while the server reads.
    c_all : cover (rst_ni && unit_rsp[NumUnits-1].mark_ready && server_ready && host.mark_valid);
  end

  for (genvar u = 0; u < NumUnits; u++) begin : gen_unit
    always_ff @(posedge clk_i) begin
      // What a unit asks for is asked for in its place, by channel.
      a_asks : assert ({u_dut.u_reads.req_valid_i[u], u_dut.u_reads.req_i[u]} ==
                       {unit_i[u].read_valid, unit_i[u].read} &&
                       {u_dut.u_writes.req_valid_i[u], u_dut.u_writes.req_i[u]} ==
                       {unit_i[u].write_valid, unit_i[u].write} &&
                       {u_dut.u_looks.req_valid_i[u], u_dut.u_looks.req_i[u]} ==
                       {unit_i[u].look_valid, unit_i[u].look_idx})
      else $error("unit %0d", u);
      // A bit that it wants set may have a turn.
      a_mark : assert (u_dut.u_marks.valid_i[u] == unit_i[u].mark_valid &&
                       u_dut.u_marks.request_i[u] == unit_i[u].mark_valid &&
                       u_dut.u_mark.in_i[u] == unit_i[u].mark_idx)
      else $error("unit %0d", u);
      // It hears what is taken of it, and gets its own answers; what they bring all see.
      a_hears : assert (unit_rsp[u] == host_rsp_t'{
        read_ready: u_dut.u_reads.req_ready_o[u],
        data_valid: u_dut.u_reads.rsp_valid_o[u],
        data: u_dut.u_reads.rsp_o,
        write_ready: u_dut.u_writes.req_ready_o[u],
        written: u_dut.u_writes.rsp_valid_o[u],
        look_ready: u_dut.u_looks.req_ready_o[u],
        bit_valid: u_dut.u_looks.rsp_valid_o[u],
        bit_set: u_dut.u_looks.rsp_o,
        mark_ready: marking[u] ? host_i.mark_ready : 1'b0
      })
      else $error("unit %0d", u);
    end
  end

endmodule
