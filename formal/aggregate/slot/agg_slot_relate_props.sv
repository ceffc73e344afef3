// agg_slot_relate: what a packet and a record have in common, as docs/protocol.md says it.
module agg_slot_relate_props
  import agg_slot_pkg::*;
(
  input logic        clk_i,
  input logic [31:0] msgid_i,
  input logic [7:0]  kind_i,
  input logic [13:0] tensor_len_i,
  input logic [31:0] tag_i,
  input logic [7:0]  rec_kind_i,
  input logic [13:0] rec_len_i
);

  slot_rel_t   rel;
  logic [31:0] ahead;   // how far the packet's message is in front, round 2^32

  agg_slot_relate u_dut (
    .msgid_i,
    .kind_i,
    .tensor_len_i,
    .tag_i,
    .rec_kind_i,
    .rec_len_i,
    .rel_o(rel)
  );

  assign ahead = msgid_i - tag_i;

  always_ff @(posedge clk_i) begin
    // The same message is the one of the same number.
    a_tag : assert (rel.same_tag == ((msgid_i ^ tag_i) == '0))
    else $error("message %0d of %0d", msgid_i, tag_i);
    // A message is older if it is less far in front than behind, round 2^32.
    a_older : assert (rel.older == (ahead > 32'h7FFF_FFFF))
    else $error("message %0d of %0d is older: %b", msgid_i, tag_i, rel.older);
    // Kinds and lengths are compared in all of their bits.
    a_same : assert (rel.same_kind == ((kind_i ^ rec_kind_i) == '0) &&
                     rel.same_len == ((tensor_len_i ^ rec_len_i) == '0))
    else $error("kinds %0d, %0d", kind_i, rec_kind_i);

    // Older, behind the end of the numbers.
    c_wraps : cover (rel.older && msgid_i > tag_i);
  end

endmodule
