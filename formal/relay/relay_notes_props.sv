// What a leaf knows of messages that notifications tell of: the numbers that were written last, and
// as being in place only headers of just the message that has the entry.
//
// One entry, which one is free, is followed; what holds for it holds for all. Two rings of two
// messages each.
module relay_notes_props
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned NumRings = 2,
  parameter int unsigned Entries = 2,
  localparam int unsigned AtW = $clog2(NumRings * Entries)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             ask_i,
  input logic             write_i,
  input logic             other_i,
  input logic [AtW-1:0]   at_i,
  input relay_numbers_t   numbers_i,
  input logic             look_i,
  input logic [AtW-1:0]   look_at_i,
  input logic             kept_valid_i,
  input logic [AtW-1:0]   kept_at_i,
  input logic             kept_last_i,
  input logic [31:0]      kept_msgid_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  // In the first cycle: the entry that is followed.
  input logic [AtW-1:0]   followed_i
);

  logic           started_q;
  logic [AtW-1:0] followed_q;
  relay_note_t    note, look;
  initial started_q = 1'b0;

  relay_notes #(
    .NumRings(NumRings),
    .Entries (Entries)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ask_i,
    .write_i,
    .other_i,
    .at_i,
    .numbers_i,
    .note_o(note),
    .look_i,
    .look_at_i,
    .look_o(look),
    .kept_valid_i,
    .kept_at_i,
    .kept_last_i,
    .kept_msgid_i,
    .flush_i,
    .flush_ring_i
  );

  // The followed entry: what was written last, and which headers of its message are in place. A
  // pulse counts a cycle later, if the entry has this message then and is not lost in that cycle.
  relay_numbers_t numbers_q;
  logic           known_q;              // it was written
  logic [1:0]     there_q;              // first, last
  logic           ask, looks, write, loses;
  logic           pulse_q, pulse_last_q;
  logic [31:0]    pulse_msgid_q;

  assign ask   = ask_i && at_i == followed_q;
  assign looks = look_i && look_at_i == followed_q;
  assign write = write_i && at_i == followed_q;
  assign loses = (write && other_i) ||
      (flush_i && 32'(flush_ring_i) == 32'(followed_q) / Entries);

  // What was asked for, a cycle ago.
  logic           ask_q, looks_q;
  relay_note_t    ask_note_q, look_note_q;

  always_ff @(posedge clk_i) begin
    pulse_q       <= kept_valid_i && kept_at_i == followed_q && !loses;
    pulse_last_q  <= kept_last_i;
    pulse_msgid_q <= kept_msgid_i;
    if (write) begin
      numbers_q <= numbers_i;
      known_q   <= 1'b1;
    end
    if (loses) there_q <= '0;
    else if (pulse_q && known_q && pulse_msgid_q == numbers_q.msgid) begin
      there_q[pulse_last_q] <= 1'b1;
    end
    ask_q       <= ask;
    looks_q     <= looks;
    ask_note_q  <= '{first: there_q[0], last: there_q[1], numbers: numbers_q};
    look_note_q <= '{first: there_q[0], last: there_q[1], numbers: numbers_q};
    if (!rst_ni) begin
      known_q <= 1'b0;
      there_q <= '0;
      pulse_q <= 1'b0;
      ask_q   <= 1'b0;
      looks_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) followed_q <= followed_i;
    // The first cycle is one of reset. Dropped: flags that nobody set.
    e_reset : assume (started_q || !rst_ni);
    // Headers come to an entry behind the numbers that go with them. Dropped: headers of a message
    // of which no numbers are there.
    e_known : assume (!kept_valid_i || kept_at_i != followed_q || known_q);
    // A write without `other` is of the message that has the entry. Dropped: headers of one message
    // with the numbers of another.
    e_same : assume (!write || other_i || !known_q || numbers_i.msgid == numbers_q.msgid);
  end

  function automatic logic same(relay_note_t got, relay_note_t want);
    same = got.first == want.first && got.last == want.last &&
        (!(want.first || want.last) || got.numbers == want.numbers);
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Who asks before a write is told which headers of the entry's message are in place, and its
      // numbers.
      a_asked : assert (!ask_q || same(note, ask_note_q));
      // So is who looks for headers: none are said to be there that came of another message, or
      // from before a flush.
      a_looked : assert (!looks_q || same(look, look_note_q));
      // Numbers are those of the last write, whatever else is written (helps the proof).
      a_numbers : assert (!known_q || (u_dut.u_asked.mem[followed_q] == numbers_q &&
          u_dut.u_looked.mem[followed_q] == numbers_q &&
          u_dut.u_there.mem[followed_q] == numbers_q.msgid));
      // Nothing is there of an entry that was never written (helps the proof).
      a_known : assert (known_q || (there_q == '0 && !pulse_q));
      // Flags are what has come (helps the proof).
      a_flags : assert ({u_dut.last_q[followed_q], u_dut.first_q[followed_q]} == there_q);
      // The pulse on its way (helps the proof).
      a_pulse : assert ((u_dut.kept_q && u_dut.kept_at_q == followed_q) == pulse_q &&
          (!pulse_q || (u_dut.kept_last_q == pulse_last_q &&
           u_dut.kept_msgid_q == pulse_msgid_q)));
      // And the message that it is compared with: none has come since (helps the proof).
      a_compared : assert (!pulse_q || u_dut.there == numbers_q.msgid);
      // Headers of both ends of a message are there, and then another message's come late.
      c_both : cover (looks_q && look.first && look.last);
      c_late : cover (pulse_q && pulse_msgid_q != numbers_q.msgid && there_q != '0);
      // A flush takes them away.
      c_flushed : cover (loses && !write && there_q == '1);
    end
  end

endmodule
