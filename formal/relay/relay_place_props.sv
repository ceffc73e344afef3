// A packet of a child has a column among those of its message, or a bad header.
module relay_place_props
  import roce_pkg::*;
(
  input logic        clk_i,
  input logic        devices_i,
  input frame_desc_t one_i
);

  frame_desc_t one, rest;

  relay_place u_dut (
    .devices_i,
    .desc_i   (one_i),
    .desc_o   (one)
  );

  always_comb begin
    rest            = one;
    rest.ina.msglen = one_i.ina.msglen;
  end

  always_ff @(posedge clk_i) begin
    // A packet without INA header, and one of workers, is not changed.
    a_workers : assert ((devices_i && one_i.has_ina) || one == one_i);
    // A packet outside its message has a bad header, and none inside of it.
    a_outside : assert (!devices_i || !one_i.has_ina || one.ina.msglen == (
        (one_i.psn < 24'(one_i.ina.msglen)) ? one_i.ina.msglen : 16'd0));
    // Nothing else of the packet changes.
    a_rest : assert (rest == one_i);
    // The last packet of the longest message is inside of it.
    c_last : cover (devices_i && one_i.has_ina && one_i.psn == 24'hFFFE && one.ina.msglen != '0);
  end

endmodule
