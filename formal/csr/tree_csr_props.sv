// tree_csr, which is generated: for any address, what a write changes, what stands after
// reset and what a read returns is what rtl/csr/tree_csr.rdl says, as `is` below
// has it. Accesses are any, as prim_axil may ask for them, which is left out.
module tree_csr_props
  import csr_word_pkg::*;
  import tree_csr_pkg::tree_csr__in_t;
  import tree_csr_pkg::tree_csr__out_t;
(
  input logic        clk_i,
  input logic        rst_ni,
  input tree_csr__in_t in_i,
  input logic [11:0] any_i   // any address
);

  tree_csr__out_t out;

  tree_csr u_dut (
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
  function automatic csr_word_t word_at(logic [11:0] at, tree_csr__out_t out,
                                        tree_csr__in_t in);
    // verilator lint_on UNUSEDSIGNAL
    csr_word_t is;
    is = '0;
    is.there = 1'b1;
    unique case (at)
      12'h000: begin   // ID
        is.shows = 32'h5754_4E44;
      end
      12'h004: begin   // VERSION
        is.shows = 32'h0001_0003;
      end
      12'h008: begin   // CAP_SHAPE
        is.shows = {8'd0, in.CAP_SHAPE.cells.next, in.CAP_SHAPE.groups.next,
                    in.CAP_SHAPE.ports.next};
      end
      12'h00C: begin   // CAP_ROOM
        is.shows = {3'd0, in.CAP_ROOM.mtu.next, in.CAP_ROOM.send_room.next,
                    in.CAP_ROOM.queue_room.next};
      end
      12'h010: begin   // CAP_FEATURES
        is.shows = {30'd0, in.CAP_FEATURES.ecc.next, in.CAP_FEATURES.wide_lanes.next};
      end
      12'h014: begin   // IRQ_CAUSE
        is.writes = 32'h0000_000F;
        is.causes = 32'h0000_000F;
        is.comes = {28'd0, in.IRQ_CAUSE.pause_storm.hwset, in.IRQ_CAUSE.memory.hwset,
                    in.IRQ_CAUSE.connection.hwset, in.IRQ_CAUSE.torn_down.hwset};
        is.keeps = {28'd0, out.IRQ_CAUSE.pause_storm.value, out.IRQ_CAUSE.memory.value,
                    out.IRQ_CAUSE.connection.value, out.IRQ_CAUSE.torn_down.value};
      end
      12'h018: begin   // IRQ_ENABLE
        is.writes = 32'h0000_000F;
        is.keeps = {28'd0, out.IRQ_ENABLE.causes.value};
      end
      12'h01C: begin   // PORT_DOWN
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.PORT_DOWN.ports.value};
      end
      12'h020: begin   // CLOCK
        is.writes = 32'h0000_03FF;
        is.begins = 32'h0000_00F9;
        is.keeps = {22'd0, out.CLOCK.last_cycle.value};
      end
      12'h024: begin   // TREE_IDS
        is.writes = '1;
        is.keeps = {out.TREE_IDS.streaming.value, out.TREE_IDS.low.value};
      end
      12'h028: begin   // TREE_NODE
        is.writes = 32'h1FFF_FFFF;
        is.begins = 32'h0400_0000;
        is.keeps = {3'd0, out.TREE_NODE.mtu.value, out.TREE_NODE.node.value};
      end
      12'h02C: begin   // TREE_PORTS
        is.writes = 32'h010F_FFFF;
        is.keeps = {7'd0, out.TREE_PORTS.has_parent.value, 4'd0, out.TREE_PORTS.parent.value,
                    out.TREE_PORTS.children.value};
      end
      12'h030: begin   // PATIENCE
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.PATIENCE.value.value};
      end
      12'h034: begin   // PATIENCE_UP
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.PATIENCE_UP.value.value};
      end
      12'h038: begin   // GROUP
        is.writes = '1;
        is.keeps = {out.GROUP.children.value, out.GROUP.id.value};
      end
      12'h03C: begin   // GROUP_COMMAND
        is.writes = 32'h0001_03FF;
        is.pulses = 32'h0001_0000;
        is.keeps = {15'd0, out.GROUP_COMMAND.store.value, 6'd0, out.GROUP_COMMAND.up.value,
                    out.GROUP_COMMAND.there.value, out.GROUP_COMMAND.index.value};
      end
      12'h040: begin   // TREE_COMMAND
        is.writes = 32'h0000_0007;
        is.pulses = 32'h0000_0007;
        is.keeps = {29'd0, out.TREE_COMMAND.open_streaming.value, out.TREE_COMMAND.close.value,
                    out.TREE_COMMAND.open.value};
        is.shows = {15'd0, in.TREE_COMMAND.memory_lost.next, in.TREE_COMMAND.error.next,
                    in.TREE_COMMAND.pending.next, in.TREE_COMMAND.streaming_down.next,
                    in.TREE_COMMAND.low_down.next, in.TREE_COMMAND.is_open.next, 8'd0};
      end
      12'h044: begin   // TREE_CASTS
        is.writes = 32'h0001_FFFF;
        is.keeps = {15'd0, out.TREE_CASTS.listens.value, out.TREE_CASTS.children.value};
      end
      12'h048: begin   // MEMORY_LAST
        is.shows = {in.MEMORY_LAST.some.next, in.MEMORY_LAST.lost.next, 2'd0,
                    in.MEMORY_LAST.memory.next, 2'd0, in.MEMORY_LAST.scope.next,
                    in.MEMORY_LAST.port_no.next, in.MEMORY_LAST.at.next};
      end
      12'h050: begin   // LOCK_SELECT
        is.writes = 32'h0000_000F;
        is.keeps = {28'd0, out.LOCK_SELECT.cell_no.value};
      end
      12'h054: begin   // LOCK_STATE
        is.shows = {30'd0, in.LOCK_STATE.kept.next, in.LOCK_STATE.used.next};
      end
      12'h058: begin   // LOCK_OWNER
        is.shows = {in.LOCK_OWNER.group.next, in.LOCK_OWNER.tree.next};
      end
      12'h05C: begin   // LOCK_LEFT
        is.shows = in.LOCK_LEFT.operations.next;
      end
      12'h060: begin   // COUNTER_SELECT
        is.writes = 32'h0003_0FFF;
        is.keeps = {14'd0, out.COUNTER_SELECT.scope.value, 4'd0, out.COUNTER_SELECT.port_no.value,
                    out.COUNTER_SELECT.which.value};
      end
      12'h064: begin   // COUNTER_VALUE
        is.shows = in.COUNTER_VALUE.value.next;
      end
      12'h080: begin   // CONN_LOCAL_MAC_LOW
        is.writes = '1;
        is.keeps = out.CONN_LOCAL_MAC_LOW.word.value;
      end
      12'h084: begin   // CONN_LOCAL_MAC_HIGH
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.CONN_LOCAL_MAC_HIGH.word.value};
      end
      12'h088: begin   // CONN_PEER_MAC_LOW
        is.writes = '1;
        is.keeps = out.CONN_PEER_MAC_LOW.word.value;
      end
      12'h08C: begin   // CONN_PEER_MAC_HIGH
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.CONN_PEER_MAC_HIGH.word.value};
      end
      12'h090: begin   // CONN_LOCAL_IP_0
        is.writes = '1;
        is.keeps = out.CONN_LOCAL_IP_0.word.value;
      end
      12'h094: begin   // CONN_LOCAL_IP_1
        is.writes = '1;
        is.keeps = out.CONN_LOCAL_IP_1.word.value;
      end
      12'h098: begin   // CONN_LOCAL_IP_2
        is.writes = '1;
        is.keeps = out.CONN_LOCAL_IP_2.word.value;
      end
      12'h09C: begin   // CONN_LOCAL_IP_3
        is.writes = '1;
        is.keeps = out.CONN_LOCAL_IP_3.word.value;
      end
      12'h0A0: begin   // CONN_PEER_IP_0
        is.writes = '1;
        is.keeps = out.CONN_PEER_IP_0.word.value;
      end
      12'h0A4: begin   // CONN_PEER_IP_1
        is.writes = '1;
        is.keeps = out.CONN_PEER_IP_1.word.value;
      end
      12'h0A8: begin   // CONN_PEER_IP_2
        is.writes = '1;
        is.keeps = out.CONN_PEER_IP_2.word.value;
      end
      12'h0AC: begin   // CONN_PEER_IP_3
        is.writes = '1;
        is.keeps = out.CONN_PEER_IP_3.word.value;
      end
      12'h0B0: begin   // CONN_VLAN
        is.writes = 32'h0001_0FFF;
        is.keeps = {15'd0, out.CONN_VLAN.v6.value, 4'd0, out.CONN_VLAN.vid.value};
      end
      12'h0B4: begin   // CONN_LOCAL_QPN
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.CONN_LOCAL_QPN.value.value};
      end
      12'h0B8: begin   // CONN_PEER_QPN
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.CONN_PEER_QPN.value.value};
      end
      12'h0BC: begin   // CONN_UDP_SOURCE
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.CONN_UDP_SOURCE.word.value};
      end
      12'h0C0: begin   // CONN_PSN_OUT
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.CONN_PSN_OUT.value.value};
      end
      12'h0C4: begin   // CONN_PSN_IN
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.CONN_PSN_IN.value.value};
      end
      12'h0C8: begin   // CONN_REQUEST
        is.writes = 32'h0000_770F;
        is.begins = 32'h0000_7702;
        is.keeps = {17'd0, out.CONN_REQUEST.rnr_retries.value, 1'd0,
                    out.CONN_REQUEST.retries.value, 4'd0, out.CONN_REQUEST.ack_every_log2.value};
      end
      12'h0CC: begin   // CONN_TIMEOUT
        is.writes = 32'h00FF_FFFF;
        is.keeps = {8'd0, out.CONN_TIMEOUT.value.value};
      end
      12'h0D0: begin   // CONN_RESPOND
        is.writes = 32'h11F3_FFFF;
        is.begins = 32'h0010_0004;
        is.keeps = {3'd0, out.CONN_RESPOND.no_credits.value, 3'd0,
                    out.CONN_RESPOND.rnr_timer.value, 2'd0, out.CONN_RESPOND.ack_delay.value,
                    out.CONN_RESPOND.coalesce.value};
      end
      12'h0D4: begin   // CONN_COMMAND
        is.writes = 32'h0001_010F;
        is.pulses = 32'h0001_0000;
        is.keeps = {15'd0, out.CONN_COMMAND.store.value, 7'd0, out.CONN_COMMAND.streaming.value,
                    4'd0, out.CONN_COMMAND.port_no.value};
        is.shows = {5'd0, in.CONN_COMMAND.fault.next, 3'd0, in.CONN_COMMAND.idle.next, 20'd0};
      end
      default: is.there = 1'b0;
    endcase
    return is;
  endfunction

  logic [11:0] any_q;
  always_ff @(posedge clk_i) any_q <= any_i;

  csr_word_watch u_watch (
    .clk_i,
    .rst_ni,
    .req_i        (u_dut.u_axil.req_o),
    .write_i      (u_dut.u_axil.write_o),
    .addr_i       (u_dut.u_axil.addr_o),
    .data_i       (u_dut.u_axil.wdata_o),
    .bits_i       (u_dut.u_axil.wbits_o),
    .write_ack_i  (u_dut.u_axil.write_ack_i),
    .write_error_i(u_dut.u_axil.write_error_i),
    .read_ack_i   (u_dut.u_axil.read_ack_i),
    .read_error_i (u_dut.u_axil.read_error_i),
    .read_i       (u_dut.u_axil.read_i),
    .any_i,
    .any_q_i      (any_q),
    .asked_i      (word_at(u_dut.u_axil.addr_o, out, in_i)),
    .this_i       (word_at(any_i, out, in_i)),
    .that_i       (word_at(any_q, out, in_i))
  );

endmodule
