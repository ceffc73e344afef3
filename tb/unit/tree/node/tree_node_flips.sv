// weir_tree_node with corrected memories, and a port that flips bits of them, for
// test_tree_memory.
module tree_node_flips
  import roce_pkg::*;
  import llt_pkg::*;
#(
  // As those of weir_tree_node; packets of one part of prim_ram_deep.
  parameter int unsigned NumPorts = 4,
  parameter int unsigned QueueRoom = 64,
  parameter int unsigned SendRoom = 64,
  parameter int unsigned MaxRows = 16
) (
  input logic clk_i,
  input logic rst_ni,

  // AXI4-Lite, registers of rtl/csr/tree_csr.rdl.
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,

  // From and to the MACs, without FCS. A port takes a beat in every cycle, and needs one.
  input  logic [NumPorts-1:0]                s_axis_tvalid,
  output logic [NumPorts-1:0]                s_axis_tready,
  input  logic [NumPorts-1:0][BeatBits-1:0]  s_axis_tdata,
  input  logic [NumPorts-1:0][BeatBytes-1:0] s_axis_tkeep,
  input  logic [NumPorts-1:0]                s_axis_tlast,
  input  logic [NumPorts-1:0]                s_axis_tuser,
  output logic [NumPorts-1:0]                m_axis_tvalid,
  input  logic [NumPorts-1:0]                m_axis_tready,
  output logic [NumPorts-1:0][BeatBits-1:0]  m_axis_tdata,
  output logic [NumPorts-1:0][BeatBytes-1:0] m_axis_tkeep,
  output logic [NumPorts-1:0]                m_axis_tlast,
  output logic [NumPorts-1:0]                m_axis_tuser,   // the frame is to be sent as broken

  // Pulse: a MAC shell's watchdog found an output paused for too long (rtl/shell); 0 without one.
  input  logic [NumPorts-1:0] pause_storm_i,
  // Interrupt line: an enabled cause has come and is not cleared (IRQ_CAUSE, IRQ_ENABLE).
  output logic                irq_o,

  // For a watcher: what the low-latency half decides and what comes to the lock cells, in the order
  // in which it does.
  output node_observed_t obs_o,

  // Bits of a word of one memory, of those below, that flip with the clock.
  // verilator lint_off UNUSEDSIGNAL
  input logic         flip_i,
  input logic [3:0]   flip_which_i,
  input logic [9:0]   flip_at_i,
  input logic [575:0] flip_bits_i
  // verilator lint_on UNUSEDSIGNAL
);

  weir_tree_node #(
    .NumPorts (NumPorts),
    .QueueRoom(QueueRoom),
    .SendRoom (SendRoom),
    .MaxRows  (MaxRows),
    .Ecc      (1)
  ) u_device (
    .*
  );

  `define CONN(c) u_device.u_node.gen_port[1].u_port.gen_conn[c].u_conn
  `define INBOX u_device.u_node.u_low.u_inboxes.gen_inbox[1].u_inbox
  `define CASTS u_device.u_node.u_casts.u_queue
  `define FLIP(ram, words, bits) \
    ram.mem[flip_at_i[$clog2(words)-1:0]] <= \
        ram.mem[flip_at_i[$clog2(words)-1:0]] ^ flip_bits_i[bits-1:0]

  always_ff @(posedge clk_i) begin
    if (flip_i) begin
      unique case (flip_which_i)
        4'd0: `FLIP(`CONN(1).u_queue.u_ram.u_ram.gen_deep.u_ram.gen_part[0].u_ram, 1024, 576);
        4'd1: `FLIP(`CONN(1).u_send_buffer.u_ram.u_ram.gen_deep.u_ram.gen_part[0].u_ram, 1024, 576);
        4'd2: `FLIP(`INBOX.u_rows.u_ram.gen_flat.u_ram, 256, 576);
        4'd3: `FLIP(u_device.u_node.u_low.u_sum.u_results.u_ram.gen_flat.u_ram, 128, 576);
        4'd4: `FLIP(`CONN(0).u_queue.u_heads.gen_checked.u_ram, 64, 260);
        4'd5: `FLIP(`CONN(0).u_send_buffer.u_kept.gen_checked.u_ram, 64, 17);
        4'd6: `FLIP(u_device.u_node.u_low.u_scan.u_heads.gen_checked.u_ram, 16, 260);
        4'd7: `FLIP(u_device.u_node.u_low.u_sum.gen_half[0].u_kept.gen_checked.u_ram, 64, 520);
        4'd8: `FLIP(`CONN(1).u_queue.u_known.gen_checked.u_ram, 64, 22);
        4'd9:
          `FLIP(u_device.u_node.u_stream.u_results.gen_checked.u_rows.u_fifo.u_ram, 256, 522);
        4'd10: `FLIP(`CASTS.u_ram.u_ram.gen_deep.u_ram.gen_part[0].u_ram, 128, 576);
        4'd11: `FLIP(`CASTS.u_heads.gen_checked.u_ram, 4, 260);
        default:
          `FLIP(u_device.u_node.u_low.u_inboxes.u_casts.u_rows.u_ram.gen_flat.u_ram, 256, 576);
      endcase
    end
  end

endmodule
