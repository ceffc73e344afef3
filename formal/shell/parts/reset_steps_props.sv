// shell_reset beside its synchronizers, whose answers are free (`cuts` of the task): what each end
// does next, whatever phase it reads of the other one. Both ends meet in the synchronizers alone,
// so one clock for both is no less than two. (What both do together, between two clocks, is
// shell_reset_props.)
module reset_steps_props (
  input logic clk_i,
  input logic wr_rst_ni,
  input logic rd_rst_ni,
  input logic rd_idle_i
);

  logic wr_up, wr_clear, rd_up, rd_clear;

  shell_reset u_dut (
    .wr_clk_i  (clk_i),
    .wr_rst_ni,
    .wr_up_o   (wr_up),
    .wr_clear_o(wr_clear),
    .rd_clk_i  (clk_i),
    .rd_rst_ni,
    .rd_idle_i,
    .rd_up_o   (rd_up),
    .rd_clear_o(rd_clear)
  );

  // Phases as numbers, one more in each step: UP 0, DOWN 1, CLEAR 2, READY 3. They cross in a code
  // in which a step changes one bit.
  localparam logic [1:0] Up = 2'd0;
  localparam logic [1:0] Down = 2'd1;
  localparam logic [1:0] Clear = 2'd2;
  function automatic logic [1:0] number(logic [1:0] code);
    number = (code == 2'b00) ? 2'd0 : (code == 2'b01) ? 2'd1 : (code == 2'b11) ? 2'd2 : 2'd3;
  endfunction

  // Both ends, the writing one as [0]: own phase, the one that it reads of the other; whether it
  // may not go down now.
  logic [1:0][1:0] own, other;
  logic [1:0]      rst_n, up, clear, stay;
  assign own   = {number(u_dut.u_sync_rd.in_i), number(u_dut.u_sync_wr.in_i)};
  assign other = {number(u_dut.u_sync_wr.out_o), number(u_dut.u_sync_rd.out_o)};
  assign rst_n = {rd_rst_ni, wr_rst_ni};
  assign up    = {rd_up, wr_up};
  assign clear = {rd_clear, wr_clear};

  logic past_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  logic [1:0] owes_q, known_q, asked;
  initial known_q = '0;
  assign asked = {u_dut.rd_ask_q, u_dut.wr_ask_q};
  // Only the reading end has somebody to wait for: who takes a frame that has begun to leave.
  assign stay = {!rd_idle_i && !owes_q[1] && rd_rst_ni, 1'b0};

  for (genvar e = 0; e < 2; e++) begin : gen_end
    // How far the other end is ahead; whether this one goes a phase on.
    logic [1:0] ahead;
    logic       goes;
    logic [1:0] next_q;
    logic       told_q;
    assign ahead = other[e] - own[e];
    always_comb begin
      goes = ahead < 2'd2;
      if (own[e] == Up) goes = (ahead == 2'd0) ? owes_q[e] || !rst_n[e] :
          ahead == 2'd1 && !stay[e];
      if (own[e] == Clear && !rst_n[e]) goes = 1'b0;
    end
    initial told_q = 1'b0;
    always_ff @(posedge clk_i) begin
      // Reset, and not cleared since.
      owes_q[e]  <= !rst_n[e] || (owes_q[e] && own[e] != Clear);
      known_q[e] <= known_q[e] || !rst_n[e] || own[e] == Clear;
      next_q     <= (!rst_n[e] && ahead == 2'd2) ? Down : own[e] + 2'(goes);
      told_q     <= known_q[e];
    end

    always_ff @(posedge clk_i) begin
      if (past_q && known_q[e]) begin
        // An end goes on when the other one is as far or a phase ahead: down when it was reset or
        // the other one goes down, out of CLEAR when its reset is over. Two phases apart, which is
        // so after power-up only, a reset takes it to DOWN.
        a_next : assert (!told_q || own[e] == next_q)
        else $error("phase %0d instead of %0d", own[e], next_q);
        // It works in UP, if it has not been reset since it was cleared.
        a_up : assert (up[e] == (own[e] == Up && !owes_q[e] && rst_n[e]))
        else $error("works %b", up[e]);
        // What it remembers of a reset (helps the proof).
        a_asks : assert (asked[e] == owes_q[e])
        else $error("asks %b", asked[e]);
      end
      // Its pointers are at zero in CLEAR and READY.
      a_clear : assert (clear[e] == (own[e] >= Clear))
      else $error("clear %b", clear[e]);
      // It goes down with the other, and comes back.
      c_down : cover (past_q && known_q[e] && own[e] == Up && ahead == 2'd1 && goes && rst_n[e]);
      c_back : cover (told_q && next_q == Up && up[e] && other[e] == 2'd3);
    end
  end

endmodule
