// What ends a tree from outside: a neighbour of the low-latency one is lost, which ends both, or
// the streaming one has ended by itself. It is shown until that tree is down; nobody waits.
module llt_outside
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,

  // The tree is there; as long as it is.
  input logic        open_i,
  input logic [15:0] node_i,

  input logic [NumPorts-1:0] lost_i,
  input sat_end_t            sat_end_i,
  input logic                low_down_i,
  input logic                sat_down_i,
  input logic                reopen_i,    // it begins once more: why it ended is forgotten

  // Who is lost needs not be told; of two, the first port's.
  output low_end_t end_o
);

  typedef logic [NumPorts-1:0] ports_t;

  low_end_t end_q;
  ports_t   lost_first;

  assign lost_first = lost_i & (~lost_i + ports_t'(1));

  always_ff @(posedge clk_i) begin
    end_q <= '{valid: 1'b1, low: 1'b1, except: MaxPorts'(lost_first),
               why: '{verdict: VerdictLost, node: node_i, port: lowest_port(MaxPorts'(lost_i))}};
    if (lost_i == '0 || low_down_i) begin
      end_q <= '{valid: sat_end_i.valid, low: 1'b0, except: '0,
                 why: '{verdict: sat_end_i.verdict, node: sat_end_i.node, port: sat_end_i.port}};
    end
    if (!open_i || reopen_i) end_q.valid <= 1'b0;
  end

  always_comb begin
    end_o       = end_q;
    end_o.valid = end_q.valid && !(end_q.low ? low_down_i : sat_down_i);
  end

endmodule
