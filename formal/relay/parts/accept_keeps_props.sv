// relay_accept: what it notes of a request as that comes, and that it stays so while the request is
// in hand, whatever the port shows and the registers say by then; whatever state it is in.
//
// Followed is one ring, which is free. (What is made of that: accept_steps_props.)
module accept_keeps_props
  import roce_pkg::*;
  import agg_pkg::*;
  import relay_pkg::*;
#(
  parameter int unsigned Spine = 1,
  parameter int unsigned NumRings = 3
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input lookup_req_t                req_i,
  input logic                       other_ready_i,
  input ring_t       [NumRings-1:0] rings_i,
  input relay_ring_t [NumRings-1:0] relays_i,
  input logic        [31:0]         self_ip_i,
  input logic                       own_ready_i,
  input flush_conns_t               flush_i,
  input relay_set_req_t             row_set_i,
  input commit_req_t                kept_i,
  input relay_look_t                look_i,
  input logic        [1:0]          ring_i   // any
);

  logic              req_ready, other_valid, idle;
  decide_req_t       own;
  relay_set_rsp_t    row_set;
  relay_note_t       look;
  relay_ask_events_t events;

  relay_accept #(
    .NumPorts (3),
    .NumRanks (3),
    .NumRings (NumRings),
    .MaxWindow(2),
    .SlotBytes(256),
    .Spine    (Spine),
    .NumRows  (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .req_ready_o  (req_ready),
    .other_valid_o(other_valid),
    .other_ready_i,
    .rings_i,
    .relays_i,
    .self_ip_i,
    .own_o        (own),
    .own_ready_i,
    .flush_i,
    .idle_o       (idle),
    .row_set_i,
    .row_set_o    (row_set),
    .kept_i,
    .look_i,
    .look_o       (look),
    .events_o     (events)
  );

  // What is noted of a request: the ring has its RingID; it comes on the connection from that
  // ring's parent; it is like a notification, like a result, and to this device.
  typedef struct packed {
    logic ring, parents, note, result, own;
  } seen_t;

  seen_t        is, was_q, comes, came_q;
  logic         idle_q, past_q, begun_q;
  logic [1:0]   ring_q, g;
  frame_desc_t  d;
  logic [31:0]  from, to;
  initial {past_q, begun_q} = '0;
  assign g    = (32'(ring_q) < NumRings) ? ring_q : 2'd0;
  assign d    = req_i.desc;
  assign from = d.key.src[31:0];
  assign to   = d.key.dst[31:0];
  always_comb begin
    is = '{u_dut.match_q[g], u_dut.parent_match_q[g], u_dut.note_like_q, u_dut.result_like_q,
           u_dut.to_self_q};
    // Addresses of IPv4 have nothing above their 32 bits. A result is in IPv4, without a tag, and
    // begins a message; a notification is known by its kind.
    comes.ring    = rings_i[g].enable && d.ina.ring == rings_i[g].id;
    comes.parents = relays_i[g].parent && d.key.src[127:32] == '0 &&
        from == relays_i[g].parent_ip && d.key.qpn[23:16] == VirtualQpn &&
        d.key.qpn[15:0] == rings_i[g].id;
    comes.note    = d.has_ina && d.ina.kind[7:6] == NoteKind;
    comes.result  = d.has_ina && d.starts && d.ina.kind < 8'd64 && !d.key.v6 && d.key.vlan == '0;
    comes.own     = d.key.dst[127:32] == '0 && to == self_ip_i;
  end

  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    past_q  <= begun_q;
    was_q   <= is;
    came_q  <= comes;
    idle_q  <= u_dut.state_q == 4'd0;
    if (!begun_q) ring_q <= ring_i;
  end

  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // A request is looked at until it is taken up; from then on what was seen of it stays,
      // whether or not the port or the registers change.
      a_ring : assert ({is.ring, is.parents} == (idle_q ? {came_q.ring, came_q.parents} :
                                                 {was_q.ring, was_q.parents}))
      else $error("ring %0d: %b", g, is);
      // Whose it may be does, too.
      a_like : assert ({is.note, is.result, is.own} == (idle_q ?
          {came_q.note, came_q.result, came_q.own} : {was_q.note, was_q.result, was_q.own}))
      else $error("like %b", is);

      // A result of a ring is in hand while the port shows something else.
      c_stays : cover (!idle_q && is.ring && is.parents && is.result && is.own && !comes.ring);
    end
  end

endmodule
