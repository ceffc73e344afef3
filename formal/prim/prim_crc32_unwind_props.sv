// prim_crc32_unwind: the register that, with the zero bytes appended again by the definition,
// becomes the one that came in.
//
// A solver cannot undo a beat of XORs. So: taking one bit of zero back is linear and undoes
// appending one (both proved), hence any number of them is the XOR of what single bits become
// (computed when the design is elaborated), and each stage of the circuit is proved equal to that
// XOR.
module prim_crc32_unwind_props #(
  /// Zero bytes are a multiple of it: 2 or 4.
  parameter int unsigned Unit = 2,
  /// Bytes of a beat.
  parameter int unsigned Bytes = 64
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        valid_i,
  input logic [31:0] crc_i,
  input logic [$clog2(Bytes)-1:0] bytes_i,
  // Any two registers.
  input logic [31:0] crc_a_i,
  input logic [31:0] crc_b_i
);
  import crc32_definition_pkg::*;

  localparam int unsigned Low = (Unit == 4) ? 2 : 1;
  localparam int unsigned Top = $clog2(Bytes) - 1;
  localparam int unsigned Stages = Top + 1 - Low;

  /// [power of two][bit]: what this bit becomes.
  function automatic logic [Stages-1:0][31:0][31:0] tables();
    for (int unsigned s = 0; s < Stages; s++) tables[s] = before_zeros(2 ** (s + Low));
  endfunction

  localparam logic [Stages-1:0][31:0][31:0] Tables = tables();

  /// [power of two][out]: the bits that are in this bit of the result.
  function automatic logic [Stages-1:0][31:0][31:0] masks();
    for (int unsigned s = 0; s < Stages; s++) begin
      for (int unsigned o = 0; o < 32; o++) begin
        for (int unsigned i = 0; i < 32; i++) masks[s][o][i] = Tables[s][i][o];
      end
    end
  endfunction

  localparam logic [Stages-1:0][31:0][31:0] Masks = masks();

  logic        valid;
  logic [31:0] crc;

  prim_crc32_unwind #(
    .Unit (Unit),
    .Bytes(Bytes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .crc_i,
    .bytes_i,
    .valid_o(valid),
    .crc_o  (crc)
  );

  // [0] is the input, [s] what is behind stage s; `was_q`: a cycle ago.
  logic [Stages:0]       valids, was_valid_q;
  logic [Stages:0][31:0] crcs, was_crc_q;
  logic [Stages:0][Top:Low] counts, was_count_q;
  logic                  known_q, reset_q;

  assign valids = {u_dut.valid_q, valid_i && rst_ni};
  assign crcs   = {u_dut.crc_q, crc_i};
  assign counts = {u_dut.bytes_q, bytes_i[Top:Low]};

  initial known_q = 1'b0;
  initial reset_q = 1'b0;

  always_ff @(posedge clk_i) begin
    known_q     <= rst_ni;
    reset_q     <= !rst_ni;
    was_valid_q <= valids;
    was_crc_q   <= crcs;
    was_count_q <= counts;
  end

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    logic [31:0] back;
    always_comb begin
      for (int unsigned o = 0; o < 32; o++) back[o] = ^(was_crc_q[s] & Masks[s][o]);
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni && known_q) begin
        // Each stage takes back its power of two of zero bytes if the count has that bit, and
        // nothing if not.
        a_takes_back : assert (!was_valid_q[s] ||
                               crcs[s+1] == (was_count_q[s][s+Low] ? back : was_crc_q[s]))
        else $error("stage %0d", s);
        // The count goes along.
        a_count : assert (!was_valid_q[s] || counts[s+1] == was_count_q[s])
        else $error("stage %0d", s);
        // Each stage answers what the one in front of it answered a cycle ago, and nothing else.
        a_answers : assert (valids[s+1] == was_valid_q[s])
        else $error("stage %0d", s);
        // The stage takes bytes back.
        c_takes_back : cover (was_valid_q[s] && was_count_q[s][s+Low] && crcs[s+1] != was_crc_q[s]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is answered is what the last stage holds.
      a_out : assert (valid == valids[Stages] && crc == crcs[Stages])
      else $error("%h instead of %h", crc, crcs[Stages]);
      // What came before a reset is not answered behind it.
      a_forgets : assert (!reset_q || valids[Stages:1] == '0)
      else $error("stages %b behind a reset", valids[Stages:1]);
    end
  end

  always_ff @(posedge clk_i) begin
    // Appending a bit of zero to a register from which one was taken back gives that register.
    a_inverse : assert (bit_more(bit_less(crc_a_i)) == crc_a_i)
    else $error("%h", crc_a_i);
    // Taking a bit of zero back is linear.
    a_linear : assert (bit_less(crc_a_i ^ crc_b_i) == (bit_less(crc_a_i) ^ bit_less(crc_b_i)))
    else $error("bit_less is not linear");
  end

endmodule
