// Splits packets into their PRs, one a cycle (NetSparse 6.1.2, the deconcatenator).
//
// A window of four beats slides over the packet. Each step takes a PR header and the first 64 bytes
// of its property from the window's front, or 64 bytes more of a long property. PRs start at any
// even byte, so a step takes from up to three beats; the fourth is there so that one beat can come
// in every cycle. The rate is one PR a cycle, or 64 bytes a cycle where PRs are longer than that.
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

  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o
);

  localparam int unsigned Window = 4;
  localparam int unsigned SpanBytes = 3 * BeatBytes;

  logic [Window-1:0][BeatBits-1:0] window_q, window_d;
  logic [2:0]                      count_q, count_d;  // beats in the window
  logic                            tail_q, tail_d;    // the packet's last beat is among them
  logic                            active_q, active_d;
  packet_t                         packet_q, packet_d;
  logic [5:0]                      offset_q, offset_d;
  logic [7:0]                      left_q, left_d;    // PRs not yet begun, this one included
  logic [10:0]                     rest_q, rest_d;    // bytes of this PR's property still to come
  pr_t                             pr_q;
  logic                            out_ready, step, take, final_step, empties;
  logic                            header;            // this step begins a PR
  logic [10:0]                     body, part;
  logic [6:0]                      need;
  logic [8:0]                      have;
  logic [7:0]                      after;
  pr_beat_t                        out;

  // ---------------------------------------------------------------------------------------------
  // A step

  assign header = rest_q == '0;
  assign body   = header ? (carried(packet_q.response, packet_q.len)) : rest_q;
  assign part   = (body > 11'(BeatBytes)) ? 11'(BeatBytes) : body;
  assign need   = (header ? 7'(PrBytes) : 7'd0) + part[6:0];
  assign have   = {count_q, 6'd0};
  assign after  = 8'(offset_q) + 8'(need);
  assign step   = active_q && left_q != '0 && have >= 9'(after) && out_ready;
  // The packet ends with this step, perhaps with bytes of it still to be thrown away.
  assign final_step = step && left_q == 8'd1 && body == part;
  assign empties    = tail_q && (final_step || left_q == '0);

  assign data_ready_o = empties || !active_q || (!tail_q && count_q < 3'(Window));
  assign take         = packet_valid_i && data_valid_i && data_ready_o;

  /// Property bytes behind `bytes` are zero.
  function automatic logic [BeatBits-1:0] cut(logic [BeatBits-1:0] data, logic [10:0] bytes);
    for (int unsigned b = 0; b < BeatBytes; b++) begin
      cut[8*b+:8] = (11'(b) < bytes) ? data[8*b+:8] : 8'd0;
    end
  endfunction

  /// The big-endian number in `bytes` bytes at `at`.
  function automatic logic [63:0] be(logic [8*PrBytes-1:0] data, int unsigned at,
                                     int unsigned bytes);
    be = '0;
    for (int unsigned b = 0; b < bytes; b++) be = {be[55:0], data[8*(at+b)+:8]};
  endfunction

  logic [8*ChunkBytes-1:0] span;
  // verilator lint_off UNUSEDSIGNAL
  logic [8*SpanBytes-1:0] shifted;  // what a step does not take is of no use
  // verilator lint_on UNUSEDSIGNAL
  assign shifted = window_q[2:0] >> {offset_q, 3'd0};
  assign span = shifted[8*ChunkBytes-1:0];

  always_comb begin
    out.pr = pr_q;
    if (header) begin
      out.pr.response  = packet_q.response;
      out.pr.cacheable = packet_q.cacheable;
      out.pr.dest      = packet_q.dest;
      out.pr.len       = packet_q.len;
      out.pr.src       = 32'(be(span[8*PrBytes-1:0], 0, 4));
      out.pr.tid       = 16'(be(span[8*PrBytes-1:0], 4, 2));
      out.pr.idx       = be(span[8*PrBytes-1:0], 6, 8);
      out.pr.id        = 32'(be(span[8*PrBytes-1:0], 14, 4));
    end
    out.first = header;
    out.last  = body == part;
    out.data  = cut(header ? span[8*PrBytes+:BeatBits] : span[0+:BeatBits], part);
  end

  always_ff @(posedge clk_i) begin
    if (step && header) pr_q <= out.pr;
  end

  prim_skid #(
    .T(pr_beat_t)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .in_valid_i (step),
    .in_ready_o (out_ready),
    .in_i       (out),
    .out_valid_o(pr_valid_o),
    .out_ready_i(pr_ready_i),
    .out_o      (pr_o)
  );

  // ---------------------------------------------------------------------------------------------
  // The window moves on

  always_comb begin
    window_d = window_q;
    count_d  = count_q;
    tail_d   = tail_q;
    active_d = active_q;
    packet_d = packet_q;
    offset_d = offset_q;
    left_d   = left_q;
    rest_d   = rest_q;
    if (step) begin
      offset_d = after[5:0];
      rest_d   = body - part;
      if (body == part) left_d = left_q - 8'd1;
      window_d = window_q >> {after[7:6], 9'd0};
      count_d  = count_q - 3'(after[7:6]);
    end
    // Behind the last PR only pad, ICRC and what the frame has behind its packet.
    if (left_d == '0) count_d = '0;
    if (empties || !active_q) begin
      active_d = 1'b0;
      tail_d   = 1'b0;
      count_d  = '0;
    end
    if (take) begin
      if (empties || !active_q) begin
        active_d = 1'b1;
        packet_d = packet_i;
        left_d   = packet_i.count;
        rest_d   = '0;
        offset_d = 6'(PrStart);
      end
      window_d[count_d[1:0]] = data_i.data;
      count_d                = (left_d == '0) ? '0 : count_d + 3'd1;
      tail_d                 = data_i.last;
    end
  end

  always_ff @(posedge clk_i) begin
    window_q <= window_d;
    count_q  <= count_d;
    tail_q   <= tail_d;
    active_q <= active_d;
    packet_q <= packet_d;
    offset_q <= offset_d;
    left_q   <= left_d;
    rest_q   <= rest_d;
    if (!rst_ni) begin
      active_q <= 1'b0;
      count_q  <= '0;
      tail_q   <= 1'b0;
      left_q   <= '0;
      rest_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A well-formed packet holds the PRs that it says; a missing byte would hold up all behind it.
      a_enough : assert (!(active_q && tail_q && left_q != '0 && have < 9'(after)))
      else $error("%m: a packet ends with %0d PRs missing", left_q);
      // The window never overflows.
      a_window : assert (count_q <= 3'(Window))
      else $error("%m: %0d beats in the window", count_q);
    end
  end

endmodule
