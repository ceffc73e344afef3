// relay_accept, of an entry of relay_notes: it is written without `other` only for the message that
// has it, and before anybody is told that headers may come to it. It is what relay_notes takes for
// granted.
//
// One entry, which one is free, is followed. All that comes is free.
module relay_accept_notes_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
    parameter int unsigned NumRings = 2,
    parameter int unsigned MaxWindow = 1,
    localparam int unsigned AtW = $clog2(NumRings * 2 * MaxWindow)
) (
    input logic                          clk_i,
    input logic                          rst_ni,
    input lookup_req_t                   req_i,
    input logic                          other_ready_i,
    input logic                          own_ready_i,
    input flush_conns_t                  flush_i,
    input relay_set_req_t                row_set_i,
    input commit_req_t                   kept_i,
    input relay_look_t                   look_i,
    input ring_t          [NumRings-1:0] rings_i,
    input relay_ring_t    [NumRings-1:0] relays_i,
    input logic           [        31:0] self_ip_i,
    // In the first cycle: the entry that is followed.
    input logic           [     AtW-1:0] followed_i
);

  localparam int unsigned NumRanks = 2;
  localparam logic [3:0] Ask = 4'd5, Judge = 4'd6, Rule = 4'd7, Answer = 4'd8;

  logic                  started_q;
  logic        [AtW-1:0] followed_q;
  decide_req_t           own;
  initial started_q = 1'b0;

  relay_accept #(
    .NumPorts (2),
    .NumRanks (NumRanks),
    .NumRings (NumRings),
    .MaxWindow(MaxWindow),
    .SlotBytes(64)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .req_ready_o  (),
    .other_valid_o(),
    .other_ready_i,
    .rings_i,
    .relays_i,
    .self_ip_i,
    .own_o        (own),
    .own_ready_i,
    .flush_i,
    .idle_o       (),
    .row_set_i,
    .row_set_o    (),
    .kept_i,
    .look_i,
    .look_o       (),
    .events_o     ()
  );

  // The followed entry, as relay_notes is told of it: whether it was written, and the last message.
  logic write, known_q, told, mine, held;
  logic           [31:0] msgid_q;
  logic           [ 3:0] state;
  relay_numbers_t        stored;
  assign write = u_dut.u_notes.write_i && u_dut.u_notes.at_i == followed_q;
  assign told   = own.valid && 32'(own.packet.rank) == NumRanks + 1 &&
      own.packet.fate == FateDuplicate && own.packet.slot[AtW:1] == followed_q;
  assign state = u_dut.state_q;
  assign mine = u_dut.at_q == followed_q;
  assign stored = u_dut.u_notes.u_asked.mem[followed_q];
  // What was read of the entry is in hand.
  assign held = state == Judge || state == Rule || (state == Answer && u_dut.keeps_q);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) followed_q <= followed_i;
    if (write) begin
      known_q <= 1'b1;
      msgid_q <= u_dut.u_notes.numbers_i.msgid;
    end
    if (!rst_ni) known_q <= 1'b0;
    // The first cycle is one of reset. Dropped: an answer that nobody worked out.
    e_reset : assume (started_q || !rst_ni);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A write without `other` is of the message that has the entry; else headers of one message
      // would be there with the numbers of another.
      a_same : assert (!write || u_dut.u_notes.other_i || !known_q ||
                       u_dut.u_notes.numbers_i.msgid == msgid_q)
      else $error("another message is written as the same");
      // Who is told that headers may come to an entry is told when its numbers are written, or
      // later.
      a_before : assert (!told || known_q || write)
      else $error("headers may come to an entry that has no numbers");
      // What is stored, and read, is what was written; the answer is of the entry in hand (helps
      // the proof).
      a_stored : assert (!known_q || stored.msgid == msgid_q)
      else $error("another message is stored");
      a_read : assert (!(held && mine && known_q) || u_dut.note.numbers.msgid == msgid_q)
      else $error("another message was read");
      a_hand : assert ((state < Ask || u_dut.numbers_q.msgid == u_dut.desc_q.ina.msgid) &&
          (!u_dut.keeps_q || (state == Answer && u_dut.other_q ==
           (u_dut.desc_q.ina.msgid != u_dut.note.numbers.msgid))) &&
          (!own.valid || 32'(own.packet.rank) != NumRanks + 1 ||
           own.packet.fate != FateDuplicate || (own.packet.slot[AtW:1] == u_dut.at_q &&
           (u_dut.keeps_q || !mine || known_q))))
      else $error("what is in hand is of another entry");
      // The same message comes to its entry once more, and then another one.
      c_same : cover (write && known_q && !u_dut.u_notes.other_i);
      c_other : cover (write && known_q && u_dut.u_notes.other_i);
    end
  end

endmodule
