// Which ranks an operation of slot state is of, and by which port each one's packet came.
//
// A module of its own because commits of several ports are one operation here: each port shows the
// rank of its commit in the cycle in which the operation enters, and what follows is kept by rank.
// Nobody waits.
module agg_slot_ranks
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// 1: an operation is one stage longer on its way to stage 4.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,

  // As an operation enters: the ports whose commit it is, if it is one, and what ports show.
  input logic    [NumPorts-1:0] joined_i,
  // verilator lint_off UNUSEDSIGNAL
  input commit_t [NumPorts-1:0] commit_i,   // only the rank
  // A cycle later, in its first stage.
  input slot_op_t               op_i,       // only what it is, and its rank
  // verilator lint_on UNUSEDSIGNAL

  // In stage 4: its ranks, one but for a commit. In stages 5 and 6: of a commit, their ports.
  output logic [MaxRanks-1:0]            ranks4_o,
  output logic [MaxRanks-1:0][PortW-1:0] ports5_o,
  output logic [MaxRanks-1:0][PortW-1:0] ports6_o
);

  logic [NumPorts-1:0]            joined_q;
  logic [NumPorts-1:0][RankW-1:0] rank_q;
  logic [MaxRanks-1:0]            ranks_d, ranks2, ranks3_q, ranks4_q;
  logic [MaxRanks-1:0][PortW-1:0] ports_d, ports2, ports3_q, ports4_q, ports5_q, ports6_q;

  always_comb begin
    ranks_d = '0;
    ports_d = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (|(op_i.op & SlotCommit)) begin
        for (int unsigned p = 0; p < NumPorts; p++) begin
          if (joined_q[p] && rank_q[p] == RankW'(r)) begin
            ranks_d[r] = 1'b1;
            ports_d[r] = PortW'(p);
          end
        end
      end else begin
        ranks_d[r] = op_i.rank == RankW'(r);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    joined_q <= joined_i;
    for (int unsigned p = 0; p < NumPorts; p++) rank_q[p] <= commit_i[p].rank;
    ranks3_q <= ranks2;
    ranks4_q <= ranks3_q;
    ports3_q <= ports2;
    ports4_q <= ports3_q;
    ports5_q <= ports4_q;
    ports6_q <= ports5_q;
  end

  if (Ecc != 0) begin : gen_later
    always_ff @(posedge clk_i) begin
      ranks2 <= ranks_d;
      ports2 <= ports_d;
    end
  end else begin : gen_now
    assign ranks2 = ranks_d;
    assign ports2 = ports_d;
  end

  assign ranks4_o = ranks4_q;
  assign ports5_o = ports5_q;
  assign ports6_o = ports6_q;

endmodule
