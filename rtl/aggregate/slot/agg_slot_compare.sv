// Compares the operation in stage 4 of slot state with the record that it will find in stage 5.
//
// That record is not known yet: the operation just ahead is being decided in this cycle. So there
// are three candidates: what was read for this operation, what the operation two ahead has made of
// it, and what the one just ahead makes of it, which has either the tag it had or that operation's.
// All are compared side by side and chosen from afterwards. Combinational.
module agg_slot_compare
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6
) (
  // Of records and results only some fields are looked at. Of the operations only these fields come
  // here: others would need flops for nothing.
  /* verilator lint_off UNUSEDSIGNAL */
  // The operation in stage 4, the record that was read for it, and for the operations one and two
  // ahead whether they are on the same slot.
  input logic [31:0]         msgid_i,
  input logic [7:0]          kind_i,
  input logic [13:0]         tensor_len_i,
  input logic [MaxPorts-1:0] port_ready_i,
  input slot_rec_t           rec_i,
  input logic [2:1]          forward_i,

  // In stage 5: the operation just ahead, its record, the ports of its ranks, and what it does.
  input logic [31:0]         msgid5_i,
  input logic [7:0]          kind5_i,
  input logic [13:0]         tensor_len5_i,
  input logic [MaxRanks-1:0][PortW-1:0] port5_i,
  input slot_rec_t           rec5_i,
  input slot_result_t        result5_i,

  // In stage 6: what the operation two ahead has made of its record.
  input slot_rec_t rec6_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // How the operation relates to its record; ranks whose ports have no room for a result.
  output slot_rel_t           rel_o,
  output logic [MaxRanks-1:0] blocked_o
);

  slot_rel_t           rel_rec4, rel_rec5, rel_rec6, rel_op5;
  logic [MaxRanks-1:0] blocked_rec4, blocked_rec5, blocked_rec6;
  logic [MaxRanks-1:0] blocked_op5;

  agg_slot_relate u_rel_rec4 (
    .msgid_i     (msgid_i),
    .kind_i      (kind_i),
    .tensor_len_i(tensor_len_i),
    .tag_i       (rec_i.tag),
    .rec_kind_i  (rec_i.kind),
    .rec_len_i   (rec_i.tensor_len),
    .rel_o       (rel_rec4)
  );

  agg_slot_relate u_rel_rec6 (
    .msgid_i     (msgid_i),
    .kind_i      (kind_i),
    .tensor_len_i(tensor_len_i),
    .tag_i       (rec6_i.tag),
    .rec_kind_i  (rec6_i.kind),
    .rec_len_i   (rec6_i.tensor_len),
    .rel_o       (rel_rec6)
  );

  agg_slot_relate u_rel_rec5 (
    .msgid_i     (msgid_i),
    .kind_i      (kind_i),
    .tensor_len_i(tensor_len_i),
    .tag_i       (rec5_i.tag),
    .rec_kind_i  (rec5_i.kind),
    .rec_len_i   (rec5_i.tensor_len),
    .rel_o       (rel_rec5)
  );

  agg_slot_relate u_rel_op5 (
    .msgid_i     (msgid_i),
    .kind_i      (kind_i),
    .tensor_len_i(tensor_len_i),
    .tag_i       (msgid5_i),
    .rec_kind_i  (kind5_i),
    .rec_len_i   (tensor_len5_i),
    .rel_o       (rel_op5)
  );

  always_comb begin
    if (forward_i[1]) rel_o = result5_i.set_tag ? rel_op5 : rel_rec5;
    else if (forward_i[2]) rel_o = rel_rec6;
    else rel_o = rel_rec4;
  end

  // The operation just ahead may give its rank another port.
  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_blocked_rec4 (
    .port_i      (rec_i.port),
    .port_ready_i(port_ready_i),
    .blocked_o   (blocked_rec4)
  );

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_blocked_rec6 (
    .port_i      (rec6_i.port),
    .port_ready_i(port_ready_i),
    .blocked_o   (blocked_rec6)
  );

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_blocked_rec5 (
    .port_i      (rec5_i.port),
    .port_ready_i(port_ready_i),
    .blocked_o   (blocked_rec5)
  );

  agg_slot_blocked #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_blocked_op5 (
    .port_i      (port5_i),
    .port_ready_i(port_ready_i),
    .blocked_o   (blocked_op5)
  );

  always_comb begin
    blocked_o = blocked_rec4;
    if (forward_i[1]) begin
      for (int unsigned r = 0; r < MaxRanks; r++) begin
        blocked_o[r] = result5_i.moves[r] ? blocked_op5[r] : blocked_rec5[r];
      end
    end else if (forward_i[2]) begin
      blocked_o = blocked_rec6;
    end
  end

endmodule
