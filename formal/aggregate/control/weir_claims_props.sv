// weir_claims: a request for the connection table stands still until it is answered, and is of what
// the device has, whatever software writes meanwhile.
module weir_claims_props
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// 1: the device can have a parent.
  parameter int unsigned Uplink = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Registers that say anything at any time.
  input weir_csr_pkg::weir_csr__out_t csr_i,
  input logic                         ready_i,
  input logic                         error_i
);

  localparam cfg_t Cfg = make_cfg(2, 6, 1024, 680, 5, 48, 4, 0, 0, Uplink, 5, 4096, 0);

  logic      valid, busy, error, registers;
  conn_set_t conn;

  weir_claims #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .csr_i,
    .valid_o    (valid),
    .conn_o     (conn),
    .ready_i,
    .error_i,
    .busy_o     (busy),
    .error_o    (error),
    .registers_o(registers)
  );

  logic started_q = 1'b0;
  logic waits_q, asked_q, refused_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q   <= rst_ni && valid && !ready_i;
    asked_q   <= rst_ni && valid && ready_i;
    refused_q <= error_i;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Software hears of the answer with the next cycle, and of nothing before.
      a_told : assert ((!asked_q || (!busy && error == refused_q)) && (!waits_q || busy))
      else $error("busy %b, error %b", busy, error);
      // Only a connection that has an entry here gives its number to software.
      a_entry : assert (!registers || (valid && ready_i && !error_i &&
          conn.act == ConnRegister && !conn.elsewhere))
      else $error("no entry");
      // Without a parent nothing is registered of another leaf.
      a_here : assert (!valid || Uplink != 0 || !conn.elsewhere)
      else $error("a connection of another leaf");
    end
    // A request that waits while software writes the next one.
    c_waits : cover (rst_ni && waits_q && valid && csr_i.CONN_COMMAND.claim.value &&
                     csr_i.CONN_OWNER.rank.value != conn.rank);
    c_entry : cover (rst_ni && registers);
  end

endmodule
