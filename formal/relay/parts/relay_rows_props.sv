// relay_rows beside the CRC of the parent's rows, whose answers are free (`cuts` of the task;
// roce_icrc_rows_props): what a port gets of the children's sums and of the parent's results, and
// what the CRC is told. One port is followed.
module relay_rows_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input parent_rows_t             parent_i,
  input logic    [BeatBits-1:0]   row_i,
  input result_t [NumPorts-1:0]   result_i,
  input logic    [$clog2(NumPorts)-1:0] port_i   // any
);

  result_t [NumPorts-1:0] result;

  relay_rows #(
    .Cfg(make_cfg(NumPorts, 2, 256, 4, 2, 16, 1, 0, 0, 1, 2, 9728, 0))
  ) u_dut (
    .clk_i,
    .rst_ni,
    .parent_i,
    .row_i,
    .result_i,
    .result_o(result)
  );

  // Of the port: what reduction sends there, what leaves, and what the parent has for it.
  result_t in, out;
  logic    there, row, part;
  assign there = 32'(port_i) < NumPorts;
  assign in    = result_i[port_i];
  assign out   = result[port_i];
  assign row   = parent_i.valid && parent_i.ports[port_i];
  assign part  = u_dut.u_icrc_rows.part_valid_o[port_i];

  always_ff @(posedge clk_i) begin
    if (there) begin
      // Header records are the reduction's, whatever the parent sends.
      a_header : assert (out.header == in.header)
      else $error("port %0d: another header record", port_i);
      if (row) begin
        // A row of the parent's goes to each of its ports as it comes out of its bank, which is
        // never bad, and is its result's last one if the parent's is.
        a_parent : assert (out.row_we && out.row == row_i && out.last == parent_i.last && !out.bad)
        else $error("port %0d: not the parent's row", port_i);
      end else begin
        // To any other port, and without one to all, goes what the reduction has for it.
        a_sum : assert ({out.row_we, out.row, out.last, out.bad} ==
                        {in.row_we, in.row, in.last, in.bad})
        else $error("port %0d: not the sum's row", port_i);
      end
      if (part) begin
        // So it is with the part of the ICRC: of the parent's rows at the ports that they went to.
        a_part : assert (out.part_we && out.part == u_dut.u_icrc_rows.part_o)
        else $error("port %0d: part %0h", port_i, out.part);
      end else begin
        // And of the sum's rows at the others.
        a_own_part : assert ({out.part_we, out.part} == {in.part_we, in.part})
        else $error("port %0d: part %0h", port_i, out.part);
      end
      // The CRC is of the parent's rows as they leave, at the port if they go there.
      a_told : assert (u_dut.u_icrc_rows.row_valid_i == parent_i.valid &&
          (!parent_i.valid || (u_dut.u_icrc_rows.row_i == row_i &&
                               u_dut.u_icrc_rows.row_last_i == parent_i.last &&
                               u_dut.u_icrc_rows.row_ports_i[port_i] == parent_i.ports[port_i])))
      else $error("told of another row");
      // With the last one's length, when that is told.
      a_length : assert (u_dut.u_icrc_rows.pairs_valid_i == parent_i.pairs_valid &&
          (!parent_i.pairs_valid || u_dut.u_icrc_rows.pairs_i == parent_i.pairs))
      else $error("%0d pairs", u_dut.u_icrc_rows.pairs_i);

      // A sum's row to one port while the parent's goes to others.
      c_both : cover (parent_i.valid && !row && in.row_we && part);
    end
  end

endmodule
