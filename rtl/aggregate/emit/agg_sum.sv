// Sums columns and keeps the sums: the reduction tree, and behind it one bank with a place for each
// slot.
//
// What leaves the tree for the first time is written here; a repetition takes the way through the
// tree, so that results stay in the order of their takes, and has its row read here in time to
// leave where its sum would. So the ranks' packets are read once, and what comes for the message N
// behind may be written over them (docs/protocol.md).
//
// A row is written as it leaves and read in the cycles before it leaves. A slot is read from its
// first row on by one take after the other, so a row was written eight cycles or more before it can
// be read. Nobody waits.
module agg_sum
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import agg_timing_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // What the rows are that leave the banks in this cycle, and those of each rank.
  input reduce_req_t                           req_i,
  input logic [Cfg.NumRanks-1:0][BeatBits-1:0] rows_i,

  // Rows of results, in the order in which they came in. `bad`: it is not the sum of what came in.
  output logic                valid_o,
  output logic [BeatBits-1:0] row_o,
  output logic                last_o,
  output logic [MaxPorts-1:0] ports_o,
  output logic                bad_o,

  // What was found in ranks' rows or in the kept sum, by slot.
  output mem_event_t event_o
);

  localparam int unsigned Rows = Cfg.SlotBytes / BeatBytes;
  localparam int unsigned Depth = Cfg.NumSlots * Rows;
  localparam int unsigned AtW = $clog2(Depth);
  localparam int unsigned RowW = $clog2(Rows);

  logic                keep, kept, kept_re;
  logic [AtW-1:0]      at, kept_at;
  logic [BeatBits-1:0] sum, kept_sum;
  ecc_t                found, sum_found, kept_found;

  agg_reduce #(
    .NumRanks (Cfg.NumRanks),
    .WideLanes(Cfg.WideLanes),
    .Ecc      (Cfg.Ecc),
    .Without  (Cfg.Without),
    .AtW      (AtW)
  ) u_reduce (
    .clk_i,
    .rst_ni,
    .in_valid_i  (req_i.valid),
    .in_rows_i   (rows_i),
    .in_workers_i(req_i.workers),
    .in_kind_i   (req_i.kind),
    .in_last_i   (req_i.last),
    .in_ports_i  (req_i.ports),
    .in_keep_i   (req_i.keep),
    .in_kept_i   (req_i.kept),
    .in_at_i     (AtW'(32'(req_i.slot) * Rows + 32'(req_i.row))),
    .in_found_i  (req_i.found),
    .kept_re_o   (kept_re),
    .kept_at_o   (kept_at),
    .out_valid_o (valid_o),
    .out_row_o   (sum),
    .out_last_o  (last_o),
    .out_ports_o (ports_o),
    .out_keep_o  (keep),
    .out_kept_o  (kept),
    .out_at_o    (at),
    .out_found_o (sum_found)
  );

  prim_ram_ecc #(
    .Width  (BeatBits),
    .Depth  (Depth),
    .Latency(BankRead + Cfg.Ecc),
    .Deep   (1'b1),
    .Ecc    (Cfg.Ecc)
  ) u_sums (
    .clk_i,
    .we_i       (valid_o && keep),
    .waddr_i    (at),
    .wdata_i    (sum),
    .poison_i   (sum_found.bad),
    .re_i       (kept_re),
    .raddr_i    (kept_at),
    .rdata_o    (kept_sum),
    .use_i      (1'b1),
    .corrected_o(kept_found.corrected),
    .bad_o      (kept_found.bad)
  );

  assign row_o = kept ? kept_sum : sum;

  always_comb begin
    found         = kept ? kept_found : sum_found;
    if (Cfg.Ecc == 0) found = '0;
    event_o.found = valid_o ? found : '0;
    event_o.at    = (Cfg.Ecc != 0) ? SlotW'(32'(at) >> RowW) : '0;
    bad_o         = found.bad;
  end

  // ---------------------------------------------------------------------------------------------

  logic [Depth-1:0] there_q;   // a sum was kept here since the reset

  always_ff @(posedge clk_i) begin
    if (valid_o && keep) there_q[at] <= 1'b1;
    /* verilator lint_off WIDTHCONCAT */
    if (!rst_ni) there_q <= '0;   // thousands of bits are meant: one a row
    /* verilator lint_on WIDTHCONCAT */
    if (rst_ni) begin
      // What is repeated has been summed, and is not being written just then; else a result would
      // be what the column before it was.
      a_there : assert (!kept_re || (there_q[kept_at] && !(valid_o && keep && at == kept_at)))
      else $error("%m: row %0d is repeated in front of its sum", kept_at);
      // A row is either summed or was.
      a_one : assert (!req_i.valid || !(req_i.keep && req_i.kept))
      else $error("%m: row %0d of slot %0d is both", req_i.row, req_i.slot);
    end
  end

endmodule
