// rc_casts: which multicasts are kept, when, and of whose rows; where their queue is left out of
// the circuit and free (`cuts` of the task).
module cast_rows_props
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                          clk_i,
  input logic                          rst_ni,
  input logic                          clear_i,
  input logic                          some_i,     // there is a parent
  input logic     [PortW-1:0]          port_i,     // its port
  input rc_came_t [NumPorts-1:0]       came_i,
  input logic     [NumPorts-1:0]       valid_i,
  input logic     [NumPorts-1:0][12:0] len_i,
  input logic                          claim_i,
  input logic                          row_re_i
);

  logic                 begun_q, rst_n;
  logic [NumPorts-1:0]  parent;
  rc_packet_t           oldest;
  logic [RcRowBits-1:0] row;
  rc_memory_t           memory;

  // The first cycle is one of reset.
  assign rst_n = rst_ni && begun_q;
  always_comb begin
    parent = '0;
    for (int unsigned p = 0; p < NumPorts; p++) parent[p] = some_i && port_i == PortW'(p);
  end

  rc_casts #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni  (rst_n),
    .clear_i,
    .parent_i(parent),
    .came_i,
    .valid_i,
    .len_i,
    .oldest_o(oldest),
    .claim_i,
    .row_re_i,
    .row_o   (row),
    .memory_o(memory)
  );

  // What the parent's port said one to three cycles ago, since all was forgotten.
  logic               there, gone;
  rc_came_t           came_q;
  logic [3:1]         told_q;
  logic [3:1][12:0]   len_q;
  logic [2:0]         kept_q;      // messages that are kept
  logic               keeps;
  assign there = some_i && 32'(port_i) < NumPorts;
  assign gone  = u_dut.u_queue.gone_o;
  // It finds one of four places, and is no longer than 32 rows.
  assign keeps = told_q[3] && len_q[3] <= 13'd2048 && kept_q != 3'd4;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    came_q  <= there ? came_i[port_i] : '0;
    told_q  <= {told_q[2:1], there && valid_i[port_i]};
    len_q   <= {len_q[2:1], there ? len_i[port_i] : 13'd0};
    kept_q  <= kept_q + 3'(keeps) - 3'(gone);
    if (!rst_n || clear_i) begin
      {told_q, kept_q, came_q.valid, came_q.stop} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      // A row of the parent's port goes in a cycle later, with what it is of.
      a_comes : assert ({u_dut.u_queue.came_i.valid, u_dut.u_queue.came_i.stop} ==
                        {came_q.valid, came_q.stop} &&
                        (!came_q.valid || u_dut.u_queue.came_i == came_q))
      else $error("row %b", u_dut.u_queue.came_i.valid);
      // A message is kept in the third cycle behind its word, unless all is forgotten then.
      a_keeps : assert (u_dut.u_queue.keep_i == (keeps && !clear_i))
      else $error("keeps %b", u_dut.u_queue.keep_i);
      // It is whole, no multicast to be sent on, and as long as was said.
      a_kept : assert (!u_dut.u_queue.keep_i || u_dut.u_queue.kept_i ==
                       rc_kept_t'{cast: 1'b0, first: 1'b1, last: 1'b1, len: len_q[3]})
      else $error("%0d bytes", u_dut.u_queue.kept_i.len);
      // The queue is asked as its user asks, and forgets as it is told to.
      a_asks : assert (u_dut.u_queue.claim_i == claim_i && !u_dut.u_queue.claim_drop_i &&
                       u_dut.u_queue.row_re_i == row_re_i && u_dut.u_queue.clear_i == clear_i &&
                       u_dut.u_queue.rst_ni == rst_n)
      else $error("claims %b", u_dut.u_queue.claim_i);
      // Its answers are handed on.
      a_shows : assert (oldest == u_dut.u_queue.oldest_o && row == u_dut.u_queue.row_o &&
                        memory == u_dut.u_queue.memory_o)
      else $error("%0d bytes", oldest.len);
      // These help the proof: places, and messages on their way.
      a_count : assert (u_dut.count_q == kept_q &&
                        {u_dut.valid3_q, u_dut.valid2_q, u_dut.valid_q} == told_q &&
                        (!told_q[1] || u_dut.len_q == len_q[1]) &&
                        (!told_q[2] || u_dut.len2_q == len_q[2]) &&
                        (!told_q[3] || (u_dut.len3_q == len_q[3] &&
                                        u_dut.fits3_q == (len_q[3] <= 13'd2048))))
      else $error("%0d messages", kept_q);

      // The fifth one finds no place.
      c_full : cover (told_q[3] && !keeps && len_q[3] == 13'd1);
    end
  end

endmodule
