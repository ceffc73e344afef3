// llt_scan: which headers of a group are read and when, what is said of each to sat_agree, and in
// whose words a failure is told (docs/tree.md).
//
// What the memory of headers and sat_agree answer is left out of the circuit and free (`cuts` of
// the task), so this holds whatever children say and whoever is to blame.
module low_scan_props
  import sat_pkg::*;
  import llt_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  parameter int unsigned Ecc = 0,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              write_i,
  input logic [GroupW-1:0] write_group_i,
  input logic [3:0]        write_port_i,
  input sat_head_t         write_head_i,
  input low_scan_t         scan_i,
  input logic [GroupW-1:0] group_i,
  input logic [15:0]       node_i
);

  low_scanned_t scanned;
  rc_memory_t   memory;
  logic         begun_q, rst_n;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;

  llt_scan #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .write_i,
    .write_group_i,
    .write_port_i,
    .write_head_i,
    .scan_i,
    .group_i,
    .node_i,
    .scanned_o(scanned),
    .memory_o (memory)
  );

  // What sat_agree and the memory say.
  logic      agreed;
  sat_end_t  blame;
  sat_op_t   op;
  sat_head_t head;
  assign agreed = u_dut.u_agree.agreed_o;
  assign blame  = u_dut.u_agree.blame_o;
  assign op     = u_dut.u_agree.op_o;
  assign head   = u_dut.u_heads.rdata_o;

  // ---------------------------------------------------------------------------------------------
  // Who has contributed and has not been read. All are read anew for a scan, and once more for
  // words, as soon as somebody is to blame.

  typedef logic [NumPorts-1:0] ports_t;
  ports_t           left_q;
  logic             fresh_q;   // nobody has been read
  logic             words_q;   // it is for words
  logic             anew;
  logic [PortW-1:0] lowest;
  assign anew = scan_i.start || blame.valid;
  always_comb begin
    lowest = '0;
    for (int unsigned p = NumPorts; p > 0; p--) if (left_q[p-1]) lowest = PortW'(p - 1);
  end

  // The header that is read: one cycle ago, and two cycles ago.
  typedef struct packed {
    logic             valid, words, first, last;
    logic [PortW-1:0] port;
  } read_t;
  read_t       read_q, read2_q;
  sat_head_t   head2_q;
  logic        fits2_q, fits, known_q;   // known: the first header's count
  logic [31:0] count_q;

  // A header that there can be: a vector of whole elements of a known type, carried and wanted as
  // its operation says; or neither a vector nor flags. And a lock is for as many operations as the
  // first child's.
  always_comb begin
    logic half;
    half = head.elem[3:0] == roce_pkg::TypeFp16 || head.elem[3:0] == roce_pkg::TypeBf16;
    case (head.operation)
      OpAllReduce: fits = head.flags.carries && head.flags.wants;
      OpReduce:    fits = head.flags.carries;
      OpBroadcast: fits = head.flags.carries || head.flags.wants;
      default:     fits = head.flags == '0 && head.length == '0;
    endcase
    if (head.operation == OpAllReduce || head.operation == OpReduce ||
        head.operation == OpBroadcast) begin
      if (head.length == '0 || head.length % 32'd2 != '0) fits = 1'b0;
      if (head.length % 32'd4 != '0 && !half) fits = 1'b0;
      if (head.elem[3:0] > 4'd3 || head.elem[7:4] > 4'd2) fits = 1'b0;
    end
    if (head.operation == OpLock && !read_q.first && head.count != count_q) fits = 1'b0;
  end

  // Why, and the words of it: of the first who said the same of the same node, or of the first.
  low_blame_t why_q;
  sat_head_t  kept_q, told;
  logic       said_q, says, speaks_q, done_q;
  assign speaks_q = read2_q.valid && read2_q.words;
  assign says     = head2_q.verdict == why_q.verdict && head2_q.node == why_q.node;
  always_comb begin
    told         = kept_q;
    told.verdict = why_q.verdict;
    told.node    = why_q.node;
    told.port    = why_q.port;
    told.flags   = '0;
  end

  logic begun1_q, spoke_q;   // a scan has begun; somebody has spoken
  initial {left_q, read_q, read2_q, done_q, known_q, begun1_q, spoke_q} = '0;
  always_ff @(posedge clk_i) begin
    if (left_q != '0) left_q[lowest] <= 1'b0;
    fresh_q  <= fresh_q && left_q == '0;
    read_q   <= '{valid: left_q != '0 && !anew, words: words_q, first: fresh_q,
                  last: $onehot(left_q), port: lowest};
    read2_q       <= read_q;
    read2_q.valid <= read_q.valid && !anew;
    head2_q  <= head;
    fits2_q  <= fits;
    if (read_q.valid && read_q.first) {known_q, count_q} <= {1'b1, head.count};
    if (scan_i.start) why_q <= scan_i.why;
    if (blame.valid) why_q <= {blame.verdict, blame.node, blame.port};
    if (anew) begin
      left_q   <= scan_i.come[NumPorts-1:0];
      fresh_q  <= 1'b1;
      words_q  <= blame.valid || scan_i.late;
      begun1_q <= 1'b1;
    end
    done_q <= speaks_q && read2_q.last;
    if (speaks_q) begin
      spoke_q <= 1'b1;
      if (read2_q.first || (says && !said_q)) kept_q <= head2_q;
      said_q <= says || (said_q && !read2_q.first);
    end
    if (!rst_n) begin
      left_q <= '0;
      {read_q.valid, read2_q.valid, done_q} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    // In front of the first cycle there was none (helps the proof).
    a_none : assert (begun_q || {left_q, read_q, read2_q, done_q, known_q, begun1_q, spoke_q} == '0)
    else $error("left %b", left_q);
    if (begun_q) begin
      // A header is kept by group and port.
      a_write : assert (u_dut.u_heads.we_i == write_i && (!write_i ||
                        (u_dut.u_heads.wdata_i == write_head_i &&
                         u_dut.u_heads.waddr_i == {write_group_i, write_port_i[PortW-1:0]})))
      else $error("write %b", u_dut.u_heads.we_i);
      // One is read a cycle, that of the lowest port that is left.
      a_read : assert (u_dut.u_heads.re_i == (left_q != '0) && (left_q == '0 ||
                       (u_dut.u_heads.use_i && u_dut.u_heads.raddr_i == {group_i, lowest})))
      else $error("reads %b", u_dut.u_heads.raddr_i);
      // A scan that is not too late begins with nobody, going up or not, at this node; nobody has
      // come before.
      a_begins : assert (u_dut.u_agree.start_i == (scan_i.start && !scan_i.late) &&
                         u_dut.u_agree.up_i == scan_i.up && u_dut.u_agree.node_i == node_i &&
                         !u_dut.u_agree.all_i && u_dut.u_agree.rst_ni == rst_n)
      else $error("begins %b", u_dut.u_agree.start_i);
      // A header is looked at in the second cycle behind its reading, if it is not for words and no
      // scan begins meanwhile.
      a_looks : assert (u_dut.u_agree.valid_i == (read2_q.valid && !read2_q.words) &&
                        u_dut.u_agree.seen_i.valid == u_dut.u_agree.valid_i)
      else $error("looks %b", u_dut.u_agree.valid_i);
      // Of the last one it is said that it is; and of each whose it is, that the scan asked, that
      // it has no payload beside it, and whether it can be.
      a_seen : assert (!(read2_q.valid && !read2_q.words) ||
          (u_dut.u_agree.last_i == read2_q.last && u_dut.u_agree.seen_i ==
           sat_seen_t'{valid: 1'b1, scan: 1'b1, port: 4'(read2_q.port), last: 1'b0, alone: 1'b1,
                       ours: 1'b0, known: 1'b0, group: '0, possible: fits2_q, head: head2_q}))
      else $error("port %0d", u_dut.u_agree.seen_i.port);

      // It is done when all agree, or the cycle behind all have been read for words; good in the
      // former case.
      a_done : assert (scanned.done == (agreed || done_q) && scanned.good == agreed)
      else $error("done %b", scanned.done);
      // They agree on what sat_agree says, and these have a vector.
      a_agreed : assert (!agreed || (scanned.head == op.head && scanned.carrying == op.carrying))
      else $error("%h", scanned.head);
      // If not, it is told why, in the words of who said the same.
      a_words : assert (agreed || !done_q || scanned.head == told)
      else $error("%h", scanned.head);
      // A bit that has flipped is told with its word.
      a_memory : assert (memory.bad == u_dut.u_heads.bad_o && !memory.corrected &&
          (!memory.bad || memory.word == {MemHeaders, OfTrees, 4'd0, 16'(u_dut.u_heads.at_o)}))
      else $error("%h", memory);

      // These help the proof: what is read, and why.
      a_left : assert (u_dut.left_q == left_q && (left_q == '0 || u_dut.words_q == words_q))
      else $error("left %b", u_dut.left_q);
      a_step : assert (u_dut.read_q == read_q.valid && (!read_q.valid ||
          ({u_dut.last1_q, u_dut.port1_q, u_dut.first_q, u_dut.words_q} ==
           {read_q.last, read_q.port, read_q.first, read_q.words})))
      else $error("port %0d", u_dut.port1_q);
      a_step2 : assert (u_dut.words2_q == speaks_q && (!read2_q.valid ||
          ({u_dut.last2_q, u_dut.first2_q, u_dut.seen_q.head} ==
           {read2_q.last, read2_q.first, head2_q})))
      else $error("words %b", u_dut.words2_q);
      a_fresh : assert (left_q == '0 || u_dut.first_q == (fresh_q || (read_q.valid &&
                                                                      read_q.first)))
      else $error("first %b", u_dut.first_q);
      a_turns : assert ((!read_q.valid || read_q.first || (known_q && read2_q.valid &&
                         read2_q.words == read_q.words)) &&
          (left_q == '0 || fresh_q || (read_q.valid && read_q.words == words_q)) &&
          (!speaks_q || read2_q.first || spoke_q) && (!done_q || spoke_q) &&
          (begun1_q || (left_q == '0 && !read_q.valid && !read2_q.valid && !done_q)))
      else $error("left %b", left_q);
      a_why : assert ((!begun1_q || u_dut.why_q == why_q) && (!known_q ||
                      u_dut.count_q == count_q) && (!spoke_q || (u_dut.words_head_q == kept_q &&
                      u_dut.match_q == said_q)))
      else $error("why %h", u_dut.why_q);

      // A failure is told in the words of the third child.
      c_words : cover (done_q && rst_n && said_q && told.node == 16'd3 && !agreed);
    end
  end

endmodule
