// gather_server around its queues: of each read which beats of host memory are asked for, where
// they are, and which response goes with them.
//
// What the queues of responses that wait, of data and of what leaves make of it is left out of the
// circuit and free (`cuts` of the task). They have proofs of their own: prim_fifo_ram, prim_skid.
module server_steps_props
  import gather_pkg::*;
#(
  parameter int unsigned Beats = 8
) (
  input logic                clk_i,
  input logic                rst_ni,
  input serve_t              serve_i,
  input logic                pr_valid_i,
  input pr_t                 pr_i,
  input logic                read_ready_i,
  input logic                data_valid_i,
  input logic [BeatBits-1:0] data_i,
  input logic                pr_ready_i
);

  logic      ready, read_valid, pr_valid;
  mem_read_t read;
  pr_beat_t  pr;

  gather_server #(
    .Beats(Beats)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .serve_i,
    .pr_valid_i,
    .pr_ready_o  (ready),
    .pr_i,
    .read_valid_o(read_valid),
    .read_ready_i,
    .read_o      (read),
    .data_valid_i,
    .data_i,
    .pr_valid_o  (pr_valid),
    .pr_ready_i,
    .pr_o        (pr)
  );

  // ---------------------------------------------------------------------------------------------
  // The beat that is asked for next. It is the last one if its property ends with it; of a read
  // that changed meanwhile to one that has ended before, none is.

  logic [3:0]  beat_q;
  logic        room_q, moves, goes, ends;
  logic [11:0] begins;   // its first byte in the property
  logic [6:0]  bytes;
  logic        pair;     // a response and its data

  typedef struct packed {
    logic        valid;
    logic [63:0] at;     // in what is served
    logic [31:0] base;   // low half of where that begins
    logic [6:0]  bytes;
  } ask_t;
  ask_t first_q, second_q;   // they were placed one cycle and two ago

  assign begins = 12'(beat_q) * 12'd64;
  assign ends   = 12'(pr_i.len) <= begins + 12'd64 && pr_i.len[10:6] >= 5'(beat_q);
  assign bytes  = (ends && pr_i.len % 11'd64 != '0) ? 7'(pr_i.len % 11'd64) : 7'd64;
  // Steps move while memory takes what is in front.
  assign moves  = !(second_q.valid && !read_ready_i);
  assign goes   = pr_valid_i && room_q && moves;
  assign pair   = u_dut.u_asks.out_valid_o && u_dut.u_data.out_valid_o;

  // Beats that are asked for and have not left with their data, modulo what a counter of them
  // holds.
  logic [$clog2(Beats+1)-1:0] open_q;
  logic                       past_q, went_q, began_q, ended_q;
  pr_t                        pr_q;
  initial past_q = 1'b0;

  always_ff @(posedge clk_i) begin
    past_q <= past_q || !rst_ni;   // it was reset once
    went_q <= rst_ni && goes;
    {began_q, ended_q, pr_q} <= {beat_q == '0, ends, pr_i};
    if (goes) beat_q <= ends ? '0 : beat_q + 4'd1;
    if (goes) open_q <= open_q + 1'b1;
    if (pair && u_dut.u_answer.in_ready_o) open_q <= open_q - 1'b1 + ($bits(open_q))'(goes);
    room_q <= 32'(open_q) <= Beats - 2;
    if (moves) begin
      first_q  <= '{
        valid: goes,
        at: (pr_i.idx << serve_i.stride) | 64'(begins),
        base: '0,
        bytes: bytes
      };
      second_q <= first_q;
      second_q.base <= serve_i.base[31:0];
    end
    if (!rst_ni) begin
      {first_q.valid, second_q.valid, room_q} <= '0;
      beat_q <= '0;
      open_q <= '0;
    end
  end

  // The response of what was asked for a cycle ago: to who asked for it, and no cache keeps it.
  pr_t response;
  always_comb begin
    response           = pr_q;
    response.response  = 1'b1;
    response.cacheable = 1'b0;
    response.dest      = pr_q.src;
  end

  always_ff @(posedge clk_i) begin
    // Data wait as they come from memory.
    a_data : assert (u_dut.u_data.in_valid_i == data_valid_i && u_dut.u_data.in_i == data_i)
    else $error("data: %b", u_dut.u_data.in_valid_i);
    // Each response goes with its data, when there is a place for it; and what leaves is that.
    a_pair : assert (u_dut.u_answer.in_valid_i == pair &&
                     u_dut.u_asks.out_ready_i == (pair ? u_dut.u_answer.in_ready_o : 1'b0) &&
                     u_dut.u_data.out_ready_i == (pair ? u_dut.u_answer.in_ready_o : 1'b0) &&
                     u_dut.u_answer.in_i == {u_dut.u_asks.out_o, u_dut.u_data.out_o})
    else $error("a response: %b", u_dut.u_answer.in_valid_i);
    a_leaves : assert (pr_valid == u_dut.u_answer.out_valid_o && pr == u_dut.u_answer.out_o &&
                       u_dut.u_answer.out_ready_i == pr_ready_i)
    else $error("leaves: %b", pr_valid);
    // All parts are reset together.
    a_reset : assert ({u_dut.u_asks.rst_ni, u_dut.u_data.rst_ni, u_dut.u_answer.rst_ni} ==
                      {3{rst_ni}})
    else $error("reset");
    if (past_q) begin
      // A read is taken with its last beat. Beats are asked for while a cycle ago there was room
      // for one more, and those in front move.
      a_takes : assert (ready == (room_q && moves && ends))
      else $error("ready %b", ready);
      // Two steps later memory is asked for it.
      a_asks : assert (read_valid == second_q.valid)
      else $error("asks: %b", read_valid);
      // It is where the property's column is, so many beats behind that, and as long as what is
      // left of the property. (Where all begins is looked at in halves, the low one a step before.)
      a_read : assert (!second_q.valid || (read.bytes == second_q.bytes &&
                       read.addr == {serve_i.base[63:32], second_q.base} + second_q.at))
      else $error("%0d bytes at %h", read.bytes, read.addr);
      // A cycle after it is asked for its response waits for data, with the marks of the first and
      // the last beat.
      a_response : assert (u_dut.u_asks.in_valid_i == went_q &&
                           (!went_q || u_dut.u_asks.in_i == {response, began_q, ended_q}))
      else $error("waits: %b", u_dut.u_asks.in_valid_i);
      // These help the proof.
      a_beat : assert (u_dut.beat_q == beat_q && u_dut.held_q == open_q && u_dut.room_q == room_q)
      else $error("beat %0d, %0d open", u_dut.beat_q, u_dut.held_q);
      a_placed : assert (u_dut.placed_q == first_q.valid && (!first_q.valid ||
                         {u_dut.placed_step_q.addr, u_dut.placed_step_q.bytes} ==
                         {first_q.at, first_q.bytes}))
      else $error("placed: %b", u_dut.placed_q);

      // The last beat of three is asked for, of 2 bytes; and memory does not take the one before.
      c_third : cover (past_q && rst_ni && goes && beat_q == 4'd2 && bytes == 7'd2);
      c_stops : cover (past_q && rst_ni && second_q.valid && first_q.valid && !moves && pr_valid_i);
    end
  end

endmodule
