// Filter between reduction and egresses below a parent (docs/relay.md): rows of the parent's result
// go to their ports beside those of sums, with their part of the ICRC.
//
// Emission sees to it that in a port one result's rows come after the other's (agg_emit_beside).
// Nobody waits.
module relay_rows
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // What row of the parent's leaves its bank in this cycle, if any, and the row.
  /* verilator lint_off UNUSEDSIGNAL */
  input parent_rows_t        parent_i,   // only ports that there are
  /* verilator lint_on UNUSEDSIGNAL */
  input logic [BeatBits-1:0] row_i,

  // Results of the reduction, and all results.
  input  result_t [Cfg.NumPorts-1:0] result_i,
  output result_t [Cfg.NumPorts-1:0] result_o
);

  logic [Cfg.NumPorts-1:0] here, part_valid;
  logic [31:0]             part;

  assign here = parent_i.valid ? parent_i.ports[Cfg.NumPorts-1:0] : '0;

  roce_icrc_rows #(
    .NumPorts(Cfg.NumPorts)
  ) u_icrc_rows (
    .clk_i,
    .rst_ni,
    .pairs_valid_i(parent_i.pairs_valid),
    .pairs_i      (parent_i.pairs),
    .row_valid_i  (parent_i.valid),
    .row_i,
    .row_last_i   (parent_i.last),
    .row_ports_i  (parent_i.ports[Cfg.NumPorts-1:0]),
    .part_valid_o (part_valid),
    .part_o       (part)
  );

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    always_comb begin
      result_o[p] = result_i[p];
      if (here[p]) begin
        result_o[p].row_we = 1'b1;
        result_o[p].row    = row_i;
        result_o[p].last   = parent_i.last;
        result_o[p].bad    = 1'b0;
      end
      if (part_valid[p]) begin
        result_o[p].part_we = 1'b1;
        result_o[p].part    = part;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // One row a port and cycle, and one part; the other one would be lost.
        a_row : assert (!(here[p] && result_i[p].row_we))
        else $error("%m: port %0d has two rows at once", p);
        a_part : assert (!(part_valid[p] && result_i[p].part_we))
        else $error("%m: port %0d has two parts at once", p);
      end
    end
  end

endmodule
