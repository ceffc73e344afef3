// The rules of a register file, for any address: what a write changes, what stands after reset,
// what a read returns, and which accesses are refused. Its user says of each address what is there.
module csr_word_watch
  import csr_word_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  // An access as prim_axil asks for it, and its answers.
  input logic        req_i,
  input logic        write_i,
  input logic [11:0] addr_i,
  input logic [31:0] data_i,
  input logic [31:0] bits_i,
  input logic        write_ack_i,
  input logic        write_error_i,
  input logic        read_ack_i,
  input logic        read_error_i,
  input logic [31:0] read_i,
  // Any address, now and a cycle ago.
  input logic [11:0] any_i,
  input logic [11:0] any_q_i,
  // The registers at these three, as they are now.
  input csr_word_t   asked_i,
  input csr_word_t   this_i,
  input csr_word_t   that_i
);

  // A write waits for a cycle behind a read, whose answer comes a cycle late.
  logic        past_q, reset_q, known_q, reads_q, takes;   // it was reset; so it was a cycle ago
  logic        read_ack_q, read_error_q;
  logic [31:0] read_q, next_q;
  assign takes = req_i && !(write_i && reads_q);

  initial {past_q, reset_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    reset_q      <= reset_q || !rst_ni;
    known_q      <= reset_q;
    reads_q      <= rst_ni && req_i && !write_i;
    read_ack_q   <= rst_ni && takes && !write_i;
    read_error_q <= rst_ni && takes && !asked_i.there;
    read_q       <= rst_ni ? asked_i.keeps | asked_i.shows : '0;
    // Of the address that is followed.
    next_q       <= rst_ni ? csr_next(this_i, takes && write_i && addr_i == any_i, bits_i, data_i) :
        this_i.begins;
  end

  always_ff @(posedge clk_i) begin
    // Of a write each bit counts that software may write and that the access names; pulses are for
    // one cycle, causes are cleared by a 1. Nothing else changes a register, and a reset sets it.
    a_keeps : assert (!reset_q || !known_q || that_i.keeps == next_q)
    else $error("address %h: %h, not %h", any_q_i, that_i.keeps, next_q);
    // A write is answered at once, unless it has to wait.
    a_write : assert (!reset_q || write_ack_i == (takes && write_i))
    else $error("a write is answered: %b", write_ack_i);
    // It is refused if there is no such register.
    a_refuse : assert (!reset_q || write_error_i == (takes && !asked_i.there))
    else $error("a write is refused: %b", write_error_i);
    // A read is answered a cycle later, and refused if there is no such register.
    a_read : assert (!reset_q || !known_q || (read_ack_i == read_ack_q &&
                                             read_error_i == read_error_q))
    else $error("a read is answered: %b, refused: %b", read_ack_i, read_error_i);
    // What is read is what the register was as it was asked for; all other bits are 0.
    a_reads : assert (!past_q || read_i == read_q)
    else $error("reads %h, not %h", read_i, read_q);
    // Two cycles of reads, and a write that waits.
    c_waits : cover (reset_q && rst_ni && reads_q && req_i && write_i && read_ack_i);
  end

endmodule
