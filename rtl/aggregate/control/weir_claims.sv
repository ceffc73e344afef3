// What software wants of the connection table: a connection registered, retired or released.
//
// A request is a copy of the registers from when it was commanded, and stands still until it is
// answered: software may prepare the next one meanwhile, and what look-up asks the table about,
// what it checks and what it writes are the same connection. What this configuration cannot have is
// refused here, so that the table sees only rings, ranks and entries that there are. A command that
// comes while one is under way is ignored. The device waits for nothing here.
module weir_claims
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  // The registers; only those of connections count.
  // verilator lint_off UNUSEDSIGNAL
  input weir_csr_pkg::weir_csr__out_t csr_i,
  // verilator lint_on UNUSEDSIGNAL

  // To the device, held until `ready`; `error` with it: refused.
  output logic      valid_o,
  output conn_set_t conn_o,
  input  logic      ready_i,
  input  logic      error_i,

  // A request is under way; the last one was refused.
  output logic busy_o,
  output logic error_o,
  // A connection has been given an entry, in this cycle.
  output logic registers_o
);

  logic      valid_q, error_q, commanded, possible;
  conn_set_t wanted, conn_q;
  conn_act_e act;

  assign commanded = csr_i.CONN_COMMAND.claim.value || csr_i.CONN_COMMAND.retire.value ||
      csr_i.CONN_COMMAND.release_.value;
  assign act = csr_i.CONN_COMMAND.claim.value ? ConnRegister :
      csr_i.CONN_COMMAND.retire.value ? ConnRetire : ConnRelease;

  assign wanted = '{
    act: act,
    index: csr_i.CONN_SELECT.index.value,
    key: '{
      vlan: csr_i.CONN_VLAN.vid.value,
      v6: csr_i.CONN_QPN.v6.value,
      src: {
        csr_i.CONN_SRC3.word.value,
        csr_i.CONN_SRC2.word.value,
        csr_i.CONN_SRC1.word.value,
        csr_i.CONN_SRC0.word.value
      },
      dst: {
        csr_i.CONN_DST3.word.value,
        csr_i.CONN_DST2.word.value,
        csr_i.CONN_DST1.word.value,
        csr_i.CONN_DST0.word.value
      },
      qpn: csr_i.CONN_QPN.qpn.value
    },
    ring: csr_i.CONN_OWNER.ring.value,
    rank: csr_i.CONN_OWNER.rank.value,
    elsewhere: csr_i.CONN_OWNER.elsewhere.value && act == ConnRegister
  };

  // A key of packets that the device can read.
  logic readable;
  assign readable = (Cfg.Without[WithoutIpv6] ? !wanted.key.v6 : 1'b1) &&
      (Cfg.Without[WithoutVlan] ? wanted.key.vlan == '0 : 1'b1);

  assign possible = (act != ConnRegister) ? 32'(wanted.index) < Cfg.NumConns :
      readable && 32'(wanted.ring) < Cfg.NumRings &&
      (wanted.elsewhere ? Cfg.Uplink != 0 : 32'(wanted.rank) < Cfg.NumRanks);

  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      if (ready_i) begin
        valid_q <= 1'b0;
        error_q <= error_i;
      end
    end else if (commanded) begin
      conn_q  <= wanted;
      valid_q <= possible;
      error_q <= !possible;
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      error_q <= 1'b0;
    end
  end

  assign valid_o     = valid_q;
  assign conn_o      = conn_q;
  assign busy_o      = valid_q;
  assign error_o     = error_q;
  assign registers_o = valid_q && ready_i && !error_i && conn_q.act == ConnRegister &&
      !conn_q.elsewhere;

  logic      waits_q;
  conn_set_t asked_q;
  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && valid_o && !ready_i;
    asked_q <= conn_o;
    if (rst_ni) begin
      // A request is not taken back, and does not become another one: an entry would be written
      // that nobody has looked up, or a rank that another connection has.
      a_held : assert (!waits_q || (valid_o && conn_o == asked_q))
      else $error("%m: a request that waits has changed");
      // It is of what there is.
      a_possible : assert (!valid_o || ((conn_o.act != ConnRegister) ?
          32'(conn_o.index) < Cfg.NumConns : 32'(conn_o.ring) < Cfg.NumRings &&
          (conn_o.elsewhere || 32'(conn_o.rank) < Cfg.NumRanks)))
      else $error("%m: a request for ring %0d, rank %0d", conn_o.ring, conn_o.rank);
    end
  end

endmodule
