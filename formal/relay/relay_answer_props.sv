// relay_answer and relay_commit: what goes to slot state in a device below a parent, and what does
// not. Both are combinational, so all that is shown is of one cycle.
module relay_answer_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned Spine = 1,
  localparam cfg_t Cfg = make_cfg(3, 3, 256, 8, 2, 16, 4, 0, Spine, 1, 2, 9728, 0),
  localparam int unsigned UpPort = Cfg.NumPorts - 1
) (
  input logic                             clk_i,
  input relay_ring_t [Cfg.NumRings-1:0]   relays_i,
  input lookup_req_t [Cfg.NumPorts-1:0]   port_i,
  input decide_req_t                      lookup_i,
  input decide_req_t                      own_i,
  input logic                             state_ready_i,
  input commit_req_t [Cfg.NumPorts-1:0]   commit_i,
  input logic        [Cfg.NumPorts-1:0]   commit_ready_i
);

  logic        lookup_ready, own_ready;
  decide_req_t state;
  relay_head_t head;
  logic        [Cfg.NumPorts-1:0] ready;
  commit_req_t [Cfg.NumPorts-1:0] commits;
  commit_req_t kept;

  relay_answer #(
    .Cfg(Cfg)
  ) u_dut (
    .relays_i,
    .port_i,
    .lookup_i,
    .lookup_ready_o(lookup_ready),
    .own_i,
    .own_ready_o   (own_ready),
    .state_o       (state),
    .state_ready_i,
    .head_o        (head)
  );

  relay_commit #(
    .Cfg(Cfg)
  ) u_commit (
    .port_i       (commit_i),
    .port_ready_o (ready),
    .state_o      (commits),
    .state_ready_i(commit_ready_i),
    .kept_o       (kept)
  );

  // ---------------------------------------------------------------------------------------------

  // The packet that look-up has answered, as its port still shows it, and what becomes of it.
  frame_desc_t desc;
  logic        bare, foreign;
  lookup_rsp_t want;
  always_comb begin
    desc    = port_i[lookup_i.packet.port[1:0]].desc;
    bare    = Spine != 0 && relays_i[lookup_i.packet.ring[0]].devices && !desc.has_ina;
    foreign = lookup_i.packet.port == PortW'(UpPort) && desc.has_ina &&
        desc.ina.kind[7:6] == NoteKind;
    want    = lookup_i.packet;
    if (lookup_i.packet.fate == FateStored) begin
      if (bare) want.fate = FateUnknownMessage;
      if (foreign) want.fate = FateBadHeader;
    end
  end

  logic by_lookup, of_note;
  assign by_lookup = state.valid && !own_i.valid;
  assign of_note   = commit_i[UpPort].commit.rank == RankW'(Cfg.NumRanks + 1);

  always_ff @(posedge clk_i) begin
    // A request names a port that there is. Dropped: its packet is nobody's.
    e_port : assume (!lookup_i.valid || 32'(lookup_i.packet.port) < Cfg.NumPorts);
    // Slot state is asked about each packet once: who is told that it was taken was the one that
    // was asked about, and relay_accept's go first.
    a_once : assert (state.valid == (own_i.valid || lookup_i.valid) &&
        own_ready == (own_i.valid && state_ready_i) &&
        lookup_ready == (!own_i.valid && state_ready_i));
    // What relay_accept has judged is decided as it stands.
    a_own : assert (!own_i.valid || state.packet == own_i.packet);
    // A packet of look-up is decided as it stands, but a device's without INA header, which has no
    // place in a message, and a notification, which is no contribution.
    a_same : assert (!by_lookup || state.packet == want)
    else $error("fate %0d, %0d wanted", state.packet.fate, want.fate);
    // A message begins with its first packet, in the cycle in which that goes to slot state, and
    // with no other: with the length that the packet has.
    a_head : assert (head.valid == (by_lookup && state_ready_i && desc.has_ina &&
        want.fate == FateStored) && (!head.valid || (head.slot == want.slot &&
        head.msgid == want.msgid && head.msglen == desc.ina.msglen)));
    // A notification's commit goes to relay_notes, and slot state does not hear of it; any other
    // goes to slot state as it is, and nowhere else.
    a_notes : assert (kept.valid == (commit_i[UpPort].valid && of_note) &&
        (!kept.valid || kept.commit == commit_i[UpPort].commit) &&
        commits[UpPort].valid == (commit_i[UpPort].valid && !of_note) &&
        commits[UpPort].commit == commit_i[UpPort].commit &&
        commits[UpPort].busy == commit_i[UpPort].busy);
    a_others : assert (commits[UpPort-1:0] == commit_i[UpPort-1:0] &&
        ready[UpPort-1:0] == commit_ready_i[UpPort-1:0]);
    // A notification's commit is taken at once; one for slot state when that takes it.
    a_taken : assert (ready[UpPort] == ((commit_i[UpPort].valid && of_note) ||
        commit_ready_i[UpPort]));
    // A message begins, and one of relay_accept's waits for nobody.
    c_head : cover (head.valid);
    c_bare : cover (by_lookup && state.packet.fate == FateUnknownMessage && bare &&
                    lookup_i.packet.fate == FateStored);
    c_note : cover (kept.valid && !commit_ready_i[UpPort]);
  end

endmodule
