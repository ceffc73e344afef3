// A packet of a child takes one place among those of its ring, and no other packet takes the same.
// Two packets of the ring are compared, both free.
module relay_place_props
  import roce_pkg::*;
#(
  parameter int unsigned Shift = 3
) (
  input logic        clk_i,
  input logic        devices_i,
  input frame_desc_t one_i,
  input frame_desc_t other_i
);

  frame_desc_t one, other;

  relay_place #(
    .Shift(Shift)
  ) u_dut (
    .devices_i,
    .desc_i   (one_i),
    .desc_o   (one)
  );
  relay_place #(
    .Shift(Shift)
  ) u_other (
    .devices_i,
    .desc_i   (other_i),
    .desc_o   (other)
  );

  // Messages that can be told apart: the upper Shift bits of a MsgID have no place.
  logic near, good;
  assign near = one_i.ina.msgid[31:32-Shift] == other_i.ina.msgid[31:32-Shift];
  assign good = devices_i && one_i.has_ina && other_i.has_ina && one.ina.msglen == 16'd1 &&
      other.ina.msglen == 16'd1;

  always_ff @(posedge clk_i) begin
    // Packets share a place only if they are the same packet of the same message: so a column has
    // one contribution of each child.
    a_unshared : assert (!good || !near || one.ina.msgid != other.ina.msgid ||
        (one_i.ina.msgid == other_i.ina.msgid && one_i.psn == other_i.psn));
    // The same packet has the same place, whoever sends it.
    a_same : assert (!good || one_i.ina.msgid != other_i.ina.msgid || one_i.psn != other_i.psn ||
        one.ina.msgid == other.ina.msgid);
    // A packet without INA header, and one of workers, is not changed.
    a_workers : assert ((devices_i && one_i.has_ina) || one == one_i);
    // A packet outside its message, or of a message that is too long, has a bad header.
    a_outside : assert (!devices_i || !one_i.has_ina || one.ina.msglen == (
        (one_i.psn < 24'(one_i.ina.msglen) && 32'(one_i.ina.msglen) <= 2 ** Shift) ?
        16'd1 : 16'd0));
    // Nothing else of the packet changes.
    a_rest : assert (!one_i.has_ina || (one.key == one_i.key && one.psn == one_i.psn &&
        one.ina.ring == one_i.ina.ring && one.ina.rank == one_i.ina.rank &&
        one.ina.kind == one_i.ina.kind && one.ina.workers == one_i.ina.workers &&
        one.tensor_len == one_i.tensor_len && one.has_ina));
    // Two packets of one message have places of their own.
    c_two : cover (good && one_i.ina.msgid == other_i.ina.msgid && one_i.psn != other_i.psn);
  end

endmodule
