// gather_cache_look: of each group one way is the oldest, however look-ups follow each other.
//
// What is kept of the order are bits for pairs of ways; they are an order if no three ways go round
// in a circle. Three ways of one group are followed, through its memory and each stage; which ones
// is free. That an order has an oldest way is shown by itself
// (gather_cache_oldest).
module gather_cache_order_props
  import gather_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       void_i,
  input logic       looks_i,
  input logic       response_i,
  input logic [1:0] group_i,
  input logic [2:0] tag_i,
  input logic [3:0] first_i,
  input logic [3:0] second_i,
  input logic [3:0] third_i
);

  localparam int unsigned Ways = CacheWays;
  localparam int unsigned Pairs = Ways * (Ways - 1) / 2;

  // Generations, as the cache counts them.
  logic [1:0] generation_q, clear_q;
  logic       clearing_q, started_q;

  always_ff @(posedge clk_i) begin
    if (clearing_q) begin
      clear_q <= clear_q + 2'd1;
      if (clear_q == '1) clearing_q <= 1'b0;
    end
    if (void_i) begin
      generation_q <= generation_q + 2'd1;
      if (generation_q == '1) begin
        generation_q <= 2'd1;
        clearing_q   <= 1'b1;
        clear_q      <= '0;
      end
    end
    if (!rst_ni) begin
      generation_q <= 2'd1;
      clearing_q   <= 1'b1;
      clear_q      <= '0;
    end
  end

  logic            looks;
  logic [Ways-1:0] use_way;

  gather_cache_look #(
    .Groups        (4),
    .TagW          (3),
    .GenerationBits(2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .generation_i   (generation_q),
    .void_i,
    .clear_i        (clearing_q),
    .clear_group_i  (clear_q),
    .valid_i        (looks_i),
    .looks_i        (looks_i && !clearing_q),
    .response_i,
    .pr_generation_i('0),
    .group_i,
    .tag_i,
    .valid_o        (),
    .looks_o        (looks),
    .response_o     (),
    .hit_o          (),
    .insert_o       (),
    .evict_o        (),
    .use_o          (use_way),
    .way_o          (),
    .pr_generation_o(),
    .group_o        (),
    .tag_o          ()
  );

  typedef struct packed {
    logic [1:0]       generation;
    logic [Ways-1:0]  valid;
    logic [Pairs-1:0] order;
  } state_t;
  state_t word, other, read3, read4;
  assign word  = u_dut.u_states.word_q;
  assign other = u_dut.u_states.any;
  assign read3 = u_dut.u_states.read_q;
  assign read4 = u_dut.state4;

  function automatic int unsigned pair(int unsigned low, int unsigned high);
    pair = low * (2 * Ways - low - 1) / 2 + high - low - 1;
  endfunction

  // Three ways in no circle.
  function automatic logic in_order(logic [Pairs-1:0] order, logic [3:0] a, logic [3:0] b,
                                    logic [3:0] c);
    logic [Ways-1:0][Ways-1:0] later;   // of the one of the lower number
    later = '0;
    for (int unsigned low = 0; low < Ways - 1; low++) begin
      for (int unsigned high = low + 1; high < Ways; high++) begin
        later[low][high] = order[pair(low, high)];
      end
    end
    in_order = later[a][b] != later[b][c] || later[a][b] == later[a][c];
  endfunction

  logic [3:0] first_q, second_q, third_q;
  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      first_q  <= first_i;
      second_q <= second_i;
      third_q  <= third_i;
    end
  end

  function automatic logic fine(logic [Pairs-1:0] order, logic [3:0] a, logic [3:0] b,
                                logic [3:0] c);
    fine = !(a < b && b < c) || in_order(order, a, b, c);
  endfunction

  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The memory's word is that of one group. Dropped: words of any.
    e_watch : assume (u_dut.u_states.watch == 2'd2);
    // What the other words say is an order, too. Dropped: any bits.
    e_other : assume (fine(other.order, first_q, second_q, third_q));
    // The first cycle is one of reset. Dropped: the memory holds what nobody has put there.
    e_reset : assume (started_q || !rst_ni);
  end

  logic [7:2] going;
  logic       current, cleared;
  always_comb for (int unsigned s = 2; s <= 7; s++) going[s] = u_dut.at_q[s].looks;
  assign current = word.generation == generation_q && !clearing_q;
  assign cleared = clearing_q && clear_q > 2'd2;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What memory says is an order, and so is what each stage knows.
      a_word : assert (!current || fine(word.order, first_q, second_q, third_q))
      else $error("memory holds no order");
      a_read : assert ((!going[3] || read3.generation != generation_q ||
                        fine(read3.order, first_q, second_q, third_q)) &&
                       (!going[4] || read4.generation != generation_q ||
                        fine(read4.order, first_q, second_q, third_q)))
      else $error("no order is read");
      a_known : assert ((!going[5] || fine(u_dut.known5_q.order, first_q, second_q, third_q)) &&
                        (!going[6] || fine(u_dut.known6_q.order, first_q, second_q, third_q)) &&
                        (!going[7] || fine(u_dut.known7_q.order, first_q, second_q, third_q)))
      else $error("no order is known");
      a_write : assert (!u_dut.write7_q || going[7])
      else $error("a look-up that does not look writes");
      a_quiet : assert (!clearing_q || going == '0)
      else $error("a look-up while tags are cleared");
      a_generation : assert (generation_q != '0 &&
                             (clearing_q ? !cleared || word.generation == '0 :
                              word.generation <= generation_q))
      else $error("generation %0d", word.generation);
      a_reads : assert (!going[3] || u_dut.u_states.gen_output_register.read_valid_q)
      else $error("a look-up has not read");
      // A way is used that is not the oldest of a new group.
      c_other : cover (looks && use_way != '0 && !use_way[Ways-1]);
    end
  end

endmodule
