// agg_lookup_message: what is said of a packet when its answer leaves look-up is what was known of
// it when it was accepted, four cycles ago or more; it gets a slot only if that has room for it and
// holds whole elements.
//
// The history's answers are left out of the circuit and free (`cuts` of the task): a length does
// not depend on them but for the element's type.
module agg_lookup_message_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// Ports.
  parameter int unsigned NumPorts = 2,
  /// Largest tensor part of a packet, bytes.
  parameter int unsigned SlotBytes = 1024
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             accept_i,
  input lookup_known_t    known_i,
  input fate_e            fate_i,
  input logic             learn_i,
  input logic             flush_i,
  input logic [RingW-1:0] flush_ring_i,
  input logic             set_i,
  input logic [RingW-1:0] set_ring_i,
  input logic [RankW-1:0] set_rank_i,
  input logic             rsp_ready_i
);

  logic        started_q, rsp_valid, idle;
  lookup_rsp_t rsp;
  initial started_q = 1'b0;

  // One name for all, by which the task leaves the design's own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    agg_lookup_message #(
      .NumPorts (NumPorts),
      .NumRanks (2),
      .NumRings (2),
      .MaxWindow(1),
      .SlotBytes(SlotBytes)
    ) u_message (
      .clk_i,
      .rst_ni,
      .accept_i,
      .known_i,
      .fate_i,
      .learn_i,
      .flush_i,
      .flush_ring_i,
      .set_i,
      .set_ring_i,
      .set_rank_i,
      .front_valid_o(),
      .front_conn_o (),
      .rsp_valid_o  (rsp_valid),
      .rsp_ready_i,
      .rsp_o        (rsp),
      .idle_o       (idle),
      .seen_o       (),
      .event_o      ()
    );
  end

  // ---------------------------------------------------------------------------------------------
  // Of each port: its request was accepted and is not answered; what was known of it; cycles since
  // then, at most 4.

  typedef struct packed {
    logic        stored;   // look-up had no other fate for it
    logic [13:0] len;
    logic        bad;
  } asked_t;

  logic   [NumPorts-1:0]      out_q;
  asked_t [NumPorts-1:0]      asked_q;
  logic   [NumPorts-1:0][2:0] since_q;
  logic   [PortW-1:0]         port;
  assign port = known_i.req.port;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      since_q[p] <= (since_q[p] == 3'd4) ? since_q[p] : since_q[p] + 3'd1;
      if (rsp_valid && rsp_ready_i && rsp.port == PortW'(p)) out_q[p] <= 1'b0;
      if (accept_i && port == PortW'(p)) begin
        out_q[p]   <= 1'b1;
        since_q[p] <= 3'd1;
        asked_q[p] <= '{stored: fate_i == FateStored, len: known_i.req.tensor_len,
                        bad: known_i.req.len_bad};
      end
    end
    if (!rst_ni) out_q <= '0;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A port has one request inside.
      e_port : assume (!accept_i || (32'(port) < NumPorts && !out_q[port[0]]));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Where each request is (helps the proof): in one of three stages, or in the queue of answers.

  lookup_part_t [7:5]  part;
  lookup_rsp_t  [1:0]  queued;
  logic         [1:0]  waits, queue_right;
  logic         [7:5]  right;
  logic         [NumPorts-1:0] apart;
  assign part = {u_dut.u_message.s7_q, u_dut.u_message.s6_q, u_dut.u_message.s5_q.part};

  function automatic logic good(asked_t of, lookup_rsp_t one);
    good = one.tensor_len == of.len && (one.fate != FateStored || (of.stored && !of.bad &&
        32'(of.len) <= SlotBytes && !of.len[0]));
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      queued[i] = u_dut.u_message.u_answers.mem_q[u_dut.u_message.u_answers.read_q ^ 1'(i)];
      waits[i]  = u_dut.u_message.u_answers.count_q > 2'(i);
      queue_right[i] = !waits[i] || (32'(queued[i].port) < NumPorts && out_q[queued[i].port[0]] &&
          since_q[queued[i].port[0]] == 3'd4 && good(asked_q[queued[i].port[0]], queued[i]));
    end
    for (int unsigned s = 5; s <= 7; s++) begin
      right[s] = !u_dut.u_message.valid_q[s] || (32'(part[s].rsp.port) < NumPorts &&
          out_q[part[s].rsp.port[0]] && since_q[part[s].rsp.port[0]] == 3'(s - 4) &&
          part[s].rsp.tensor_len == asked_q[part[s].rsp.port[0]].len &&
          part[s].len_bad == asked_q[part[s].rsp.port[0]].bad &&
          (part[s].rsp.fate == FateStored) == asked_q[part[s].rsp.port[0]].stored);
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      logic [4:0] here;
      for (int unsigned s = 5; s <= 7; s++) begin
        here[s-3] = u_dut.u_message.valid_q[s] && part[s].rsp.port == PortW'(p);
      end
      for (int unsigned i = 0; i < 2; i++) here[i] = waits[i] && queued[i].port == PortW'(p);
      apart[p] = $onehot0(here) && out_q[p] == (here != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet gets a slot only if nothing was wrong with it, its tensor is no longer than the
      // slot and no element of two bytes or more is cut: whatever is written for it, its rows lie
      // in the slot.
      a_length : assert (!rsp_valid || (32'(rsp.port) < NumPorts &&
                                        good(asked_q[rsp.port[0]], rsp)))
      else $error("%0d bytes", rsp.tensor_len);
      // Its answer leaves four cycles behind its acceptance, or later.
      a_time : assert (!rsp_valid || (out_q[rsp.port[0]] && since_q[rsp.port[0]] == 3'd4))
      else $error("early");
      // Nothing is inside when it says so.
      a_idle : assert (!idle || out_q == '0)
      else $error("idle with %b", out_q);
      // Requests are where they should be (helps the proof).
      a_right : assert (right == '1 && queue_right == '1 && apart == '1)
      else $error("stages %b, queue %b", right, queue_right);
      a_queue : assert (u_dut.u_message.u_answers.write_q ==
          (u_dut.u_message.u_answers.read_q ^ u_dut.u_message.u_answers.count_q[0]) &&
          u_dut.u_message.u_answers.count_q <= 2'd2)
      else $error("queue");
      // The longest tensor gets its slot.
      c_longest : cover (rsp_valid && rsp.fate == FateStored && 32'(rsp.tensor_len) == SlotBytes);
      // Two answers wait.
      c_wait : cover (waits == '1);
    end
  end

endmodule
