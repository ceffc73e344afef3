// uplink_csr, which is generated: for any address, what a write changes, what stands after
// reset and what a read returns is what rtl/csr/uplink_csr.rdl says, as `is` below
// has it. Accesses are any, as prim_axil may ask for them, which is left out.
module uplink_csr_props
  import csr_word_pkg::*;
  import uplink_csr_pkg::uplink_csr__in_t;
  import uplink_csr_pkg::uplink_csr__out_t;
(
  input logic        clk_i,
  input logic        rst_ni,
  input uplink_csr__in_t in_i,
  input logic [11:0] any_i   // any address
);

  uplink_csr__out_t out;

  uplink_csr u_dut (
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
  function automatic csr_word_t word_at(logic [11:0] at, uplink_csr__out_t out,
                                        uplink_csr__in_t in);
    // verilator lint_on UNUSEDSIGNAL
    csr_word_t is;
    is = '0;
    is.there = 1'b1;
    unique case (at)
      12'h000: begin   // ID
        is.shows = 32'h5755_504C;
      end
      12'h004: begin   // VERSION
        is.shows = 32'h0001_0000;
      end
      12'h008: begin   // CAP_SHAPE
        is.shows = {in.CAP_SHAPE.overrides.next, in.CAP_SHAPE.queues.next, in.CAP_SHAPE.up.next,
                    in.CAP_SHAPE.down.next};
      end
      12'h00C: begin   // CAP_ROOM
        is.shows = {in.CAP_ROOM.places.next, in.CAP_ROOM.room.next};
      end
      12'h010: begin   // SEED
        is.writes = '1;
        is.keeps = out.SEED.word.value;
      end
      12'h014: begin   // WAY
        is.writes = 32'h0000_0003;
        is.begins = 32'h0000_0001;
        is.keeps = {30'd0, out.WAY.flowlets.value, out.WAY.with_qp.value};
      end
      12'h018: begin   // INTERVAL
        is.writes = '1;
        is.begins = 32'h0001_4244;
        is.keeps = out.INTERVAL.cycles.value;
      end
      12'h020: begin   // PAUSE
        is.writes = 32'hFFFF_00FF;
        is.begins = 32'h0640_0000;
        is.keeps = {out.PAUSE.quanta.value, 8'd0, out.PAUSE.lossless.value};
      end
      12'h024: begin   // LEVELS
        is.writes = '1;
        is.begins = 32'h0080_0100;
        is.keeps = {out.LEVELS.xon.value, out.LEVELS.xoff.value};
      end
      12'h028: begin   // WATCHDOG
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.WATCHDOG.ticks.value};
      end
      12'h02C: begin   // MAC_LOW
        is.writes = '1;
        is.keeps = out.MAC_LOW.word.value;
      end
      12'h030: begin   // MAC_HIGH
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.MAC_HIGH.word.value};
      end
      12'h034: begin   // COMMAND
        is.writes = 32'h0000_FF07;
        is.pulses = 32'h0000_0007;
        is.keeps = {16'd0, out.COMMAND.index.value, 5'd0, out.COMMAND.clear.value,
                    out.COMMAND.store.value, out.COMMAND.apply.value};
        is.shows = {in.COMMAND.error.next, 11'd0, in.COMMAND.clearing.next, 16'd0};
      end
      12'h040: begin   // OVERRIDE_PREFIX_0
        is.writes = '1;
        is.keeps = out.OVERRIDE_PREFIX_0.word.value;
      end
      12'h044: begin   // OVERRIDE_PREFIX_1
        is.writes = '1;
        is.keeps = out.OVERRIDE_PREFIX_1.word.value;
      end
      12'h048: begin   // OVERRIDE_PREFIX_2
        is.writes = '1;
        is.keeps = out.OVERRIDE_PREFIX_2.word.value;
      end
      12'h04C: begin   // OVERRIDE_PREFIX_3
        is.writes = '1;
        is.keeps = out.OVERRIDE_PREFIX_3.word.value;
      end
      12'h050: begin   // OVERRIDE
        is.writes = 32'h8FFF_FFFF;
        is.keeps = {out.OVERRIDE.valid.value, 3'd0, out.OVERRIDE.port.value,
                    out.OVERRIDE.length.value, out.OVERRIDE.sport.value};
      end
      12'h058: begin   // LINK
        is.writes = 32'h0000_FFFF;
        is.begins = 32'h0000_FFFF;
        is.keeps = {16'd0, out.LINK.up.value};
      end
      12'h060: begin   // PORT_SELECT
        is.writes = 32'h0000_00FF;
        is.keeps = {24'd0, out.PORT_SELECT.port.value};
      end
      12'h064: begin   // PORT_STATE
        is.shows = {7'd0, in.PORT_STATE.alarm.next, in.PORT_STATE.storm.next,
                    in.PORT_STATE.xoff.next, in.PORT_STATE.paused.next};
      end
      12'h068: begin   // PORT_EVENTS
        is.shows = {15'd0, in.PORT_EVENTS.alarmed.next, in.PORT_EVENTS.resumed.next,
                    in.PORT_EVENTS.stormed.next};
      end
      12'h06C: begin   // PORT_CLEAR
        is.writes = 32'h0001_FFFF;
        is.keeps = {15'd0, out.PORT_CLEAR.alarmed.value, out.PORT_CLEAR.resumed.value,
                    out.PORT_CLEAR.stormed.value};
      end
      12'h070: begin   // PORT_PEAK
        is.shows = {16'd0, in.PORT_PEAK.beats.next};
      end
      12'h080: begin   // COUNTER_SELECT
        is.writes = 32'h0001_FFFF;
        is.keeps = {15'd0, out.COUNTER_SELECT.of_queue.value, out.COUNTER_SELECT.index.value,
                    out.COUNTER_SELECT.which.value};
      end
      12'h084: begin   // COUNTER_VALUE
        is.shows = in.COUNTER_VALUE.value.next;
      end
      12'h090: begin   // CONN_SELECT
        is.writes = 32'h0F01_FFFF;
        is.keeps = {4'd0, out.CONN_SELECT.source.value, 7'd0, out.CONN_SELECT.way.value,
                    out.CONN_SELECT.row.value};
      end
      12'h094: begin   // CONN_COMMAND
        is.writes = 32'h0000_0003;
        is.pulses = 32'h0000_0003;
        is.keeps = {30'd0, out.CONN_COMMAND.clear.value, out.CONN_COMMAND.read.value};
        is.shows = {in.CONN_COMMAND.sets.next, 6'd0, in.CONN_COMMAND.clearing.next,
                    in.CONN_COMMAND.done.next, 8'd0};
      end
      12'h098: begin   // CONN_DST_0
        is.shows = in.CONN_DST_0.word.next;
      end
      12'h09C: begin   // CONN_DST_1
        is.shows = in.CONN_DST_1.word.next;
      end
      12'h0A0: begin   // CONN_DST_2
        is.shows = in.CONN_DST_2.word.next;
      end
      12'h0A4: begin   // CONN_DST_3
        is.shows = in.CONN_DST_3.word.next;
      end
      12'h0A8: begin   // CONN_QPN
        is.shows = {in.CONN_QPN.used.next, 7'd0, in.CONN_QPN.qpn.next};
      end
      12'h0AC: begin   // CONN_NEXT
        is.shows = {8'd0, in.CONN_NEXT.psn.next};
      end
      12'h0B0: begin   // CONN_COUNTS
        is.shows = {in.CONN_COUNTS.duplicates.next, in.CONN_COUNTS.gaps.next};
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
