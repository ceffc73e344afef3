// uplink_order: of one connection, whichever it is, every packet is judged as by a list.
module uplink_order_props #(
  /// Places of a set.
  parameter int unsigned Ways = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [2:0] which_i,
  input logic       in_valid_i,
  input logic       in_read_i,
  input logic [2:0] in_key_i,
  input logic [1:0] in_psn_i,
  input logic       clear_i,
  input logic       read_i,
  input logic       read_set_i,
  input logic       read_way_i
);

  import uplink_flow_pkg::*;

  logic       started_q, out_valid, busy, done, used;
  order_e     verdict;
  logic [2:0] key;
  logic [1:0] next;
  logic       gaps, duplicates;

  uplink_order #(
    .KeyW  (3),
    .PsnW  (2),
    .Sets  (2),
    .Ways  (Ways),
    .CountW(1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_opcode_i      (in_read_i ? OpReadRequest : 8'h04),
    .in_key_i,
    .in_psn_i,
    .out_valid_o      (out_valid),
    .out_verdict_o    (verdict),
    .clear_i,
    .busy_o           (busy),
    .read_i,
    .read_set_i,
    .read_way_i,
    .read_done_o      (done),
    .read_used_o      (used),
    .read_key_o       (key),
    .read_next_o      (next),
    .read_gaps_o      (gaps),
    .read_duplicates_o(duplicates)
  );

  // What is judged now came five cycles ago; one connection is followed.
  typedef struct packed {
    logic       valid;
    logic       skip;    // came in a sweep
    logic       mine;
    logic       read;
    logic [1:0] psn;
  } packet_t;
  packet_t [4:0] packet_q;
  packet_t       now;
  logic [2:0]    which_q;
  logic [1:0]    next_q, beyond;
  logic          known_q, any_q;
  order_e        due;

  assign now    = packet_q[4];
  assign beyond = now.psn - next_q;
  always_comb begin
    due = OrderNext;
    if (beyond[1]) due = OrderDuplicate;
    else if (beyond != '0 && !any_q) due = OrderGap;
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    which_q   <= started_q ? which_q : which_i;
    packet_q  <= {packet_q[3:0], packet_t'{
        valid: in_valid_i, skip: busy, mine: in_key_i == which_q, read: in_read_i, psn: in_psn_i}};
    if (now.valid && now.mine && !now.skip) begin
      if (!known_q) begin
        known_q <= verdict == OrderNew;
        next_q  <= now.psn + 2'd1;
        any_q   <= now.read;
      end else if (due != OrderDuplicate) begin
        next_q <= now.psn + 2'd1;
        any_q  <= now.read;
      end
    end
    // Nothing from before it is on its way once the sweep has begun to write.
    if (u_dut.sweep) known_q <= 1'b0;
    if (!rst_ni) begin
      packet_q <= '0;
      known_q  <= 1'b0;
    end
    // The first cycle is one of reset. Dropped: the table holds anything from the start.
    e_reset : assume (started_q || !rst_ni);
  end

  // ---------------------------------------------------------------------------------------------
  // These help the proof: they hold by themselves, and the others follow from them.

  typedef struct packed {
    logic       used;
    logic [2:0] key;
    logic [1:0] next;
    logic       any;
    logic       gaps;
    logic       duplicates;
  } place_t;
  typedef place_t [Ways-1:0] set_t;

  localparam logic [3:0] Longest = 4'd9;   // sweep_q as a sweep begins: two sets, and eight cycles

  set_t       table_at[2], row3, row4, row5, word, base;
  logic [1:0] swept;        // nothing from before a sweep or a reset is in the set
  logic [2:0] key4_q;       // name of the packet in stage 4
  logic       set, known, any;   // of the connection; what is known once stage 4 is written
  logic [1:0] next_psn;
  assign set         = ^which_q;
  assign table_at[0] = u_dut.u_sets.mem[0];
  assign table_at[1] = u_dut.u_sets.mem[1];
  assign row3        = u_dut.row3_q;
  assign row4        = u_dut.row4_q;
  assign row5        = u_dut.row5_q;
  assign word        = u_dut.word;
  assign base        = u_dut.base;
  for (genvar s = 0; s < 2; s++) begin : gen_swept
    assign swept[s] = !busy || u_dut.valid_q != '0 || (u_dut.sweep && u_dut.sweep_q < s);
  end
  always_ff @(posedge clk_i) key4_q <= u_dut.key_q[3];

  // A set has a place for the connection just if it is known, and one place, which says the same.
  function automatic logic says(set_t places, logic known, logic [1:0] next, logic any);
    logic found, good;
    found = 1'b0;
    good  = 1'b1;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (places[w].used && places[w].key == which_q) begin
        good  = good && !found && places[w].next == next && places[w].any == any;
        found = 1'b1;
      end
    end
    return good && found == known;
  endfunction

  function automatic logic twice(set_t places);
    return Ways > 1 && places[0].used && places[Ways-1].used && places[0].key == places[Ways-1].key;
  endfunction

  always_comb begin
    {known, next_psn, any} = {known_q, next_q, any_q};
    if (now.valid && now.mine && !now.skip) begin
      known = known_q || verdict == OrderNew;
      if (!known_q || due != OrderDuplicate) {next_psn, any} = {now.psn + 2'd1, now.read};
    end
  end

  // Of two numbers how far one is behind the other, in half of what numbers count to.
  function automatic logic behind(logic [1:0] psn, logic [1:0] next);
    behind = (psn - next) > 2'd1;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // A sweep begins when nothing is on its way, and nothing is looked up before it ends.
      a_sweep : assert (u_dut.sweep == (busy && u_dut.sweep_q < 2) &&
                        (!busy || u_dut.sweep_q <= Longest))
      else $error("sweep at %0d", u_dut.sweep_q);
      // So is that of the packet which is being written.
      a_at4 : assert (!u_dut.valid_q[4] || (u_dut.at_q[4] == ^key4_q &&
                      now.mine == (key4_q == which_q) && now.read == u_dut.read4_q))
      else $error("stage 4");

      // The connection is not known from the second cycle of a sweep on.
      a_forgotten : assert (!(u_dut.sweep && known_q) || u_dut.sweep_q == 1)
      else $error("known in a sweep");
      // No connection has two places.
      a_once : assert (!(swept[0] && twice(table_at[0])) && !(swept[1] && twice(table_at[1])) &&
                       !(u_dut.valid_q[4] && twice(row4)))
      else $error("a connection has two places");
      // The table says of the connection what the model does.
      a_table : assert (!(known_q || swept[set]) ||
                        says(table_at[set], known_q, next_q, any_q))
      else $error("the table disagrees");
      // So does what is being written, of what will be known then.
      a_row4 : assert (!(u_dut.valid_q[4] && u_dut.at_q[4] == set) ||
                       says(row4, known, next_psn, any))
      else $error("stage 4 disagrees");

      // Whether one of the same set is in front is known.
      a_flags : assert ((!u_dut.valid_q[3] ||
          u_dut.ahead_q == (u_dut.valid_q[4] && u_dut.at_q[4] == u_dut.at_q[3])) &&
          (!u_dut.valid_q[2] ||
          u_dut.second_q == (u_dut.valid_q[4] && u_dut.at_q[4] == u_dut.at_q[2])))
      else $error("what is ahead");
      // Stage 2 sees what the table is when stage 4 is written.
      a_seen : assert (!u_dut.valid_q[2] || u_dut.second_q ||
                       (u_dut.third_q ? row5 : word) == table_at[u_dut.at_q[2]])
      else $error("stage 2 sees something else");
      // So does stage 3.
      a_seen3 : assert (!u_dut.valid_q[3] || u_dut.ahead_q || row3 == table_at[u_dut.at_q[3]])
      else $error("stage 3 sees something else");

      // Name and number were compared with those of the packet in front.
      a_same : assert (u_dut.same_q == (key4_q == u_dut.key_q[3]) && (!u_dut.valid_q[4] ||
          (u_dut.next_q == (u_dut.psn_q[3] == now.psn + 2'd1) &&
          u_dut.past_q == behind(u_dut.psn_q[3], now.psn + 2'd1))))
      else $error("compared with the one ahead");
    end
  end

  for (genvar i = 0; i < 5; i++) begin : gen_stage
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // What is on its way is written before a sweep begins.
        a_drained : assert (!u_dut.valid_q[i] || !busy || 32'(u_dut.sweep_q) + i >= 32'(Longest))
        else $error("stage %0d in a sweep", i);
        // The model's packets are those that are looked up.
        a_valid : assert (u_dut.valid_q[i] == (packet_q[i].valid && !packet_q[i].skip))
        else $error("stage %0d", i);
      end
    end
  end

  for (genvar i = 0; i < 4; i++) begin : gen_packet
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // The model's packets are those on their way, with what they say.
        a_packet : assert (u_dut.skip_q[i] == (packet_q[i].valid && packet_q[i].skip) &&
            (!packet_q[i].valid || (packet_q[i].psn == u_dut.psn_q[i] &&
            packet_q[i].read == u_dut.read_q[i] &&
            packet_q[i].mine == (u_dut.key_q[i] == which_q))))
        else $error("packet %0d", i);
      end
    end
  end

  for (genvar i = 1; i < 4; i++) begin : gen_at
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // A packet's set is that of its name.
        a_at : assert (!u_dut.valid_q[i] || u_dut.at_q[i] == ^u_dut.key_q[i])
        else $error("set of stage %0d", i);
      end
    end
  end

  for (genvar w = 0; w < Ways; w++) begin : gen_way
    always_ff @(posedge clk_i) begin
      if (rst_ni && started_q) begin
        // Names and numbers were compared with what was read.
        a_compared : assert ((&u_dut.hit3_q[w]) ==
            (row3[w].used && row3[w].key == u_dut.key_q[3]) &&
            u_dut.next3_q[w] == (u_dut.psn_q[3] == row3[w].next) &&
            u_dut.past3_q[w] == behind(u_dut.psn_q[3], row3[w].next))
        else $error("way %0d", w);
        // The one in stage 4 has its number in its place, unless it is a repeated one.
        a_moved : assert (!u_dut.valid_q[4] ||
            ((!u_dut.entered_q[w] || (row4[w].used && row4[w].key == key4_q && u_dut.moved_q)) &&
            (!(row4[w].used && row4[w].key == key4_q && u_dut.moved_q) ||
            (row4[w].next == now.psn + 2'd1 && row4[w].any == now.read))))
        else $error("way %0d", w);
        // All else is as the one behind saw it.
        a_kept : assert (!(u_dut.valid_q[3] && u_dut.ahead_q) || u_dut.entered_q[w] ||
            (row4[w].used == row3[w].used && row4[w].key == row3[w].key &&
            ((row4[w].key == key4_q && u_dut.moved_q) ||
            (row4[w].next == row3[w].next && row4[w].any == row3[w].any))))
        else $error("way %0d", w);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && started_q) begin
      // Every packet is judged, each once, and in its turn.
      a_judged : assert (out_valid == now.valid)
      else $error("a packet without a verdict");
      // A packet of a connection that is known is the next one, behind a gap, or a repeated one:
      // what those before it say, however close they came.
      a_verdict : assert (!(now.valid && now.mine && !now.skip && known_q) || verdict == due)
      else $error("verdict %0d", verdict);
      // One of a connection that is not known is its first, or finds no place; it is no gap.
      a_unknown : assert (!(now.valid && now.mine && !now.skip && !known_q) ||
                          verdict == OrderNew || verdict == OrderFull)
      else $error("verdict %0d", verdict);
      // What comes while the table is being cleared is said to find no place.
      a_skipped : assert (!(now.valid && now.skip) || verdict == OrderFull)
      else $error("verdict %0d", verdict);

      // A gap right behind the packet that entered the connection.
      c_gap : cover (now.valid && now.mine && known_q && verdict == OrderGap);
      // A repeated one, and one that finds no place.
      c_duplicate : cover (now.valid && now.mine && known_q && verdict == OrderDuplicate);
      c_full : cover (now.valid && now.mine && !now.skip && verdict == OrderFull);
      // Known again after a sweep.
      c_again : cover (now.valid && now.mine && !now.skip && verdict == OrderNext && clear_i);
      // A place was read.
      c_read : cover (done && used);
    end
  end

endmodule
