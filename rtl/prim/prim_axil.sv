// AXI4-Lite in front of a register block: takes one read or write at a time and asks the block for
// it from registers, so that nothing of the handshake is in front of the block's address decoder.
//
// Reads and writes that wait take turns. The next one begins when the one before has been answered
// and its answer taken; nobody else is waited for.
module prim_axil #(
  /// Bits of an address; words have 32 bits, and the lower two bits are not looked at.
  parameter int unsigned AddrW = 12
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic             s_axil_awvalid,
  output logic             s_axil_awready,
  // The lower two bits of addresses are ignored, and so is the protection type.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [AddrW-1:0] s_axil_awaddr,
  input  logic [2:0]       s_axil_awprot,
  // verilator lint_on UNUSEDSIGNAL
  input  logic             s_axil_wvalid,
  output logic             s_axil_wready,
  input  logic [31:0]      s_axil_wdata,
  input  logic [3:0]       s_axil_wstrb,
  output logic             s_axil_bvalid,
  input  logic             s_axil_bready,
  output logic [1:0]       s_axil_bresp,
  input  logic             s_axil_arvalid,
  output logic             s_axil_arready,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [AddrW-1:0] s_axil_araddr,
  input  logic [2:0]       s_axil_arprot,
  // verilator lint_on UNUSEDSIGNAL
  output logic             s_axil_rvalid,
  input  logic             s_axil_rready,
  output logic [31:0]      s_axil_rdata,
  output logic [1:0]       s_axil_rresp,

  // Request to the register block, one cycle long; address and data stay until it is acknowledged,
  // in the same cycle or any later one. Error and data that was read are valid with the ack.
  output logic             req_o,
  output logic             write_o,
  output logic [AddrW-1:0] addr_o,
  output logic [31:0]      wdata_o,
  output logic [31:0]      wbits_o,   // write enable of each bit
  input  logic             write_ack_i,
  input  logic             write_error_i,
  input  logic             read_ack_i,
  input  logic             read_error_i,
  input  logic [31:0]      read_i
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // What has come and not been asked yet.
  logic             aw_valid_q, w_valid_q, ar_valid_q;
  logic [AddrW-1:2] aw_addr_q, ar_addr_q;
  logic [31:0]      w_data_q;
  logic [3:0]       w_strb_q;

  logic req_q, write_q, busy_q;   // asked now; a write; not answered yet
  logic idle, begin_read, begin_write;
  logic answer_q;                 // the answer came in the last cycle
  logic write_error_q, read_error_q, error_q;

  assign idle        = !busy_q && !s_axil_bvalid && !s_axil_rvalid;
  assign begin_read  = idle && ar_valid_q && !(!write_q && aw_valid_q && w_valid_q);
  assign begin_write = idle && aw_valid_q && w_valid_q && !begin_read;

  assign s_axil_awready = !aw_valid_q;
  assign s_axil_wready  = !w_valid_q;
  assign s_axil_arready = !ar_valid_q;

  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid && s_axil_awready) begin
      aw_valid_q <= 1'b1;
      aw_addr_q  <= s_axil_awaddr[AddrW-1:2];
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_valid_q <= 1'b1;
      w_data_q  <= s_axil_wdata;
      w_strb_q  <= s_axil_wstrb;
    end
    if (s_axil_arvalid && s_axil_arready) begin
      ar_valid_q <= 1'b1;
      ar_addr_q  <= s_axil_araddr[AddrW-1:2];
    end

    req_q <= begin_read || begin_write;
    if (begin_read) begin
      ar_valid_q <= 1'b0;
      write_q    <= 1'b0;
      busy_q     <= 1'b1;
      addr_o     <= {ar_addr_q, 2'b00};
    end
    if (begin_write) begin
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      write_q    <= 1'b1;
      busy_q     <= 1'b1;
      addr_o     <= {aw_addr_q, 2'b00};
      wdata_o    <= w_data_q;
      for (int unsigned b = 0; b < 4; b++) wbits_o[8*b+:8] <= {8{w_strb_q[b]}};
    end

    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    // Answers are late in their cycle: taken as they come, looked at in the next one.
    answer_q      <= write_ack_i || read_ack_i;
    write_error_q <= write_error_i;
    read_error_q  <= read_error_i;
    if (busy_q && !answer_q) s_axil_rdata <= read_i;
    if (answer_q) begin
      busy_q        <= 1'b0;
      error_q       <= write_q ? write_error_q : read_error_q;
      s_axil_bvalid <= write_q;
      s_axil_rvalid <= !write_q;
    end

    if (!rst_ni) begin
      aw_valid_q    <= 1'b0;
      w_valid_q     <= 1'b0;
      ar_valid_q    <= 1'b0;
      req_q         <= 1'b0;
      write_q       <= 1'b0;
      busy_q        <= 1'b0;
      answer_q      <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

  assign req_o        = req_q;
  assign write_o      = write_q;
  assign s_axil_bresp = error_q ? SlvErr : Okay;
  assign s_axil_rresp = error_q ? SlvErr : Okay;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The block answers what it was asked, once; another answer would be taken for that of the
      // next request.
      a_answer : assert (!(write_ack_i || read_ack_i) ||
                         (busy_q && !answer_q && write_ack_i == write_q && read_ack_i != write_q))
      else $error("%m: an answer that nobody asked for");
    end
  end

endmodule
