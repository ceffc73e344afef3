// CRC-32 of messages that come 64 bytes a beat, one beat a cycle.
//
// The register starts at zero; a caller who wants another start value adds it to the first four bytes. Bytes that do not
// count are zero: in front they change nothing, behind they are run back (prim_crc32_unwind). The data part is
// pipelined, only the register itself is in the loop. Nobody waits: the answer comes three cycles after the last beat.
module prim_crc32_beat (
  input logic clk_i,
  input logic rst_ni,

  input logic         valid_i,
  input logic         first_i,
  input logic         last_i,
  input logic [511:0] data_i,

  // One pulse a message.
  output logic        valid_o,
  output logic [31:0] crc_o
);
  import prim_crc32_pkg::*;

  localparam int unsigned Groups = 8;
  localparam int unsigned GroupBits = 512 / Groups;

  function automatic logic [31:0][511:0] masks();
    for (int unsigned o = 0; o < 32; o++) masks[o] = beat_mask(5'(o));
  endfunction

  localparam logic [31:0][511:0] Masks = masks();

  // Two XOR stages in front of the loop: 64 data bits to one, then 8 of those to one.
  logic [31:0][Groups-1:0] partial_q;
  logic [31:0]             data_q, state_d, state_q;
  logic [2:1]              valid_q, first_q, last_q;

  // Not bit by bit into the register it reads: Verilator 5.48 with --public-flat-rw takes such a loop for blocking.
  always_comb begin
    for (int unsigned o = 0; o < 32; o++) begin
      state_d[o] = data_q[o] ^ (!first_q[2] && ^(state_q & Masks[o][31:0]));
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[1], valid_i};
    if (valid_i) begin
      {first_q[1], last_q[1]} <= {first_i, last_i};
      for (int unsigned o = 0; o < 32; o++) begin
        for (int unsigned g = 0; g < Groups; g++) begin
          partial_q[o][g] <= ^(data_i[GroupBits*g+:GroupBits] & Masks[o][GroupBits*g+:GroupBits]);
        end
      end
    end
    if (valid_q[1]) begin
      {first_q[2], last_q[2]} <= {first_q[1], last_q[1]};
      for (int unsigned o = 0; o < 32; o++) data_q[o] <= ^partial_q[o];
    end
    if (valid_q[2]) state_q <= state_d;
    valid_o <= valid_q[2] && last_q[2];
    if (!rst_ni) begin
      valid_q <= '0;
      valid_o <= 1'b0;
    end
  end

  assign crc_o = state_q;

endmodule
