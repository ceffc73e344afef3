// gather_pool: which number is shown, and how many are free, whatever the queue of those that were
// given back shows. (That no number has two holders is gather_pool's proof.)
module pool_fresh_props #(
  parameter int unsigned Size = 11,
  localparam int unsigned IdW = $clog2(Size),
  localparam int unsigned CountW = $clog2(Size + 1)
) (
  input logic           clk_i,
  input logic           rst_ni,
  input logic           take_i,
  input logic           give_i,
  input logic [IdW-1:0] give_id_i
);

  logic              valid;
  logic [IdW-1:0]    id;
  logic [CountW-1:0] free;

  gather_pool #(
    .Size(Size)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_o  (valid),
    .take_i,
    .id_o     (id),
    .give_i,
    .give_id_i,
    .free_o   (free)
  );

  // Numbers that were shown by the counter since reset, one behind the other; those that are held.
  logic              reset_q, back, taken;
  logic [31:0]       fresh_q;
  logic [CountW-1:0] held_q;
  assign back  = u_dut.u_used.out_valid_o;
  assign taken = take_i && valid;

  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    reset_q <= reset_q || !rst_ni;
    held_q  <= held_q + CountW'(taken) - CountW'(give_i);
    if (taken && !back) fresh_q <= fresh_q + 32'd1;
    if (!rst_ni) begin
      fresh_q <= '0;
      held_q  <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (reset_q) begin
      // A number is shown if one was given back, or not all were shown before.
      a_valid : assert (valid == (back || fresh_q < Size))
      else $error("a number: %b", valid);
      // One that was given back comes first,
      a_used : assert (!back || id == u_dut.u_used.out_o)
      else $error("number %0d instead of one that was given back", id);
      // and else the lowest that was never shown.
      a_fresh : assert (back || !valid || 32'(id) == fresh_q)
      else $error("number %0d instead of %0d", id, fresh_q);
      // There are no more than all of them (helps the proof).
      a_all : assert (fresh_q <= Size && 32'(u_dut.fresh_q) == fresh_q)
      else $error("%0d were shown", fresh_q);
      // Free are those that nobody holds.
      a_free : assert (free + held_q == CountW'(Size))
      else $error("%0d are free, %0d are held", free, held_q);
    end
    // A number that is given back waits in the queue until it is taken.
    a_waits : assert ({u_dut.u_used.rst_ni, u_dut.u_used.in_valid_i, u_dut.u_used.in_i,
                       u_dut.u_used.out_ready_i} == {rst_ni, give_i, give_id_i, take_i})
    else $error("another number waits");

    // The last number is taken while one comes back; and all were shown.
    c_last : cover (reset_q && taken && 32'(id) == Size - 1 && !back && give_i);
    c_none : cover (reset_q && !valid && free == '0);
  end

endmodule
