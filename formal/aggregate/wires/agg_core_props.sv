// agg_core: which wire goes where between look-up, slot state, banks, emission and sums, and in a
// tree through the filters between them.
//
// What these make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: agg_classify, agg_slot_state, agg_banks,
// agg_emit's parts, agg_sum, roce_icrc_rows, and those of formal/relay.
module agg_core_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_obs_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is above others.
  parameter int unsigned Spine = 1,
  /// 1: it is below one.
  parameter int unsigned Uplink = 1,
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, Spine, Uplink, 2, 9216, Ecc)
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input ring_t       [Cfg.NumRings-1:0]  rings_i,
  input relay_ring_t [Cfg.NumRings-1:0]  relays_i,
  input core_setup_t                     setup_i,
  input command_req_t                    command_i,
  input lookup_req_t [Cfg.NumPorts-1:0]  lookup_i,
  input bank_req_t   [Cfg.NumPorts-1:0]  bank_i,
  input commit_req_t [Cfg.NumPorts-1:0]  commit_i,
  input credit_t     [Cfg.NumPorts-1:0]  credit_i
);

  command_rsp_t                   command;
  logic        [Cfg.NumPorts-1:0] lookup_ready, grant, commit_ready;
  decide_rsp_t                    verdict;
  lock_t                          locks;
  result_t     [Cfg.NumPorts-1:0] result;
  core_events_t                   events;
  relay_status_t                  relay;
  obs_core_t                      obs;

  agg_core #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .setup_i,
    .command_i,
    .command_o     (command),
    .lookup_i,
    .lookup_ready_o(lookup_ready),
    .verdict_o     (verdict),
    .bank_i,
    .grant_o       (grant),
    .commit_i,
    .commit_ready_o(commit_ready),
    .lock_o        (locks),
    .result_o      (result),
    .credit_i,
    .events_o      (events),
    .relay_o       (relay),
    .obs_o         (obs)
  );

  // A row of a sum, for one port; its headers are beside it.
  result_t [Cfg.NumPorts-1:0] summed;
  header_t [Cfg.NumPorts-1:0] header;

  always_ff @(posedge clk_i) begin
    // All parts are reset.
    a_reset : assert (u_dut.u_classify.rst_ni == rst_ni && u_dut.u_slot_state.rst_ni == rst_ni &&
                      u_dut.u_banks.rst_ni == rst_ni && u_dut.u_emit.rst_ni == rst_ni &&
                      u_dut.u_sum.rst_ni == rst_ni && u_dut.u_icrc_rows.rst_ni == rst_ni)
    else $error("reset");
    // Registers reach look-up.
    a_setup : assert (u_dut.u_classify.rings_i == rings_i && u_dut.u_classify.setup_i == setup_i)
    else $error("other registers");
    // Verdicts of slot state go to all ports, and to the crossbar of banks.
    a_verdict : assert (verdict.valid == u_dut.u_slot_state.verdict_valid_o &&
                        verdict.verdict == u_dut.u_slot_state.verdict_o &&
                        u_dut.u_banks.verdict_i == verdict)
    else $error("another verdict");
    // A ring's slots are flushed in slot state.
    a_slots : assert (u_dut.u_slot_state.flush_valid_i == u_dut.u_classify.flush_slot_o.valid &&
                      u_dut.u_slot_state.flush_slot_i == u_dut.u_classify.flush_slot_o.slot &&
                      u_dut.u_classify.flush_slot_ready_i == u_dut.u_slot_state.flush_ready_o)
    else $error("another slot");
    // Emission forgets its jobs of the ring when that is done.
    a_flushed : assert (u_dut.u_emit.flushed_i == u_dut.u_classify.command_o.flush_ready &&
                        u_dut.u_emit.flushed_ring_i == command_i.flush_ring)
    else $error("another ring");

    // Columns that are complete are jobs of emission; it says which slots are ahead, and slot
    // state which one soon is.
    a_job : assert (u_dut.u_emit.job_i == {u_dut.u_slot_state.job_first_o,
                        u_dut.u_slot_state.job_again_o, u_dut.u_slot_state.job_ended_o,
                        u_dut.u_slot_state.job_ring_o, u_dut.u_slot_state.job_slot_o} &&
                    u_dut.u_emit.soon_i == u_dut.u_slot_state.soon_o &&
                    u_dut.u_slot_state.ahead_i == u_dut.u_emit.ahead_o)
    else $error("another job");
    // Slot state knows whether a decided packet waits for its bank, emission whether one is being
    // written to the slot that it has locked.
    a_waits : assert (u_dut.u_slot_state.waits_i == u_dut.u_banks.waits_o &&
                      locks == u_dut.u_emit.lock_o)
    else $error("does not wait");
    // Banks are asked for, written and granted by ports.
    a_banks : assert (u_dut.u_banks.req_i == bank_i && grant == u_dut.u_banks.grant_o)
    else $error("another port's bank");
    // Emission reads them, and hears what was found in each.
    a_read : assert (u_dut.u_banks.read_i == u_dut.u_emit.read_o &&
                     u_dut.u_emit.hdr_i == u_dut.u_banks.hdr_o &&
                     u_dut.u_emit.hdr_ecc_i == u_dut.u_banks.hdr_ecc_o &&
                     u_dut.u_emit.row_ecc_i == u_dut.u_banks.row_ecc_o)
    else $error("another row");
    // Rows of the ranks are summed as emission says.
    a_summed : assert (u_dut.u_sum.req_i == u_dut.u_emit.reduce_o &&
                       u_dut.u_sum.rows_i == u_dut.u_banks.row_o[Cfg.NumRanks-1:0])
    else $error("another sum");
    // The ICRC is of the sum, and of the pairs that emission says.
    a_icrc : assert (u_dut.u_icrc_rows.pairs_valid_i == u_dut.u_emit.pairs_valid_o &&
                     u_dut.u_icrc_rows.pairs_i == u_dut.u_emit.pairs_o &&
                     u_dut.u_icrc_rows.row_valid_i == u_dut.u_sum.valid_o &&
                     u_dut.u_icrc_rows.row_i == u_dut.u_sum.row_o &&
                     u_dut.u_icrc_rows.row_last_i == u_dut.u_sum.last_o &&
                     u_dut.u_icrc_rows.row_ports_i == u_dut.u_sum.ports_o[Cfg.NumPorts-1:0])
    else $error("another ICRC");
    // Credits of the egresses reach emission.
    a_credit : assert (u_dut.u_emit.credit_i == credit_i)
    else $error("another credit");

    // What memories found, each for itself, and what is done for a ring.
    a_found : assert (events.memory.conns == u_dut.u_classify.conn_event_o &&
                      events.memory.messages == u_dut.u_classify.message_event_o &&
                      events.memory.slots == u_dut.u_slot_state.mem_event_o &&
                      events.memory.headers == u_dut.u_emit.hdr_event_o &&
                      events.memory.rows == u_dut.u_sum.event_o &&
                      events.ring == u_dut.u_slot_state.ring_event_o)
    else $error("other memories");
    // Who watches sees flushes and slot state.
    a_watched : assert (obs.flush == u_dut.u_classify.obs_o &&
                        obs.state == u_dut.u_slot_state.obs_o)
    else $error("another sight");

    // Everybody is busy: a sum leaves for both ports while a packet is decided.
    c_busy : cover (u_dut.u_sum.valid_o && u_dut.u_sum.ports_o[1:0] == '1 && verdict.valid);
  end

  logic writing;   // some port writes
  always_comb begin
    writing = 1'b0;
    for (int unsigned p = 0; p < Cfg.NumPorts; p++) if (bank_i[p].writing) writing = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    // A write that has started and is not committed, of any port, holds emission.
    a_writing : assert (u_dut.u_emit.writing_i == writing)
    else $error("writing %b", writing);
    // One is: of one port alone.
    c_writing : cover (bank_i[1].writing && !bank_i[0].writing);
  end

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    assign summed[p] = {header[p], u_dut.u_sum.valid_o && u_dut.u_sum.ports_o[p],
                        u_dut.u_sum.row_o, u_dut.u_sum.last_o, u_dut.u_sum.bad_o,
                        u_dut.u_icrc_rows.part_valid_o[p], u_dut.u_icrc_rows.part_o};
    always_ff @(posedge clk_i) begin
      // Nothing is flushed while this port has a packet between look-up and commit.
      a_busy : assert (u_dut.u_classify.busy_i[p] == commit_i[p].busy)
      else $error("port %0d", p);
      // A port's commit reaches slot state as its own, unless the filter keeps it.
      a_commit : assert (u_dut.u_slot_state.commit_i[p] == u_dut.commit[p].commit &&
                         u_dut.u_slot_state.commit_valid_i[p] == u_dut.commit[p].valid)
      else $error("port %0d", p);
    end
  end

  // What there is in a tree only.
  logic filters, heads, parents, notes, elsewhere;
  always_ff @(posedge clk_i) begin
    // The filters are reset and know all registers; the one in front of look-up sees rings as a
    // flush leaves them.
    a_filters : assert (filters)
    else $error("other registers");
    // The headers of a result are those that it has made of emission's.
    a_header : assert (heads)
    else $error("another header");
    // Rows of the parent are those of the last bank that is read, where emission says; headers
    // are kept as the last port of the crossbar writes them.
    a_parent : assert (parents)
    else $error("another row of the parent");
    // The filters tell each other of notifications.
    a_notes : assert (notes)
    else $error("another notification");
    // Connections of other leaves are the filter's.
    a_elsewhere : assert (elsewhere)
    else $error("a connection from elsewhere");
  end

  // In one rack the channels go straight through.
  if (Cfg.Tree == 0) begin : gen_rack
    assign header = u_dut.u_emit.header_o;
    always_ff @(posedge clk_i) begin
      // Ports ask look-up, and its answers go to slot state.
      a_asks : assert (u_dut.u_classify.lookup_i == lookup_i &&
                       lookup_ready == u_dut.u_classify.lookup_ready_o)
      else $error("another request");
      a_answer : assert (u_dut.u_slot_state.rsp_valid_i == u_dut.u_classify.decide_o.valid &&
                         u_dut.u_slot_state.rsp_i == u_dut.u_classify.decide_o.packet &&
                         u_dut.u_classify.decide_ready_i == u_dut.u_slot_state.rsp_ready_o)
      else $error("another answer");
      // Emission takes columns of slot state.
      a_take : assert (u_dut.u_slot_state.take_valid_i == u_dut.u_emit.take_o.valid &&
                       u_dut.u_slot_state.take_i == u_dut.u_emit.take_o.take &&
                       u_dut.u_emit.take_ready_i == u_dut.u_slot_state.take_ready_o &&
                       u_dut.u_emit.taken_i == {u_dut.u_slot_state.take_rsp_valid_o,
                                                u_dut.u_slot_state.take_rsp_o})
      else $error("another take");
      // Sums go to the egresses.
      a_result : assert (result == summed)
      else $error("another result");
      // Nobody else knows connections, so a flush waits for look-up alone.
      a_flush : assert (u_dut.u_classify.idle_i == u_dut.u_classify.idle_o)
      else $error("another flush");
      // No ring has a parent or devices, and counters of a tree hear nothing.
      a_ring : assert (u_dut.u_slot_state.parents_i == '0 && u_dut.u_slot_state.devices_i == '0)
      else $error("a ring of a tree");
      a_columns : assert (u_dut.u_classify.columns_i == '0)
      else $error("a ring of devices");
      a_status : assert (relay == '0)
      else $error("a status of a tree");
    end
    assign {filters, heads, parents, notes} = '1;
  end else begin : gen_tree
    assign header = u_dut.gen_tree.u_out.header_o;
    assign filters = u_dut.gen_tree.u_in.rst_ni == rst_ni &&
        u_dut.gen_tree.u_out.rst_ni == rst_ni &&
        u_dut.gen_tree.u_in.rings_i == u_dut.u_classify.rings_o &&
        u_dut.gen_tree.u_out.rings_i == rings_i && u_dut.gen_tree.u_in.relays_i == relays_i &&
        u_dut.gen_tree.u_out.relays_i == relays_i && u_dut.gen_tree.u_in.self_i == setup_i.self &&
        u_dut.gen_tree.u_out.setup_i == setup_i;
    assign heads = u_dut.gen_tree.u_out.header_i == u_dut.u_emit.header_o;
    assign parents = u_dut.gen_tree.u_out.parent_i == u_dut.u_emit.parent_o &&
        u_dut.gen_tree.u_out.parent_row_i == u_dut.u_banks.row_o[Cfg.NumBanks-1] &&
        u_dut.gen_tree.u_out.kept_i == {u_dut.u_banks.last_we_o, u_dut.u_banks.last_write_o};
    assign notes = u_dut.gen_tree.u_in.notes_i.look == u_dut.gen_tree.u_out.look_o &&
        u_dut.gen_tree.u_out.known_i == u_dut.gen_tree.u_in.known_o;
    always_ff @(posedge clk_i) begin
      // Ports ask look-up through a filter.
      a_asks : assert (u_dut.gen_tree.u_in.port_i == lookup_i &&
                       lookup_ready == u_dut.gen_tree.u_in.port_ready_o &&
                       u_dut.u_classify.lookup_i == u_dut.gen_tree.u_in.lookup_o &&
                       u_dut.gen_tree.u_in.lookup_ready_i == u_dut.u_classify.lookup_ready_o)
      else $error("another request");
      // And its answers go through it to slot state.
      a_answer : assert (u_dut.gen_tree.u_in.answer_i == u_dut.u_classify.decide_o &&
                         u_dut.u_classify.decide_ready_i == u_dut.gen_tree.u_in.answer_ready_o &&
                         {u_dut.u_slot_state.rsp_valid_i, u_dut.u_slot_state.rsp_i} ==
                         u_dut.gen_tree.u_in.state_o &&
                         u_dut.gen_tree.u_in.state_ready_i == u_dut.u_slot_state.rsp_ready_o)
      else $error("another answer");
      // A flush is the filter's too, and waits for both of them.
      a_flush : assert (u_dut.gen_tree.u_in.flush_i == u_dut.u_classify.flush_o &&
                        u_dut.u_classify.idle_i ==
                        (u_dut.u_classify.idle_o && u_dut.gen_tree.u_in.idle_o))
      else $error("another flush");
      // Emission takes columns through the other filter, which hears what column it was.
      a_take : assert (u_dut.gen_tree.u_out.take_i == u_dut.u_emit.take_o &&
                       u_dut.u_emit.take_ready_i == u_dut.gen_tree.u_out.take_ready_o &&
                       u_dut.u_emit.taken_i == u_dut.gen_tree.u_out.taken_o &&
                       {u_dut.u_slot_state.take_valid_i, u_dut.u_slot_state.take_i} ==
                       u_dut.gen_tree.u_out.state_o &&
                       u_dut.gen_tree.u_out.state_ready_i == u_dut.u_slot_state.take_ready_o &&
                       u_dut.gen_tree.u_out.state_i ==
                       {u_dut.u_slot_state.take_rsp_valid_o, u_dut.u_slot_state.take_rsp_o,
                        u_dut.u_slot_state.take_column_o})
      else $error("another take");
      // Sums go through it, too, and out.
      a_result : assert (u_dut.gen_tree.u_out.result_i == summed &&
                         result == u_dut.gen_tree.u_out.result_o)
      else $error("another result");
      // Counters hear of both.
      a_status : assert (relay.ask == u_dut.gen_tree.u_in.status_o &&
                         relay.takes == u_dut.gen_tree.u_out.events_o)
      else $error("another status");
    end
    for (genvar g = 0; g < 2 ** RingW; g++) begin : gen_ring
      localparam int unsigned Ring = (g < Cfg.NumRings) ? g : 0;
      always_ff @(posedge clk_i) begin
        // Slot state knows of each ring whether it has a parent and devices below; no other has.
        a_ring : assert (
            u_dut.u_slot_state.parents_i[g] == (g < Cfg.NumRings && relays_i[Ring].parent) &&
            u_dut.u_slot_state.devices_i[g] == (g < Cfg.NumRings && relays_i[Ring].devices))
        else $error("ring %0d", g);
        // Packets of a ring of devices say which column they are of.
        a_columns : assert (g >= Cfg.NumRings ||
                            u_dut.u_classify.columns_i[Ring] == relays_i[Ring].devices)
        else $error("ring %0d", g);
      end
    end
  end

  if (Uplink == 0) begin : gen_no_parent
    always_ff @(posedge clk_i) begin
      // Ports commit to slot state.
      a_commits : assert (u_dut.commit == commit_i &&
                          commit_ready == u_dut.u_slot_state.commit_ready_o)
      else $error("another commit");
      // All commands are look-up's, and answered by it.
      a_command : assert (u_dut.u_classify.command_i == command_i)
      else $error("another command");
      a_answered : assert (command.set_ready == u_dut.u_classify.command_o.set_ready &&
                           command.set_error == u_dut.u_classify.command_o.set_error)
      else $error("another answer");
      a_rest : assert ({command.set_index, command.conns, command.flush_ready} ==
                       {u_dut.u_classify.command_o.set_index, u_dut.u_classify.command_o.conns,
                        u_dut.u_classify.command_o.flush_ready})
      else $error("another answer");
    end
    assign elsewhere = 1'b1;
  end else begin : gen_parent
    command_req_t own;
    always_comb begin
      own = command_i;
      if (command_i.conn.elsewhere) own.set_valid = 1'b0;
    end
    assign elsewhere = u_dut.gen_tree.u_in.row_set_i.conn == command_i.conn &&
        u_dut.gen_tree.u_in.row_set_i.valid ==
        (command_i.set_valid && command_i.conn.elsewhere);
    always_ff @(posedge clk_i) begin
      // Below a parent they do so through a filter, which keeps those of notifications.
      a_commits : assert (u_dut.gen_parent.u_commit.port_i == commit_i &&
                          commit_ready == u_dut.gen_parent.u_commit.port_ready_o &&
                          u_dut.commit == u_dut.gen_parent.u_commit.state_o &&
                          u_dut.gen_parent.u_commit.state_ready_i ==
                          u_dut.u_slot_state.commit_ready_o &&
                          u_dut.gen_tree.u_in.notes_i.kept == u_dut.gen_parent.u_commit.kept_o)
      else $error("another commit");
      // Look-up gets all commands but connections from another leaf.
      a_command : assert (u_dut.u_classify.command_i == own)
      else $error("another command");
      // Each is answered by whose it is.
      a_answered : assert ({command.set_ready, command.set_error} ==
          (command_i.conn.elsewhere ? u_dut.gen_tree.u_in.row_set_o :
           {u_dut.u_classify.command_o.set_ready, u_dut.u_classify.command_o.set_error}))
      else $error("another answer");
      // All else is look-up's.
      a_rest : assert ({command.set_index, command.conns, command.flush_ready} ==
                       {u_dut.u_classify.command_o.set_index, u_dut.u_classify.command_o.conns,
                        u_dut.u_classify.command_o.flush_ready})
      else $error("another answer");
    end
  end

endmodule
