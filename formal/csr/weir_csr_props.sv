// weir_csr, which is generated: for any address, what a write changes, what stands after reset and
// what a read returns is what rtl/csr/weir_csr.rdl says, as `is` below has it; registers of a ring
// are loaded by the device, those of a tree are kept elsewhere, and answered from there. Accesses
// are any, as prim_axil may ask for them, which is left out.
module weir_csr_props
  import csr_word_pkg::*;
  import weir_csr_pkg::weir_csr__in_t;
  import weir_csr_pkg::weir_csr__out_t;
(
  input logic          clk_i,
  input logic          rst_ni,
  input weir_csr__in_t in_i,
  input logic [11:0]   any_i   // any address
);

  weir_csr__out_t out;

  weir_csr u_dut (
    .clk           (clk_i),
    .rst_n         (rst_ni),
    .s_axil_awvalid('0),
    .s_axil_awready(),
    .s_axil_awaddr ('0),
    .s_axil_awprot ('0),
    .s_axil_arvalid('0),
    .s_axil_arready(),
    .s_axil_araddr ('0),
    .s_axil_arprot ('0),
    .s_axil_wvalid ('0),
    .s_axil_wready (),
    .s_axil_wdata  ('0),
    .s_axil_wstrb  ('0),
    .s_axil_bvalid (),
    .s_axil_bready ('0),
    .s_axil_bresp  (),
    .s_axil_rvalid (),
    .s_axil_rready ('0),
    .s_axil_rdata  (),
    .s_axil_rresp  (),
    .hwif_in       (in_i),
    .hwif_out      (out)
  );

  /// The register at an address.
  // verilator lint_off UNUSEDSIGNAL
  function automatic csr_word_t word_at(logic [11:0] at, weir_csr__out_t out,
                                        weir_csr__in_t in);
    // verilator lint_on UNUSEDSIGNAL
    csr_word_t is;
    is = '0;
    is.there = 1'b1;
    unique case (at)
      12'h000: begin   // ID
        is.shows = 32'h5745_4952;
      end
      12'h004: begin   // VERSION
        is.shows = 32'h0005_0000;
      end
      12'h008: begin   // CAP_SHAPE
        is.shows = {in.CAP_SHAPE.max_window.next, in.CAP_SHAPE.rings.next,
                    in.CAP_SHAPE.ranks.next, in.CAP_SHAPE.ports.next};
      end
      12'h00C: begin   // CAP_MEMORY
        is.shows = {in.CAP_MEMORY.slot_bytes.next, in.CAP_MEMORY.slots.next};
      end
      12'h010: begin   // CAP_CONNS
        is.shows = {in.CAP_CONNS.rows.next, 3'd0, in.CAP_CONNS.spine.next, 1'd0,
                    in.CAP_CONNS.ecc.next, in.CAP_CONNS.uplink.next, in.CAP_CONNS.wide_lanes.next,
                    in.CAP_CONNS.conns.next};
      end
      12'h014: begin   // PORT_OPEN
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.PORT_OPEN.ports.value};
      end
      12'h018: begin   // EPOCH
        is.writes = 32'h0000_00FF;
        is.keeps = {24'd0, out.EPOCH.epoch.value};
      end
      12'h01C: begin   // PORT_DOWN
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.PORT_DOWN.ports.value};
      end
      12'h020: begin   // DEVICE_COMMAND
        is.writes = 32'h0000_0001;
        is.pulses = 32'h0000_0001;
        is.keeps = {31'd0, out.DEVICE_COMMAND.soft_reset.value};
      end
      12'h024: begin   // IRQ_CAUSE
        is.writes = 32'h0000_000F;
        is.causes = 32'h0000_000F;
        is.comes = {28'd0, in.IRQ_CAUSE.pause_storm.hwset, in.IRQ_CAUSE.memory.hwset,
                    in.IRQ_CAUSE.stall.hwset, in.IRQ_CAUSE.table_full.hwset};
        is.keeps = {28'd0, out.IRQ_CAUSE.pause_storm.value, out.IRQ_CAUSE.memory.value,
                    out.IRQ_CAUSE.stall.value, out.IRQ_CAUSE.table_full.value};
      end
      12'h028: begin   // IRQ_ENABLE
        is.writes = 32'h0000_000F;
        is.keeps = {28'd0, out.IRQ_ENABLE.causes.value};
      end
      12'h02C: begin   // STALL_LIMIT
        is.writes = '1;
        is.keeps = out.STALL_LIMIT.limit.value;
      end
      12'h030: begin   // RING_STALLS
        is.shows = in.RING_STALLS.rings.next;
      end
      12'h034: begin   // TABLE_COLUMNS
        is.shows = {16'd0, in.TABLE_COLUMNS.columns.next};
      end
      12'h038: begin   // AGE_LIMIT
        is.writes = '1;
        is.keeps = out.AGE_LIMIT.limit.value;
      end
      12'h03C: begin   // CAP_WITHOUT
        is.shows = {21'd0, in.CAP_WITHOUT.observation.next, in.CAP_WITHOUT.wide_counters.next,
                    in.CAP_WITHOUT.learning.next, in.CAP_WITHOUT.min_max.next,
                    in.CAP_WITHOUT.int32.next, in.CAP_WITHOUT.bf16.next, in.CAP_WITHOUT.fp16.next,
                    in.CAP_WITHOUT.fp32.next, in.CAP_WITHOUT.vlan.next, in.CAP_WITHOUT.ipv6.next,
                    in.CAP_WITHOUT.icrc_check.next};
      end
      12'h080: begin   // RING_SELECT
        is.writes = 32'h0000_001F;
        is.keeps = {27'd0, out.RING_SELECT.index.value};
      end
      12'h084: begin   // RING_ID
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.RING_ID.id.value};
        is.loads = {16'd0, {16{in.RING_ID.id.we}}};
        is.loaded = {16'd0, in.RING_ID.id.next};
      end
      12'h088: begin   // RING_SHAPE
        is.writes = 32'h0007_071F;
        is.keeps = {13'd0, out.RING_SHAPE.drop.value, out.RING_SHAPE.enable.value,
                    out.RING_SHAPE.learn.value, 5'd0, out.RING_SHAPE.window_log2.value, 3'd0,
                    out.RING_SHAPE.workers.value};
        is.loads = {13'd0, in.RING_SHAPE.drop.we, in.RING_SHAPE.enable.we,
                      in.RING_SHAPE.learn.we, 5'd0, {3{in.RING_SHAPE.window_log2.we}}, 3'd0,
                      {5{in.RING_SHAPE.workers.we}}};
        is.loaded = {13'd0, in.RING_SHAPE.drop.next, in.RING_SHAPE.enable.next,
                       in.RING_SHAPE.learn.next, 5'd0, in.RING_SHAPE.window_log2.next, 3'd0,
                       in.RING_SHAPE.workers.next};
      end
      12'h08C: begin   // RING_REGION
        is.writes = 32'h3FFF_3FFF;
        is.keeps = {2'd0, out.RING_REGION.stride.value, 2'd0, out.RING_REGION.base.value};
        is.loads = {2'd0, {14{in.RING_REGION.stride.we}}, 2'd0, {14{in.RING_REGION.base.we}}};
        is.loaded = {2'd0, in.RING_REGION.stride.next, 2'd0, in.RING_REGION.base.next};
      end
      12'h090: begin   // RING_COMMAND
        is.writes = 32'h0000_000F;
        is.pulses = 32'h0000_000F;
        is.keeps = {28'd0, out.RING_COMMAND.drain.value, out.RING_COMMAND.release_.value,
                    out.RING_COMMAND.flush.value, out.RING_COMMAND.store.value};
        is.shows = {16'd0, in.RING_COMMAND.why.next, 2'd0, in.RING_COMMAND.error.next,
                    in.RING_COMMAND.busy.next, 8'd0};
      end
      12'h094: begin   // RING_WAITS
        is.shows = {in.RING_WAITS.known.next, 14'd0, in.RING_WAITS.parent.next,
                    in.RING_WAITS.ranks.next};
      end
      12'h098: begin   // RING_QUIET
        is.shows = in.RING_QUIET.units.next;
      end
      12'h100: begin   // CONN_SELECT
        is.writes = 32'h0000_03FF;
        is.keeps = {22'd0, out.CONN_SELECT.index.value};
        is.loads = {22'd0, {10{in.CONN_SELECT.index.we}}};
        is.loaded = {22'd0, in.CONN_SELECT.index.next};
      end
      12'h104: begin   // CONN_QPN
        is.writes = 32'h80FF_FFFF;
        is.keeps = {out.CONN_QPN.v6.value, 7'd0, out.CONN_QPN.qpn.value};
      end
      12'h108: begin   // CONN_OWNER
        is.writes = 32'h0001_0F1F;
        is.keeps = {15'd0, out.CONN_OWNER.elsewhere.value, 4'd0, out.CONN_OWNER.rank.value, 3'd0,
                    out.CONN_OWNER.ring.value};
      end
      12'h10C: begin   // CONN_COMMAND
        is.writes = 32'h0000_0007;
        is.pulses = 32'h0000_0007;
        is.keeps = {29'd0, out.CONN_COMMAND.release_.value, out.CONN_COMMAND.retire.value,
                    out.CONN_COMMAND.claim.value};
        is.shows = {22'd0, in.CONN_COMMAND.error.next, in.CONN_COMMAND.busy.next, 8'd0};
      end
      12'h110: begin   // CONN_VLAN
        is.writes = 32'h0000_0FFF;
        is.keeps = {20'd0, out.CONN_VLAN.vid.value};
      end
      12'h114: begin   // CONN_COUNT
        is.shows = {in.CONN_COUNT.retired.next, in.CONN_COUNT.used.next};
      end
      12'h180: begin   // CONN_SRC0
        is.writes = '1;
        is.keeps = out.CONN_SRC0.word.value;
      end
      12'h184: begin   // CONN_SRC1
        is.writes = '1;
        is.keeps = out.CONN_SRC1.word.value;
      end
      12'h188: begin   // CONN_SRC2
        is.writes = '1;
        is.keeps = out.CONN_SRC2.word.value;
      end
      12'h18C: begin   // CONN_SRC3
        is.writes = '1;
        is.keeps = out.CONN_SRC3.word.value;
      end
      12'h190: begin   // CONN_DST0
        is.writes = '1;
        is.keeps = out.CONN_DST0.word.value;
      end
      12'h194: begin   // CONN_DST1
        is.writes = '1;
        is.keeps = out.CONN_DST1.word.value;
      end
      12'h198: begin   // CONN_DST2
        is.writes = '1;
        is.keeps = out.CONN_DST2.word.value;
      end
      12'h19C: begin   // CONN_DST3
        is.writes = '1;
        is.keeps = out.CONN_DST3.word.value;
      end
      12'h200: begin   // COUNTER_SELECT
        is.writes = 32'h0001_3F1F;
        is.keeps = {15'd0, out.COUNTER_SELECT.ring.value, 2'd0, out.COUNTER_SELECT.which.value,
                    3'd0, out.COUNTER_SELECT.port.value};
      end
      12'h204: begin   // COUNTER_LOW
        is.shows = in.COUNTER_LOW.value.next;
      end
      12'h208: begin   // COUNTER_HIGH
        is.shows = {16'd0, in.COUNTER_HIGH.value.next};
      end
      12'h280: is.elsewhere = 1'b1;   // RELAY_SELF_IP
      12'h284: is.elsewhere = 1'b1;   // RELAY_SELF_MAC_LOW
      12'h288: is.elsewhere = 1'b1;   // RELAY_SELF_MAC_HIGH
      12'h28C: is.elsewhere = 1'b1;   // RELAY_PARENT_IP
      12'h290: is.elsewhere = 1'b1;   // RELAY_PARENT_MAC_LOW
      12'h294: is.elsewhere = 1'b1;   // RELAY_PARENT_MAC_HIGH
      12'h298: is.elsewhere = 1'b1;   // RELAY_PLACE
      12'h29C: is.elsewhere = 1'b1;   // RELAY_ROLE
      default: is.there = 1'b0;
    endcase
    return is;
  endfunction

  // The registers at the address of an access, and at any one, now and a cycle ago.
  logic        req, write;
  logic [11:0] addr, any_q, last, last_q;   // the last access was there
  logic [31:0] data, bits;
  csr_word_t   asked, one, that, kept;
  assign {req, write, addr, data, bits} = {u_dut.u_axil.req_o, u_dut.u_axil.write_o,
      u_dut.u_axil.addr_o, u_dut.u_axil.wdata_o, u_dut.u_axil.wbits_o};
  assign asked = word_at(addr, out, in_i);
  assign one   = word_at(any_i, out, in_i);
  assign that  = word_at(any_q, out, in_i);
  assign kept  = word_at(last, out, in_i);

  // A write waits for a cycle behind a read, whose answer comes a cycle late; and each access for
  // the answer to a write that went elsewhere.
  logic        reset_q, known_q, reads_q, waits_q, takes, answered;
  logic        read_ack_q, read_error_q;
  logic [31:0] read_q, next_q;
  logic [7:0]  answers, asks;
  assign takes    = req && !waits_q && !(write && reads_q);
  assign answers  = {in_i.RELAY_ROLE.wr_ack, in_i.RELAY_PLACE.wr_ack,
                     in_i.RELAY_PARENT_MAC_HIGH.wr_ack, in_i.RELAY_PARENT_MAC_LOW.wr_ack,
                     in_i.RELAY_PARENT_IP.wr_ack, in_i.RELAY_SELF_MAC_HIGH.wr_ack,
                     in_i.RELAY_SELF_MAC_LOW.wr_ack, in_i.RELAY_SELF_IP.wr_ack};
  assign answered = answers != '0;
  assign last     = takes ? addr : last_q;
  assign asks     = {out.RELAY_ROLE.req, out.RELAY_PLACE.req, out.RELAY_PARENT_MAC_HIGH.req,
                     out.RELAY_PARENT_MAC_LOW.req, out.RELAY_PARENT_IP.req,
                     out.RELAY_SELF_MAC_HIGH.req, out.RELAY_SELF_MAC_LOW.req,
                     out.RELAY_SELF_IP.req};

  initial {reset_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    any_q        <= any_i;
    reset_q      <= reset_q || !rst_ni;
    known_q      <= reset_q;
    reads_q      <= rst_ni && req && !write;
    if (takes && write && asked.elsewhere) waits_q <= 1'b1;
    if (answered || !rst_ni) waits_q <= 1'b0;
    read_ack_q   <= rst_ni && takes && !write;
    read_error_q <= rst_ni && takes && !asked.there;
    last_q       <= rst_ni ? last : '0;
    read_q       <= rst_ni ? kept.keeps | kept.shows : '0;
    // Of the address that is followed.
    next_q       <= rst_ni ? csr_next(one, takes && write && addr == any_i, bits, data) :
        one.begins;
  end

  always_ff @(posedge clk_i) begin
    // Of a write each bit counts that software may write and that the access names; pulses are for
    // one cycle, causes are cleared by a 1. The device loads registers while software writes none
    // of the same word. Nothing else changes one, and a reset sets it.
    a_keeps : assert (!reset_q || !known_q || that.keeps == next_q)
    else $error("address %h: %h, not %h", any_q, that.keeps, next_q);
    // A write is answered at once, unless it has to wait, or when it is from elsewhere.
    a_write : assert (!reset_q || u_dut.u_axil.write_ack_i ==
                      (answered || (takes && write && !asked.elsewhere)))
    else $error("a write is answered: %b", u_dut.u_axil.write_ack_i);
    // One is on its way from then to its answer; the address of the last access is kept.
    a_waits : assert (!reset_q || (u_dut.external_pending == waits_q &&
                                   u_dut.pending_rd_addr == last_q))
    else $error("waits %b", waits_q);
    // It is refused if there is no such register.
    a_refuse : assert (!reset_q || u_dut.u_axil.write_error_i == (takes && !asked.there))
    else $error("a write is refused: %b", u_dut.u_axil.write_error_i);
    // A read is answered a cycle later, and refused if there is no such register.
    a_read : assert (!reset_q || !known_q || (u_dut.u_axil.read_ack_i == read_ack_q &&
                                              u_dut.u_axil.read_error_i == read_error_q))
    else $error("a read is answered: %b", u_dut.u_axil.read_ack_i);
    // What is read is what the register of the last access was; all other bits are 0, and so is
    // what is kept elsewhere.
    a_reads : assert (!reset_q || !known_q || u_dut.u_axil.read_i == read_q)
    else $error("reads %h, not %h", u_dut.u_axil.read_i, read_q);
    // Registers of a tree, from 0x280 on, are told of writes to them, each of its own, ...
    a_asks : assert (!reset_q || asks == ((takes && write && asked.elsewhere) ?
                     8'd1 << addr[4:2] : 8'd0))
    else $error("writes to registers %b", asks);
    // ... and what is written.
    a_written : assert ({out.RELAY_ROLE.req_is_wr, out.RELAY_PLACE.req_is_wr,
                         out.RELAY_PARENT_MAC_HIGH.req_is_wr, out.RELAY_PARENT_MAC_LOW.req_is_wr,
                         out.RELAY_PARENT_IP.req_is_wr, out.RELAY_SELF_MAC_HIGH.req_is_wr,
                         out.RELAY_SELF_MAC_LOW.req_is_wr, out.RELAY_SELF_IP.req_is_wr} ==
                        {8{write}} && {32'(out.RELAY_ROLE.wr_data), 32'(out.RELAY_PLACE.wr_data),
                         32'(out.RELAY_PARENT_MAC_HIGH.wr_data),
                         32'(out.RELAY_PARENT_MAC_LOW.wr_data), 32'(out.RELAY_PARENT_IP.wr_data),
                         32'(out.RELAY_SELF_MAC_HIGH.wr_data),
                         32'(out.RELAY_SELF_MAC_LOW.wr_data), 32'(out.RELAY_SELF_IP.wr_data)} ==
                        {8{data}})
    else $error("another word is written");
    a_named : assert ({32'(out.RELAY_ROLE.wr_biten), 32'(out.RELAY_PLACE.wr_biten),
                       32'(out.RELAY_PARENT_MAC_HIGH.wr_biten),
                       32'(out.RELAY_PARENT_MAC_LOW.wr_biten), 32'(out.RELAY_PARENT_IP.wr_biten),
                       32'(out.RELAY_SELF_MAC_HIGH.wr_biten),
                       32'(out.RELAY_SELF_MAC_LOW.wr_biten), 32'(out.RELAY_SELF_IP.wr_biten)} ==
                      {8{bits}})
    else $error("other bits are written");
    // The device hears that another ring is selected, and that a counter's low half is read.
    a_hears : assert (!reset_q || (out.RING_SELECT.index.swmod == (takes && write &&
                      addr == 12'h080 && bits[4:0] != '0) && out.COUNTER_LOW.value.swacc ==
                      (takes && !write && addr == 12'h204)))
    else $error("selects %b, reads %b", out.RING_SELECT.index.swmod,
                out.COUNTER_LOW.value.swacc);

    // A read waits for a write that went elsewhere; a ring is loaded.
    c_waits : cover (reset_q && rst_ni && waits_q && req && !write && answered);
    c_loads : cover (reset_q && known_q && any_q == 12'h084 && that.keeps == 32'h0000_5678);
  end

endmodule
