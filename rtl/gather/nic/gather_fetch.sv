// Reads a list of column indices (64-bit, little-endian) from host memory and hands them on, one a
// cycle: the DMA engine and Idx Buffer of a RIG unit (NetSparse 5.3).
//
// Who waits: indices to be taken. As many lines are asked for as the buffer has room for.
module gather_fetch
  import gather_pkg::*;
#(
  /// Lines of 64 bytes in the buffer. Power of two, 8 or more.
  parameter int unsigned Lines = 32
) (
  input logic clk_i,
  input logic rst_ni,
  // Flush: everything is dropped. Only while `open_o` is low.
  input logic clear_i,

  // Pulse: read a list of `count_i` indices of 64 bits from `addr_i` on.
  input logic        start_i,
  input logic [63:0] addr_i,
  input logic [31:0] count_i,
  // No further reads are issued.
  input logic        stop_i,

  // Reads of host memory, one only with a credit for a line of the buffer; so answers, which come
  // in order, are never refused.
  output logic        read_valid_o,
  input  logic        read_ready_i,
  output mem_read_t   read_o,
  input  logic        data_valid_i,
  input  logic [BeatBits-1:0] data_i,
  // A read is unanswered, or was two cycles ago.
  output logic        open_o,

  // Indices, in order.
  output logic        idx_valid_o,
  input  logic        idx_ready_i,
  output logic [63:0] idx_o
);

  localparam int unsigned CountW = $clog2(Lines + 1);

  logic [57:0]       addr;            // in lines, from byte `byte_q` of the first one on
  logic [5:0]        byte_q;
  // Full lines still to be asked for, and indices still to be handed on. Both are inverted, so that
  // counting up counts them down: all ones is none.
  logic [28:0]       asks;
  logic [31:0]       gives;
  logic [2:0]        rest_q;          // indices in a line that is not full
  logic              asks_q, tail_q;  // a line is to be asked for; it is the last one
  logic              gives_q, last_q; // an index is to be handed on; it is the last one
  // Lines asked for and not used up, and those without an answer, both as of the cycle before;
  // there is something to ask for, and room.
  logic [CountW-1:0] held_q, open_q;
  logic              ready_q, asked_q, came_q, used_q;
  logic [2:0]        lane_q;
  logic              end_q;           // this index is the last one of its line
  logic              ask, give, line_ready, line_valid, pop;
  logic [BeatBits-1:0] line;
  // verilator lint_off UNUSEDSIGNAL
  logic [CountW-1:0] line_count;
  // verilator lint_on UNUSEDSIGNAL

  gather_count #(
    .Width(58)
  ) u_addr (
    .clk_i,
    .rst_ni,
    .start_i,
    .from_i (addr_i[63:6]),
    .step_i (ask),
    .count_o(addr)
  );

  gather_count #(
    .Width(29)
  ) u_asks (
    .clk_i,
    .rst_ni,
    .start_i,
    .from_i (~count_i[31:3]),
    .step_i (ask),
    .count_o(asks)
  );

  gather_count #(
    .Width(32)
  ) u_gives (
    .clk_i,
    .rst_ni,
    .start_i,
    .from_i (~count_i),
    .step_i (give),
    .count_o(gives)
  );

  assign read_valid_o = ready_q && !stop_i;
  assign read_o.addr  = {addr, byte_q};
  assign read_o.bytes = (tail_q && rest_q != '0) ? {1'b0, rest_q, 3'd0} : 7'd64;
  assign ask          = read_valid_o && read_ready_i;
  assign open_o       = asked_q || open_q != '0;

  prim_fifo_ram #(
    .T     (logic [BeatBits-1:0]),
    .Depth (Lines),
    .Around(1'b0)
  ) u_lines (
    .clk_i,
    .rst_ni     (rst_ni && !clear_i),
    .in_valid_i (data_valid_i),
    .in_ready_o (line_ready),
    .in_i       (data_i),
    .out_valid_o(line_valid),
    .out_ready_i(pop),
    .out_o      (line),
    .count_o    (line_count)
  );

  assign idx_valid_o = line_valid && gives_q;
  assign idx_o       = line[64*lane_q+:64];
  assign give        = idx_valid_o && idx_ready_i;
  assign pop         = give && end_q;

  always_ff @(posedge clk_i) begin
    if (ask) begin
      asks_q <= !tail_q;
      tail_q <= asks == ((rest_q == '0) ? ~29'd2 : ~29'd1);
    end
    if (give) begin
      lane_q  <= lane_q + 3'd1;
      gives_q <= !last_q;
      last_q  <= gives == ~32'd2;
      end_q   <= gives == ~32'd2 || lane_q == 3'd6;
    end
    asked_q  <= ask;
    came_q  <= data_valid_i;
    used_q  <= pop;
    held_q  <= held_q + CountW'(asked_q) - CountW'(used_q);
    open_q  <= open_q + CountW'(asked_q) - CountW'(came_q);
    // Two more may have been asked for by then.
    ready_q <= (ask ? !tail_q : asks_q) && held_q < CountW'(Lines - 2);
    if (start_i) begin
      byte_q  <= addr_i[5:0];
      rest_q  <= count_i[2:0];
      asks_q  <= count_i != '0;
      tail_q  <= count_i <= 32'd8;
      gives_q <= count_i != '0;
      last_q  <= count_i == 32'd1;
      end_q   <= count_i == 32'd1;
      lane_q  <= '0;
      ready_q <= 1'b0;
    end
    if (!rst_ni || clear_i) begin
      asks_q  <= 1'b0;
      gives_q <= 1'b0;
      held_q  <= '0;
      open_q  <= '0;
      asked_q  <= 1'b0;
      came_q <= 1'b0;
      used_q  <= 1'b0;
      ready_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An answer finds room.
      a_room : assert (!data_valid_i || line_ready)
      else $error("%m: no room for a line of indices");
    end
  end

endmodule
