// relay_notes: what each of its two answers is, and how long it stands. (That flags and numbers are
// of the message that has the entry is relay_notes's proof.)
module note_answers_props
  import agg_pkg::*;
  import relay_pkg::*;
#(
  localparam int unsigned NumRings = 2,
  localparam int unsigned Entries = 2,
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
  input logic [RingW-1:0] flush_ring_i
);

  relay_note_t note, look;

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

  // In the cycle before: who asked, what there was of the entry, and what was answered.
  logic        past_q, ask_q, look_q;
  relay_note_t entry_q, look_entry_q, note_q, look_note_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    ask_q        <= ask_i;
    look_q       <= look_i;
    entry_q      <= '{
      first: u_dut.first_q[at_i], last: u_dut.last_q[at_i], numbers: u_dut.u_asked.mem[at_i]
    };
    look_entry_q <= '{
      first: u_dut.first_q[look_at_i], last: u_dut.last_q[look_at_i],
      numbers: u_dut.u_looked.mem[look_at_i]
    };
    note_q       <= note;
    look_note_q  <= look;
  end

  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // An answer is the entry as it was in the cycle of the question, whatever else happens then.
      a_note : assert (!ask_q || note == entry_q)
      else $error("first %b, last %b", note.first, note.last);
      a_look : assert (!look_q || look == look_entry_q)
      else $error("first %b, last %b", look.first, look.last);
      // It stands until the next question of the same asker.
      a_note_stands : assert (ask_q || note == note_q)
      else $error("first %b, last %b", note.first, note.last);
      a_look_stands : assert (look_q || look == look_note_q)
      else $error("first %b, last %b", look.first, look.last);

      // One answer stands while the other one changes.
      c_apart : cover (look_q && !ask_q && look != look_note_q && note.first && note.last);
    end
  end

endmodule
