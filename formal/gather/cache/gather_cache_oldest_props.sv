// gather_cache_look: of ways that are in an order one is the oldest.
//
// By itself, for any order: that what is known of a group is one is shown by gather_cache_order.
module gather_cache_oldest_props
  import gather_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  localparam int unsigned Ways = CacheWays;
  localparam int unsigned Pairs = Ways * (Ways - 1) / 2;

  gather_cache_look #(
    .Groups        (4),
    .TagW          (3),
    .GenerationBits(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .generation_i   (2'd1),
    .void_i         (1'b0),
    .clear_i        (1'b0),
    .clear_group_i  ('0),
    .valid_i        (1'b0),
    .looks_i        (1'b0),
    .response_i     (1'b0),
    .pr_generation_i('0),
    .group_i        ('0),
    .tag_i          ('0),
    .valid_o        (),
    .looks_o        (),
    .response_o     (),
    .hit_o          (),
    .insert_o       (),
    .evict_o        (),
    .use_o          (),
    .way_o          (),
    .pr_generation_o(),
    .group_o        (),
    .tag_o          ()
  );

  // Of each pair: the one of the lower number was used later.
  logic [Pairs-1:0]          order;
  logic [Ways-1:0][Ways-1:0] later;
  logic                      in_order;
  assign order = u_dut.known6_q.order;

  always_comb begin
    later = '0;
    for (int unsigned low = 0; low < Ways - 1; low++) begin
      for (int unsigned high = low + 1; high < Ways; high++) begin
        later[low][high] = order[low*(2*Ways-low-1)/2+high-low-1];
      end
    end
    in_order = 1'b1;
    for (int unsigned a = 0; a < Ways; a++) begin
      for (int unsigned b = a + 1; b < Ways; b++) begin
        for (int unsigned c = b + 1; c < Ways; c++) begin
          if (later[a][b] == later[b][c] && later[a][b] != later[a][c]) in_order = 1'b0;
        end
      end
    end
  end

  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // No three ways go round in a circle. Dropped: any bits.
    e_order : assume (in_order);
    // One way is the oldest.
    a_oldest : assert ($onehot(u_dut.old6))
    else $error("the oldest ways are %b", u_dut.old6);
    // It is any way, as the last one of the second half.
    c_any : cover (started_q && u_dut.old6[5]);
  end

endmodule
