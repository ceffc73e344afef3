// Counts packets out of sequence, of each connection by itself (Meta RoCE 6.3.1).
//
// A connection is a destination address and a destination queue pair; the table keeps the number
// that comes next. A packet with a later one follows a gap: one is counted, and counting goes on
// behind the packet. One with an earlier number repeats what was passed, as go-back-N does. A READ
// request takes up numbers that it does not tell, so any later one may follow it. A connection is
// entered with its first packet; if there is no place in its set it is not looked after, and each
// of its packets says so. Nobody waits.
module uplink_order
  import uplink_flow_pkg::*;
#(
  /// Bits of a connection's name: the address, IPv4 mapped into IPv6, in front of the queue pair.
  parameter int unsigned KeyW = 152,
  /// Bits of a sequence number. Other than 24 only where a proof is to be short.
  parameter int unsigned PsnW = 24,
  /// Sets of the table, power of two, 2 or more, and places of a set, 1 or more.
  parameter int unsigned Sets = 256,
  parameter int unsigned Ways = 2,
  /// Bits of a connection's counters, which stay at their highest.
  parameter int unsigned CountW = 16,
  localparam int unsigned Aw = $clog2(Sets),
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // One packet a cycle. Those whose opcode has no order (has_order) are not looked at.
  input logic            in_valid_i,
  input logic [7:0]      in_opcode_i,
  input logic [KeyW-1:0] in_key_i,
  input logic [PsnW-1:0] in_psn_i,

  // What each that has an order was, five cycles later.
  output logic   out_valid_o,
  output order_e out_verdict_o,

  // Forgets all connections, as after reset, which takes a cycle a set; `busy_o` until then.
  input  logic clear_i,
  output logic busy_o,

  // Reads a place: asked with a pulse, answered with another when a cycle without packet has come.
  // One question at a time. What came eight cycles before the answer is in it.
  input  logic              read_i,
  input  logic [Aw-1:0]     read_set_i,
  input  logic [WayW-1:0]   read_way_i,
  output logic              read_done_o,
  output logic              read_used_o,
  output logic [KeyW-1:0]   read_key_o,
  output logic [PsnW-1:0]   read_next_o,
  output logic [CountW-1:0] read_gaps_o,
  output logic [CountW-1:0] read_duplicates_o
);

  if (Sets < 2 || Sets != 2 ** $clog2(Sets) || Ways < 1) begin : gen_check
    $fatal(1, "%m: Sets must be a power of two, 2 or more, and Ways 1 or more");
  end
  if (KeyW < Aw || KeyW < 2 || PsnW < 2 || CountW < 1) begin : gen_check_width
    $fatal(1, "%m: KeyW must be 2 or more and enough for Sets, PsnW 2 or more, CountW 1 or more");
  end

  typedef logic [KeyW-1:0] key_t;
  typedef struct packed {
    logic              used;
    key_t              key;
    logic [PsnW-1:0]   next;
    logic              any;         // any later number is the next one
    logic [CountW-1:0] gaps;
    logic [CountW-1:0] duplicates;
  } place_t;
  typedef place_t [Ways-1:0] set_t;

  // Where a connection is kept: its name folded, each part turned by another amount, since low
  // bits of addresses and of queue pairs go up together.
  function automatic logic [Aw-1:0] set_of(key_t key);
    set_of = '0;
    for (int unsigned i = 0; i < KeyW; i++) set_of[(i+3*(i/Aw))%Aw] ^= key[i];
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Stage 0: taken; 1: its set is read; 2: the set is there, and compared; 3: verdict; 4: written;
  // 5: can be read. Whoever comes behind sees what is on its way.

  logic [4:0]           valid_q;  // to be looked up
  logic [3:0]           skip_q;  // came while the table was being cleared
  logic [3:0][PsnW-1:0] psn_q;
  logic [3:0]           read_q;  // a READ request
  key_t [3:0]           key_q;
  logic [4:1][Aw-1:0]   at_q;
  // Another one of its set is two or three stages ahead of stage 2, or one ahead of stage 3; that
  // one is of the same connection, and what comes next is counted from it.
  logic second_q, third_q, ahead_q, same_q, moved_q;
  // How far a number is from what each place says comes next, and from the one ahead: just that, or
  // behind it.
  logic [Ways-1:0] next3_q, past3_q;
  logic next_q, past_q, read4_q;
  logic [Ways-1:0][1:0] hit3_q;   // halves of the name are the packet's
  logic [Ways-1:0] hit3, hit, entered_q, free, entered;
  set_t word, seen, row3_q, row4_q, row5_q, base, row;
  logic found;
  order_e verdict;

  // A sweep forgets all. It begins when what is on its way has been written.
  localparam int unsigned Wait = 8;
  localparam int unsigned SweepW = $clog2(Sets + Wait + 1);
  logic [SweepW-1:0] sweep_q;   // the set that is next, and Wait before the last of them
  logic              sweep;     // it is forgotten in this cycle

  // Reading by others, in a cycle in which no packet reads.
  logic asked_q, read1, read2_q;
  logic [Aw-1:0]   ask_set_q;
  logic [WayW-1:0] ask_way_q;
  assign read1 = asked_q && !valid_q[1] && !busy_o;

  always_comb begin
    seen = word;
    if (third_q) seen = row5_q;
    if (second_q) seen = row4_q;
  end

  logic [Ways-1:0][PsnW-1:0] beyond;
  logic [PsnW-1:0]           ahead;
  assign ahead = psn_q[2] - psn_q[3] - PsnW'(1);
  for (genvar w = 0; w < Ways; w++) begin : gen_beyond
    assign beyond[w] = psn_q[2] - seen[w].next;
  end

  always_comb begin
    base = ahead_q ? row4_q : row3_q;
    free = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      hit[w]  = (ahead_q && entered_q[w]) ? same_q : hit3[w];
      free[w] = !base[w].used;
    end
    found   = hit != '0;
    entered = found ? '0 : free & (~free + Ways'(1));
  end

  logic counted, is_next, is_past, any;
  assign counted = ahead_q && same_q && moved_q;
  assign is_next = counted ? next_q : (hit & next3_q) != '0;
  assign is_past = counted ? past_q : (hit & past3_q) != '0;

  always_comb begin
    any = counted && read4_q;
    for (int unsigned w = 0; w < Ways; w++) if (hit[w] && !counted && row3_q[w].any) any = 1'b1;
    verdict = OrderNext;
    if (skip_q[3] || (!found && free == '0)) verdict = OrderFull;
    else if (!found) verdict = OrderNew;
    else if (is_past) verdict = OrderDuplicate;
    else if (!is_next && !any) verdict = OrderGap;
  end

  // What each place becomes; one that is found has its name, and counts beside the verdict.
  function automatic logic [CountW-1:0] up(logic [CountW-1:0] count);
    return (count == '1) ? count : count + CountW'(1);
  endfunction
  always_comb begin
    row = base;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (entered[w]) begin
        row[w]      = '0;
        row[w].used = 1'b1;
        row[w].key  = key_q[3];
      end
      if (entered[w] || (hit[w] && !is_past)) begin
        row[w].next = psn_q[3] + PsnW'(1);
        row[w].any  = read_q[3];
      end
      if (hit[w] && is_past) row[w].duplicates = up(base[w].duplicates);
      if (hit[w] && !is_past && !is_next && !any) row[w].gaps = up(base[w].gaps);
    end
  end

  // What is on its way is compared beside what was read, and chosen from behind that: the choice of
  // a name in front of its comparison is a long path. Halves of names meet in stage 3, since a
  // whole one is a long path, too.
  typedef logic [1:0] halves_t;
  function automatic halves_t equal(logic used, key_t name, key_t key);
    equal[1] = name[KeyW-1:KeyW/2] == key[KeyW-1:KeyW/2];
    equal[0] = name[KeyW/2-1:0] == key[KeyW/2-1:0] && used;
  endfunction
  halves_t [Ways-1:0] hit_word, hit_row4, hit_row5;
  for (genvar w = 0; w < Ways; w++) begin : gen_hit
    assign hit_word[w] = equal(word[w].used, word[w].key, key_q[2]);
    assign hit_row4[w] = equal(row4_q[w].used, row4_q[w].key, key_q[2]);
    assign hit_row5[w] = equal(row5_q[w].used, row5_q[w].key, key_q[2]);
    assign hit3[w]     = &hit3_q[w];
  end

  always_ff @(posedge clk_i) begin
    psn_q     <= {psn_q[2:0], in_psn_i};
    key_q     <= {key_q[2:0], in_key_i};
    read_q    <= {read_q[2:0], in_opcode_i == OpReadRequest};
    at_q      <= {at_q[3:1], set_of(key_q[0])};
    valid_q   <= {valid_q[3:0], in_valid_i && has_order(in_opcode_i) && !busy_o};
    skip_q    <= {skip_q[2:0], in_valid_i && has_order(in_opcode_i) && busy_o};
    ahead_q   <= valid_q[3] && at_q[3] == at_q[2];
    second_q  <= valid_q[3] && at_q[3] == at_q[1];
    third_q   <= valid_q[4] && at_q[4] == at_q[1];
    same_q    <= key_q[3] == key_q[2];
    row3_q    <= seen;
    row4_q    <= row;
    row5_q    <= row4_q;
    entered_q <= entered;
    moved_q   <= verdict != OrderDuplicate;
    read4_q   <= read_q[3];
    next_q    <= ahead == '0;
    past_q    <= ahead[PsnW-1];
    for (int unsigned w = 0; w < Ways; w++) begin
      hit3_q[w]  <= second_q ? hit_row4[w] : third_q ? hit_row5[w] : hit_word[w];
      next3_q[w] <= psn_q[2] == seen[w].next;
      past3_q[w] <= beyond[w][PsnW-1];
    end
    out_valid_o   <= valid_q[3] || skip_q[3];
    out_verdict_o <= verdict;
    if (!rst_ni) begin
      valid_q     <= '0;
      skip_q      <= '0;
      ahead_q     <= 1'b0;
      second_q    <= 1'b0;
      third_q     <= 1'b0;
      out_valid_o <= 1'b0;
    end
  end

  prim_ram_1r1w #(
    .Width  ($bits(set_t)),
    .Depth  (Sets),
    .Latency(1)
  ) u_sets (
    .clk_i,
    .we_i   (sweep || valid_q[4]),
    .waddr_i(sweep ? Aw'(sweep_q) : at_q[4]),
    .wdata_i(sweep ? '0 : row4_q),
    .re_i   (valid_q[1] || read1),
    .raddr_i(valid_q[1] ? at_q[1] : ask_set_q),
    .rdata_o(word)
  );

  always_ff @(posedge clk_i) begin
    if (busy_o) begin
      sweep_q <= sweep_q - SweepW'(1);
      busy_o  <= sweep_q != '0;
      sweep   <= sweep_q != '0 && sweep_q <= SweepW'(Sets);
    end
    if (clear_i) begin
      sweep_q <= SweepW'(Sets + Wait - 1);
      busy_o  <= 1'b1;
      sweep   <= 1'b0;
    end
    asked_q     <= read_i || (asked_q && !read1);
    read2_q     <= read1;
    read_done_o <= read2_q;
    if (read_i) begin
      ask_set_q <= read_set_i;
      ask_way_q <= read_way_i;
    end
    if (read2_q) begin
      read_used_o       <= word[ask_way_q].used;
      read_key_o        <= word[ask_way_q].key;
      read_next_o       <= word[ask_way_q].next;
      read_gaps_o       <= word[ask_way_q].gaps;
      read_duplicates_o <= word[ask_way_q].duplicates;
    end
    if (!rst_ni) begin
      sweep_q     <= SweepW'(Sets + Wait - 1);
      busy_o      <= 1'b1;
      sweep       <= 1'b0;
      asked_q     <= 1'b0;
      read2_q     <= 1'b0;
      read_done_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet is of one place at most; a connection that had two would be counted in turn.
      a_one_place : assert (!valid_q[3] || (hit & (hit - Ways'(1))) == '0)
      else $error("%m: places %b", hit);
      // Nothing that is on its way is written while the table is being cleared; it would stay.
      a_settled : assert (!(sweep && valid_q[4]))
      else $error("%m: written in a sweep");
    end
  end

endmodule
