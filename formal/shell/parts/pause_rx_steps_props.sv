// shell_pause_rx: which frames are taken out, what is obeyed of them, and how long a pause lasts,
// for any frames. One byte of a beat and one priority are followed.
module pause_rx_steps_props
  import shell_pkg::*;
#(
  parameter int unsigned QuantumStep = 39718
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       in_valid_i,
  input bytes_t     in_data_i,
  input keep_t      in_keep_i,
  input logic       in_last_i,
  input logic       in_error_i,
  input logic [1:0] in_tag_i,
  input logic [5:0] byte_i,   // any
  input logic [2:0] prio_i    // any
);

  logic                valid, last, error, obeyed, other;
  bytes_t              data;
  keep_t               keep;
  logic [1:0]          tag;
  logic [NumPrios-1:0] paused;

  shell_pause_rx #(
    .Tag        (logic [1:0]),
    .QuantumStep(QuantumStep)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_error_i,
    .in_tag_i,
    .out_valid_o(valid),
    .out_data_o (data),
    .out_keep_o (keep),
    .out_last_o (last),
    .out_error_o(error),
    .out_tag_o  (tag),
    .paused_o   (paused),
    .obeyed_o   (obeyed),
    .other_o    (other)
  );

  logic       past_q;
  logic [5:0] byte_q;
  logic [2:0] prio_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!past_q) {byte_q, prio_q} <= {byte_i, prio_i};
  end

  // What a frame's first beat says, byte by byte: MAC control goes to 01-80-C2-00-00-01 and has
  // type 88-08; opcode 01-01 is PFC, with a vector of priorities and a time for each; 00-01 is a
  // pause of all, with one time. What is said must be in the frame.
  typedef struct packed {
    logic        control;
    logic        known;
    logic        mine;   // the followed priority
    logic [15:0] quanta;
  } said_t;
  said_t      first, said_q, said;
  logic       pfc, all, inside_q;
  logic [5:0] at;   // where the followed priority's time is
  always_comb begin
    pfc = in_data_i[14] == 8'h01 && in_data_i[15] == 8'h01 && in_keep_i[33];
    all = in_data_i[14] == 8'h00 && in_data_i[15] == 8'h01 && in_keep_i[17];
    at  = all ? 6'd16 : 6'd18 + 6'(2 * prio_q);
    first.control = in_keep_i[15] && in_data_i[0] == 8'h01 && in_data_i[1] == 8'h80 &&
        in_data_i[2] == 8'hC2 && in_data_i[3] == 8'h00 && in_data_i[4] == 8'h00 &&
        in_data_i[5] == 8'h01 && in_data_i[12] == 8'h88 && in_data_i[13] == 8'h08;
    first.known   = pfc || all;
    first.mine    = all || (pfc && in_data_i[17][prio_q]);
    first.quanta  = {in_data_i[at], in_data_i[at+6'd1]};
    said          = inside_q ? said_q : first;
  end

  // A control frame has ended, and is to be obeyed; what came in a cycle ago.
  logic       ended_q, good_q, passes_q, last_q, error_q, keep_q;
  logic [1:0] tag_q;
  logic [7:0] data_q;
  always_ff @(posedge clk_i) begin
    if (in_valid_i) {inside_q, said_q} <= {!in_last_i, said};
    ended_q  <= in_valid_i && in_last_i && said.control;
    good_q   <= said.known && !in_error_i;
    passes_q <= in_valid_i && !said.control;
    {last_q, error_q, tag_q, data_q, keep_q} <=
        {in_last_i, in_error_i, in_tag_i, in_data_i[byte_q], in_keep_i[byte_q]};
    if (!rst_ni) {inside_q, ended_q, passes_q} <= '0;
  end

  // The followed priority's pause: quanta that were asked for, and time since then, in 1/65536
  // quanta, also what of a quantum had gone by when it began. Time begins anew with each reset.
  logic        set, set_q, runs_q, ran_q, full_q;
  logic [15:0] part_q, asked_q, spare_q;
  logic [33:0] gone_q;
  assign set = ended_q && good_q && said_q.mine;
  always_ff @(posedge clk_i) begin
    {full_q, part_q} <= 17'(part_q) + 17'(QuantumStep);
    gone_q           <= gone_q + 34'(QuantumStep);
    {ran_q, set_q}   <= {runs_q && rst_ni, set};
    if (set) begin
      runs_q  <= said_q.quanta != '0;
      asked_q <= said_q.quanta;
      spare_q <= part_q;
      gone_q  <= 34'(QuantumStep);
    end else if (runs_q && 34'(spare_q) + gone_q >= {1'b0, 17'(asked_q) + 17'd1, 16'd0}) begin
      runs_q <= 1'b0;
    end
    if (!rst_ni) {runs_q, full_q, part_q} <= '0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (past_q || !rst_ni);
    if (past_q) begin
      // All but control frames pass, a cycle late; of those no beat does.
      a_passes : assert (valid == passes_q)
      else $error("passes %b", passes_q);
      // What passes is as it came.
      a_beat : assert (!passes_q || {last, error, tag, data[byte_q], keep[byte_q]} ==
                       {last_q, error_q, tag_q, data_q, keep_q})
      else $error("byte %0d", byte_q);
      // A control frame is told of behind its end: as obeyed if it is a pause frame without error,
      // else as another one.
      a_told : assert (obeyed == (ended_q && good_q) && other == (ended_q && !good_q))
      else $error("obeyed %b, other %b", obeyed, other);
      // A priority is paused from a frame that names it with a time that is not zero, until so many
      // quanta have gone by, and what of one more there was when it came.
      a_paused : assert (paused[prio_q] == runs_q)
      else $error("priority %0d: %b", prio_q, runs_q);
      // That is never less than what was asked for.
      a_short : assert (!ran_q || runs_q || set_q || gone_q >= {2'd0, asked_q, 16'd0})
      else $error("%0d quanta, %0d parts gone", asked_q, gone_q);
      // And never more by a quantum and the cycle in which it ends.
      a_long : assert (!runs_q || gone_q < {1'b0, 17'(asked_q) + 17'd1, 16'd0} + 34'(QuantumStep))
      else $error("%0d quanta, %0d parts gone", asked_q, gone_q);
      // Where frames and timers are (helps the proof).
      a_frame : assert (u_dut.within_q == inside_q && (!(inside_q || ended_q) ||
          {u_dut.control_q, u_dut.known_q, u_dut.enable_q[prio_q]} ==
          {said_q.control, said_q.known, said_q.mine}) &&
          (!(inside_q || ended_q) || !said_q.mine || u_dut.quanta_q[prio_q] == said_q.quanta) &&
          u_dut.ends_q == ended_q && (!ended_q || u_dut.good_q == good_q))
      else $error("control %b", said_q.control);
      a_left : assert (u_dut.part_q == {full_q, part_q} && (runs_q ?
          {18'(u_dut.left_q[prio_q]), 16'd0} + gone_q + 34'(spare_q) ==
          {1'b0, 17'(asked_q) + 17'd1, 16'd0} + {1'b0, full_q, 16'd0} + 34'(part_q) :
          u_dut.left_q[prio_q] == '0))
      else $error("%0d left", u_dut.left_q[prio_q]);

      // A pause of two quanta lasts for more than two and a half.
      c_lasts : cover (runs_q && asked_q == 16'd2 && gone_q > 34'h2_8000);
    end
  end

endmodule
