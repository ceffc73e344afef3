// agg_message_table: what it says of any one connection, held against a plain row of registers for
// that connection.
module agg_message_table_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  /// Connections.
  parameter int unsigned NumConns = 2,
  /// Messages remembered for each.
  parameter int unsigned History = 4,
  /// 1: some messages begin with any of their packets.
  parameter int unsigned Spine = 0,
  localparam int unsigned IndexW = (NumConns > 1) ? $clog2(NumConns) : 1,
  localparam int unsigned EntryW = $clog2(History)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                read_i,
  input logic                fresh_i,
  input logic [ConnW-1:0]    conn_i,
  input logic                query_valid_i,
  input logic                starts_i,
  input message_t            message_i,
  input logic [SlotW-1:0]    offset_i,
  input logic [2:0]          window_log2_i,
  input logic [NumConns-1:0] forget_i,
  // Any connection.
  input logic [IndexW-1:0]   one_i
);

  logic              answer_valid, found, stale, conflict, started_q;
  message_t          answer;
  logic [SlotW-1:0]  offset;
  logic [IndexW-1:0] one_q;

  agg_message_table #(
    .NumConns(NumConns),
    .History (History),
    .Spine   (Spine)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .read_i,
    .fresh_i,
    .conn_i,
    .query_valid_i,
    .starts_i,
    .message_i,
    .offset_i,
    .window_log2_i,
    .answer_valid_o(answer_valid),
    .found_o       (found),
    .stale_o       (stale),
    .conflict_o    (conflict),
    .answer_o      (answer),
    .offset_o      (offset),
    .forget_i
  );

  // ---------------------------------------------------------------------------------------------
  // The row of the one connection. Its queries arrive in [0], are decided in [1], answered in [2].

  logic                   read_q, learned_q;
  logic [IndexW-1:0]      read_conn_q;
  logic                   any1_q, any2_q, mine1_q, mine2_q, starts1_q, starts2_q;
  message_t               message1_q, message2_q;
  logic [SlotW-1:0]       offset1_q, offset2_q;
  logic [2:0]             window1_q, window2_q;
  message_t [History-1:0] row_q, before_q, after;   // now; when [2] was decided; when [1] is

  function automatic logic [EntryW-1:0] mask(logic [2:0] window_log2);
    mask = EntryW'((32'd2 << window_log2) - 32'd1);
  endfunction

  function automatic logic older(logic [31:0] a, logic [31:0] b);
    older = 32'(a - b) >= 32'h8000_0000;
  endfunction

  function automatic logic same(message_t a, message_t b);
    same = a.psn0 == b.psn0 && a.msglen == b.msglen && a.kind == b.kind;
  endfunction

  function automatic logic holds(message_t m, logic [23:0] psn);
    holds = m.valid && 24'(psn - m.psn0) < 24'(m.msglen);
  endfunction

  message_t at_1, at_2;
  logic     stale_1, conflict_1, stale_2, conflict_2;
  assign at_1       = row_q[message1_q.msgid[EntryW-1:0] & mask(window1_q)];
  assign stale_1    = at_1.valid && older(message1_q.msgid, at_1.msgid);
  assign conflict_1 = at_1.valid && at_1.msgid == message1_q.msgid && !same(at_1, message1_q);
  assign at_2       = before_q[message2_q.msgid[EntryW-1:0] & mask(window2_q)];
  assign stale_2    = at_2.valid && older(message2_q.msgid, at_2.msgid);
  assign conflict_2 = at_2.valid && at_2.msgid == message2_q.msgid && !same(at_2, message2_q);

  always_comb begin
    after = row_q;
    if (mine1_q && starts1_q && !stale_1 && !conflict_1) begin
      after[message1_q.msgid[EntryW-1:0] & mask(window1_q)]       = message1_q;
      after[message1_q.msgid[EntryW-1:0] & mask(window1_q)].valid = 1'b1;
    end
    for (int unsigned i = 0; i < History; i++) begin
      if (!rst_ni || forget_i[one_q] || (learned_q && read_conn_q == one_q)) begin
        after[i].valid = 1'b0;
      end
    end
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) one_q <= one_i;
    read_q <= read_i && rst_ni;
    learned_q <= read_i && fresh_i && rst_ni;
    if (read_i) read_conn_q <= IndexW'(conn_i);
    any1_q     <= query_valid_i && rst_ni;
    any2_q     <= any1_q && rst_ni;
    mine1_q    <= query_valid_i && rst_ni && read_conn_q == one_q;
    mine2_q    <= mine1_q && rst_ni;
    {starts1_q, message1_q, window1_q} <= {starts_i, message_i, window_log2_i};
    {starts2_q, message2_q, window2_q} <= {starts1_q, message1_q, window1_q};
    offset1_q  <= (Spine != 0) ? offset_i : '0;
    offset2_q  <= offset1_q;
    row_q      <= after;
    before_q   <= row_q;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // The connection of a query is named in the cycle in front of it, and only then.
    e_read : assume (query_valid_i == read_q);
  end

  // ---------------------------------------------------------------------------------------------
  // Answers.

  logic among, missed, apart, newer_one;

  always_comb begin
    among     = 1'b0;
    missed    = 1'b0;
    apart     = 1'b0;
    newer_one = 1'b0;
    for (int unsigned i = 0; i < History; i++) begin
      if (before_q[i].valid && before_q[i] == answer) among = 1'b1;
      if (EntryW'(i) <= mask(window2_q) && holds(before_q[i], message2_q.psn0)) begin
        missed = 1'b1;
        for (int unsigned j = 0; j < History; j++) begin
          if (EntryW'(j) <= mask(window2_q) && holds(before_q[j], message2_q.psn0) &&
              32'(before_q[i].msgid - before_q[j].msgid + 32'h4000_0000) >= 32'h8000_0000) begin
            apart = 1'b1;
          end
        end
        if (before_q[i].msgid != answer.msgid && !older(before_q[i].msgid, answer.msgid)) begin
          newer_one = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every query is answered two cycles later, and nothing else is.
      a_answers : assert (answer_valid == any2_q)
      else $error("answer without a query, or none");
      if (mine2_q && !starts2_q) begin
        // A PSN is found only in a message that this connection has begun and not forgotten.
        a_known : assert (!found || among)
        else $error("found in message %0d, which is not there", answer.msgid);
        // The offset is the PSN's distance from the message's first, and less than its length.
        a_offset : assert (!found || (24'(offset) == 24'(message2_q.psn0 - answer.psn0) &&
                                      offset < answer.msglen))
        else $error("offset %0d", offset);
        // A PSN that lies in a message in use is found, as long as the MsgIDs of those are less
        // than 2^30 apart.
        a_found : assert (found || !missed || apart)
        else $error("PSN %0d not found", message2_q.psn0);
        // Of several messages that hold the PSN it is the newest.
        a_newest : assert (!found || !newer_one)
        else $error("message %0d is not the newest", answer.msgid);
        // A PSN of a message that is not the newest is found.
        c_old_message : cover (found && offset == 14'd3 &&
                               before_q[0].valid && before_q[1].valid &&
                               answer.msgid == before_q[1].msgid - 32'd1);
      end
      if (mine2_q && starts2_q) begin
        // A message that begins is stale exactly if a newer one has its place, and a conflict
        // exactly if it is there with another PSN, length or type.
        a_verdict : assert (stale == stale_2 && conflict == conflict_2 &&
                            found == (!stale_2 && !conflict_2))
        else $error("stale %b, conflict %b, found %b", stale, conflict, found);
        // A message that begins is answered with itself, at offset 0; or at that of the packet that
        // it begins with.
        a_begins : assert (!found || (answer == message2_q && offset == offset2_q))
        else $error("answered with message %0d", answer.msgid);
        // A first packet is repeated while its message is known.
        c_again : cover (found && at_2.valid && at_2.msgid == message2_q.msgid);
      end
      // The connection is forgotten.
      c_forget : cover (forget_i[one_q] && row_q[1].valid);
    end
  end

  logic [History-1:0] compared;
  always_comb begin
    for (int unsigned i = 0; i < History; i++) begin
      compared[i] = u_dut.offset_q[i] == SlotW'(message1_q.psn0 - u_dut.row_q[i].psn0) &&
          u_dut.holds_q[i] == (!starts1_q && EntryW'(i) <= mask(window1_q) &&
                               holds(u_dut.row_q[i], message1_q.psn0)) &&
          u_dut.known_q[i] == (u_dut.row_q[i].valid && u_dut.row_q[i].msgid == message1_q.msgid) &&
          u_dut.newer_q[i] == (u_dut.row_q[i].valid &&
                               older(message1_q.msgid, u_dut.row_q[i].msgid)) &&
          u_dut.differs_q[i] == !same(u_dut.row_q[i], message1_q);
      for (int unsigned j = i + 1; j < History; j++) begin
        if (u_dut.is_newer_q[i][j] != older(u_dut.row_q[j].msgid, u_dut.row_q[i].msgid)) begin
          compared[i] = 1'b0;
        end
      end
    end
  end

  for (genvar i = 0; i < History; i++) begin : gen_entry
    message_t in_ram;
    assign in_ram = u_dut.u_rows.mem[one_q][i*$bits(message_t)+:$bits(message_t)];
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // The RAM holds the row (helps the proof).
        a_ram : assert (row_q[i].valid == (!u_dut.fresh_q[one_q] && in_ram.valid) &&
                        (!row_q[i].valid || row_q[i] == in_ram))
        else $error("entry %0d", i);
        // So does what a query has fetched when it is decided (helps the proof).
        a_fetched : assert (!mine1_q || (u_dut.row_q[i].valid == row_q[i].valid &&
                                         (!row_q[i].valid || u_dut.row_q[i] == row_q[i])))
        else $error("entry %0d", i);
        // A message is never replaced by an older one.
        a_never_older : assert (!(row_q[i].valid && after[i].valid) ||
                                after[i].msgid == row_q[i].msgid ||
                                !older(after[i].msgid, row_q[i].msgid))
        else $error("entry %0d", i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Queries are in step (helps the proof).
      a_step : assert (u_dut.query_q == any1_q && (!mine1_q || (u_dut.conn_q == one_q &&
          u_dut.starts_q == starts1_q && u_dut.message_q == message1_q &&
          u_dut.begins_at_q == offset1_q &&
          u_dut.at_q == (message1_q.msgid[EntryW-1:0] & mask(window1_q)))) &&
          (!any1_q || mine1_q == (u_dut.conn_q == one_q)) && (any1_q || !mine1_q) &&
          (any2_q || !mine2_q) && u_dut.read_conn_q == read_conn_q &&
          u_dut.learned_q == learned_q && (read_q || !learned_q) && u_dut.read_q == read_q)
      else $error("out of step");
      // What was read from the RAM is what it holds (helps the proof).
      a_read : assert (!read_q || read_conn_q != one_q || u_dut.fresh_q[one_q] ||
                       u_dut.u_rows.mem[one_q] == u_dut.ram_row)
      else $error("stale row");
      // Nor has the connection lost or got its first message since (helps the proof).
      a_fresh : assert (!read_q || read_conn_q != one_q ||
                        u_dut.read_fresh_q == (u_dut.fresh_q[one_q] || learned_q))
      else $error("read as fresh");
      // Nothing is written while it comes.
      a_undisturbed : assert (!(read_q && read_conn_q == one_q && mine1_q))
      else $error("read too early");
      // So is what has been compared: which messages hold the PSN, how far it is in, which are
      // newer, and what a message that begins would be.
      a_compared : assert (!mine1_q || compared == '1)
      else $error("compared %b", compared);
    end
  end

endmodule
