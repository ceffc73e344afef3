// The queues of a streaming tree's ports: who is claimed, and which rows of what was claimed are
// still to be read.
//
// A claim is told to its queue a cycle behind its decision, and from then on the packet is shown to
// nobody inside.
module sat_claims
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,
  input logic rst_ni,

  // The oldest packet of each queue, and what is asked of it.
  input  rc_packet_t [NumPorts-1:0] oldest_i,
  output logic       [NumPorts-1:0] claim_o,
  output logic       [NumPorts-1:0] claim_drop_o,
  input  logic       [NumPorts-1:0] row_re_i,

  // The same without what was claimed; claims, only of those; and ports of which rows are to be
  // read, with a claim, and until a cycle behind the last row.
  output rc_packet_t [NumPorts-1:0] oldest_o,
  input  logic       [NumPorts-1:0] claim_i,
  input  logic       [NumPorts-1:0] drop_i,
  output logic       [NumPorts-1:0] owed_o
);

  typedef logic [NumPorts-1:0] ports_t;

  always_comb begin
    oldest_o = oldest_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      oldest_o[p].valid = oldest_i[p].valid && !claim_o[p];
    end
  end

  logic [NumPorts-1:0][8:0] owed_q;
  logic [NumPorts-1:0][8:0] brings;   // rows of a packet that is claimed
  ports_t                   owing_q;
  assign owed_o = owing_q | claim_o;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      brings[p] = (claim_o[p] && !claim_drop_o[p]) ? 9'((oldest_i[p].len + LenW'(63)) >> 6) : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    claim_o      <= claim_i;
    claim_drop_o <= drop_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      owed_q[p] <= owed_q[p] - 9'(row_re_i[p]) + brings[p];
      owing_q[p] <= owed_q[p] != '0 || claim_o[p];
    end
    if (!rst_ni) begin
      claim_o      <= '0;
      claim_drop_o <= '0;
      owed_q       <= '0;
      owing_q      <= '0;
    end
  end

  ports_t there, owes;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      there[p] = oldest_o[p].valid;
      owes[p]  = owed_q[p] != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Rows are read of packets that were claimed.
      a_owed : assert ((row_re_i & ~owes) == '0)
      else $error("%m: ports %b are asked for a row of no packet", row_re_i & ~owes);
      // A packet is claimed only where there is one.
      a_there : assert ((claim_i & ~there) == '0)
      else $error("%m: ports %b have no packet to claim", claim_i & ~there);
    end
  end

endmodule
