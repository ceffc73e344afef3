// The device: every frame that comes in at a port meets one fate, and one only, whatever the other
// ports do.
//
// A frame without a fate is at one place of its port: in the delay line of the ingress, dropped
// there, in the queue of descriptors, fetched by the port, or settled a cycle ago and not counted
// yet. A candidate that is fetched waits for its verdict, which is at one place on its way through
// look-up and slot state, or for its turn. These places are counted here.
//
// What a frame holds, what the parser and the ICRC say of it, registers, commits and emission are
// left out of the circuit and free (`cuts` of the task): nothing here depends on them.
module weir_accounts_props #(
  localparam int unsigned NumPorts = 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic [NumPorts-1:0]        s_axis_tvalid,
  input logic [NumPorts-1:0][63:0]  s_axis_tkeep,
  input logic [NumPorts-1:0]        s_axis_tlast,
  input logic [NumPorts-1:0]        s_axis_tuser
);
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
  import agg_slot_pkg::*;

  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset. Dropped: a port has frames in hand that nobody sent.
    e_reset : assume (started_q || !rst_ni);
  end

  logic [NumPorts-1:0] tready;

  weir_aggregator #(
    .NumPorts     (NumPorts),
    .NumRanks     (2),
    .SlotBytes    (64),
    .NumSlots     (2),
    .NumRings     (1),
    .NumConns     (2),
    .MaxWindow    (1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready (tready),
    .s_axis_tdata  ('0),
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid (),
    .m_axis_tready ('1),
    .m_axis_tdata  (),
    .m_axis_tkeep  (),
    .m_axis_tlast  (),
    .m_axis_tuser  (),
    .s_axil_awvalid(1'b0),
    .s_axil_awready(),
    .s_axil_awaddr ('0),
    .s_axil_awprot ('0),
    .s_axil_wvalid (1'b0),
    .s_axil_wready (),
    .s_axil_wdata  ('0),
    .s_axil_wstrb  ('0),
    .s_axil_bvalid (),
    .s_axil_bready (1'b0),
    .s_axil_bresp  (),
    .s_axil_arvalid(1'b0),
    .s_axil_arready(),
    .s_axil_araddr ('0),
    .s_axil_arprot ('0),
    .s_axil_rvalid (),
    .s_axil_rready (1'b0),
    .s_axil_rdata  (),
    .s_axil_rresp  (),
    .pause_storm_i ('0),
    .irq_o         (),
    .obs_state_o   (),
    .obs_result_o  ()
  );

  // ---------------------------------------------------------------------------------------------
  // Verdicts on their way, the oldest first: slot state, two places of the FIFO of answers,
  // look-up.

  localparam int unsigned Places = 10;

  logic [Places-1:0]            on_way, fate_known, port_known;
  logic [Places-1:0][PortW-1:0] on_way_port;
  lookup_query_t          [4:1] front;   // what the stages of look-up hold
  lookup_part_t           [7:5] back;
  lookup_rsp_t            [1:0] waiting; // and its FIFO of answers
  logic                         oldest;
  fate_e [Places-1:0]           on_way_fate;

  assign front = {u_dut.u_core.u_classify.u_lookup.s4_q.req, u_dut.u_core.u_classify.u_lookup.s3_q,
                  u_dut.u_core.u_classify.u_lookup.s2_q, u_dut.u_core.u_classify.u_lookup.s1_q};
  assign back  = {u_dut.u_core.u_classify.u_lookup.u_message.s7_q,
                  u_dut.u_core.u_classify.u_lookup.u_message.s6_q,
                  u_dut.u_core.u_classify.u_lookup.u_message.s5_q.part};

  assign oldest  = u_dut.u_core.u_classify.u_lookup.u_message.u_answers.read_q;
  assign waiting = {u_dut.u_core.u_classify.u_lookup.u_message.u_answers.mem_q[!oldest],
                    u_dut.u_core.u_classify.u_lookup.u_message.u_answers.mem_q[oldest]};

  always_comb begin
    for (int unsigned s = 2; s <= 6; s++) begin
      on_way[6-s]      = u_dut.u_core.u_slot_state.valid_q[s] &&
          (u_dut.u_core.u_slot_state.op_q[s].op & SlotDecide) != '0;
      on_way_port[6-s] = u_dut.u_core.u_slot_state.op_q[s].port;
      on_way_fate[6-s] = (s == 6) ? u_dut.u_core.u_slot_state.result6_q.fate :
          u_dut.u_core.u_slot_state.op_q[s].fate;
    end
    on_way[5]      = u_dut.u_core.u_classify.u_lookup.u_message.u_answers.count_q != '0;
    on_way[6]      = u_dut.u_core.u_classify.u_lookup.u_message.u_answers.count_q == 2'd2;
    on_way_port[5] = waiting[0].port;
    on_way_port[6] = waiting[1].port;
    on_way_fate[5] = waiting[0].fate;
    on_way_fate[6] = waiting[1].fate;
    for (int unsigned s = 5; s <= 7; s++) begin
      on_way[14-s]      = u_dut.u_core.u_classify.u_lookup.u_message.valid_q[s];
      on_way_port[14-s] = back[s].rsp.port;
      on_way_fate[14-s] = back[s].rsp.fate;
    end
    for (int unsigned i = 0; i < Places; i++) begin
      fate_known[i] = !on_way[i] || 32'(on_way_fate[i]) < NumFates;
      port_known[i] = !on_way[i] || 32'(on_way_port[i]) < NumPorts;
    end
  end

  // Requests in the front of look-up are still shown at their port, each port once.
  logic [3:0]          fronts;
  logic [NumPorts-1:0] flies, asks;
  logic [4:1]          right;
  assign asks = u_dut.u_core.u_classify.lookup_valid;

  always_comb begin
    fronts = '0;
    flies  = '0;
    for (int unsigned s = 1; s <= 4; s++) begin
      right[s] = !u_dut.u_core.u_classify.u_lookup.valid_q[s] ||
          (32'(front[s].port) < NumPorts &&
           asks[front[s].port[0]]);
      if (u_dut.u_core.u_classify.u_lookup.valid_q[s]) begin
        fronts = fronts + 4'd1;
        flies[front[s].port[0]] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Every fate is one of the 17 that have a counter.
      a_known : assert (fate_known == '1 && port_known == '1)
      else $error("fate without a counter");
      // A request on its way through look-up is still shown at its port, each port once (helps the
      // proof).
      a_front : assert (right == '1 && 32'(fronts) == $countones(flies) &&
          (u_dut.u_core.u_classify.u_lookup.u_arbiter.inside_q &
           ~u_dut.u_core.u_classify.u_lookup.u_arbiter.waits_q) == flies &&
          (u_dut.u_core.u_classify.u_lookup.u_arbiter.again_q & ~(asks & ~flies)) == '0)
      else $error("front %b", right);
      // Whose turn it is in look-up is the order of a ring (helps the proof).
      a_turns : assert (u_dut.u_core.u_classify.u_lookup.u_arbiter.u_turn.last != '0)
      else $error("no order");
      // The FIFO of answers (helps the proof).
      a_answers : assert (u_dut.u_core.u_classify.u_lookup.u_message.u_answers.write_q ==
          (oldest ^ u_dut.u_core.u_classify.u_lookup.u_message.u_answers.count_q[0]) &&
          u_dut.u_core.u_classify.u_lookup.u_message.u_answers.count_q <= 2'd2)
      else $error("pointers");
      // Two ports' candidates wait for their verdicts at a time.
      c_both : cover (u_dut.gen_port[0].u_path.u_port.u_fetch.waits_q != '0 &&
          u_dut.gen_port[1].u_path.u_port.u_fetch.waits_q != '0 && on_way[6]);
      // A port asks about a frame while it waits for the verdict of the one in front.
      c_ahead : cover (u_dut.gen_port[0].u_path.u_port.u_fetch.waits_q != '0 && asks[0]);
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    // -------------------------------------------------------------------------------------------
    // Frames of the port without a fate, and where they are.

    logic [15:0] held;       // as the counters' assertions count
    logic [7:0]  line, queued, held_now;
    logic [1:0]  fetched, kept, waits, candidates;
    logic        fates;      // of verdicts that wait for their frames' turn
    logic        shown_q, candidate_q, candidate;
    logic [3:0]  verdicts, answers;
    logic [6:1]  ends;       // last beats in the delay line
    logic [6:1]  recent;
    logic [5:0]  quiet;
    logic        room_q;

    assign held    = u_dut.u_counters.inside_q[p];
    assign ends    = {u_dut.gen_port[p].u_path.u_ingress.valid_q &
                          u_dut.gen_port[p].u_path.u_ingress.last_q,
                      u_dut.rx[p]};
    assign queued  = 8'(u_dut.gen_port[p].u_path.u_ingress.desc_count);
    assign fetched = u_dut.gen_port[p].u_path.u_port.u_fetch.u_fetched.count_q;
    assign kept    = u_dut.gen_port[p].u_path.u_port.u_fetch.u_verdicts.count_q;
    assign waits   = u_dut.gen_port[p].u_path.u_port.u_fetch.waits_q;
    assign candidate = u_dut.gen_port[p].u_path.desc.candidate;
    assign quiet   = u_dut.gen_port[p].u_path.quiet_q;

    always_comb begin
      line   = '0;
      recent = '1;
      for (int unsigned s = 2; s <= 6; s++) begin
        line = line + 8'(ends[s]);
        if (ends[s] && 32'(quiet) > s - 2) recent[s] = 1'b0;
      end
      verdicts = '0;
      answers  = '0;
      for (int unsigned i = 0; i < Places; i++) begin
        if (on_way[i] && on_way_port[i] == PortW'(p)) begin
          verdicts = verdicts + 4'd1;
          if (i >= 5) answers = answers + 4'd1;
        end
      end
      candidates = '0;
      fates      = 1'b1;
      for (int unsigned i = 0; i < 2; i++) begin
        if (32'(fetched) > i && u_dut.gen_port[p].u_path.u_port.u_fetch.u_fetched.mem_q[
            u_dut.gen_port[p].u_path.u_port.u_fetch.u_fetched.read_q ^ 1'(i)].candidate) begin
          candidates = candidates + 2'd1;
        end
        if (32'(kept) > i && 32'(u_dut.gen_port[p].u_path.u_port.u_fetch.u_verdicts.mem_q[
            u_dut.gen_port[p].u_path.u_port.u_fetch.u_verdicts.read_q ^ 1'(i)].fate) >= NumFates)
          fates = 1'b0;
      end
    end
    assign held_now = line + 8'(u_dut.drop_valid[p]) + queued + 8'(fetched) +
        8'(u_dut.fate_valid[p]);

    always_ff @(posedge clk_i) begin
      shown_q     <= rst_ni && u_dut.gen_port[p].u_path.desc_valid &&
          !u_dut.gen_port[p].u_path.desc_ready;
      candidate_q <= candidate;
      // A descriptor that is shown stays as it is. Dropped: look-up answers about another frame.
      e_shown : assume (!rst_ni || !shown_q || candidate == candidate_q);
    end

    // `tready` a cycle ago, when there was room.
    always_ff @(posedge clk_i) room_q <= rst_ni && queued + 8'd8 <= 8'd32;

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Frames without a fate are those in the delay line, just dropped, queued, or in hand: none
        // is anywhere else, none is at two places.
        a_places : assert (held == 16'(held_now))
        else $error("%0d inside, %0d found", held, held_now);
        // A port that waits for a verdict has one on its way, another port none.
        a_verdict_comes : assert (verdicts == 4'(waits) && 4'(answers) ==
            4'(u_dut.u_core.u_classify.u_lookup.u_arbiter.waits_q[p]) &&
            (u_dut.u_core.u_classify.u_lookup.u_arbiter.inside_q[p] ||
             !u_dut.u_core.u_classify.u_lookup.u_arbiter.waits_q[p]))
        else $error("%0d verdicts on their way", verdicts);
        // A fate that the port gives is one that has a counter.
        a_fate : assert (fates)
        else $error("no such fate");
        // A fetched candidate waits for its verdict, or its verdict for its turn.
        a_fetched : assert (3'(candidates) == 3'(waits) + 3'(kept) && kept <= 2'd2 &&
            fetched <= 2'd2 &&
            u_dut.gen_port[p].u_path.u_port.u_fetch.u_fetched.write_q ==
                (u_dut.gen_port[p].u_path.u_port.u_fetch.u_fetched.read_q ^ fetched[0]) &&
            u_dut.gen_port[p].u_path.u_port.u_fetch.u_verdicts.write_q ==
                (u_dut.gen_port[p].u_path.u_port.u_fetch.u_verdicts.read_q ^ kept[0]))
        else $error("%0d candidates, %0d wait, %0d decided", candidates, waits, kept);
        // No frame came as long as the port has been quiet (helps the proof).
        a_quiet : assert (recent == '1 && (!u_dut.drop_valid[p] || quiet <= 6'd5) &&
            (queued == '0 || quiet <= 6'd5) && (fetched == '0 || quiet == '0) &&
            (!u_dut.fate_valid[p] || quiet <= 6'd1))
        else $error("quiet for %0d cycles", quiet);
        // There is room for all descriptors that are on their way (helps the proof).
        a_room : assert (!u_dut.gen_port[p].u_path.u_ingress.ready_q || room_q)
        else $error("ready without room");
        a_room_kept : assert (queued + line + 8'(ends[1]) + 8'(room_q) <= 8'd32 &&
            (!room_q || queued + line + 8'(ends[1]) <= 8'd31))
        else $error("no room");
        // A frame is dropped by the ingress as another one meets its fate at the port.
        c_two : cover (u_dut.drop_valid[p] && u_dut.fate_valid[p]);
        // The port is empty after two frames.
        c_empty : cover (u_dut.quiet[p] && u_dut.u_counters.count_q[p][NumFates] == 48'd2);
        // A candidate's verdict is what settles it.
        c_verdict : cover (u_dut.gen_port[p].u_path.fate_valid && candidates == 2'd1 &&
            fetched == 2'd1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A verdict is given exactly when a decision is in its last stage (helps the proof).
      a_decides : assert (u_dut.u_core.u_slot_state.decide6_q == on_way[0])
      else $error("verdict without a decision, or none");
    end
  end

endmodule
