// prim_crc32_times: the product, bit by bit: of one factor's bits, from the highest power on, each
// doubles what there is (a bit of zero behind a message) and adds the other factor where it is one.
// The 16 bits that are added stand in front of all, as if they were a message of their own.
module prim_crc32_times_props (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        start_i,
  input logic [31:0] by_i,
  input logic [15:0] also_i,
  input logic [31:0] times_i
);
  import crc32_definition_pkg::*;

  logic [31:0] product;

  prim_crc32_times u_dut (
    .clk_i,
    .rst_ni,
    .start_i,
    .by_i,
    .also_i,
    .times_i,
    .product_o(product)
  );

  logic        started_q, begun_q;
  logic [3:0]  age_q;              // cycles since the last start, 9 for more
  logic [31:0] by_q, sum_q, sum;   // as the definition has it
  initial started_q = 1'b0;

  always_comb begin
    sum = sum_q;
    for (int unsigned i = 0; i < 4; i++) begin
      sum = bit_more(sum) ^ (by_q[4*(32'(age_q)-1)+i] ? times_i : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (start_i) begin
      begun_q <= 1'b1;
      age_q   <= 4'd1;
      by_q    <= by_i;
      sum_q   <= {also_i, 16'd0};
    end else if (age_q != 4'd9) begin
      age_q <= age_q + 4'd1;
      sum_q <= sum;
    end
    if (!rst_ni) begin
      begun_q <= 1'b0;
      age_q   <= 4'd9;
    end
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Nine cycles behind its start the product is there, and stays.
      a_product : assert (!begun_q || age_q != 4'd9 || product == sum_q)
      else $error("%h instead of %h", product, sum_q);
      // How far it is (helps the proof).
      a_far : assert (!begun_q || (u_dut.busy_q == (age_q != 4'd9) && u_dut.sum_q == sum_q &&
          u_dut.by_q == by_q && (age_q == 4'd9 || 4'(u_dut.at_q) + 4'd1 == age_q)))
      else $error("in cycle %0d", age_q);
      a_age : assert (age_q inside {[4'd1:4'd9]})
      else $error("%0d cycles", age_q);
      // A product that is not zero.
      c_product : cover (begun_q && age_q == 4'd9 && product != '0 && by_q != '0);
    end
  end

endmodule
