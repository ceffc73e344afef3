// gather_store: closed packets that wait are counted, and there is room for the next one just while
// fewer wait than may. That is all that the proofs of gather_concat take for granted of it
// (store_stand_in.sv); when they go is left open, as the way out is cut.
module gather_store_closed_props
  import gather_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        closed_i,
  input logic [11:0] stop_i,
  input logic [2:0]  first_i
);

  localparam int unsigned Closed = 16;
  localparam int unsigned ClosedW = $clog2(Closed + 1);

  logic               started_q, ready, busy, goes;
  logic [ClosedW-1:0] count, waits_q;

  gather_store #(
    .NumUnits(8),
    .UnitRows(1),
    .Linked  (1'b1),
    .Closed  (Closed)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .enough_o      (),
    .reserve_i     (1'b0),
    .refund_i      (1'b0),
    .take_i        (1'b0),
    .unit_o        (),
    .write_valid_i (1'b0),
    .write_i       ('0),
    .closed_valid_i(closed_i && ready),
    .closed_ready_o(ready),
    .closed_stop_i (stop_i),
    .closed_first_i(first_i),
    .closed_count_o(count),
    .data_valid_o  (),
    .data_ready_i  (1'b1),
    .data_o        (),
    .busy_o        (busy)
  );

  assign goes = u_dut.head_valid && u_dut.head_ready;

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: packets wait that nobody closed.
    e_reset : assume (started_q || !rst_ni);
    waits_q <= waits_q + ClosedW'(closed_i && ready) - ClosedW'(goes);
    if (!rst_ni) waits_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // As many are counted as were closed and have not gone.
      a_count : assert (count == waits_q)
      else $error("%0d packets are counted, %0d wait", count, waits_q);
      // There is room for the next one just while fewer wait than may.
      a_ready : assert (ready == (32'(waits_q) < Closed))
      else $error("%0d packets wait, ready %b", waits_q, ready);
      // Only what waits goes.
      a_goes : assert (!goes || waits_q != '0)
      else $error("a packet goes, and none waits");
      // Storage is busy while one waits.
      a_busy : assert (busy || waits_q == '0)
      else $error("%0d packets wait, and nothing is to be done", waits_q);
      // All places are taken, and one goes.
      c_full : cover (32'(waits_q) == Closed && goes);
    end
  end

endmodule
