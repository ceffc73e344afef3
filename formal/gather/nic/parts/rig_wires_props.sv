// gather_rig: which wire goes where between the steps of a gather, what becomes of an index at each
// of them, and what is counted.
//
// What the steps make of it is left out of the circuit and free (`cuts` of the task): this holds
// whatever they do. They have proofs of their own, as gather_fetch, gather_solver, gather_pending
// and gather_return have.
module rig_wires_props
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  parameter int unsigned NumNodes = 6,
  parameter int unsigned IndexBits = 20,
  parameter int unsigned Pending = 16,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned IdW = $clog2(Pending),
  localparam int unsigned EpochW = 32 - IdW
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [31:0]          own_node_i,
  input logic [15:0]          tid_i,
  input logic [31:0]          timeout_i,
  input logic [15:0]          generation_i,
  input logic                 first_we_i,
  input logic [NodeW-1:0]     first_node_i,
  input logic [IndexBits-1:0] first_i,
  input logic                 command_valid_i,
  input command_t             command_i,
  input logic                 done_ready_i,
  input host_rsp_t            host_i,
  input logic                 pr_ready_i,
  input logic                 pr_valid_i,
  input pr_beat_t             pr_i
);

  logic                             command_ready, done_valid, done_failed, run, pr_valid, pr_ready;
  logic [EpochW-1:0]                epoch;
  host_req_t                        host;
  pr_t                              pr;
  logic [NumRigCounters-1:0][31:0]  count;

  gather_rig #(
    .NumNodes (NumNodes),
    .IndexBits(IndexBits),
    .Pending  (Pending),
    .LookUps  (8),
    .Lines    (8),
    .Writes   (16)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .own_node_i,
    .tid_i,
    .timeout_i,
    .generation_i,
    .first_we_i,
    .first_node_i,
    .first_i,
    .command_valid_i,
    .command_ready_o(command_ready),
    .command_i,
    .done_valid_o   (done_valid),
    .done_ready_i,
    .done_failed_o  (done_failed),
    .run_o          (run),
    .epoch_o        (epoch),
    .host_o         (host),
    .host_i,
    .pr_valid_o     (pr_valid),
    .pr_ready_i,
    .pr_o           (pr),
    .pr_valid_i,
    .pr_ready_o     (pr_ready),
    .pr_i,
    .count_o        (count)
  );

  // ---------------------------------------------------------------------------------------------
  // What becomes of an index.

  logic runs, clear;
  assign runs  = u_dut.u_control.run_o;
  assign clear = u_dut.u_control.clear_o;

  // The one that was fetched: it is taken by the solver, or is out of range.
  logic [63:0] fetched;
  logic        fetches, wrong;
  assign fetched = u_dut.u_fetched.out_o;
  assign fetches = runs && u_dut.u_fetched.out_valid_o && u_dut.u_solver.ready_o;
  assign wrong   = fetched >= 64'd2 ** IndexBits;

  // The one that is solved: it is one of this node's own, or is looked up in the filter.
  logic solved, own, looks, looked;
  assign solved = u_dut.u_solver.valid_o;
  assign own    = u_dut.u_solver.own_o;
  assign looks  = solved && !own && runs && u_dut.u_filter.room_o;
  assign looked = looks && host_i.look_ready;

  // The one whose bit is there: it is here already, or looked up among those under way.
  logic known, here;
  assign known = u_dut.u_filter.valid_o;
  assign here  = u_dut.u_filter.known_o;

  // The one that was found there, or not: then it enters, with a request.
  logic found, there, free, room, new_one;
  assign found   = u_dut.u_pending.found_valid_o;
  assign there   = u_dut.u_pending.found_there_o;
  assign free    = u_dut.u_pending.free_valid_o;
  assign room    = u_dut.u_requests.in_ready_o;
  assign new_one = found && !there;

  // An entry leaves a cycle behind what said so.
  logic           past_q, leave_q;
  logic [IdW-1:0] leave_id_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q     <= 1'b1;
    leave_q    <= u_dut.u_return.leave_o && rst_ni;
    leave_id_q <= u_dut.u_return.leave_id_o;
  end

  // Counted are indices that are fetched, own, here, under way already, and asked for; responses
  // that come, and that are late; and cycles in which one waits for a place, for its look-up, or to
  // be asked for.
  logic [NumRigCounters-1:0] events;
  always_comb begin
    events = '0;
    events[RigFetched]   = fetches;
    events[RigCame]      = u_dut.u_return.came_o;
    events[RigTooLate]   = u_dut.u_return.late_o;
    if (runs) begin
      events[RigLocal]       = solved && own;
      events[RigFiltered]    = known && here;
      events[RigCoalesced]   = found && there;
      events[RigRequested]   = new_one && free && room;
      events[RigWaitPending] = new_one && !free;
      events[RigWaitPr]      = new_one && free && !room;
      events[RigWaitLook]    = solved && !own && !looked;
    end
  end

  always_ff @(posedge clk_i) begin
    // The list of a command is fetched from its start on, until the gather has ended.
    a_fetch : assert ({u_dut.u_fetch.start_i, u_dut.u_fetch.addr_i, u_dut.u_fetch.count_i} ==
                      {u_dut.u_control.start_o, command_i.source, command_i.count} &&
                      u_dut.u_fetch.stop_i == !runs && u_dut.u_fetch.clear_i == clear)
    else $error("fetch");
    // It is read from memory.
    a_reads : assert ({host.read_valid, host.read} ==
                      {u_dut.u_fetch.read_valid_o, u_dut.u_fetch.read_o} &&
                      {u_dut.u_fetch.read_ready_i, u_dut.u_fetch.data_valid_i,
                       u_dut.u_fetch.data_i} ==
                      {host_i.read_ready, host_i.data_valid, host_i.data})
    else $error("reads");
    // Its indices wait in a register, for the solver while the gather runs.
    a_fetched : assert (u_dut.u_fetched.in_valid_i == u_dut.u_fetch.idx_valid_o &&
                        u_dut.u_fetched.in_i == u_dut.u_fetch.idx_o &&
                        u_dut.u_fetch.idx_ready_i == u_dut.u_fetched.in_ready_o &&
                        u_dut.u_fetched.out_ready_i == (runs ? u_dut.u_solver.ready_o : 1'b0))
    else $error("fetched");
    // Those that are in range are solved.
    a_solve : assert (u_dut.u_solver.valid_i ==
                      (runs && u_dut.u_fetched.out_valid_o && !wrong) &&
                      u_dut.u_solver.idx_i == IndexBits'(fetched))
    else $error("solve: %b", u_dut.u_solver.valid_i);
    // The solver has the partition as it is written, and knows this node.
    a_partition : assert ({u_dut.u_solver.node_we_i, u_dut.u_solver.node_i,
                           u_dut.u_solver.node_first_i, u_dut.u_solver.own_node_i} ==
                          {first_we_i, first_node_i, first_i, own_node_i})
    else $error("partition");
    // An index of another node is looked up, if there is room and the gather runs; all else that is
    // solved goes at once.
    a_looks : assert (host.look_valid == looks && host.look_idx == 64'(u_dut.u_solver.idx_o) &&
                      u_dut.u_solver.ready_i == (looked || (solved && own)))
    else $error("looks: %b", host.look_valid);
    // It waits with its node for its bit.
    a_filter : assert (u_dut.u_filter.look_i == looked && u_dut.u_filter.want_i ==
                       {u_dut.u_solver.idx_o, u_dut.u_solver.node_o} &&
                       {u_dut.u_filter.bit_valid_i, u_dut.u_filter.bit_i} ==
                       {host_i.bit_valid, host_i.bit_set} && u_dut.u_filter.clear_i == clear)
    else $error("filter: %b", u_dut.u_filter.look_i);
    // If the bit is set that was all; else it is looked up among those under way.
    a_pending : assert (u_dut.u_filter.ready_i == (here || u_dut.u_pending.look_ready_o) &&
                        u_dut.u_pending.look_valid_i == (here ? 1'b0 : known) &&
                        {u_dut.u_pending.look_idx_i, u_dut.u_pending.look_tag_i} ==
                        u_dut.u_filter.want_o && u_dut.u_pending.clear_i == clear)
    else $error("pending: %b", u_dut.u_pending.look_valid_i);
    // If it is under way that was all, too; else it goes with a free entry and room for a request.
    a_found : assert (u_dut.u_pending.found_ready_i ==
                      (found && (there ? 1'b1 : free ? room : 1'b0)))
    else $error("found: %b", u_dut.u_pending.found_ready_i);
    // A request is made of it while the gather runs.
    a_enter : assert (u_dut.u_requests.in_valid_i == (new_one && free && room && runs))
    else $error("a request: %b", u_dut.u_requests.in_valid_i);
    // It goes from this unit to the property's node, with the gather's number and its entry's.
    a_request : assert (u_dut.u_requests.in_i == pr_t'{
      response: 1'b0,
      cacheable: 1'b0,
      src: own_node_i,
      dest: 32'(u_dut.u_pending.found_tag_o),
      tid: tid_i,
      idx: 64'(u_dut.u_pending.found_idx_o),
      id: {u_dut.u_control.epoch_o, u_dut.u_pending.free_id_o},
      generation: u_dut.u_control.generation_o,
      len: u_dut.u_control.len_o
    })
    else $error("another request");
    a_sent : assert (pr_valid == u_dut.u_requests.out_valid_o && pr == u_dut.u_requests.out_o &&
                     u_dut.u_requests.out_ready_i == pr_ready_i)
    else $error("sent: %b", pr_valid);

    // Responses go back by the gather that runs, as it was commanded.
    a_return : assert ({u_dut.u_return.pr_valid_i, u_dut.u_return.pr_i, pr_ready} ==
                       {pr_valid_i, pr_i, u_dut.u_return.pr_ready_o} &&
                       {u_dut.u_return.run_i, u_dut.u_return.clear_i, u_dut.u_return.dest_i,
                        u_dut.u_return.stride_i, u_dut.u_return.len_i, u_dut.u_return.epoch_i} ==
                       {runs, clear, u_dut.u_control.dest_o, u_dut.u_control.stride_o,
                        u_dut.u_control.len_o, u_dut.u_control.epoch_o})
    else $error("return");
    // They are looked for among those under way.
    a_answer : assert ({u_dut.u_pending.answer_go_i, u_dut.u_pending.answer_i,
                        u_dut.u_pending.answer_id_i, u_dut.u_pending.answer_idx_i,
                        u_dut.u_pending.answer_take_i} ==
                       {u_dut.u_return.answer_go_o, u_dut.u_return.answer_o,
                        u_dut.u_return.answer_id_o, u_dut.u_return.answer_idx_o,
                        u_dut.u_return.answer_take_o} &&
                       {u_dut.u_return.answer_wait_i, u_dut.u_return.answer_good_i} ==
                       {u_dut.u_pending.answer_wait_o, u_dut.u_pending.answer_good_o})
    else $error("an answer");
    // They are written to memory.
    a_writes : assert ({host.write_valid, host.write} ==
                       {u_dut.u_return.write_valid_o, u_dut.u_return.write_o} &&
                       {u_dut.u_return.write_ready_i, u_dut.u_return.written_i} ==
                       {host_i.write_ready, host_i.written})
    else $error("writes");
    // Then their bits are set.
    a_marks : assert ({host.mark_valid, host.mark_idx, u_dut.u_return.mark_ready_i} ==
                      {u_dut.u_return.mark_valid_o, u_dut.u_return.mark_idx_o, host_i.mark_ready})
    else $error("marks");
    // A cycle later their entries leave.
    a_leaves : assert (!past_q || {u_dut.u_pending.leave_i, u_dut.u_pending.leave_id_i} ==
                       {leave_q, leave_id_q})
    else $error("leaves: %b", u_dut.u_pending.leave_i);

    // The control has the command, and tells the end.
    a_command : assert ({u_dut.u_control.command_valid_i, u_dut.u_control.command_i,
                         u_dut.u_control.generation_i, u_dut.u_control.timeout_i,
                         u_dut.u_control.done_ready_i} ==
                        {command_valid_i, command_i, generation_i, timeout_i, done_ready_i} &&
                        {command_ready, done_valid, done_failed, run, epoch} ==
                        {u_dut.u_control.command_ready_o, u_dut.u_control.done_valid_o,
                         u_dut.u_control.done_failed_o, runs, u_dut.u_control.epoch_o})
    else $error("command");
    // An index is done that is out of range, own in a gather that runs, here already, or found.
    a_done : assert (u_dut.u_control.done_i == {u_dut.u_pending.found_ready_i, known && here,
                     solved && own && runs, fetches && wrong} &&
                     u_dut.u_control.wrong_i == (fetches && wrong))
    else $error("done: %b", u_dut.u_control.done_i);
    // All is in memory when no entry is under way, no write and no mark; what was asked of memory
    // or filter and is not answered keeps the gather open.
    a_levels : assert (u_dut.u_control.empty_i == !(!u_dut.u_pending.empty_o ||
                                                    !u_dut.u_return.empty_o) &&
                       u_dut.u_control.open_i == ({u_dut.u_fetch.open_o, u_dut.u_filter.open_o,
                                                   u_dut.u_return.open_o} != '0))
    else $error("empty %b, open %b", u_dut.u_control.empty_i, u_dut.u_control.open_i);
    // What is counted.
    a_counts : assert (u_dut.u_tally.events_i == events && count == u_dut.u_tally.count_o)
    else $error("counted: %b", u_dut.u_tally.events_i);
    // A flush resets what indices wait in that have not been looked up.
    a_reset : assert ({u_dut.u_fetched.rst_ni, u_dut.u_solver.rst_ni} == {2{rst_ni && !clear}} &&
                      {u_dut.u_fetch.rst_ni, u_dut.u_filter.rst_ni, u_dut.u_pending.rst_ni,
                       u_dut.u_requests.rst_ni, u_dut.u_return.rst_ni, u_dut.u_control.rst_ni,
                       u_dut.u_tally.rst_ni} == {7{rst_ni}})
    else $error("reset");

    // An index is out of range while another one is asked for.
    c_wrong : cover (rst_ni && wrong && fetches && events[RigRequested]);
  end

endmodule
