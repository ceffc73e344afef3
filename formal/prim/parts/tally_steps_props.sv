// prim_tally around its memories: what each row grows by, what is written, and what is read of it,
// for any words that the memories show.
module tally_steps_props #(
  parameter int unsigned Words = 4,
  parameter int unsigned Lanes = 2,
  parameter int unsigned Width = 5,
  parameter int unsigned AmountW = 3,
  localparam int unsigned Aw = $clog2(Words)
) (
  input logic                          clk_i,
  input logic                          rst_ni,
  input logic                          add_i,
  input logic [Aw-1:0]                 at_i,
  input logic [Lanes-1:0][AmountW-1:0] amount_i,
  input logic [Words-1:0]              forget_i,
  input logic [Aw-1:0]                 read_at_i,
  input logic [Aw-1:0]                 row_i,    // any, the same one all along
  input logic [0:0]                    lane_i    // any, the same one all along
);

  logic [Lanes-1:0][Width-1:0] value;

  prim_tally #(
    .Words  (Words),
    .Lanes  (Lanes),
    .Width  (Width),
    .AmountW(AmountW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .add_i,
    .at_i,
    .amount_i,
    .forget_i,
    .read_at_i,
    .value_o(value)
  );

  // One row, and a counter of it.
  logic          set_q, lane_q, lane;
  logic [Aw-1:0] row_q, row;
  assign row  = set_q ? row_q : row_i;
  assign lane = set_q ? lane_q : lane_i[0];

  // Who adds to the row: now, and so many cycles ago; what; and, of those that are two cycles old
  // and older, whether the row was known before, and what the counter became.
  logic signed [AmountW-1:0] amount1_q, amount2_q;
  logic [5:1]                adds_q;
  logic                      known_q, before2_q, before3_q, reset_q;
  logic [3:1][Width-1:0]     became_q;
  logic [Width-1:0]          word_q, from, becomes;
  always_comb begin
    // From what it became last, or what the memory has; a row that was forgotten begins at 0.
    from = adds_q[3] ? became_q[1] : adds_q[4] ? became_q[2] : adds_q[5] ? became_q[3] : word_q;
    if (!before2_q) from = '0;
    becomes = Width'(signed'({1'b0, from}) + (Width + 1)'(amount2_q));
  end

  // A row that is read: whether it is the followed one, and whether it is known by now.
  logic [2:1] named_q;
  logic       there_q, there2_q;
  logic [Width-1:0] copy_q;
  logic [2:1] shown_q;   // it was named behind the reset

  initial {set_q, reset_q, shown_q} = '0;
  always_ff @(posedge clk_i) begin
    {set_q, row_q, lane_q} <= {1'b1, row, lane};
    adds_q    <= {adds_q[4:1], add_i && at_i == row};
    amount1_q <= amount_i[lane];
    amount2_q <= amount1_q;
    word_q    <= u_dut.u_words.rdata_o[Width*lane+:Width];
    before2_q <= known_q;
    before3_q <= before2_q;
    became_q  <= {became_q[2:1], becomes};
    // Forgotten is what was added up to a cycle before.
    known_q <= !forget_i[row] && (known_q || adds_q[1]);
    // What grows from nothing can be read when it is written.
    named_q  <= {named_q[1], read_at_i == row};
    there_q  <= known_q && !(adds_q[2] && !before2_q) && !(adds_q[3] && !before3_q);
    there2_q <= there_q;
    shown_q  <= {shown_q[1], reset_q};
    copy_q   <= u_dut.u_copy.rdata_o[Width*lane+:Width];
    if (!rst_ni) begin
      {adds_q, known_q} <= '0;
      reset_q <= 1'b1;
    end
  end

  logic writes;
  assign writes = u_dut.u_words.we_i && u_dut.u_words.waddr_i == row;

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // What is on its way to the row, and whether it is known (helps the proof).
      a_inside : assert (u_dut.known_q[row] == known_q && {u_dut.valid_q[4] && u_dut.at_q[4] == row,
                         u_dut.valid_q[3] && u_dut.at_q[3] == row, u_dut.valid_q[2] &&
                         u_dut.at_q[2] == row, u_dut.valid_q[1] && u_dut.at_q[1] == row} ==
                         adds_q[4:1])
      else $error("row %0d", row);
      a_of_it : assert ((!adds_q[1] || u_dut.amount_q[1][lane] == amount1_q) &&
                        (!adds_q[2] || (u_dut.amount_q[2][lane] == amount2_q &&
                         u_dut.known2_q == before2_q && u_dut.base[lane] == from)) &&
                        (!adds_q[3] || (u_dut.known3_q == before3_q &&
                         u_dut.sum3_q[lane] == became_q[1])) &&
                        (!adds_q[4] || u_dut.sum4_q[lane] == became_q[2]))
      else $error("row %0d", row);
      // What is added to is read.
      a_reads : assert (u_dut.u_words.re_i == (add_i && rst_ni) && u_dut.u_words.raddr_i == at_i)
      else $error("reads %0d", u_dut.u_words.raddr_i);
      // The row is written three cycles behind what was added, and not otherwise; both copies
      // alike.
      a_writes : assert (writes == (adds_q[3] && rst_ni) &&
                         {u_dut.u_copy.we_i, u_dut.u_copy.waddr_i, u_dut.u_copy.wdata_i} ==
                         {u_dut.u_words.we_i, u_dut.u_words.waddr_i, u_dut.u_words.wdata_i})
      else $error("writes %b", writes);
      // With what it was and what was added, of both signs.
      a_becomes : assert (!writes ||
                          u_dut.u_words.wdata_i[Width*lane+:Width] == became_q[1])
      else $error("becomes %h", u_dut.u_words.wdata_i);
      // A row that is named is read of the copy.
      a_named : assert (u_dut.u_copy.re_i == rst_ni && u_dut.u_copy.raddr_i == read_at_i)
      else $error("reads %0d", u_dut.u_copy.raddr_i);
      // Two cycles later it is shown, or 0 if it was forgotten or is not there yet.
      a_value : assert (!named_q[2] || !shown_q[2] ||
                        value[lane] == (there2_q ? copy_q : '0))
      else $error("value %h", value);

      // Three are added in a row; a row is forgotten and grows again.
      c_row : cover (rst_ni && adds_q[5:3] == '1 && became_q[1] == 5'd29);
      c_again : cover (rst_ni && adds_q[3] && !before3_q && adds_q[5]);
    end
  end

endmodule
