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

  // What software has commanded, where nothing is under way: the connection as its registers say.
  logic      claims, retires, commands_q, idle_q, error_q, can_q, can;
  conn_set_t said, said_q;
  assign claims  = csr_i.CONN_COMMAND.claim.value;
  assign retires = csr_i.CONN_COMMAND.retire.value && !claims;

  always_comb begin
    said           = '0;
    said.act       = claims ? ConnRegister : retires ? ConnRetire : ConnRelease;
    said.index     = csr_i.CONN_SELECT.index.value;
    said.ring      = csr_i.CONN_OWNER.ring.value;
    said.rank      = csr_i.CONN_OWNER.rank.value;
    said.elsewhere = claims && csr_i.CONN_OWNER.elsewhere.value;
    said.key.vlan  = csr_i.CONN_VLAN.vid.value;
    said.key.v6    = csr_i.CONN_QPN.v6.value;
    said.key.qpn   = csr_i.CONN_QPN.qpn.value;
    said.key.src[31:0]   = csr_i.CONN_SRC0.word.value;
    said.key.src[63:32]  = csr_i.CONN_SRC1.word.value;
    said.key.src[95:64]  = csr_i.CONN_SRC2.word.value;
    said.key.src[127:96] = csr_i.CONN_SRC3.word.value;
    said.key.dst[31:0]   = csr_i.CONN_DST0.word.value;
    said.key.dst[63:32]  = csr_i.CONN_DST1.word.value;
    said.key.dst[95:64]  = csr_i.CONN_DST2.word.value;
    said.key.dst[127:96] = csr_i.CONN_DST3.word.value;
    // Five rings of six ranks, 48 entries.
    can = claims ? (32'(said.ring) < 5 && (said.elsewhere ? Uplink != 0 : 32'(said.rank) < 6)) :
        32'(said.index) < 48;
  end

  always_ff @(posedge clk_i) begin
    idle_q     <= !rst_ni || !valid;
    commands_q <= rst_ni && !valid && (claims || retires || csr_i.CONN_COMMAND.release_.value);
    said_q     <= said;
    can_q      <= can;
    error_q    <= rst_ni && error;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // What is asked of the table is the connection that stood in the registers when software
      // commanded it, bit for bit.
      a_copy : assert (!commands_q || !valid || conn == said_q)
      else $error("another connection");
      // A command is asked of the table if the device can have it, and refused at once if not;
      // nothing is asked that was not commanded.
      a_asked : assert (!idle_q || valid == (commands_q && can_q))
      else $error("asked %b", valid);
      a_refused : assert (!idle_q || error == (commands_q ? !can_q : error_q))
      else $error("error %b", error);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Software hears of the answer with the next cycle, and of nothing before.
      a_told : assert ((!asked_q || (!busy && error == refused_q)) &&
                       (!waits_q || (busy && error == error_q)))
      else $error("busy %b, error %b", busy, error);
      // Only a connection that has an entry here gives its number to software.
      a_entry : assert (registers == (valid && ready_i && !error_i &&
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
