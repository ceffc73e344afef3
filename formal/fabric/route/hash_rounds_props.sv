// uplink_hash: each stage of the hash, of any key and seed.
//
// The digest begins with zero. With each word of the key, from the source address's upper half on,
// it is combined and stepped on. As steps are linear, that is the sum of five, four, three, two
// and one step of the words; the stages take these steps in turn.
module hash_rounds_props
  import uplink_route_pkg::HashLatency;
  import uplink_route_pkg::uplink_key_t;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic [31:0] seed_i,
  input logic        with_qp_i,
  input logic        valid_i,
  input uplink_key_t key_i
);

  logic        valid;
  logic [31:0] hash;

  uplink_hash u_dut (
    .clk_i,
    .rst_ni,
    .seed_i,
    .with_qp_i,
    .valid_i,
    .key_i,
    .valid_o(valid),
    .hash_o (hash)
  );

  // So many cycles ago.
  logic [6:0]       past_q;
  logic [7:1]       valid_q;
  uplink_key_t      key_q;
  logic             with_qp_q;
  logic [31:0]      seed_q;
  // The stages of a cycle ago.
  logic [1:0][63:0] src_q, dst_q;
  logic [63:0]      last_q, src2_q, dst2_q, last2_q, digest_q;
  logic [3:0][63:0] mix_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q    <= {past_q[5:0], 1'b1};
    valid_q   <= {valid_q[6:1], valid_i};
    key_q     <= key_i;
    with_qp_q <= with_qp_i;
    seed_q    <= seed_i;
    src_q     <= u_dut.src_q;
    dst_q     <= u_dut.dst_q;
    last_q    <= u_dut.last_q;
    src2_q    <= u_dut.src2_q;
    dst2_q    <= u_dut.dst2_q;
    last2_q   <= u_dut.last2_q;
    digest_q  <= u_dut.digest_q;
    for (int unsigned s = 0; s < 4; s++) mix_q[s] <= u_dut.mix_q[s];
    if (!rst_ni) valid_q <= '0;
  end

  // Bit by bit: bit i takes in bit i - 13, then bit i + 7, then bit i - 17.
  function automatic logic [63:0] stepped(logic [63:0] x, int unsigned times);
    logic [63:0] y, z;
    stepped = x;
    for (int unsigned t = 0; t < times; t++) begin
      for (int unsigned i = 0; i < 64; i++) y[i] = stepped[i] ^ (i >= 13 && stepped[(i + 51) % 64]);
      for (int unsigned i = 0; i < 64; i++) z[i] = y[i] ^ (i < 57 && y[(i + 7) % 64]);
      for (int unsigned i = 0; i < 64; i++) stepped[i] = z[i] ^ (i >= 17 && z[(i + 47) % 64]);
    end
  endfunction

  // Four rounds from round `from` on, bit by bit: the right half takes in the left one, turned by
  // two, where it is one turned by one and by eight, and the round's key; then they change places.
  function automatic logic [63:0] mixed(logic [63:0] x, logic [31:0] seed, int unsigned from);
    logic [31:0] l, r, swapped, constant;
    {l, r} = x;
    for (int unsigned n = from; n < from + 4; n++) begin
      constant = '0;
      for (int unsigned i = 0; i <= n; i++) constant += 32'h9E37_79B9;
      for (int unsigned i = 0; i < 32; i++) begin
        swapped[i] = r[i] ^ l[(i+30)%32] ^ (l[(i+31)%32] & l[(i+24)%32]) ^
            seed[(i+160-5*n)%32] ^ constant[i];
      end
      r = l;
      l = swapped;
    end
    mixed = {l, r};
  endfunction

  always_ff @(posedge clk_i) begin
    // A key has its hash seven cycles later, and nothing else has; nothing in a reset.
    a_valid : assert (past_q != '1 || valid == valid_q[HashLatency])
    else $error("a hash: %b", valid);
    // First the words of the source address take three and two steps,
    a_src : assert (!past_q[0] || u_dut.src_q ==
                    {stepped(key_q.src[127:64], 3), stepped(key_q.src[63:0], 2)})
    else $error("source address");
    // those of the destination two and one,
    a_dst : assert (!past_q[0] || u_dut.dst_q ==
                    {stepped(key_q.dst[127:64], 2), stepped(key_q.dst[63:0], 1)})
    else $error("destination address");
    // and the last word is ports, protocol and, where asked for, the queue pair.
    a_last : assert (!past_q[0] || u_dut.last_q == {key_q.sport, key_q.dport, key_q.proto,
                                                    key_q.qpn & {24{with_qp_q}}})
    else $error("last word");
    // Then the source takes two more steps, the others one.
    a_more : assert (!past_q[0] || {u_dut.src2_q, u_dut.dst2_q, u_dut.last2_q} ==
                     {stepped(src_q[1] ^ src_q[0], 2), stepped(dst_q[1] ^ dst_q[0], 1),
                      stepped(last_q, 1)})
    else $error("steps of the second stage");
    // All together are the digest.
    a_digest : assert (!past_q[0] || u_dut.digest_q == (src2_q ^ dst2_q ^ last2_q))
    else $error("digest");
    // It takes sixteen rounds with the seed, four a cycle,
    a_first : assert (!past_q[0] || u_dut.mix_q[0] == mixed(digest_q, seed_q, 0))
    else $error("first rounds");
    a_second : assert (!past_q[0] || u_dut.mix_q[1] == mixed(mix_q[0], seed_q, 4))
    else $error("second rounds");
    a_third : assert (!past_q[0] || u_dut.mix_q[2] == mixed(mix_q[1], seed_q, 8))
    else $error("third rounds");
    a_fourth : assert (!past_q[0] || u_dut.mix_q[3] == mixed(mix_q[2], seed_q, 12))
    else $error("fourth rounds");
    // and the hash is their upper half.
    a_hash : assert (hash == u_dut.mix_q[3][63:32])
    else $error("hash");

    // Two keys, one behind the other.
    c_two : cover (past_q == '1 && valid && valid_q[6] && seed_q != '0 && hash != '0);
  end

endmodule
