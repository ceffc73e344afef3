// Where header records and what is announced of them meet, in a device of a tree: emission takes
// what slot state gives, relay_take says what becomes of it, and each record that emission reads
// comes to relay_turns and relay_write behind its announcement, for the port that this names; never
// more than four announcements wait.
//
// Slot state's answers are free, as are jobs, ports that write, and what is known of messages.
// Whose turn it is among jobs, how many rows a read has, and what rows wait for, is left out of the
// circuit and free (`cuts` of the task).
module relay_records_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_timing_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
    /// 1: below a parent.
    parameter int unsigned Uplink = 1,
    /// Above 0: rings may be above other devices.
    parameter int unsigned Spine = 1,
    /// 1: banks have corrected words, and are read a cycle longer.
    parameter int unsigned Ecc = 0
) (
    input logic              clk_i,
    input logic              rst_ni,
    input job_t              job_i,
    input ahead_t            soon_i,
    input logic              writing_i,
    input logic              state_ready_i,
    input taken_t            state_taken_i,
    input column_t           state_column_i,
    input relay_note_t       note_i,
    input relay_head_t       head_i,
    input ring_t       [1:0] rings_i,
    input relay_ring_t [1:0] relays_i
);

  localparam int unsigned NumPorts = 3;
  localparam int unsigned NumRanks = 2;
  localparam cfg_t Cfg = make_cfg(
      NumPorts, NumRanks, 256, 4, 2, 16, 1, 0, Spine, Uplink, 2, 9728, Ecc
  );
  localparam int unsigned NumBanks = Cfg.NumBanks;
  // States of agg_emit_take and relay_take.
  localparam logic [2:0] StAnswer = 3'd3, StHand = 3'd4;
  localparam logic [2:0] Idle = 3'd0, Look = 3'd3, Weigh = 3'd4, Decide = 3'd5;

  typedef logic [NumPorts-1:0] ports_t;

  logic started_q;
  initial started_q = 1'b0;

  header_t [NumPorts-1:0] header;

  relay_records_pair #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .known_i ('{head: head_i, note: note_i}),
    .job_i,
    .soon_i,
    .writing_i,
    .state_ready_i,
    .state_i ('{taken: state_taken_i, column: state_column_i}),
    .header_o(header)
  );

  // ---------------------------------------------------------------------------------------------
  // Ranks that an answer names, and their ports.

  function automatic ports_t ports_of(take_rsp_t of);
    ports_of = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r < NumBanks; r++) begin
        if (of.ranks[r] && of.port[r] == PortW'(p)) ports_of[p] = 1'b1;
      end
    end
  endfunction

  /// All of them are there; the ports are those of the first `ranks`.
  function automatic logic fits(take_rsp_t of, int unsigned ranks);
    fits = 1'b1;
    for (int unsigned r = 0; r < MaxRanks; r++) begin
      if (of.ranks[r] && (r >= NumBanks || (r < ranks && 32'(of.port[r]) >= NumPorts))) begin
        fits = 1'b0;
      end
    end
  endfunction

  /// And a ring has workers.
  function automatic logic works(take_rsp_t of);
    works = 32'(of.workers) >= 1 && 32'(of.workers) <= NumRanks;
  endfunction

  logic there;
  assign there = !state_taken_i.valid || state_taken_i.taken.status != TakeDone ||
      (fits(state_taken_i.taken, NumRanks) && works(state_taken_i.taken));

  // ---------------------------------------------------------------------------------------------
  // Words on their way: from the reader through its registers to relay_turns, and through these to
  // relay_write; of each, for which ports it is, none if it is no word, and which of its record.

  localparam int unsigned Turns = BankRead + Ecc + 2;  // where relay_turns takes it
  localparam int unsigned Last = (Spine != 0) ? Turns + 2 : Turns;  // and relay_write
  localparam logic [2:0] LastWord = 3'(HdrWords - 2);

  ports_t [Last:1]      word_ports;
  logic   [Last:1][2:0] word_q;
  ports_t reader_ports, beside_ports, hand_ports;

  always_ff @(posedge clk_i) word_q <= {word_q[Last-1:1], u_dut.u_emit.u_read.word_q};

  for (genvar i = 1; i < Turns; i++) begin : gen_read
    assign word_ports[i] = u_dut.u_emit.u_read.hdr_valid_q[i] ?
        u_dut.u_emit.u_read.hdr_ctrl_q[i].ports : '0;
  end
  assign word_ports[Turns] = u_dut.u_emit.u_read.hdr_we_o;
  if (Spine != 0) begin : gen_turn
    for (genvar p = 0; p < NumPorts; p++) begin : gen_port
      assign word_ports[Turns+1][p] = u_dut.u_out.u_header.gen_turn.u_turns.gen_port[p].u_turn.we_q;
      assign word_ports[Turns+2][p] = u_dut.u_out.u_header.gen_turn.u_turns.gen_port[p].u_turn.we_o;
    end
  end

  // Reads behind them: in the reader's hands, waiting for it, and in the taker's hands.
  assign reader_ports = u_dut.u_emit.u_read.words_left_q ? u_dut.u_emit.u_read.hdr_ports : '0;
  assign hand_ports = (u_dut.u_emit.u_take.state_q == StHand) ?
      ports_of(u_dut.u_emit.u_take.rsp_q) : '0;

  // Records of which the last word has not come to where announcements wait, in their order: one
  // more than there can be.
  typedef struct packed {
    logic         lined;   // their words follow each other, as their taker counts them
    logic [2:0]   number;
    ports_t [4:0] ports;
  } records_t;

  function automatic records_t records_of(
      int unsigned stage, logic [2:0] at, ports_t [Last:1] words, logic [Last:1][2:0] which,
      logic [2:0] reader_word, ports_t reader, ports_t beside, ports_t hand);
    logic begun, known;  // a record has begun; its ports are known
    logic   [2:0] next;
    ports_t       its;
    records_of       = '0;
    records_of.lined = 1'b1;
    begun            = at != '0;
    known            = 1'b0;
    its              = '0;
    next             = at - 3'd1;
    for (int unsigned i = Last; i >= 1; i--) begin
      if (i <= stage) begin
        if (words[i] == '0) begin
          if (begun) records_of.lined = 1'b0;
        end else begin
          if (which[i] != next || (known && words[i] != its)) records_of.lined = 1'b0;
          its   = words[i];
          known = 1'b1;
          begun = 1'b1;
          next  = which[i] + 3'd1;
          if (which[i] == LastWord) begin
            records_of.ports[records_of.number] = its;
            records_of.number = records_of.number + 3'd1;
            known = 1'b0;
            begun = 1'b0;
          end
        end
      end
    end
    if (reader == '0) begin
      if (begun) records_of.lined = 1'b0;
    end else begin
      if (reader_word != next || (known && reader != its)) records_of.lined = 1'b0;
      records_of.ports[records_of.number] = reader;
      records_of.number = records_of.number + 3'd1;
    end
    if (beside != '0) begin
      records_of.ports[records_of.number] = beside;
      records_of.number = records_of.number + 3'd1;
    end
    if (hand != '0) begin
      records_of.ports[records_of.number] = hand;
      records_of.number = records_of.number + 3'd1;
    end
  endfunction

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: a record that was on its way before it.
    e_reset : assume (started_q || !rst_ni);
    // What is taken is for ranks that there are, children behind ports that there are, of a ring
    // that has workers. Dropped: a record that is announced and leaves for nobody.
    e_ranks : assume (there);
  end

  // What is asserted, by modules that may not be there.
  logic is_turns, is_turns_queue, two_turns;
  logic is_write, is_write_queue, is_take, is_beside, is_ranks, is_answer, two_write;
  logic [2:0] turns_number, turns_held, write_number, write_held;

  if (Spine != 0) begin : gen_turns
    records_t records;
    logic [2:0] held;
    assign held = u_dut.u_out.u_header.gen_turn.u_turns.u_whose.count_q;
    assign records = records_of(
        Turns,
        u_dut.u_out.u_header.gen_turn.u_turns.at_q,
        word_ports,
        word_q,
        u_dut.u_emit.u_read.word_q,
        reader_ports,
        beside_ports,
        hand_ports
    );
    assign turns_number = records.number;
    assign turns_held = held;
    assign is_turns = records.lined && records.number == held;
    assign is_turns_queue = 32'(held) <= 4 &&
        u_dut.u_out.u_header.gen_turn.u_turns.u_whose.valid_q == (held != '0) &&
        u_dut.u_out.u_header.gen_turn.u_turns.u_whose.ready_q == (held != 3'd4) &&
        u_dut.u_out.u_header.gen_turn.u_turns.u_whose.last_q == (held == 3'd1) &&
        u_dut.u_out.u_header.gen_turn.u_turns.u_whose.room_q == (held == 3'd3);
    assign two_turns = held == 3'd2;
  end else begin : gen_no_turns
    assign {turns_number, turns_held, two_turns} = '0;
    assign {is_turns, is_turns_queue} = '1;
  end

  if (Uplink != 0) begin : gen_write
    records_t records;
    logic [2:0] held;
    logic [2:0] state;
    taken_t taken;
    relay_edit_req_t edit;
    take_rsp_t rsp;
    logic [3:0] meant;  // of each announced record: it is of a port to which it leaves
    logic [MaxRanks-1:0] last_rank;
    assign held = u_dut.u_out.u_header.gen_write.u_write.u_edits.count_q;
    assign records = records_of(
        Last,
        u_dut.u_out.u_header.gen_write.u_write.at_q,
        word_ports,
        word_q,
        u_dut.u_emit.u_read.word_q,
        reader_ports,
        beside_ports,
        hand_ports
    );
    assign state = u_dut.u_out.gen_parent.u_take.state_q;
    assign rsp = u_dut.u_out.gen_parent.u_take.rsp_q;
    assign taken = u_dut.u_out.gen_parent.u_take.taken_o;
    assign edit = u_dut.u_out.gen_parent.u_take.edit_o;
    assign beside_ports = u_dut.u_emit.gen_beside.u_beside.next_valid_q ?
        u_dut.u_emit.gen_beside.u_beside.next_ports_q : '0;
    assign last_rank = MaxRanks'(1) << (rsp.workers - (RankW + 1)'(1));

    /// A record that is edited is one of these ports.
    function automatic logic one_of(relay_edit_t of, ports_t ports);
      one_of = of.what == EditNone ||
          (32'(of.port) < NumPorts && |(ports & (ports_t'(1) << of.port)));
    endfunction

    for (genvar k = 0; k < 4; k++) begin : gen_meant
      logic [1:0] place;
      assign place = 2'(u_dut.u_out.u_header.gen_write.u_write.u_edits.read_q + 2'(k));
      assign meant[k] = k >= 32'(held) ||
          one_of(u_dut.u_out.u_header.gen_write.u_write.u_edits.mem_q[place], records.ports[k]);
    end

    assign write_number = records.number;
    assign write_held = held;
    assign is_write = records.lined && records.number == held && meant == '1;
    assign is_write_queue = 32'(held) <= 4 &&
        u_dut.u_out.u_header.gen_write.u_write.u_edits.valid_q == (held != '0) &&
        u_dut.u_out.u_header.gen_write.u_write.u_edits.ready_q == (held != 3'd4) &&
        u_dut.u_out.u_header.gen_write.u_write.u_edits.last_q == (held == 3'd1) &&
        u_dut.u_out.u_header.gen_write.u_write.u_edits.room_q == (held == 3'd3) &&
        2'(u_dut.u_out.u_header.gen_write.u_write.u_edits.write_q -
           u_dut.u_out.u_header.gen_write.u_write.u_edits.read_q) == held[1:0];
    assign is_take   = (u_dut.u_emit.u_take.state_q == StAnswer) ==
        (state != Idle || taken.valid) && (!taken.valid || state == Idle) &&
        32'(state) <= 32'(Decide);
    assign is_beside = !u_dut.u_emit.gen_beside.u_beside.next_valid_q ||
        u_dut.u_emit.gen_beside.u_beside.next_ports_q ==
        ports_of(u_dut.u_emit.gen_beside.u_beside.next_q);
    assign is_ranks = !(state inside {Look, Weigh, Decide}) || rsp.status != TakeDone ||
        (fits(rsp, NumRanks) && works(rsp) &&
         u_dut.u_out.gen_parent.u_take.last_rank_q == last_rank &&
         (state != Decide ||
          u_dut.u_out.gen_parent.u_take.to_last_q == ((rsp.ranks & last_rank) != '0)));
    assign is_answer = edit.valid == (taken.valid && taken.taken.status == TakeDone &&
                                      taken.taken.ranks != '0) &&
        (!taken.valid || taken.taken.status != TakeDone || fits(taken.taken, NumBanks)) &&
        (!edit.valid || one_of(edit.edit, ports_of(taken.taken)));
    assign two_write = held == 3'd1 && edit.valid && edit.edit.what == EditResult;
  end else begin : gen_no_write
    assign beside_ports = '0;
    assign {write_number, write_held, two_write} = '0;
    assign {is_write, is_write_queue, is_take, is_beside, is_ranks, is_answer} = '1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Who has words left to read has a read in hand (helps the proof).
      a_reader : assert (u_dut.u_emit.u_read.busy_q ||
                         !(u_dut.u_emit.u_read.words_left_q || u_dut.u_emit.u_read.rows_left_q));
      // As many records are announced to relay_turns as are on their way to it, and their words
      // come in their order.
      a_turns : assert (is_turns)
      else $error("%0d records, %0d announced", turns_number, turns_held);
      // As many are announced to relay_write, and each leaves for the port that was announced.
      a_write : assert (is_write)
      else $error("%0d records, %0d announced", write_number, write_held);
      // Announcements wait in their queues (helps the proof).
      a_queues : assert (is_turns_queue && is_write_queue);
      // One take is under way, and emission waits for its answer (helps the proof).
      a_take : assert (is_take);
      // Ranks are some that there are; a read that waits goes to their ports; an answer and its
      // announcement are of one cycle (helps the proof).
      a_ranks : assert (is_ranks && is_beside && is_answer);
      // Two records are on their way; another one is announced while one is on its way.
      c_turns : cover (two_turns);
      c_write : cover (two_write);
    end
  end

endmodule
