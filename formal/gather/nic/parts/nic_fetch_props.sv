// gather_fetch around its buffer: which lines of a list are read, and which of its indices is
// handed on when, for any list at any place.
//
// What the buffer of lines makes of it is left out of the circuit and free (`cuts` of the task). It
// has a proof of its own: prim_fifo_ram.
module nic_fetch_props
  import gather_pkg::*;
#(
  parameter int unsigned Lines = 8
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                clear_i,
  input logic                start_i,
  input logic [63:0]         addr_i,
  input logic [31:0]         count_i,
  input logic                stop_i,
  input logic                read_ready_i,
  input logic                data_valid_i,
  input logic [BeatBits-1:0] data_i,
  input logic                idx_ready_i
);

  logic        read_valid, open, idx_valid;
  mem_read_t   read;
  logic [63:0] idx;

  gather_fetch #(
    .Lines(Lines)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i,
    .addr_i,
    .count_i,
    .stop_i,
    .read_valid_o(read_valid),
    .read_ready_i,
    .read_o      (read),
    .data_valid_i,
    .data_i,
    .open_o      (open),
    .idx_valid_o (idx_valid),
    .idx_ready_i,
    .idx_o       (idx)
  );

  logic past_q;   // not the first cycle
  initial past_q = 1'b0;

  // The list, of which so many lines have been asked for and so many indices handed on; or none,
  // since a reset or a flush.
  logic        on_q, ask, give, pop;
  logic [63:0] at_q;
  logic [31:0] number_q, given_q;
  logic [29:0] asked_q, lines;
  logic        last, ends;   // the next index is the list's last one; its line's
  assign lines = 30'(33'(number_q) + 33'd7 >> 3);
  assign ask   = read_valid && read_ready_i;
  assign last  = given_q + 32'd1 == number_q;
  assign ends  = last || given_q % 32'd8 == 32'd7;
  assign give  = idx_valid && idx_ready_i;
  assign pop   = give && ends;

  // Modulo 16: lines in the buffer or asked for; those without an answer; by all that has come to
  // the cycle before, and to the one before that.
  logic [3:0] held_q, held2_q, open_q, open2_q;
  logic       asks_q, came_q, used_q, may_q;   // in the cycle before; there may be an ask
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    // The first cycle is one of reset. Dropped: counters know nothing of their carries.
    e_reset : assume (past_q || !rst_ni);
    if (ask) asked_q <= asked_q + 30'd1;
    if (give) given_q <= given_q + 32'd1;
    {asks_q, came_q, used_q} <= {ask, data_valid_i, pop};
    held_q  <= held_q + 4'(ask) - 4'(pop);
    open_q  <= open_q + 4'(ask) - 4'(data_valid_i);
    held2_q <= held_q;
    open2_q <= open_q;
    // Two more may have been asked for by then.
    may_q <= on_q && asked_q + 30'(ask) < lines && 32'(held2_q) < Lines - 2;
    if (start_i) begin
      on_q <= 1'b1;
      {at_q, number_q} <= {addr_i, count_i};
      {asked_q, given_q, may_q} <= '0;
    end
    if (!rst_ni || clear_i) begin
      {on_q, may_q, asks_q, came_q, used_q, held_q, held2_q, open_q, open2_q} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // Lines wait as they come from memory, until a flush.
    a_lines : assert (u_dut.u_lines.in_valid_i == data_valid_i && u_dut.u_lines.in_i == data_i &&
                      u_dut.u_lines.rst_ni == !(!rst_ni || clear_i))
    else $error("a line: %b", u_dut.u_lines.in_valid_i);
    if (past_q) begin
      // Lines are asked for from the start on until all are, as many as there is room for, and
      // none when it is told to stop.
      a_asks : assert (read_valid == (may_q && !stop_i))
      else $error("asks: %b", read_valid);
      // They lie behind each other; of the last one only what the list has in it is read.
      a_read : assert (!read_valid || (read.addr == at_q + {28'd0, asked_q, 6'd0} &&
                       32'(read.bytes) == ((asked_q + 30'd1 == lines && number_q % 32'd8 != 0) ?
                       8 * (number_q % 32'd8) : 32'd64)))
      else $error("%0d bytes at %h", read.bytes, read.addr);
      // An index is there while some are left and a line has come; eight are in a line.
      a_gives : assert (idx_valid == (u_dut.u_lines.out_valid_o && on_q && given_q < number_q))
      else $error("gives: %b", idx_valid);
      a_idx : assert (!idx_valid ||
                      idx == 64'(u_dut.u_lines.out_o >> (64 * (given_q % 32'd8))))
      else $error("another index: %h", idx);
      // A line goes with its last index, or the list's.
      a_pops : assert (u_dut.u_lines.out_ready_i == pop)
      else $error("a line goes: %b", u_dut.u_lines.out_ready_i);
      // It is open as long as a read is unanswered, as of two cycles ago, or was asked in the last
      // one.
      a_open : assert (open == (asks_q || open2_q != '0))
      else $error("open %b", open);
      // These help the proof.
      a_asked : assert (u_dut.asks_q == (on_q && asked_q < lines) && (!on_q || (asked_q <= lines &&
                        (!u_dut.asks_q || u_dut.tail_q == (asked_q + 30'd1 == lines)) &&
                        u_dut.asks == ~number_q[31:3] + 29'(asked_q) &&
                        u_dut.addr == at_q[63:6] + 58'(asked_q) &&
                        u_dut.byte_q == at_q[5:0] && u_dut.rest_q == number_q[2:0])))
      else $error("%0d lines asked for", asked_q);
      a_given : assert (u_dut.gives_q == (on_q && given_q < number_q) && (!on_q ||
                        (given_q <= number_q && u_dut.gives == ~number_q + given_q &&
                         (!u_dut.gives_q || (u_dut.lane_q == 3'(given_q) && u_dut.last_q == last &&
                          u_dut.end_q == ends)))))
      else $error("%0d indices given", given_q);
      a_held : assert (u_dut.held_q == held2_q && u_dut.open_q == open2_q &&
                       {u_dut.asked_q, u_dut.came_q, u_dut.used_q} == {asks_q, came_q, used_q} &&
                       held_q == held2_q + 4'(asks_q) - 4'(used_q) &&
                       open_q == open2_q + 4'(asks_q) - 4'(came_q))
      else $error("%0d lines held", held_q);
      a_may : assert (u_dut.ready_q == may_q && (!may_q || (on_q && asked_q < lines)))
      else $error("may %b", may_q);

      // The second line has two indices; the list is through.
      c_two : cover (rst_ni && read_valid && asked_q == 30'd1 && read.bytes == 7'd16);
      c_through : cover (rst_ni && on_q && number_q == 32'd10 && given_q == 32'd10);
    end
  end

endmodule
