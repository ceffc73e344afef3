// gather_switch_csr, which is generated: for any address, what a write changes, what stands after
// reset and what a read returns is what rtl/csr/gather_switch_csr.rdl says, as `is` below
// has it. Accesses are any, as prim_axil may ask for them, which is left out.
module gather_switch_csr_props
  import csr_word_pkg::*;
  import gather_switch_csr_pkg::gather_switch_csr__in_t;
  import gather_switch_csr_pkg::gather_switch_csr__out_t;
(
  input logic        clk_i,
  input logic        rst_ni,
  input gather_switch_csr__in_t in_i,
  input logic [11:0] any_i   // any address
);

  gather_switch_csr__out_t out;

  gather_switch_csr u_dut (
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
  function automatic csr_word_t word_at(logic [11:0] at, gather_switch_csr__out_t out,
                                        gather_switch_csr__in_t in);
    // verilator lint_on UNUSEDSIGNAL
    csr_word_t is;
    is = '0;
    is.there = 1'b1;
    unique case (at)
      12'h000: begin   // ID
        is.shows = 32'h5747_5357;
      end
      12'h004: begin   // VERSION
        is.shows = 32'h0001_0001;
      end
      12'h008: begin   // CAP_SHAPE
        is.shows = {in.CAP_SHAPE.nodes.next, in.CAP_SHAPE.pipes.next, in.CAP_SHAPE.ports.next};
      end
      12'h00C: begin   // CAP_CACHE
        is.shows = {16'd0, in.CAP_CACHE.sets.next};
      end
      12'h010: begin   // CAP_QUEUES
        is.shows = {in.CAP_QUEUES.expiry.next, in.CAP_QUEUES.pieces.next};
      end
      12'h014: begin   // CAP_ROOM
        is.shows = {in.CAP_ROOM.classes.next, in.CAP_ROOM.hold.next};
      end
      12'h020: begin   // OWN_MAC_LOW
        is.writes = '1;
        is.keeps = out.OWN_MAC_LOW.word.value;
      end
      12'h024: begin   // OWN_MAC_HIGH
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.OWN_MAC_HIGH.word.value};
      end
      12'h028: begin   // OWN_IP
        is.writes = '1;
        is.keeps = out.OWN_IP.word.value;
      end
      12'h02C: begin   // DELAY
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.DELAY.cycles.value};
      end
      12'h030: begin   // PAUSE_LIMIT
        is.writes = '1;
        is.keeps = out.PAUSE_LIMIT.word.value;
      end
      12'h040: begin   // NODE_MAC_LOW
        is.writes = '1;
        is.keeps = out.NODE_MAC_LOW.word.value;
      end
      12'h044: begin   // NODE_MAC_HIGH
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.NODE_MAC_HIGH.word.value};
      end
      12'h048: begin   // NODE_IP
        is.writes = '1;
        is.keeps = out.NODE_IP.word.value;
      end
      12'h04C: begin   // NODE_PORT
        is.writes = 32'h0000_003F;
        is.keeps = {26'd0, out.NODE_PORT.port.value};
      end
      12'h050: begin   // NODE_COMMAND
        is.writes = 32'h0001_FFFF;
        is.pulses = 32'h0001_0000;
        is.keeps = {15'd0, out.NODE_COMMAND.store.value, out.NODE_COMMAND.index.value};
      end
      12'h054: begin   // NODE_TABLES
        is.writes = 32'h0001_FFFF;
        is.begins = 32'h0001_FFFF;
        is.keeps = {15'd0, out.NODE_TABLES.reads.value, out.NODE_TABLES.pipes.value};
      end
      12'h060: begin   // CACHE
        is.writes = 32'h07FF_0071;
        is.keeps = {5'd0, out.CACHE.len.value, 9'd0, out.CACHE.mode.value, 3'd0,
                    out.CACHE.enable.value};
      end
      12'h064: begin   // CACHE_PORTS_LOW
        is.writes = '1;
        is.keeps = out.CACHE_PORTS_LOW.word.value;
      end
      12'h068: begin   // CACHE_PORTS_HIGH
        is.writes = '1;
        is.keeps = out.CACHE_PORTS_HIGH.word.value;
      end
      12'h06C: begin   // CACHE_COMMAND
        is.writes = 32'h0000_0001;
        is.pulses = 32'h0000_0001;
        is.keeps = {31'd0, out.CACHE_COMMAND.invalidate.value};
        is.shows = {23'd0, in.CACHE_COMMAND.clearing.next, 8'd0};
      end
      12'h070: begin   // CACHE_GENERATION
        is.writes = 32'h0000_FFFF;
        is.keeps = {16'd0, out.CACHE_GENERATION.generation.value};
      end
      12'h080: begin   // COUNTER_SELECT
        is.writes = 32'h0001_FFFF;
        is.keeps = {15'd0, out.COUNTER_SELECT.pipe.value, out.COUNTER_SELECT.index.value,
                    out.COUNTER_SELECT.which.value};
      end
      12'h084: begin   // COUNTER_VALUE
        is.shows = in.COUNTER_VALUE.value.next;
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
