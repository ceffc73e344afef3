// Gives each bank to the ports in the order in which slot state decided on packets of its rank, and
// carries their writes to it. The order is what makes headers and payloads in a bank those of the
// latest decision.
//
// A port that asks (`want`) while it is granted has the bank; it writes without stall, and releases
// the bank when it has read its last beat; the time table in agg_port keeps the last write of one
// owner in front of the first of the next. The oldest decided packet of the device heads both its
// port and its bank, so somebody can always go on.
module agg_store
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import agg_timing_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, one bank each, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Frames that a port fetches at most.
  parameter int unsigned Hand = 2,
  /// 1: a port says of a write that it is not to be trusted.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Every verdict of slot state, a pulse.
  input logic     verdict_valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input verdict_t verdict_i,   // only who, which rank, and whether it is written
  // verilator lint_on UNUSEDSIGNAL

  // From each port; see agg_port. A grant says that the bank in `bank_i` is the port's if it asks:
  // it does not depend on `want_i`, which comes late in the cycle.
  input  logic        [NumPorts-1:0]               want_i,
  input  logic        [NumPorts-1:0][NumRanks-1:0] bank_i,     // one-hot
  output logic        [NumPorts-1:0]               grant_o,
  input  logic        [NumPorts-1:0][NumRanks-1:0] release_i,  // one-hot or zero
  input  logic        [NumPorts-1:0]               write_valid_i,
  input  logic        [NumPorts-1:0][RankW-1:0]    write_rank_i,
  input  bank_write_t [NumPorts-1:0]               write_i,
  input  logic        [NumPorts-1:0]               write_bad_i,

  // Writes to each bank, StoreWrite cycles later.
  output logic        [NumRanks-1:0] bank_we_o,
  output bank_write_t [NumRanks-1:0] bank_write_o,
  output logic        [NumRanks-1:0] bank_bad_o,

  // Level, a cycle late: a decided packet waits for its bank.
  output logic waits_o
);

  if (NumPorts < 1 || NumPorts > MaxPorts) begin : gen_check_ports
    $fatal(1, "%m: NumPorts must be 1 to %0d", MaxPorts);
  end
  if (NumRanks < 1 || NumRanks > MaxRanks) begin : gen_check_ranks
    $fatal(1, "%m: NumRanks must be 1 to %0d", MaxRanks);
  end

  localparam int unsigned Depth = 2 ** $clog2(decided_of(Hand) * NumPorts);

  logic decided;
  assign decided = verdict_valid_i &&
      (verdict_i.fate == FateStored || verdict_i.fate == FateDuplicate);

  logic [NumPorts-1:0] port;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) port[p] = verdict_i.port == PortW'(p);
  end

  // Of each bank: no port holds it; the port at the head of its queue, which then has the grant.
  logic [NumRanks-1:0]               open, waits;
  logic [NumRanks-1:0][NumPorts-1:0] turn;

  for (genvar r = 0; r < NumRanks; r++) begin : gen_rank
    logic                       push, pop, push_ready, head_valid, given;
    logic [NumPorts-1:0]        head;      // whose turn, one-hot
    logic [$clog2(Depth+1)-1:0] count;
    logic [NumPorts-1:0]        writes, held_q;   // now; in the cycle before
    // What each port wrote in the cycle before; zero if it wrote nothing here.
    bank_write_t [NumPorts-1:0] write_q;

    assign push = decided && verdict_i.rank == RankW'(r);

    prim_fifo #(
      .T(logic [NumPorts-1:0]),
      .Depth(Depth),
      .Head(1'b1)
    ) u_order (
      .clk_i,
      .rst_ni,
      .in_valid_i (push),
      .in_ready_o (push_ready),
      .in_i       (port),
      .out_valid_o(head_valid),
      .out_ready_i(pop),
      .out_o      (head),
      .count_o    (count)
    );

    assign turn[r]  = head;
    assign waits[r] = given ? (count >> 1) != '0 : head_valid;

    logic [NumPorts-1:0] asks, gives;   // requests of this bank, and releases of it
    always_comb begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        asks[p]   = bank_i[p][r];
        gives[p]  = release_i[p][r];
        writes[p] = write_valid_i[p] && write_rank_i[p] == RankW'(r);
      end
    end

    agg_store_turn #(
      .NumPorts(NumPorts)
    ) u_turn (
      .clk_i,
      .rst_ni,
      .head_valid_i(head_valid),
      .head_i      (head),
      .want_i,
      .bank_i      (asks),
      .release_i   (gives),
      .done_o      (pop),
      .open_o      (open[r]),
      .given_o     (given)
    );

    // Registers that are cleared choose for no LUT, and one a bit joins them: half of what a
    // multiplexer of six takes. One that holds a word is cleared a cycle later, so that simulation
    // has nothing to do for those that rest.
    always_ff @(posedge clk_i) begin
      bank_we_o[r] <= |writes;
      held_q       <= writes;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (writes[p]) write_q[p] <= write_i[p];
        else if (held_q[p]) write_q[p] <= '0;
      end
      if (|writes) bank_bad_o[r] <= Ecc != 0 && (writes & write_bad_i) != '0;
      if (!rst_ni) begin
        bank_we_o[r] <= 1'b0;
        held_q       <= '1;
      end
    end

    always_comb begin
      bank_write_o[r] = '0;
      for (int unsigned p = 0; p < NumPorts; p++) bank_write_o[r] |= write_q[p];
    end

    logic [StoreWrite:0] written_q;   // [d]: a write d - 1 cycles ago
    always_ff @(posedge clk_i) begin
      written_q <= rst_ni ? {written_q[StoreWrite-1:0], |writes} : '0;
      if (rst_ni) begin
        // Writes reach the bank in time; later, and the next owner's rows could overtake them.
        a_write_time : assert (bank_we_o[r] == written_q[StoreWrite-1])
        else $error("%m: a write of bank %0d does not reach it %0d cycles later", r, StoreWrite);
        // No decision is forgotten; its port would wait for this bank for ever.
        a_order : assert (!push || push_ready)
        else $error("%m: order of bank %0d overflows", r);
        // One writer at a time; two would mix packets of two connections.
        a_one_writer : assert ($onehot0(writes))
        else $error("%m: two ports write bank %0d", r);
        // Only the owner gives a bank back.
        a_release : assert (!pop || given)
        else $error("%m: bank %0d released but not given", r);
      end
    end
  end

  always_ff @(posedge clk_i) waits_o <= waits != '0;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_grant
    logic [NumRanks-1:0] turns;   // at the bank that it asks for
    for (genvar r = 0; r < NumRanks; r++) begin : gen_turn
      assign turns[r] = turn[r][p] && bank_i[p][r];
    end
    prim_pick #(
      .Width(1),
      .Words(NumRanks)
    ) u_grant (
      .in_i    (open),
      .select_i(turns),
      .out_o   (grant_o[p])
    );
  end

endmodule
