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
