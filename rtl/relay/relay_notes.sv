// What a leaf knows of the messages on the connection that ends at its first worker
// (docs/relay.md): of 2N messages a ring the numbers that a result's headers must have, and which
// headers are in place.
//
// Numbers are in memory, once for each of three readers. Flags are registers, because a flush takes
// all of a ring's at once; without flags numbers mean nothing. Nobody waits: what is asked is
// answered a cycle later, as it was in the cycle of the question.
module relay_notes
  import agg_pkg::*;
  import relay_pkg::*;
#(
  /// Rings, 1 to 32.
  parameter int unsigned NumRings = 8,
  /// Messages of a ring, 2N; power of two.
  parameter int unsigned Entries = 8,
  localparam int unsigned AtW = $clog2(NumRings * Entries)
) (
  input logic clk_i,
  input logic rst_ni,

  // Port of relay_accept: reads an entry (`ask`, answer a cycle later), then may write the same.
  // `other`: with the write the entry is another message's, whose headers are not in place.
  input  logic          ask_i,
  input  logic          write_i,
  input  logic          other_i,
  input  logic [AtW-1:0] at_i,
  input  relay_numbers_t numbers_i,
  output relay_note_t   note_o,

  // Read port of relay_take; answer a cycle later.
  input  logic          look_i,
  input  logic [AtW-1:0] look_at_i,
  output relay_note_t   look_o,

  // Pulse: headers of a message are in place, its first packet's or its last one's. If its entry is
  // another message's by now, nothing is noted.
  input logic           kept_valid_i,
  input logic [AtW-1:0] kept_at_i,
  input logic           kept_last_i,
  input logic [31:0]    kept_msgid_i,

  // Flush: forgets all of a ring.
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i
);

  localparam int unsigned Notes = NumRings * Entries;

  // ---------------------------------------------------------------------------------------------
  // Numbers.

  relay_numbers_t asked, looked;
  logic [31:0]    there;

  prim_ram_1r1w #(
    .Width  ($bits(relay_numbers_t)),
    .Depth  (Notes),
    .Latency(1)
  ) u_asked (
    .clk_i,
    .we_i   (write_i),
    .waddr_i(at_i),
    .wdata_i(numbers_i),
    .re_i   (ask_i),
    .raddr_i(at_i),
    .rdata_o(asked)
  );

  prim_ram_1r1w #(
    .Width  ($bits(relay_numbers_t)),
    .Depth  (Notes),
    .Latency(1)
  ) u_looked (
    .clk_i,
    .we_i   (write_i),
    .waddr_i(at_i),
    .wdata_i(numbers_i),
    .re_i   (look_i),
    .raddr_i(look_at_i),
    .rdata_o(looked)
  );

  prim_ram_1r1w #(
    .Width  (32),
    .Depth  (Notes),
    .Latency(1)
  ) u_there (
    .clk_i,
    .we_i   (write_i),
    .waddr_i(at_i),
    .wdata_i(numbers_i.msgid),
    .re_i   (kept_valid_i),
    .raddr_i(kept_at_i),
    .rdata_o(there)
  );

  // ---------------------------------------------------------------------------------------------
  // Flags.

  logic [Notes-1:0] first_q, last_q;
  logic [1:0]       asked_q, looked_q;   // first, last
  logic             kept_q, kept_last_q;
  logic [AtW-1:0]   kept_at_q;
  logic [31:0]      kept_msgid_q;

  assign note_o = '{first: asked_q[0], last: asked_q[1], numbers: asked};
  assign look_o = '{first: looked_q[0], last: looked_q[1], numbers: looked};

  always_ff @(posedge clk_i) begin
    if (ask_i) asked_q <= {last_q[at_i], first_q[at_i]};
    if (look_i) looked_q <= {last_q[look_at_i], first_q[look_at_i]};

    // Another message, or a flush of the ring, in the cycle between makes the headers those of one
    // gone by.
    kept_q       <= kept_valid_i && !(write_i && other_i && at_i == kept_at_i) &&
        !(flush_i && RingW'(32'(kept_at_i) / Entries) == flush_ring_i);
    kept_at_q    <= kept_at_i;
    kept_last_q  <= kept_last_i;
    kept_msgid_q <= kept_msgid_i;
    if (kept_q && there == kept_msgid_q) begin
      if (kept_last_q) last_q[kept_at_q] <= 1'b1;
      else first_q[kept_at_q] <= 1'b1;
    end
    if (write_i && other_i) begin
      first_q[at_i] <= 1'b0;
      last_q[at_i]  <= 1'b0;
    end
    for (int unsigned i = 0; i < Notes; i++) begin
      if (flush_i && RingW'(i / Entries) == flush_ring_i) begin
        first_q[i] <= 1'b0;
        last_q[i]  <= 1'b0;
      end
    end
    if (!rst_ni) begin
      first_q <= '0;
      last_q  <= '0;
      kept_q  <= 1'b0;
    end
  end

endmodule
