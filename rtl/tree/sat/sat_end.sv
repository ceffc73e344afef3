// Whether a streaming tree is open, and why it ended: it was closed, somebody broke a rule, or
// nothing moved for too long.
module sat_end
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8
) (
  input logic clk_i,
  input logic rst_ni,

  input logic        open_i,
  input logic        close_i,
  input sat_cfg_t    cfg_i,
  input logic [31:0] time_i,   // microseconds, of a clock that all share

  // Who broke a rule: in what a message says, in how a child's message goes on, in what the parent
  // sends.
  input sat_end_t            blame_i,
  input logic                issue_wrong_i,
  input logic [NumPorts-1:0] wrong_at_i,
  input logic                fall_wrong_i,

  // What patience is with (sat_patience).
  input logic                active_i,
  input logic                moved_i,
  input logic                rose_i,
  input logic                asked_i,
  input logic [NumPorts-1:0] missing_i,
  input logic [NumPorts-1:0] silent_i,
  input logic                waits_i,

  output logic     open_o,   // registered
  output sat_end_t end_o     // as long as the tree is not closed or opened anew
);

  logic       open_q, expired, clear_n;
  logic [7:0] expired_port;
  sat_end_t   end_d, end_q;

  assign clear_n = rst_ni && !open_i;

  sat_patience #(
    .NumPorts(NumPorts)
  ) u_patience (
    .clk_i,
    .rst_ni   (clear_n),
    .cfg_i,
    .time_i,
    .active_i,
    .moved_i,
    .rose_i,
    .asked_i,
    .missing_i,
    .silent_i,
    .waits_i,
    .expired_o(expired),
    .port_o   (expired_port)
  );

  always_comb begin
    end_d = '{valid: open_q, verdict: VerdictDenied, node: cfg_i.node, port: '0};
    if (blame_i.valid) begin
      end_d = blame_i;
    end else if (issue_wrong_i) begin
      for (int unsigned p = NumPorts; p > 0; p--) if (wrong_at_i[p-1]) end_d.port = 8'(p);
    end else if (fall_wrong_i) begin
      end_d.port = 8'(cfg_i.parent) + 8'd1;
    end else if (expired) begin
      end_d.verdict = VerdictTimeOut;
      end_d.port    = expired_port;
    end else begin
      end_d.valid = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (open_q && end_d.valid) begin
      open_q <= 1'b0;
      end_q  <= end_d;
    end
    if (open_i) begin
      open_q      <= 1'b1;
      end_q.valid <= 1'b0;
    end
    if (!rst_ni || close_i) begin
      open_q      <= 1'b0;
      end_q.valid <= 1'b0;
    end
  end
  assign open_o = open_q;
  assign end_o  = end_q;

endmodule
