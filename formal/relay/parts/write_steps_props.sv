// relay_write, step by step, but for the fields of a record: how its words are collected, which
// record is edited, and what leaves, from any registers and with words as they may come. What is
// made of a record is free (`cuts` of the task; relay_fields_props). (Records from end to end, one
// bit of each word: relay_write_props.)
//
// Followed are one port and one byte of a record, both free.
module write_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  localparam int unsigned NumRings = 2,
  localparam int unsigned KeptW = 4   // rows of kept headers: two a packet, two packets a message
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input ring_t       [NumRings-1:0]            rings_i,
  input relay_ring_t [NumRings-1:0]            relays_i,
  input logic                                  edit_valid_i,
  input relay_edit_t                           edit_i,
  input logic [NumPorts-1:0]                   we_i,
  input logic [NumPorts-1:0][HdrWordBits-1:0]  word_i,
  input logic                                  kept_we_i,
  input bank_write_t                           kept_i,
  input logic [1:0]                            port_i,   // any
  input logic [6:0]                            byte_i    // any
);

  localparam int unsigned Late = 16;
  typedef logic [127:0][7:0] record_t;
  typedef logic [15:0][7:0] word_t;

  logic [NumPorts-1:0]                  out_we;
  logic [NumPorts-1:0][HdrWordBits-1:0] out_word;

  relay_write #(
    .NumPorts (NumPorts),
    .NumRings (NumRings),
    .MaxWindow(1),
    .Spine    (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i   ('0),
    .epoch_i  ('0),
    .edit_valid_i,
    .edit_i,
    .we_i,
    .word_i,
    .we_o     (out_we),
    .word_o   (out_word),
    .kept_we_i,
    .kept_i
  );

  // ---------------------------------------------------------------------------------------------
  // A cycle: what comes, and what is inside.

  typedef struct packed {
    logic             ran;
    relay_edit_t      edit;         // that of the record in hand
    logic             any;          // a word of any port
    logic             comes;        // one of the followed port
    logic [7:0]       came;         // its byte
    logic [7:0]       chosen;       // that of the port whose record is edited
    logic [2:0]       at;
    logic             any1;
    word_t            word1;
    record_t          collected;
    logic [BeatBits-1:0]      row;  // what the memory answers
    logic [3:1]       late;
    record_t          kept;
    logic [8:1]       full;
    relay_edit_t      edit1;
    ring_t            ring;
    relay_ring_t      relay;
    record_t          from;
    logic             bare;
    record_t          made, done;   // what is made, and what leaves
    logic [Late:1]    we;           // on their way
    logic [Late:1][7:0] word;
    logic             last_any;     // a word of any port at the line's end
    logic             out_edits;
    logic [PortW-1:0] out_port;
    logic [2:0]       out_at;
  } step_t;

  logic [2:0] past_q;
  logic [1:0] port_q, p;
  logic [6:0] k_q;           // the followed byte of the record
  logic [3:0] b;             // its place in its word
  step_t      now, q;
  initial past_q = '0;
  assign p = (32'(port_q) < NumPorts) ? port_q : 2'd0;
  assign b = k_q[3:0];
  always_comb begin
    now           = '0;
    now.ran       = rst_ni;
    now.edit      = u_dut.u_edits.out_o;
    now.any       = we_i != '0;
    now.comes     = we_i[p];
    now.came      = word_i[p][8*b+:8];
    now.chosen    = (32'(now.edit.port) < NumPorts) ? word_i[now.edit.port[1:0]][8*b+:8] : 8'd0;
    now.at        = u_dut.at_q;
    now.any1      = u_dut.any_q;
    now.word1     = u_dut.word1_q;
    now.collected = u_dut.collected_q;
    now.row       = u_dut.u_kept.rdata_o;
    now.late      = u_dut.late_q;
    now.kept      = u_dut.rows_q;
    now.full      = u_dut.full_q;
    now.edit1     = u_dut.edit1_q;
    now.ring      = u_dut.ring_q;
    now.relay     = u_dut.relay_q;
    now.from      = u_dut.from_q;
    now.bare      = u_dut.bare_q;
    now.made      = u_dut.done;
    now.done      = u_dut.done_q;
    for (int unsigned i = 1; i <= Late; i++) begin
      now.we[i]   = u_dut.we_q[i][p];
      now.word[i] = u_dut.word_q[i][p][8*b+:8];
    end
    now.last_any  = u_dut.we_q[Late] != '0;
    now.out_edits = u_dut.out_edits_q;
    now.out_port  = u_dut.out_port_q;
    now.out_at    = u_dut.out_at_q;
  end
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    q      <= now;
    if (!past_q[0]) begin
      port_q <= port_i;
      k_q    <= byte_i;
    end
  end

  // The words that come: first and last one of a record, the last word of the record first.
  logic first, last, q_first, q_last;
  assign first   = now.any && now.at == 3'd0;
  assign last    = now.any && now.at == 3'd7;
  assign q_first = q.any && q.at == 3'd0;
  assign q_last  = q.any && q.at == 3'd7;

  // The rings' registers, a cycle ago.
  ring_t       [NumRings-1:0] rings_q;
  relay_ring_t [NumRings-1:0] relays_q;
  always_ff @(posedge clk_i) {rings_q, relays_q} <= {rings_i, relays_i};

  logic [7:0] leaves;   // the byte of the edited record that leaves with a word
  assign leaves = q.done[{q.out_at - 3'd1, b}];

  // A row of kept headers has half of a record.
  logic       fetches;
  logic [7:0] row_byte;
  assign fetches  = k_q[6] ? q.late[3] : q.late[2];
  assign row_byte = q.row[8*k_q[5:0]+:8];

  always_ff @(posedge clk_i) begin
    if (past_q[2]) begin
      // Words of records are counted, whichever ports they are of; a reset begins anew.
      a_count : assert (now.at == (!q.ran ? 3'd0 : q.any ? q.at + 3'd1 : q.at))
      else $error("word %0d", now.at);
      // What is collected are words of the port whose record is to be edited.
      a_chosen : assert (now.any1 == (q.ran && q.any) && now.word1[b] == q.chosen)
      else $error("another word");
      // Each stands above those that came before it.
      a_collects : assert (now.collected[k_q] == (!q.any1 ? q.collected[k_q] :
          (k_q[6:4] == 3'd7) ? q.word1[b] : q.collected[k_q+7'd16]))
      else $error("byte %0d", k_q);
      // Rows of kept headers come two cycles behind the first words of a record, one after the
      // other.
      a_fetches : assert (now.late == (q.ran ? {q.late[2:1], q_first} : 3'd0) &&
                          now.kept[k_q] == (fetches ? row_byte : q.kept[k_q]))
      else $error("kept byte %0d", k_q);
      // With its last word a record begins its steps, if anything is to become of it.
      a_begins : assert (now.full == (!q.ran ? 8'd0 :
                                      {q.full[7:1], q_last && q.edit.what != EditNone}))
      else $error("steps %b", now.full);
      // The edit stays until the next record's.
      a_edit : assert (now.edit1 == (q_last ? q.edit : q.edit1))
      else $error("another edit");
      // Registers are those of its ring.
      a_ring : assert (now.ring == rings_q[q.edit1.ring[0]] &&
                       now.relay == relays_q[q.edit1.ring[0]])
      else $error("another ring's registers");
      // A result is made of kept headers, all else of the record that came, in the third cycle: its
      // last word was the first one.
      a_from : assert (now.from[k_q] == (!q.full[2] ? q.from[k_q] :
          q.edit1.what == EditResult ? q.kept[k_q] : q.collected[k_q+7'd16]))
      else $error("byte %0d", k_q);
      // An INA header is not counted to the others of a result, or of a first packet's
      // notification.
      a_bare : assert (now.bare == (q.edit1.what == EditResult ||
                                    (q.edit1.what == EditNote && q.edit1.offset == '0)))
      else $error("bare: %b", now.bare);
      // What has been made in the last step is what leaves.
      a_done : assert (now.done[k_q] == (q.full[8] ? q.made[k_q] : q.done[k_q]))
      else $error("byte %0d", k_q);
      // From then on words of its port are its own, until a record ends.
      a_takes_place : assert (now.out_edits == (q.ran && (q.full[8] ||
          (q.out_edits && q.out_at != 3'd7))) &&
                              now.out_port == (q.full[8] ? q.edit1.port : q.out_port))
      else $error("edits %b at port %0d", now.out_edits, now.out_port);
      // Words are counted again as they leave.
      a_leaving : assert (now.out_at == (!q.ran ? 3'd0 : q.out_at + 3'(q.last_any)))
      else $error("word %0d", now.out_at);
      // On their way they stay in line; a reset leaves none.
      a_line : assert (now.we == (q.ran ? {q.we[Late-1:1], q.comes} : 16'd0) &&
                       now.word == {q.word[Late-1:1], q.came})
      else $error("another word");
      // What leaves is as it came, but that of the edited port: the last word first.
      a_leaves : assert (out_we[p] == (q.ran && q.we[Late]) && out_word[p][8*b+:8] ==
          ((q.out_edits && 32'(q.out_port) == 32'(p)) ? leaves : q.word[Late]))
      else $error("byte %0d of word %0d", b, q.out_at);

      // The record of another port leaves beside one that is edited.
      c_beside : cover (out_we[p] && q.out_edits && q.out_port == PortW'(p + 2'd1));
    end
    // An edit leaves the queue with its record's last word, in the order in which they came.
    a_queue : assert (u_dut.u_edits.in_valid_i == edit_valid_i && u_dut.u_edits.in_i == edit_i &&
                      u_dut.u_edits.out_ready_i == last)
    else $error("the queue is told %b", u_dut.u_edits.out_ready_i);
    // Kept are headers of notifications, not what comes behind them, by the packet's slot.
    a_keeps : assert (u_dut.u_kept.we_i == (kept_we_i && kept_i.header) &&
                      (!u_dut.u_kept.we_i ||
                       (u_dut.u_kept.waddr_i == {kept_i.slot[KeptW-2:0], kept_i.row[0]} &&
                        u_dut.u_kept.wdata_i == kept_i.data)))
    else $error("kept at %0d", u_dut.u_kept.waddr_i);
    // They are read as the record's first two words come.
    a_reads : assert (u_dut.u_kept.re_i == (now.any && now.at < 3'd2) &&
                      (!u_dut.u_kept.re_i ||
                       u_dut.u_kept.raddr_i == {now.edit.kept[KeptW-2:0], !first}))
    else $error("read at %0d", u_dut.u_kept.raddr_i);
  end

endmodule
