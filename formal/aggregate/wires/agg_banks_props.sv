// agg_banks: which wire goes where between ports, the crossbar and the banks of all ranks.
//
// What the crossbar and the banks make of it is left out of the circuit and free (`cuts` of the
// task), so this holds whatever they do. They have proofs of their own: agg_store, agg_bank.
module agg_banks_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// 1: the device has a parent, with a bank for its results and one for kept headers.
  parameter int unsigned Uplink = 1,
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, 0, Uplink, 1, 9216, Ecc)
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input decide_rsp_t                       verdict_i,
  input bank_req_t  [Cfg.NumPorts-1:0]     req_i,
  input bank_read_t                        read_i
);

  logic [Cfg.NumPorts-1:0]               grant;
  logic                                  waits, last_we;
  logic [Cfg.NumBanks-1:0][BeatBits-1:0] row, hdr;
  ecc_t [Cfg.NumBanks-1:0]               row_ecc, hdr_ecc;
  bank_write_t                           last_write;

  agg_banks #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .verdict_i,
    .req_i,
    .grant_o     (grant),
    .waits_o     (waits),
    .read_i,
    .row_o       (row),
    .hdr_o       (hdr),
    .row_ecc_o   (row_ecc),
    .hdr_ecc_o   (hdr_ecc),
    .last_we_o   (last_we),
    .last_write_o(last_write)
  );

  always_ff @(posedge clk_i) begin
    // A verdict reaches the crossbar as it comes, and so does the reset.
    a_verdict : assert (u_dut.u_store.rst_ni == rst_ni &&
                        u_dut.u_store.verdict_valid_i == verdict_i.valid &&
                        u_dut.u_store.verdict_i == verdict_i.verdict)
    else $error("another verdict");
    // Whether a decided packet waits for its bank is what the crossbar says.
    a_waits : assert (waits == u_dut.u_store.waits_o)
    else $error("waits %b", waits);
    // Writes to the last bank are shown.
    a_last : assert (last_we == u_dut.u_store.bank_we_o[Cfg.NumStores-1] &&
                     last_write == u_dut.u_store.bank_write_o[Cfg.NumStores-1])
    else $error("last bank");

    // Both ports get a bank while all banks are read.
    c_both : cover (grant == '1 && read_i.row_re && read_i.parent_re && read_i.hdr_re);
  end

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // What a port wants and gives back is asked for in its place, of the banks that there are.
      a_asks : assert (u_dut.u_store.want_i[p] == req_i[p].want &&
                       MaxRanks'(u_dut.u_store.bank_i[p]) ==
                       (req_i[p].bank & MaxRanks'((1 << Cfg.NumStores) - 1)) &&
                       MaxRanks'(u_dut.u_store.release_i[p]) ==
                       (req_i[p].released & MaxRanks'((1 << Cfg.NumStores) - 1)))
      else $error("port %0d", p);
      // What it writes is its own, for the rank that it names.
      a_writes : assert ({u_dut.u_store.write_valid_i[p], u_dut.u_store.write_rank_i[p],
                          u_dut.u_store.write_i[p], u_dut.u_store.write_bad_i[p]} ==
                         {req_i[p].write_valid, req_i[p].write_rank, req_i[p].write,
                          req_i[p].write_bad})
      else $error("port %0d", p);
      // A grant is the port's.
      a_grant : assert (grant[p] == u_dut.u_store.grant_o[p])
      else $error("port %0d", p);
    end
  end

  for (genvar r = 0; r < Cfg.NumBanks; r++) begin : gen_bank
    always_ff @(posedge clk_i) begin
      // A bank is written by the crossbar's output of its number.
      a_written : assert ({u_dut.gen_bank[r].u_bank.we_i, u_dut.gen_bank[r].u_bank.write_i,
                           u_dut.gen_bank[r].u_bank.bad_i} ==
                          {u_dut.u_store.bank_we_o[r], u_dut.u_store.bank_write_o[r],
                           u_dut.u_store.bank_bad_o[r]})
      else $error("bank %0d", r);
      // Banks of ranks are read in lock step, the parent's at a place of its own.
      a_read : assert ({u_dut.gen_bank[r].u_bank.row_re_i, u_dut.gen_bank[r].u_bank.row_slot_i,
                        u_dut.gen_bank[r].u_bank.row_row_i} ==
                       ((r == Cfg.NumRanks) ?
                        {read_i.parent_re, read_i.parent_slot, read_i.parent_row} :
                        {read_i.row_re, read_i.row_slot, read_i.row_row}))
      else $error("bank %0d", r);
      // Header records of all are, whoever's.
      a_header : assert ({u_dut.gen_bank[r].u_bank.hdr_re_i, u_dut.gen_bank[r].u_bank.hdr_slot_i,
                          u_dut.gen_bank[r].u_bank.hdr_row_i} ==
                         {read_i.hdr_re, read_i.hdr_slot, read_i.hdr_row})
      else $error("bank %0d", r);
      // What is read of a bank comes out in its place, with what was found in it.
      a_row : assert ({row[r], row_ecc[r]} ==
                      {u_dut.gen_bank[r].u_bank.row_o, u_dut.gen_bank[r].u_bank.row_ecc_o})
      else $error("bank %0d", r);
      a_hdr : assert ({hdr[r], hdr_ecc[r]} ==
                      {u_dut.gen_bank[r].u_bank.hdr_o, u_dut.gen_bank[r].u_bank.hdr_ecc_o})
      else $error("bank %0d", r);
    end
  end

endmodule
