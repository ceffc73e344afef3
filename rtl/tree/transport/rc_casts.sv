// Multicasts of a node's parent, from when they come until their last row was read (docs/tree.md;
// SHARP Streaming-Aggregation, 3.1).
//
// One for all ports, as the parent is behind one of them. Nobody waits: what finds no room, or is
// longer than any message of a low-latency tree, is lost, and nobody counts on it. Who reads has an
// rc_queue before him, with one packet a message.
module rc_casts
  import rc_pkg::*;
  import rc_port_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// 1: rows are corrected, and read a cycle later (rc_queue).
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The tree begins, or is no more: all is forgotten.
  input logic clear_i,

  // The parent's port, or none; what comes in at each (rc_port).
  input logic     [NumPorts-1:0]       parent_i,
  input rc_came_t [NumPorts-1:0]       came_i,
  input logic     [NumPorts-1:0]       valid_i,
  input logic     [NumPorts-1:0][12:0] len_i,

  // Messages (rc_queue).
  output rc_packet_t           oldest_o,
  input  logic                 claim_i,
  input  logic                 row_re_i,
  output logic [RcRowBits-1:0] row_o,

  output rc_memory_t memory_o   // flipped bits that were read
);

  /// Messages that wait; rows of one.
  localparam int unsigned Room = 4;
  localparam int unsigned MaxRows = 32;
  localparam int unsigned CountW = $clog2(Room + 1);

  // ---------------------------------------------------------------------------------------------
  // The parent's port, a cycle later.

  rc_came_t    came, came_q;
  logic        valid, valid_q, valid2_q, valid3_q;
  logic [12:0] len, len_q, len2_q, len3_q;
  logic        fits3_q;

  always_comb begin
    came  = '0;
    valid = 1'b0;
    len   = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (parent_i[p]) begin
        came  |= came_i[p];
        valid |= valid_i[p];
        len   |= len_i[p];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    came_q   <= came;
    valid_q  <= valid;
    valid2_q <= valid_q;
    valid3_q <= valid2_q;
    len_q    <= len;
    len2_q   <= len_q;
    len3_q   <= len2_q;
    fits3_q  <= 32'(len2_q) <= 64 * MaxRows;
    if (!rst_ni || clear_i) begin
      came_q.valid <= 1'b0;
      came_q.stop  <= 1'b0;
      valid_q      <= 1'b0;
      valid2_q     <= 1'b0;
      valid3_q     <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // As far from the packet's end as rc_conn's fate is; and only if there is a place, counted until
  // it is told to be free.

  logic [CountW-1:0] count_q;
  logic              keep, gone;

  assign keep = valid3_q && fits3_q && count_q != CountW'(Room);

  always_ff @(posedge clk_i) begin
    count_q <= count_q + CountW'(keep) - CountW'(gone);
    if (!rst_ni || clear_i) count_q <= '0;
  end

  rc_queue #(
    .Room   (Room),
    .MaxRows(MaxRows),
    .Ecc    (Ecc)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .came_i      (came_q),
    .keep_i      (keep && !clear_i),
    .kept_i      ('{cast: 1'b0, first: 1'b1, last: 1'b1, len: len3_q}),
    .gone_o      (gone),
    .oldest_o,
    .claim_i,
    .claim_drop_i(1'b0),
    .row_re_i,
    .row_o,
    .memory_o
  );

endmodule
