// What agg_store takes for granted of the ports that ask for banks: conditions that the proofs of
// both sides look at, one that takes them for granted and one that shows them.
module banks_handover
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
#(
  /// Ports, and banks.
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2,
  /// Frames that a port fetches at most, 1 or 2.
  parameter int unsigned Hand = 2,
  localparam int unsigned CountW = $clog2(2 ** $clog2(decided_of(Hand) * NumPorts) + 2)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              verdict_valid_i,
  input  verdict_t                          verdict_i,
  input  logic [NumPorts-1:0]               want_i,
  input  logic [NumPorts-1:0][NumRanks-1:0] bank_i,
  input  logic [NumPorts-1:0]               grant_i,
  input  logic [NumPorts-1:0][NumRanks-1:0] release_i,
  // Only its owner gives a bank back, once.
  output logic                              give_o,
  // A bank's queue has a place for each decision; a verdict names a port that there is.
  output logic                              places_o,
  // A port asks for one bank.
  output logic                              bank_o
);

  /// Places of a bank's queue.
  localparam int unsigned Depth = 2 ** $clog2(decided_of(Hand) * NumPorts);

  // Of each bank: decisions on packets for it that are not done; whose it is.
  logic [NumRanks-1:0][CountW-1:0]   count_q;
  logic [NumRanks-1:0]               owned_q, decided, done;
  logic [NumRanks-1:0][PortW-1:0]    owner_q;
  logic [NumRanks-1:0][NumPorts-1:0] gives, takes;

  always_comb begin
    give_o   = 1'b1;
    places_o = 1'b1;
    bank_o   = 1'b1;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      decided[r] = verdict_valid_i && verdict_i.rank == RankW'(r) &&
          (verdict_i.fate == FateStored || verdict_i.fate == FateDuplicate);
      for (int unsigned p = 0; p < NumPorts; p++) begin
        gives[r][p] = release_i[p][r];
        takes[r][p] = grant_i[p] && want_i[p] && bank_i[p][r];
      end
      done[r] = gives[r] != '0;
      if (done[r] && !(owned_q[r] && gives[r] == NumPorts'(1) << owner_q[r])) give_o = 1'b0;
      if (decided[r] && !(32'(count_q[r]) < Depth && 32'(verdict_i.port) < NumPorts)) begin
        places_o = 1'b0;
      end
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (want_i[p] && !$onehot(bank_i[p])) bank_o = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      count_q[r] <= count_q[r] + CountW'(decided[r]) - CountW'(done[r]);
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (takes[r][p]) begin
          owned_q[r] <= 1'b1;
          owner_q[r] <= PortW'(p);
        end
      end
      if (done[r]) owned_q[r] <= 1'b0;
    end
    if (!rst_ni) begin
      count_q <= '0;
      owned_q <= '0;
    end
  end

endmodule
