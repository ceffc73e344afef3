// prim_axil: between a host that asks as it likes and a register block that answers what it was
// asked, once: each read and write is asked of the block once, with its own address and data, in
// turns; its answer is the block's; and neither the next one nor a place for it is late.
module prim_axil_props #(
  parameter int unsigned AddrW = 6
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             awvalid_i,
  input logic [AddrW-1:0] awaddr_i,
  input logic             wvalid_i,
  input logic [31:0]      wdata_i,
  input logic [3:0]       wstrb_i,
  input logic             bready_i,
  input logic             arvalid_i,
  input logic [AddrW-1:0] araddr_i,
  input logic             rready_i,
  input logic             write_ack_i,
  input logic             write_error_i,
  input logic             read_ack_i,
  input logic             read_error_i,
  input logic [31:0]      read_i
);

  logic             awready, wready, bvalid, arready, rvalid, req, write;
  logic [1:0]       bresp, rresp;
  logic [31:0]      rdata, wdata, wbits;
  logic [AddrW-1:0] addr;

  prim_axil #(
    .AddrW(AddrW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid(awvalid_i),
    .s_axil_awready(awready),
    .s_axil_awaddr (awaddr_i),
    .s_axil_awprot ('0),
    .s_axil_wvalid (wvalid_i),
    .s_axil_wready (wready),
    .s_axil_wdata  (wdata_i),
    .s_axil_wstrb  (wstrb_i),
    .s_axil_bvalid (bvalid),
    .s_axil_bready (bready_i),
    .s_axil_bresp  (bresp),
    .s_axil_arvalid(arvalid_i),
    .s_axil_arready(arready),
    .s_axil_araddr (araddr_i),
    .s_axil_arprot ('0),
    .s_axil_rvalid (rvalid),
    .s_axil_rready (rready_i),
    .s_axil_rdata  (rdata),
    .s_axil_rresp  (rresp),
    .req_o         (req),
    .write_o       (write),
    .addr_o        (addr),
    .wdata_o       (wdata),
    .wbits_o       (wbits),
    .write_ack_i,
    .write_error_i,
    .read_ack_i,
    .read_error_i,
    .read_i
  );

  // What the host has handed over and has not been asked yet: one address to write, one word, one
  // address to read.
  logic             to_q, word_q, from_q;
  logic [AddrW-1:0] to_addr_q, from_addr_q;
  logic [31:0]      data_q, bits_q;
  // The last request was a write. One is open: asked, and its answer not shown yet. The answer came
  // a cycle ago, and what it was.
  logic             wrote_q, open_q, came_q, error_q;
  logic [31:0]      read_q;
  // An answer is shown, until the host takes it.
  logic             shown_q, shown_error_q;
  logic [31:0]      shown_read_q;
  // In the cycle before a request: nothing was open or shown, and what could be asked.
  logic             turn, can_write, can_read, asks, asks_write;
  logic             asked_q, ran_q;
  logic [AddrW-1:0] asked_addr_q;
  logic [31:0]      asked_data_q, asked_bits_q;

  assign turn       = !open_q && !shown_q;
  assign can_write  = to_q && word_q;
  assign can_read   = from_q;
  assign asks       = turn && (can_write || can_read);
  // Of both kinds, the one goes that did not go last.
  assign asks_write = (can_write && can_read) ? !wrote_q : can_write;

  always_ff @(posedge clk_i) begin
    ran_q <= rst_ni;
    if (awvalid_i && awready) {to_q, to_addr_q} <= {1'b1, awaddr_i};
    if (wvalid_i && wready) begin
      {word_q, data_q} <= {1'b1, wdata_i};
      for (int unsigned b = 0; b < 32; b++) bits_q[b] <= wstrb_i[b/8];
    end
    if (arvalid_i && arready) {from_q, from_addr_q} <= {1'b1, araddr_i};

    asked_q <= asks;
    if (asks) begin
      open_q       <= 1'b1;
      wrote_q      <= asks_write;
      asked_addr_q <= asks_write ? to_addr_q : from_addr_q;
      if (asks_write) {to_q, word_q, asked_data_q, asked_bits_q} <= {2'b00, data_q, bits_q};
      else from_q <= 1'b0;
    end

    came_q <= write_ack_i || read_ack_i;
    error_q <= write_ack_i ? write_error_i : read_error_i;
    read_q  <= read_i;
    if (shown_q && (wrote_q ? bready_i : rready_i)) shown_q <= 1'b0;
    if (came_q) begin
      {open_q, shown_q} <= 2'b01;
      shown_error_q     <= error_q;
      shown_read_q      <= read_q;
    end
    if (!rst_ni) begin
      {to_q, word_q, from_q}                    <= '0;
      {wrote_q, open_q, came_q, shown_q, asked_q} <= '0;
    end
  end

  // What the module has taken of the block's answer.
  logic has_error;
  assign has_error = wrote_q ? u_dut.write_error_q : u_dut.read_error_q;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      // There is room for one of each kind, whatever the others do.
      a_room : assert ({awready, wready, arready} == {!to_q, !word_q, !from_q})
      else $error("ready %b%b%b", awready, wready, arready);
      // The block is asked for what waits as soon as nothing is open and no answer waits for the
      // host, and then once.
      a_asks : assert (!ran_q || req == asked_q)
      else $error("asked: %b", req);
      // Reads and writes that wait both take turns.
      a_turns : assert (write == wrote_q)
      else $error("write: %b", write);
      // It is asked for the word that the host has named, and that stays until the answer.
      a_address : assert (!(open_q || asked_q) || addr == {asked_addr_q[AddrW-1:2], 2'b00})
      else $error("address %0h", addr);
      // A write is of the host's word, and of the bytes that it has named.
      a_data : assert (!((open_q || asked_q) && write) ||
                       (wdata == asked_data_q && wbits == asked_bits_q))
      else $error("word %0h, bits %0h", wdata, wbits);
      // The host is shown an answer of the kind that it asked, once, until it takes it.
      a_answers : assert ({bvalid, rvalid} == {shown_q && wrote_q, shown_q && !wrote_q})
      else $error("answers %b%b", bvalid, rvalid);
      // It is an error if the block said so of it, and the word that was read is the block's.
      a_says : assert (!shown_q || (bresp == {shown_error_q, 1'b0} &&
          rresp == {shown_error_q, 1'b0} && (wrote_q || rdata == shown_read_q)))
      else $error("responses %b, %b, word %0h", bresp, rresp, rdata);
      // What waits in the module is what the host handed over (helps the proof).
      a_waits : assert ((!to_q || u_dut.aw_addr_q == to_addr_q[AddrW-1:2]) &&
          (!from_q || u_dut.ar_addr_q == from_addr_q[AddrW-1:2]) &&
          (!word_q || (u_dut.w_data_q == data_q && bits_q == {{8{u_dut.w_strb_q[3]}},
              {8{u_dut.w_strb_q[2]}}, {8{u_dut.w_strb_q[1]}}, {8{u_dut.w_strb_q[0]}}})) &&
          u_dut.busy_q == open_q && u_dut.answer_q == came_q && !(open_q && shown_q) &&
          (!came_q || (open_q && has_error == error_q && (wrote_q || rdata == read_q))))
      else $error("something else waits");

      // A read and a write wait, and the read goes first; an answer comes at once.
      c_turn : cover (turn && can_write && can_read && !asks_write);
      c_once : cover (req && (write_ack_i || read_ack_i));
      c_error : cover (bvalid && bresp != '0);
    end
  end

endmodule
