// How an operation's packet relates to one record: relate() of agg_slot_pkg in a module of its own.
//
// The slot-state loop compares with all candidates side by side and chooses afterwards. In one
// module, synthesis would take the choice in front of a single comparison, to save the others, and
// the loop would be as deep as both.
module agg_slot_relate
  import agg_slot_pkg::*;
(
  // Of the packet.
  input  logic [31:0] msgid_i,
  input  logic [7:0]  kind_i,
  input  logic [13:0] tensor_len_i,
  // Of the record; or of the operation just ahead on its slot, if that is about to write its own.
  input  logic [31:0] tag_i,
  input  logic [7:0]  rec_kind_i,
  input  logic [13:0] rec_len_i,
  output slot_rel_t   rel_o
);

  assign rel_o = relate(msgid_i, kind_i, tensor_len_i, tag_i, rec_kind_i, rec_len_i);

endmodule
