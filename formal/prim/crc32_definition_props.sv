// What follows from the definition of CRC-32 for a message that ends with its own CRC, as RoCEv2
// packets end with the ICRC: which register it leaves behind, that no other message leaves it, and
// that zeros behind it change nothing about that.
module crc32_definition_props (
  input logic            clk_i,
  // Any register, any other, any four bytes.
  input logic [31:0]     register_i,
  input logic [31:0]     other_i,
  input logic [3:0][7:0] four_i
);
  import crc32_definition_pkg::*;

  function automatic logic [31:0] four_more(logic [31:0] crc, logic [3:0][7:0] data);
    four_more = crc;
    for (int unsigned i = 0; i < 4; i++) four_more = byte_more(four_more, data[i]);
  endfunction

  always_ff @(posedge clk_i) begin : check
    // Four bytes lead from any register to 0xDEBB20E3 exactly if they are its complement, first
    // byte lowest, as the ICRC is sent: a packet leaves that register behind if its ICRC is right,
    // and no other packet does.
    a_own : assert ((four_more(register_i, four_i) == 32'hDEBB_20E3) == (four_i == ~register_i))
    else $error("another register is good");
    // No two registers lead to the same one by a bit of zero: zeros behind a packet neither hide
    // nor make an error.
    a_zeros : assert ((bit_more(register_i) == bit_more(other_i)) == (register_i == other_i))
    else $error("two registers become one");
    // A register in front of four bytes counts as if it had been added to them, as the start value
    // of the ICRC is.
    a_added : assert (four_more(register_i, four_i) == four_more('0, four_i ^ register_i))
    else $error("it is not the sum that counts");
    // A right ICRC.
    c_right : cover (register_i == 32'h1234_5678 &&
                     four_more(register_i, four_i) == 32'hDEBB_20E3);
  end

endmodule
