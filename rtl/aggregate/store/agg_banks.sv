// The banks of all ranks, and the crossbar between ports and banks (agg_store).
//
// A write reaches its bank StoreWrite cycles after its port has made it. Reads are of all ranks'
// banks in lock step, of the parent's for itself; who reads sees to it that what it reads has been
// written (agg_emit).
module agg_banks
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // Every verdict of slot state, a pulse: ports get a bank in this order.
  input decide_rsp_t verdict_i,

  // Requests and writes of the ports, and grants.
  // Banks that this configuration does not have are never requested.
  /* verilator lint_off UNUSEDSIGNAL */
  input  bank_req_t [Cfg.NumPorts-1:0] req_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic      [Cfg.NumPorts-1:0] grant_o,

  // Level, a cycle late: a decided packet waits for its bank.
  output logic waits_o,

  // Payload rows, and rows of header records, of all banks, BankRead + Ecc cycles after the
  // request, and what was found in each.
  input  bank_read_t                             read_i,
  output logic [Cfg.NumBanks-1:0][BeatBits-1:0] row_o,
  output logic [Cfg.NumBanks-1:0][BeatBits-1:0] hdr_o,
  output ecc_t [Cfg.NumBanks-1:0]               row_ecc_o,
  output ecc_t [Cfg.NumBanks-1:0]               hdr_ecc_o,

  // Writes to the last bank. Below a parent that is the one of kept headers, in relay_write.
  output logic        last_we_o,
  output bank_write_t last_write_o
);

  logic        [Cfg.NumPorts-1:0]                    want, write_valid, write_bad;
  logic        [Cfg.NumPorts-1:0][Cfg.NumStores-1:0] bank, released;
  logic        [Cfg.NumPorts-1:0][RankW-1:0]         write_rank;
  bank_write_t [Cfg.NumPorts-1:0]                    write;
  // The last one is elsewhere in a tree, which has no corrected memories.
  /* verilator lint_off UNUSEDSIGNAL */
  logic        [Cfg.NumStores-1:0]                   bank_we, bank_bad;
  /* verilator lint_on UNUSEDSIGNAL */
  bank_write_t [Cfg.NumStores-1:0]                   bank_write;

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    assign want[p]        = req_i[p].want;
    assign bank[p]        = req_i[p].bank[Cfg.NumStores-1:0];
    assign released[p]    = req_i[p].released[Cfg.NumStores-1:0];
    assign write_valid[p] = req_i[p].write_valid;
    assign write_rank[p]  = req_i[p].write_rank;
    assign write[p]       = req_i[p].write;
    assign write_bad[p]   = req_i[p].write_bad;
  end

  agg_store #(
    .NumPorts(Cfg.NumPorts),
    .NumRanks(Cfg.NumStores),
    .Hand    (hand_of(Cfg.Tree)),
    .Ecc     (Cfg.Ecc)
  ) u_store (
    .clk_i,
    .rst_ni,
    .verdict_valid_i(verdict_i.valid),
    .verdict_i      (verdict_i.verdict),
    .want_i         (want),
    .bank_i         (bank),
    .grant_o,
    .release_i      (released),
    .write_valid_i  (write_valid),
    .write_rank_i   (write_rank),
    .write_i        (write),
    .write_bad_i    (write_bad),
    .bank_we_o      (bank_we),
    .bank_write_o   (bank_write),
    .bank_bad_o     (bank_bad),
    .waits_o
  );

  for (genvar r = 0; r < Cfg.NumBanks; r++) begin : gen_bank
    agg_bank #(
      .SlotBytes(Cfg.SlotBytes),
      .NumSlots (Cfg.NumSlots),
      // A parent may repeat its result at any time.
      .Pairs    ((r < Cfg.NumRanks) ? 1 : 0),
      .Ecc      (Cfg.Ecc)
    ) u_bank (
      .clk_i,
      .we_i      (bank_we[r]),
      .write_i   (bank_write[r]),
      .bad_i     (bank_bad[r]),
      .row_re_i  ((r < Cfg.NumRanks) ? read_i.row_re : read_i.parent_re),
      .row_slot_i((r < Cfg.NumRanks) ? read_i.row_slot : read_i.parent_slot),
      .row_row_i ((r < Cfg.NumRanks) ? read_i.row_row : read_i.parent_row),
      .row_o     (row_o[r]),
      .row_ecc_o (row_ecc_o[r]),
      .hdr_re_i  (read_i.hdr_re),
      .hdr_slot_i(read_i.hdr_slot),
      .hdr_row_i (read_i.hdr_row),
      .hdr_o     (hdr_o[r]),
      .hdr_ecc_o (hdr_ecc_o[r])
    );
  end

  assign last_we_o    = bank_we[Cfg.NumStores-1];
  assign last_write_o = bank_write[Cfg.NumStores-1];

endmodule
