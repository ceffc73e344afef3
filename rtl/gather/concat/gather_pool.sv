// Hands out numbers 0 to Size - 1, each to one holder at a time, and takes them back in any order.
//
// Numbers that were never handed out come from a counter, so nothing has to be filled in after
// reset. Nobody waits for anybody: a number is shown when there is one.
module gather_pool #(
  /// Numbers. 8 or more.
  parameter int unsigned Size = 16,
  localparam int unsigned IdW = $clog2(Size),
  localparam int unsigned CountW = $clog2(Size + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  // A number that is free, and its taking.
  output logic           valid_o,
  input  logic           take_i,
  output logic [IdW-1:0] id_o,

  // Pulse: a number is given back.
  input logic           give_i,
  input logic [IdW-1:0] give_id_i,

  // Numbers that nobody holds. One that was given back may be counted some cycles before it is
  // shown.
  output logic [CountW-1:0] free_o
);

  localparam int unsigned FifoDepth = (Size < 8) ? 8 : 2 ** $clog2(Size);

  if (Size < 2) begin : gen_check
    $fatal(1, "%m: Size must be 2 or more");
  end

  logic [CountW-1:0] fresh_q, free_q;
  logic              used_valid, used_ready, fresh, give_ready, take;
  logic [IdW-1:0]    used_id;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(FifoDepth+1)-1:0] used_count;
  // verilator lint_on UNUSEDSIGNAL

  assign fresh      = fresh_q < CountW'(Size);
  assign valid_o    = used_valid || fresh;
  assign id_o       = used_valid ? used_id : fresh_q[IdW-1:0];
  assign take       = take_i && valid_o;
  assign used_ready = take_i;
  assign free_o     = free_q;

  prim_fifo_ram #(
    .T    (logic [IdW-1:0]),
    .Depth(FifoDepth)
  ) u_used (
    .clk_i,
    .rst_ni,
    .in_valid_i (give_i),
    .in_ready_o (give_ready),
    .in_i       (give_id_i),
    .out_valid_o(used_valid),
    .out_ready_i(used_ready),
    .out_o      (used_id),
    .count_o    (used_count)
  );

  always_ff @(posedge clk_i) begin
    if (take && !used_valid) fresh_q <= fresh_q + CountW'(1);
    free_q <= free_q + CountW'(give_i) - CountW'(take);
    if (!rst_ni) begin
      fresh_q <= '0;
      free_q  <= CountW'(Size);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nobody gives back more than was handed out; a number in two hands would mix their data.
      a_balance : assert (!give_i || (give_ready && 32'(free_q) < Size))
      else $error("%m: number %0d given back, and all are free", give_id_i);
      // Nobody takes a number that is not there.
      a_take : assert (!take_i || valid_o)
      else $error("%m: a number is taken, and none is free");
    end
  end

endmodule
