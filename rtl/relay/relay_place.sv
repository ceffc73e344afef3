// Lets a device above others (docs/relay.md) take each packet of a virtual connection for a message
// of its own.
//
// Such a packet has an INA header, and its PSN is its offset in the message. With messages of up to
// 2**Shift packets, MsgID * 2**Shift + offset numbers all packets of a ring in their order, so
// look-up and slots need no rules but those they have: a ring of messages of one packet with a
// window 2**Shift times as large. What has no INA header has no place there; relay sees to it when
// it is known whose packet that is. Combinational; the frame itself is not changed.
module relay_place
  import roce_pkg::*;
#(
  /// Binary logarithm of the packets that a message may have, 1 to 15.
  parameter int unsigned Shift = 2
) (
  // The packet is of a ring whose children are devices; else nothing is changed.
  input  logic        devices_i,
  input  frame_desc_t desc_i,
  output frame_desc_t desc_o
);

  if (Shift < 1 || Shift > 15) begin : gen_check_shift
    $fatal(1, "%m: Shift must be 1 to 15, is %0d", Shift);
  end

  logic inside_message;
  assign inside_message = desc_i.psn < 24'(desc_i.ina.msglen) &&
      desc_i.ina.msglen <= 16'(32'd1 << Shift);

  always_comb begin
    desc_o = desc_i;
    if (desc_i.has_ina && devices_i) begin
      desc_o.ina.msgid = {desc_i.ina.msgid[31-Shift:0], desc_i.psn[Shift-1:0]};
      // A length of 0 makes it a bad header.
      desc_o.ina.msglen = inside_message ? 16'd1 : '0;
    end
  end

endmodule
