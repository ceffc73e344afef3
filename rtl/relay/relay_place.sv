// Refuses a child device's packet that is not inside of its message (docs/relay.md).
//
// Such a packet has its message's INA header, and its PSN is its offset. For look-up it begins the
// message, whichever of its packets it is, so nobody counts PSNs from the first one and finds that
// it is behind the last.
// What has no INA header has no place there; relay_answer sees to it when it is known whose packet
// that is. Combinational; the frame itself is not changed.
module relay_place
  import roce_pkg::*;
(
  // The packet is of a ring whose children are devices; else nothing is changed.
  input  logic        devices_i,
  input  frame_desc_t desc_i,
  output frame_desc_t desc_o
);

  always_comb begin
    desc_o = desc_i;
    // A length of 0 makes it a bad header.
    if (desc_i.has_ina && devices_i && desc_i.psn >= 24'(desc_i.ina.msglen)) begin
      desc_o.ina.msglen = '0;
    end
  end

endmodule
