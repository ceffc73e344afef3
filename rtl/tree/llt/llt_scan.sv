// What children have contributed to an operation: do they agree (sat_agree, the same rules as where
// vectors stream), and what is said upwards, or, where the operation turns round, down.
//
// Headers are kept by group and port, and read by one after the other in the order of ports. If
// they do not agree, or if somebody is too late, they are read once more: whoever said the same of
// the same node has said more, such as who holds a lock, and it is said in his words.
module llt_scan
  import sat_pkg::*;
  import llt_pkg::*;
  import rc_port_pkg::rc_memory_t;
  import rc_port_pkg::MemHeaders;
  import rc_port_pkg::OfTrees;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// 1: headers are looked at when they are read (prim_ram_checked).
  parameter int unsigned Ecc = 0,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic clk_i,
  input logic rst_ni,

  // The header of a contribution, to be kept.
  input logic              write_i,
  input logic [GroupW-1:0] write_group_i,
  // verilator lint_off UNUSEDSIGNAL
  input logic [3:0]        write_port_i,
  // verilator lint_on UNUSEDSIGNAL
  input sat_head_t         write_head_i,

  // A scan of the group's headers of the ports `come`, at least one, begins; all but `start` stands
  // until it is done.
  input low_scan_t           scan_i,
  input logic [GroupW-1:0]   group_i,
  input logic [15:0]         node_i,    // number of this node

  output low_scanned_t       scanned_o,   // what came of it

  output rc_memory_t memory_o   // flipped bits that were read
);

  typedef logic [NumPorts-1:0] ports_t;

  logic start;
  assign start = scan_i.start;

  // ---------------------------------------------------------------------------------------------
  // Headers are read.

  logic             words_q;    // the second time
  ports_t           left_q, pick;
  logic [PortW-1:0] port, port1_q;
  logic             last, read_q, last1_q, first_q, restart;
  logic [HeadBits-1:0] kept;
  sat_head_t        head;

  assign pick = left_q & (~left_q + ports_t'(1));
  assign last = (left_q & ~pick) == '0;
  always_comb begin
    port = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (pick[p]) port |= PortW'(p);
  end

  logic                    bad;
  logic [GroupW+PortW-1:0] of;

  prim_ram_checked #(
    .Width(HeadBits),
    .Depth(Groups << PortW),
    .Check(Ecc)
  ) u_heads (
    .clk_i,
    .we_i   (write_i),
    .waddr_i({write_group_i, write_port_i[PortW-1:0]}),
    .wdata_i(write_head_i),
    .re_i   (left_q != '0),
    .raddr_i({group_i, port}),
    .rdata_o(kept),
    .use_i  (1'b1),
    .bad_o  (bad),
    .at_o   (of)
  );
  assign head     = kept;
  assign memory_o = '{corrected: 1'b0, bad: bad,
                      word: '{memory: MemHeaders, scope: OfTrees, port: '0, at: 16'(of)}};

  always_ff @(posedge clk_i) begin
    left_q  <= left_q & ~pick;
    read_q  <= left_q != '0;
    last1_q <= last;
    port1_q <= port;
    if (start || restart) begin
      left_q  <= scan_i.come[NumPorts-1:0];
      words_q <= restart || scan_i.late;
      read_q  <= 1'b0;
    end
    if (!rst_ni) begin
      left_q <= '0;
      read_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // By itself: flags and length that the operation has. And of a lock, whether it is for as many
  // operations as the lowest child's.

  // verilator lint_off UNUSEDSIGNAL
  function automatic logic possible(sat_head_t h);
    // verilator lint_on UNUSEDSIGNAL
    return has_vector(h.operation) ? vector_possible(h) : h.flags == '0 && h.length == '0;
  endfunction

  sat_seen_t   seen_q;
  logic        last2_q, first2_q;
  logic [31:0] count_q;

  always_ff @(posedge clk_i) begin
    seen_q          <= '0;
    seen_q.valid    <= read_q && !words_q && !start && !restart;
    seen_q.scan     <= 1'b1;
    seen_q.port     <= 4'(port1_q);
    seen_q.alone    <= 1'b1;
    seen_q.possible <= possible(head) &&
        (head.operation != OpLock || first_q || head.count == count_q);
    seen_q.head     <= head;
    last2_q         <= last1_q;
    first2_q        <= first_q;
    if (read_q) first_q <= 1'b0;
    if (read_q && first_q) count_q <= head.count;
    if (start || restart) first_q <= 1'b1;
    if (!rst_ni) seen_q.valid <= 1'b0;
  end

  logic     agreed;
  sat_end_t blame;
  // verilator lint_off UNUSEDSIGNAL
  sat_op_t  op;   // not all of it
  // verilator lint_on UNUSEDSIGNAL

  sat_agree u_agree (
    .clk_i,
    .rst_ni,
    .start_i (start && !scan_i.late),
    .up_i    (scan_i.up),
    .node_i,
    .valid_i (seen_q.valid),
    .last_i  (last2_q),
    .seen_i  (seen_q),
    .all_i   (1'b0),
    .agreed_o(agreed),
    // verilator lint_off PINCONNECTEMPTY
    .differ_o(),
    // verilator lint_on PINCONNECTEMPTY
    .blame_o (blame),
    .op_o    (op)
  );

  // ---------------------------------------------------------------------------------------------
  // In whose words.

  low_blame_t why_q;
  sat_head_t  words, words_head_q;
  logic       match_q, match, words2_q, done_q;

  assign restart = blame.valid;
  assign match   = seen_q.head.verdict == why_q.verdict && seen_q.head.node == why_q.node;

  always_ff @(posedge clk_i) begin
    words2_q <= read_q && words_q && !start && !restart;
    done_q   <= words2_q && last2_q;
    if (words2_q) begin
      if (first2_q || (match && !match_q)) words_head_q <= seen_q.head;
      match_q <= match || (match_q && !first2_q);
    end
    if (start) why_q <= scan_i.why;
    if (restart) why_q <= '{verdict: blame.verdict, node: blame.node, port: blame.port};
    if (!rst_ni) begin
      words2_q <= 1'b0;
      done_q   <= 1'b0;
    end
  end

  always_comb begin
    words         = words_head_q;
    words.verdict = why_q.verdict;
    words.node    = why_q.node;
    words.port    = why_q.port;
    words.flags   = '0;
  end

  assign scanned_o = '{done: agreed || done_q, good: agreed, head: agreed ? op.head : words,
                       carrying: op.carrying};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Who is looked at has contributed; else there would never be an answer.
      a_some : assert (!start || scan_i.come != '0)
      else $error("%m: an operation without children");
    end
  end

endmodule
