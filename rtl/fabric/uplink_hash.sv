// The hash of a flow in the switch with a seed: over the five-tuple, and over the destination queue
// pair too where asked for (E-ECMP; Meta RoCE 4.1.1, 4.2.2). The C twin is uplink_hash.
//
// First a digest, which is linear and the same in every switch; then a mix with the seed, four
// rounds of one LUT a cycle. A key a cycle; nobody waits.
module uplink_hash
  import uplink_route_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // Registers: they change between frames.
  input logic [31:0] seed_i,
  input logic        with_qp_i,

  input logic        valid_i,   // a key
  input uplink_key_t key_i,

  // HashLatency cycles later.
  output logic        valid_o,
  output logic [31:0] hash_o
);

  localparam int unsigned Stages = HashLatency - 3;
  localparam int unsigned Each = Rounds / Stages;

  if (Each * Stages != Rounds) begin : gen_check
    $fatal(1, "%m: the rounds must be as many in each stage");
  end

  logic [HashLatency-1:0] valid_q;
  // Of each address its halves, then both together.
  logic [1:0][63:0]       src_q, dst_q;
  logic [63:0]            last_q, src2_q, dst2_q, last2_q, digest_q;
  logic [63:0]            mix_q[Stages];
  logic [63:0]            last;

  assign last = {key_i.sport, key_i.dport, key_i.proto, with_qp_i ? key_i.qpn : 24'd0};

  function automatic logic [63:0] some_rounds(logic [63:0] lr, logic [31:0] seed,
                                              int unsigned from);
    some_rounds = lr;
    for (int unsigned i = 0; i < Each; i++) some_rounds = round_of(some_rounds, seed, from + i);
  endfunction

  always_ff @(posedge clk_i) begin
    valid_q  <= {valid_q[HashLatency-2:0], valid_i};
    // A step a word of what is before it: linear, so each word by itself. That are five, four,
    // three and two steps of the addresses' words, and one of the last.
    src_q    <= {steps(key_i.src[127:64], 3), steps(key_i.src[63:0], 2)};
    dst_q    <= {steps(key_i.dst[127:64], 2), step(key_i.dst[63:0])};
    last_q   <= last;
    src2_q   <= steps(src_q[1] ^ src_q[0], 2);
    dst2_q   <= step(dst_q[1] ^ dst_q[0]);
    last2_q  <= step(last_q);
    digest_q <= src2_q ^ dst2_q ^ last2_q;
    mix_q[0] <= some_rounds(digest_q, seed_i, 0);
    for (int unsigned s = 1; s < Stages; s++) begin
      mix_q[s] <= some_rounds(mix_q[s-1], seed_i, Each * s);
    end
    if (!rst_ni) valid_q <= '0;
  end

  assign valid_o = valid_q[HashLatency-1];
  assign hash_o  = mix_q[Stages-1][63:32];

endmodule
