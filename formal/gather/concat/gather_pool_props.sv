// gather_pool: no number is in two hands, and none is lost.
module gather_pool_props #(
  /// Numbers.
  parameter int unsigned Size = 4
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    take_i,
  input logic                    give_i,
  input logic [$clog2(Size)-1:0] give_id_i
);

  localparam int unsigned CountW = $clog2(Size + 1);

  logic                    started_q, valid;
  logic [$clog2(Size)-1:0] id;
  logic [CountW-1:0]       free, held;
  logic [Size-1:0]         held_q;
  logic [2:0]              hidden_q;   // cycles in which a number is free and none is shown

  gather_pool #(
    .Size(Size)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_o  (valid),
    .take_i   (take_i && valid),
    .id_o     (id),
    .give_i   (give_i && held_q[give_id_i]),
    .give_id_i,
    .free_o   (free)
  );

  always_comb begin
    held = '0;
    for (int unsigned n = 0; n < Size; n++) held = held + CountW'(held_q[n]);
  end

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: numbers are in hands that nobody knows of.
    e_reset : assume (started_q || !rst_ni);
    if (take_i && valid) held_q[id] <= 1'b1;
    if (give_i && held_q[give_id_i]) held_q[give_id_i] <= 1'b0;
    hidden_q <= (free != '0 && !valid) ? hidden_q + 3'd1 : '0;
    if (!rst_ni) begin
      held_q   <= '0;
      hidden_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A number that somebody holds is not handed out again; else two packets would share storage.
      a_once : assert (!valid || !held_q[id])
      else $error("number %0d is held and shown", id);
      // What nobody holds is free: no storage is lost.
      a_count : assert (32'(free) + 32'(held) == Size)
      else $error("%0d free, %0d held", free, held);
      // A free number is shown three cycles later at most, so nobody waits for storage for ever.
      a_shown : assert (hidden_q <= 3'd3)
      else $error("hidden for %0d cycles", hidden_q);
      // All numbers are in hands.
      c_all : cover (held_q == '1);
    end
  end

endmodule
