// prim_crc32_beat: the register after every beat is the one of the byte-by-byte definition, for
// messages of any number of beats and any data; so it is for every shorter message, whose missing
// bytes are zero.
//
// A solver cannot compare XORs of 500 bits that are summed in different orders. So: one step of the
// definition is linear (proved), and taking in a byte is an XOR, hence a beat's are linear, hence
// the definition is the XOR of what its single bits leave behind (computed when the design is
// elaborated), and the circuit is proved equal to that XOR.
module prim_crc32_beat_props #(
  /// Bytes of a beat.
  parameter int unsigned Bytes = 64
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         valid_i,
  input logic         first_i,
  input logic         last_i,
  input logic [8*Bytes-1:0] data_i,
  // Any two registers.
  input logic [31:0]  crc_a_i,
  input logic [31:0]  crc_b_i
);
  import crc32_definition_pkg::*;

  localparam int unsigned Width = 8 * Bytes;
  // Of 128 bytes the last ones.
  localparam logic [31:0][1023:0] OfData = of_data();
  localparam logic [31:0][31:0] OfRegister = of_register(Bytes);

  logic        valid;
  logic [31:0] crc;

  prim_crc32_beat #(
    .Bytes(Bytes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .first_i,
    .last_i,
    .data_i,
    .valid_o(valid),
    .crc_o  (crc)
  );

  // What came in since the start, as long as it is under way: [1] a cycle ago.
  logic [3:1]        known_q, valid_q, first_q, last_q;
  logic [2:1][Width-1:0] data_q;
  logic [31:0]       expected_q, of_data_2;   // `expected_q` after the beat of three cycles ago

  initial known_q = '0;

  always_ff @(posedge clk_i) begin
    known_q <= {known_q[2:1], 1'b1};
    valid_q <= rst_ni ? {valid_q[2:1], valid_i} : '0;
    first_q <= {first_q[2:1], first_i};
    last_q  <= {last_q[2:1], last_i};
    data_q  <= {data_q[1], data_i};
    for (int unsigned o = 0; o < 32; o++) begin
      expected_q[o] <= of_data_2[o] ^ (!first_q[2] && ^(crc & OfRegister[o]));
    end
  end

  /// The parity of a beat, summed as the circuit does: words of 64 bits first.
  function automatic logic parity(logic [Bytes/8-1:0][63:0] words);
    logic [63:0] sum = '0;
    for (int unsigned w = 0; w < Bytes / 8; w++) sum ^= words[w];
    parity = ^sum;
  endfunction

  // Summed in the circuit's own order, so that a solver sees the same XORs on both sides: first the
  // data bits that are in the same ones of three bits of the register.
  for (genvar low = 0; low < 32; low += 3) begin : gen_block
    localparam int unsigned Bits = (32 - low < 3) ? 32 - low : 3;

    /// The data bits that are in exactly those of the block's bits that `pattern` names.
    function automatic logic [Width-1:0] members(logic [2:0] pattern);
      members = '1;
      for (int unsigned k = 0; k < Bits; k++) begin
        members &= pattern[k] ? OfData[low+k][1023-:Width] : ~OfData[low+k][1023-:Width];
      end
    endfunction

    always_comb begin
      of_data_2[low+:Bits] = '0;
      for (int unsigned p = 1; p < 2 ** Bits; p++) begin
        of_data_2[low+:Bits] ^= Bits'(p) & {Bits{parity(data_q[2] & members(3'(p)))}};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // One step of the definition is linear.
    a_definition_is_linear : assert (bit_more(crc_a_i ^ crc_b_i) ==
                                     (bit_more(crc_a_i) ^ bit_more(crc_b_i)))
    else $error("bit_more is not linear");
    if (rst_ni && known_q[3]) begin
      // After every beat the register is what the definition says of the beat's bytes and the
      // register in front of them, or of a register of zero in front of a first beat.
      a_register : assert (!valid_q[3] || crc == expected_q)
      else $error("register %h, definition %h", crc, expected_q);
      // A message's CRC is announced three cycles after its last beat, and only then.
      a_announced : assert (valid == (valid_q[3] && last_q[3]))
      else $error("valid %b", valid);
      // A message of several beats ends.
      c_several_beats : cover (valid && !first_q[3] && crc != '0);
    end
  end

endmodule
