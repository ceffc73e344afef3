// shell_sync and shell_ram with one clock at both ends: what each hands on, and when. (Their place
// between two clocks, and that of the order in which they are read, is shell_fifo_async_props.)
module shell_parts_props #(
  parameter int unsigned Width = 3,
  parameter int unsigned Depth = 4,
  localparam int unsigned Aw = $clog2(Depth)
) (
  input logic             clk_i,
  input logic [Width-1:0] in_i,
  input logic             we_i,
  input logic [Aw-1:0]    waddr_i,
  input logic [Width-1:0] wdata_i,
  input logic             re_i,
  input logic [Aw-1:0]    raddr_i,
  input logic [Aw-1:0]    place_i   // any
);

  logic [Width-1:0] synced, rdata;

  shell_sync #(
    .Width(Width)
  ) u_sync (
    .clk_i,
    .in_i,
    .out_o(synced)
  );

  shell_ram #(
    .Width(Width),
    .Depth(Depth)
  ) u_ram (
    .wr_clk_i(clk_i),
    .we_i,
    .waddr_i,
    .wdata_i,
    .rd_clk_i(clk_i),
    .re_i,
    .raddr_i,
    .rdata_o (rdata)
  );

  // What came in one and two cycles ago; one place of the memory, and what was written there last.
  logic [2:0]            past_q;
  logic [1:0][Width-1:0] in_q;
  logic [Aw-1:0]         place_q;
  logic [Width-1:0]      word_q, read_q;
  logic                  written_q, known_q;
  initial {past_q, written_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    in_q   <= {in_q[0], in_i};
    if (!past_q[0]) place_q <= place_i;
    else if (we_i && waddr_i == place_q) {written_q, word_q} <= {1'b1, wdata_i};
    if (re_i) begin
      known_q <= past_q[0] && written_q && raddr_i == place_q;
      read_q  <= word_q;
    end
  end

  always_ff @(posedge clk_i) begin
    // A place shows what was written last in front of the cycle in which it is read, until another
    // read.
    a_ram : assert (!known_q || rdata == read_q)
    else $error("read %b instead of %b", rdata, read_q);
    // What was written stays in its place (helps the proof).
    a_kept : assert (!written_q || (past_q[0] && u_ram.mem[place_q] == word_q))
    else $error("place %0d", place_q);
    if (past_q[2]) begin
      // A bit of the other clock is read two cycles late, and as it was.
      a_sync : assert (synced == in_q[1])
      else $error("%b instead of %b", synced, in_q[1]);

      // A word is read again while others are written.
      c_stays : cover (known_q && !re_i && we_i);
    end
  end

endmodule
