// Splits packets into their PRs, one a cycle (NetSparse 6.1.2, the deconcatenator).
//
// Four beats of a packet stand in registers. Each step takes a PR header and the first 64 bytes of
// its property, or 64 bytes more of a long property. PRs start at any even byte, so a step takes
// from up to three beats; the fourth is there so that one beat can come in every cycle. The rate is
// one PR a cycle, or 64 bytes a cycle where PRs are longer than that, and a packet every other
// cycle.
//
// Control knows of each step in the cycle before how many beats it needs and where it ends. The
// bytes follow behind it: three beats | turned by 16 bytes | turned by two | header and property.
//
// Who waits: packets for PRs to be taken.
module gather_split
  import gather_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // Well-formed packets, as gather_accept shows them.
  input  logic         packet_valid_i,
  input  packet_t      packet_i,
  input  logic         data_valid_i,
  output logic         data_ready_o,
  input  packet_beat_t data_i,

  output logic     pr_valid_o,   // its PRs, in order
  input  logic     pr_ready_i,
  output pr_beat_t pr_o
);

  localparam int unsigned Window = 4;
  localparam int unsigned SpanBytes = 3 * BeatBytes;
  /// Bytes that are left to be turned by up to 14.
  localparam int unsigned CoarseBytes = ChunkBytes + 14;

  // What a step takes, wherever it begins.
  typedef struct packed {
    logic        last;    // it ends a PR
    logic [6:0]  part;    // bytes of the property
    logic [7:0]  bytes;   // these, and those of the header
    logic [7:0]  above;   // 63 more: what they reach into, in beats
    logic [10:0] rest;    // bytes of the property behind it
  } chunk_t;

  // A step, where it ends, and the one behind it if that is of the same PR.
  typedef struct packed {
    logic       header;  // it begins a PR
    chunk_t     this_one;
    chunk_t     next_one;
    logic [1:0] beats;   // that it needs
    logic [7:0] after;   // where it ends
  } step_t;

  /// `front` bytes, and what a step takes of a property of which `body` bytes were to come `gone`
  /// bytes before. Both cases beside each other, so that the sum need not wait for the comparison.
  function automatic logic [7:0] reach(logic [10:0] body, int unsigned gone, int unsigned front);
    reach = (body <= 11'(gone + BeatBytes)) ? body[7:0] + 8'(front - gone) :
        8'(front + BeatBytes);
  endfunction

  /// The step itself, with a header or without one. If the property has ended before, all but
  /// `last` means nothing.
  function automatic chunk_t chunk(logic header, logic [10:0] body, int unsigned gone);
    chunk.last  = body <= 11'(gone + BeatBytes);
    chunk.part  = 7'(reach(body, gone, 0));
    chunk.bytes = reach(body, gone, header ? PrBytes : 0);
    chunk.above = reach(body, gone, (header ? PrBytes : 0) + BeatBytes - 1);
    chunk.rest  = body - 11'(gone + BeatBytes);
  endfunction

  /// The step that takes `now` from `offset` on, and what is behind it.
  function automatic step_t plan(logic header, chunk_t now, chunk_t behind, logic [5:0] offset);
    plan.header   = header;
    plan.this_one = now;
    plan.next_one = behind;
    plan.after    = 8'(offset) + now.bytes;
    plan.beats    = 2'((8'(offset) + now.above) >> 6);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Control

  logic [Window-1:0][BeatBits-1:0] window_q;
  logic [2:0]                      count_q;   // beats in the window
  logic [1:0]                      read_q, write_q;
  logic                            tail_q;    // the packet's last beat is among them
  logic                            active_q;
  packet_t                         packet_q;
  logic [5:0]                      offset_q;
  logic [7:0]                      left_q;    // PRs not yet ended
  logic                            some_q;    // there are some
  logic                            one_q;     // there is one
  step_t                           step_q, next_step;
  logic                            go, step, take, begins, empty, full;
  // Of the packet that stands at the input: its first step. Of the one that is split: what the
  // first two steps of each PR take.
  logic                            known_q;
  step_t                           known_step_q;
  logic [10:0]                     body;
  chunk_t                          first_q, second_q;

  assign full         = active_q && some_q && count_q[2];
  assign step         = active_q && some_q && count_q >= 3'(step_q.beats);
  // The next packet may begin with the last step of this one.
  assign empty        = !active_q || (tail_q && (!some_q ||
      (step && step_q.this_one.last && one_q && count_q < 3'(Window))));
  assign data_ready_o = go && (empty ? known_q : !tail_q && (!some_q || count_q < 3'(Window)));
  assign take         = packet_valid_i && data_valid_i && data_ready_o;
  assign begins       = take && empty;
  assign body         = carried(packet_i.response, packet_i.len);
  // What is behind it is known beforehand, so one sum is all that waits for where it begins.
  assign next_step    = step_q.this_one.last ?
      plan(1'b1, first_q, second_q, step_q.after[5:0]) :
      plan(1'b0, step_q.next_one, chunk(1'b0, step_q.next_one.rest, 0), step_q.after[5:0]);

  always_ff @(posedge clk_i) begin
    known_q      <= packet_valid_i && !(take && data_i.last);
    known_step_q <= '{header: 1'b1, this_one: chunk(1'b1, body, 0),
                      next_one: chunk(1'b0, body, BeatBytes),
                      beats: 2'(reach(body, 0, PrStart + PrBytes + BeatBytes - 1) >> 6),
                      after: reach(body, 0, PrStart + PrBytes)};
    if (go) begin
      if (step) begin
        step_q   <= next_step;
        offset_q <= step_q.after[5:0];
        read_q   <= read_q + step_q.after[7:6];
        if (step_q.this_one.last) begin
          left_q <= left_q - 8'd1;
          some_q <= !one_q;
          one_q  <= left_q == 8'd2;
        end
      end
      count_q <= count_q - (step ? 3'(step_q.after[7:6]) : 3'd0) + 3'(take);
      // Where nothing is waited for, whatever is at the input may stand.
      if (!full) window_q[write_q] <= data_i.data;
      if (take) begin
        write_q <= write_q + 2'd1;
        tail_q  <= data_i.last;
      end
      // Behind the last PR only pad, ICRC and what the frame has behind its packet.
      if (empty) begin
        active_q <= take;
        if (!take) tail_q <= 1'b0;
      end
      if (begins) begin
        packet_q <= packet_i;
        first_q  <= known_step_q.this_one;
        second_q <= known_step_q.next_one;
        step_q   <= known_step_q;
        left_q   <= packet_i.count;
        some_q   <= 1'b1;
        one_q    <= packet_i.count == 8'd1;
        offset_q <= 6'(PrStart);
        read_q   <= write_q;
        count_q  <= 3'd1;
      end
    end
    if (!rst_ni) begin
      active_q <= 1'b0;
      count_q  <= '0;
      tail_q   <= 1'b0;
      some_q   <= 1'b0;
      write_q  <= '0;
      known_q  <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Bytes; all of it moves on together, and control with it, while there is room at the output.

  typedef struct packed {
    packet_t    packet;
    logic       header;
    logic       last;
    logic [6:0] part;
    logic [5:0] offset;
  } op_t;

  logic [3:0] valid_q;
  op_t        op0_q, op1_q, op2_q;
  // verilator lint_off UNUSEDSIGNAL
  op_t        op3_q;   // its bytes are turned
  // verilator lint_on UNUSEDSIGNAL
  logic [1:0] read0_q;
  logic [2:0][1:0] place;
  logic [8*SpanBytes-1:0]   span, span1_q;
  logic [8*CoarseBytes-1:0] coarse2_q;
  logic [8*ChunkBytes-1:0]  fine3_q;
  logic [BeatBytes-1:0]     keep3_q;   // bytes of the property
  pr_t                      pr_q;
  pr_beat_t                 out;

  always_comb begin
    for (int unsigned b = 0; b < 3; b++) begin
      place[b]                   = read0_q + 2'(b);
      span[BeatBits*b+:BeatBits] = window_q[place[b]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      valid_q   <= {valid_q[2:0], step};
      op0_q     <= '{packet: packet_q, header: step_q.header, last: step_q.this_one.last,
                     part: step_q.this_one.part, offset: offset_q};
      read0_q   <= read_q;
      op1_q     <= op0_q;
      span1_q   <= span;
      op2_q     <= op1_q;
      coarse2_q <= (8*CoarseBytes)'(span1_q >> {op1_q.offset[5:4], 7'd0});
      op3_q     <= op2_q;
      fine3_q   <= (8*ChunkBytes)'(coarse2_q >> {op2_q.offset[3:1], 4'd0});
      for (int unsigned b = 0; b < BeatBytes; b++) keep3_q[b] <= 7'(b) < op2_q.part;
      if (valid_q[3]) pr_q <= out.pr;
    end
    if (!rst_ni) valid_q <= '0;
  end

  /// Bytes that are not kept are zero.
  function automatic logic [BeatBits-1:0] cut(logic [BeatBits-1:0] data,
                                              logic [BeatBytes-1:0] keep);
    for (int unsigned b = 0; b < BeatBytes; b++) begin
      cut[8*b+:8] = keep[b] ? data[8*b+:8] : 8'd0;
    end
  endfunction

  /// The big-endian number in `bytes` bytes at `at`.
  function automatic logic [63:0] be(logic [8*PrBytes-1:0] data, int unsigned at,
                                     int unsigned bytes);
    be = '0;
    for (int unsigned b = 0; b < bytes; b++) be = {be[55:0], data[8*(at+b)+:8]};
  endfunction

  always_comb begin
    out.pr = pr_q;
    if (op3_q.header) begin
      out.pr.response  = op3_q.packet.response;
      out.pr.cacheable = op3_q.packet.cacheable;
      out.pr.dest      = op3_q.packet.dest;
      out.pr.generation = op3_q.packet.generation;
      out.pr.len       = op3_q.packet.len;
      out.pr.src       = 32'(be(fine3_q[8*PrBytes-1:0], 0, 4));
      out.pr.tid       = 16'(be(fine3_q[8*PrBytes-1:0], 4, 2));
      out.pr.idx       = be(fine3_q[8*PrBytes-1:0], 6, 8);
      out.pr.id        = 32'(be(fine3_q[8*PrBytes-1:0], 14, 4));
    end
    out.first = op3_q.header;
    out.last  = op3_q.last;
    out.data  = cut(op3_q.header ? fine3_q[8*PrBytes+:BeatBits] : fine3_q[0+:BeatBits],
                    keep3_q);
  end

  prim_skid #(
    .T(pr_beat_t)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid_q[3]),
    .in_ready_o (go),
    .in_i       (out),
    .out_valid_o(pr_valid_o),
    .out_ready_i(pr_ready_i),
    .out_o      (pr_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A well-formed packet holds the PRs that it says; a missing byte would hold up all behind
      // it.
      a_enough : assert (!(active_q && tail_q && some_q && count_q < 3'(step_q.beats)))
      else $error("%m: a packet ends with %0d PRs missing", left_q);
      // What was prepared is of the packet that is taken; else its PRs would be cut as another
      // one's.
      a_known : assert (!begins || known_step_q.this_one == chunk(1'b1, body, 0))
      else $error("%m: a packet of %0d bytes is taken for another one", packet_i.len);
      // The window never overflows.
      a_window : assert (!(active_q && some_q) || count_q <= 3'(Window))
      else $error("%m: %0d beats in the window", count_q);
    end
  end

endmodule
