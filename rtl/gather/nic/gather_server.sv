// Answers reads of other nodes: a RIG unit as a server (NetSparse 5.3). A read PR becomes a read of
// host memory, and that a response PR.
//
//   which beat, shift | low half of the address | high half -> read of memory
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

  typedef struct packed {
    logic [6:0]  bytes;
    logic [63:0] addr;    // what is known of it by then
  } step_t;

  logic [3:0]          beat_q;   // beats of this property that were asked for
  logic [4:0]          left;     // of 64 bytes, that are still to be, and a rest
  logic                rest, room_q, go, take, last, placed_q, added_q, carry_q;
  logic                asked_q, asks_ready, asks_valid, data_ready, data_valid, pop, answer_ready;
  logic [CountW-1:0]   held_q;
  step_t               placed, placed_step_q, added_step_q;
  logic [32:0]         low;
  ask_t                asked_in_q, out;
  logic [BeatBits-1:0] data;
  // verilator lint_off UNUSEDSIGNAL
  logic [CountW-1:0]   asks_count, data_count;
  // verilator lint_on UNUSEDSIGNAL

  // ---------------------------------------------------------------------------------------------
  // Beats of properties, and where they are: what is served has properties no longer than they are
  // apart.

  assign left       = pr_i.len[10:6] - 5'(beat_q);
  assign rest       = pr_i.len[5:0] != '0;
  assign last       = left == '0 || (left == 5'd1 && !rest);
  assign go         = !added_q || read_ready_i;
  assign take       = pr_valid_i && room_q && go;
  assign pr_ready_o = room_q && go && last;
  assign low        = {1'b0, serve_i.base[31:0]} + {1'b0, placed_step_q.addr[31:0]};

  assign placed = '{bytes: (last && rest) ? 7'(pr_i.len[5:0]) : 7'(BeatBytes),
                    addr: (pr_i.idx << serve_i.stride) | {54'd0, beat_q, 6'd0}};

  always_ff @(posedge clk_i) begin
    if (go) begin
      placed_q          <= take;
      placed_step_q     <= placed;
      added_q           <= placed_q;
      added_step_q      <= placed_step_q;
      added_step_q.addr <= {placed_step_q.addr[63:32], low[31:0]};
      carry_q           <= low[32];
    end
    if (take) beat_q <= last ? '0 : beat_q + 4'd1;
    held_q <= held_q + CountW'(take) - CountW'(pop);
    // A cycle late; by then one more is asked for.
    room_q <= 32'(held_q) < Beats - 1;
    if (!rst_ni) begin
      placed_q <= 1'b0;
      added_q  <= 1'b0;
      beat_q   <= '0;
      held_q   <= '0;
      room_q   <= 1'b0;
    end
  end

  assign read_valid_o = added_q;
  assign read_o.addr  = {serve_i.base[63:32] + added_step_q.addr[63:32] + 32'(carry_q),
                         added_step_q.addr[31:0]};
  assign read_o.bytes = added_step_q.bytes;

  // ---------------------------------------------------------------------------------------------
  // Responses

  always_ff @(posedge clk_i) begin
    asked_q    <= take && rst_ni;
    asked_in_q <= '{pr: pr_i, first: beat_q == '0, last: last};
    asked_in_q.pr.response  <= 1'b1;
    asked_in_q.pr.cacheable <= 1'b0;
    asked_in_q.pr.dest      <= pr_i.src;
  end

  prim_fifo_ram #(
    .T     (ask_t),
    .Depth (Beats),
    .Around(1'b0)
  ) u_asks (
    .clk_i,
    .rst_ni,
    .in_valid_i (asked_q),
    .in_ready_o (asks_ready),
    .in_i       (asked_in_q),
    .out_valid_o(asks_valid),
    .out_ready_i(pop),
    .out_o      (out),
    .count_o    (asks_count)
  );

  prim_fifo_ram #(
    .T     (logic [BeatBits-1:0]),
    .Depth (Beats),
    .Around(1'b0)
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
    if (rst_ni) begin
      // What was asked for finds room.
      a_room : assert ((!asked_q || asks_ready) && (!data_valid_i || data_ready))
      else $error("%m: no room for a property");
    end
  end

endmodule
