// Filter between look-up and slot state in a device of a tree (docs/relay.md): relay_accept's own
// answers go in front of look-up's, and what belongs to no message is refused.
//
// A device has an INA header in each packet; what has none belongs to no message. A notification is
// no part of one either, also on a connection that is known here. Combinational; look-up's answer
// waits for relay_accept's, and both for slot state.
module relay_answer
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  /* verilator lint_off UNUSEDSIGNAL */
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  // Requests of the ports, which stand until they are accepted; descriptors until the verdict.
  input lookup_req_t [Cfg.NumPorts-1:0] port_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Answers of look-up, and of relay_accept, which go first.
  input  decide_req_t lookup_i,
  output logic        lookup_ready_o,
  input  decide_req_t own_i,
  output logic        own_ready_o,

  // To slot state.
  output decide_req_t state_o,
  input  logic        state_ready_i,

  // Pulse: a message's first packet goes to slot state in this cycle; its slot, MsgID and MsgLen.
  output relay_head_t head_o
);

  localparam int unsigned RingIdxW = (Cfg.NumRings > 1) ? $clog2(Cfg.NumRings) : 1;
  localparam int unsigned UpPort = Cfg.NumPorts - 1;

  lookup_rsp_t answer;
  logic        foreign;    // a notification that is not for this device
  logic        has_ina;

  always_comb begin
    has_ina       = 1'b0;
    head_o.msglen = '0;
    for (int unsigned p = 0; p < Cfg.NumPorts; p++) begin
      if (lookup_i.packet.port == PortW'(p)) begin
        has_ina       = port_i[p].desc.has_ina;
        head_o.msglen = port_i[p].desc.ina.msglen;
      end
    end
    foreign = Cfg.Uplink != 0 && lookup_i.packet.port == PortW'(UpPort) &&
        port_i[UpPort].desc.has_ina && port_i[UpPort].desc.ina.kind[7:6] == NoteKind;
    answer  = lookup_i.packet;
    if (Cfg.Spine != 0 && !has_ina && lookup_i.packet.fate == FateStored &&
        relays_i[lookup_i.packet.ring[RingIdxW-1:0]].devices) answer.fate = FateUnknownMessage;
    if (foreign && lookup_i.packet.fate == FateStored) answer.fate = FateBadHeader;
  end

  assign state_o.valid  = own_i.valid || lookup_i.valid;
  assign state_o.packet = own_i.valid ? own_i.packet : answer;
  assign own_ready_o    = own_i.valid && state_ready_i;
  assign lookup_ready_o = !own_i.valid && state_ready_i;

  assign head_o.valid   = has_ina && lookup_i.valid && lookup_ready_o &&
      answer.fate == FateStored;
  assign head_o.slot    = lookup_i.packet.slot;
  assign head_o.msgid   = lookup_i.packet.msgid;

endmodule
