// Answers reads of other nodes: a RIG unit as a server (NetSparse 5.3). A read PR becomes a read of
// host memory, and that a response PR.
//
// Who waits: reads for the memory and for responses to be taken. As much is asked of the memory as
// there is room for.
module gather_server
  import gather_pkg::*;
#(
  /// Beats that may be under way. Power of two, 8 or more.
  parameter int unsigned Beats = 64
) (
  input logic clk_i,
  input logic rst_ni,

  // Where properties lie; which ones are served was decided in front.
  // verilator lint_off UNUSEDSIGNAL
  input serve_t serve_i,
  // verilator lint_on UNUSEDSIGNAL

  // Reads to be answered. They wait for responses to be taken: credits for beats.
  input  logic pr_valid_i,
  output logic pr_ready_o,
  input  pr_t  pr_i,

  // Reads of host memory, one only with a credit for a beat; so answers, which come in order, are
  // never refused.
  output logic                read_valid_o,
  input  logic                read_ready_i,
  output mem_read_t           read_o,
  input  logic                data_valid_i,
  input  logic [BeatBits-1:0] data_i,

  // Responses, beat by beat.
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o
);

  localparam int unsigned CountW = $clog2(Beats + 1);

  typedef struct packed {
    pr_t  pr;
    logic first;
    logic last;
  } ask_t;

  logic [10:0]         done_q, left;   // bytes of this property that were asked for; still to be
  logic [CountW-1:0]   held_q;
  logic                room, ask, last, asks_ready, asks_valid, data_ready, data_valid, pop;
  logic                answer_ready;
  ask_t                in, out;
  logic [BeatBits-1:0] data;
  // verilator lint_off UNUSEDSIGNAL
  logic [CountW-1:0]   asks_count, data_count;
  // verilator lint_on UNUSEDSIGNAL

  assign left         = pr_i.len - done_q;
  assign last         = left <= 11'(BeatBytes);
  assign room         = held_q < CountW'(Beats);
  assign read_valid_o = pr_valid_i && room;
  assign read_o.addr  = serve_i.base + (pr_i.idx << serve_i.stride) + 64'(done_q);
  assign read_o.bytes = last ? left[6:0] : 7'(BeatBytes);
  assign ask          = read_valid_o && read_ready_i;
  assign pr_ready_o   = ask && last;

  always_comb begin
    in = '{pr: pr_i, first: done_q == '0, last: last};
    in.pr.response  = 1'b1;
    in.pr.cacheable = 1'b0;
    in.pr.dest      = pr_i.src;
  end

  prim_fifo_ram #(
    .T    (ask_t),
    .Depth(Beats)
  ) u_asks (
    .clk_i,
    .rst_ni,
    .in_valid_i (ask),
    .in_ready_o (asks_ready),
    .in_i       (in),
    .out_valid_o(asks_valid),
    .out_ready_i(pop),
    .out_o      (out),
    .count_o    (asks_count)
  );

  prim_fifo_ram #(
    .T    (logic [BeatBits-1:0]),
    .Depth(Beats)
  ) u_data (
    .clk_i,
    .rst_ni,
    .in_valid_i (data_valid_i),
    .in_ready_o (data_ready),
    .in_i       (data_i),
    .out_valid_o(data_valid),
    .out_ready_i(pop),
    .out_o      (data),
    .count_o    (data_count)
  );

  assign pop = asks_valid && data_valid && answer_ready;

  prim_skid #(
    .T(pr_beat_t)
  ) u_answer (
    .clk_i,
    .rst_ni,
    .in_valid_i (asks_valid && data_valid),
    .in_ready_o (answer_ready),
    .in_i       ('{pr: out.pr, first: out.first, last: out.last, data: data}),
    .out_valid_o(pr_valid_o),
    .out_ready_i(pr_ready_i),
    .out_o      (pr_o)
  );

  always_ff @(posedge clk_i) begin
    if (ask) done_q <= last ? '0 : done_q + 11'(BeatBytes);
    held_q <= held_q + CountW'(ask) - CountW'(pop);
    if (!rst_ni) begin
      done_q <= '0;
      held_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What was asked for finds room.
      a_room : assert ((!ask || asks_ready) && (!data_valid_i || data_ready))
      else $error("%m: no room for a property");
    end
  end

endmodule
