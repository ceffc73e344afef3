// A RIG unit as a client (NetSparse 5.1 to 5.3): fetches a list of column indices, asks for those
// properties that are neither here nor under way, and writes what comes back to host memory.
//
//   fetch -> destination solver -> index filter -> pending table -> read PR
//   response PR -> write to memory -> index filter -> pending table
//
// A property is in host memory before its filter bit is set, and the bit is set before its entry
// leaves the pending table. So a set bit never lies; an index whose bit was asked for just before
// may be asked for once more, which brings the same bytes.
//
// One index a cycle. It waits only if the pending table is full, if as many filter look-ups are
// under way as there is room for, or for PRs to be taken (NetSparse 5.3). Responses wait for memory
// writes. A gather that takes longer than the watchdog allows fails: what is under way is waited
// for at host memory and filter, not at the network, and answers that come later are dropped,
// because a request's ID carries the number of its gather.
module gather_rig
  import gather_pkg::*;
  import gather_obs_pkg::*;
#(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Bits of an index that count; a larger one makes the gather fail.
  parameter int unsigned IndexBits = 40,
  /// Requests under way. Power of two, 8 to 256.
  parameter int unsigned Pending = 256,
  /// Filter look-ups under way. Power of two, 8 or more.
  parameter int unsigned LookUps = 64,
  /// Lines of its list, and writes, that host memory may owe it. Powers of two, 8 or more.
  parameter int unsigned Lines = 64,
  parameter int unsigned Writes = 64,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned IdW = $clog2(Pending),
  localparam int unsigned EpochW = 32 - IdW
) (
  input logic clk_i,
  input logic rst_ni,

  // Source of its PRs: node and unit. Cycles that a gather may take, 0: for ever. A write to the
  // partition, a pulse: node `first_node_i` begins with column `first_i`.
  input logic [31:0]          own_node_i,
  input logic [15:0]          tid_i,
  input logic [31:0]          timeout_i,
  // Of what a gather that starts in this cycle asks for.
  input logic [15:0]          generation_i,
  input logic                 first_we_i,
  input logic [NodeW-1:0]     first_node_i,
  input logic [IndexBits-1:0] first_i,

  // A gather, and its end: all properties are in memory, or it failed. If so those of its
  // properties whose bits are set are in memory all the same, and nothing of it is under way.
  input  logic     command_valid_i,
  output logic     command_ready_o,
  input  command_t command_i,
  output logic     done_valid_o,
  input  logic     done_ready_i,
  output logic     done_failed_o,
  // Level: it runs; and its number, the highest bits of its PRs' IDs.
  output logic              run_o,
  output logic [EpochW-1:0] epoch_o,

  // Host memory and index filter.
  output host_req_t host_o,
  input  host_rsp_t host_i,

  // Read PRs out, responses in.
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_t      pr_o,
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,

  // Counters since reset, by rig_counter_e; they wrap.
  output logic [NumRigCounters-1:0][31:0] count_o
);

  logic [63:0]       dest;
  logic [10:0]       len;
  logic [15:0]       generation;
  logic [3:0]        stride;
  logic              start, run, clear, wrong, none_left;
  logic [EpochW-1:0] epoch;

  assign run_o   = run;
  assign epoch_o = epoch;

  // ---------------------------------------------------------------------------------------------
  // Indices and their nodes

  logic                 idx_valid, idx_ready, idx_wrong, solved_valid, solved_go, local_go, look;
  logic [63:0]          idx;
  logic                 reads_open;
  logic [IndexBits-1:0] solved_idx;
  logic [NodeW-1:0]     solved_node;
  logic                 local_node, fetched_valid, fetched_ready, solved_ready;
  logic [63:0]          fetched;

  gather_fetch #(
    .Lines(Lines)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .clear_i     (clear),
    .start_i     (start),
    .addr_i      (command_i.source),
    .count_i     (command_i.count),
    .stop_i      (!run),
    .read_valid_o(host_o.read_valid),
    .read_ready_i(host_i.read_ready),
    .read_o      (host_o.read),
    .data_valid_i(host_i.data_valid),
    .data_i      (host_i.data),
    .open_o      (reads_open),
    .idx_valid_o (fetched_valid),
    .idx_ready_i (fetched_ready),
    .idx_o       (fetched)
  );

  prim_skid #(
    .T(logic [63:0])
  ) u_fetched (
    .clk_i,
    .rst_ni     (rst_ni && !clear),
    .in_valid_i (fetched_valid),
    .in_ready_o (fetched_ready),
    .in_i       (fetched),
    .out_valid_o(idx_valid),
    .out_ready_i(idx_ready),
    .out_o      (idx)
  );

  always_comb begin
    idx_wrong = 1'b0;
    for (int unsigned b = IndexBits; b < 64; b++) if (idx[b]) idx_wrong = 1'b1;
  end
  assign idx_ready = solved_ready && run;
  assign wrong     = idx_valid && idx_ready && idx_wrong;

  gather_solver #(
    .NumNodes (NumNodes),
    .IndexBits(IndexBits)
  ) u_solver (
    .clk_i,
    .rst_ni      (rst_ni && !clear),
    .node_we_i   (first_we_i),
    .node_i      (first_node_i),
    .node_first_i(first_i),
    .valid_i     (idx_valid && run && !idx_wrong),
    .ready_o     (solved_ready),
    .idx_i       (idx[IndexBits-1:0]),
    .valid_o     (solved_valid),
    .ready_i     (solved_go),
    .idx_o       (solved_idx),
    .node_o      (solved_node),
    .own_node_i,
    .own_o       (local_node)
  );

  // ---------------------------------------------------------------------------------------------
  // Filter

  typedef struct packed {
    logic [IndexBits-1:0] idx;
    logic [NodeW-1:0]     node;
  } want_t;

  logic  room, both_valid, both_known, look_ready, looks_open, looks_empty;
  want_t both_want;

  assign local_go     = solved_valid && local_node;
  assign host_o.look_valid = solved_valid && !local_node && room && run;
  assign host_o.look_idx = 64'(solved_idx);
  assign look         = host_o.look_valid && host_i.look_ready;
  assign solved_go    = local_go || look;

  gather_filter #(
    .T      (want_t),
    .LookUps(LookUps)
  ) u_filter (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .room_o (room),
    .look_i (look),
    .want_i ({solved_idx, solved_node}),
    .bit_valid_i(host_i.bit_valid),
    .bit_i  (host_i.bit_set),
    .valid_o(both_valid),
    .ready_i(both_known || look_ready),
    .known_o(both_known),
    .want_o (both_want),
    .open_o (looks_open),
    .empty_o(looks_empty)
  );

  // ---------------------------------------------------------------------------------------------
  // Pending table, and the PR

  logic           found_valid, found_go, there, enter, free_valid, pr_in_ready;
  logic           filtered, coalesced;
  want_t          found;
  logic [IdW-1:0] free_id;
  logic           pending_empty, leave, leave_q;
  logic [IdW-1:0] leave_id, leave_id_q, answer_id;
  logic           answer_go, answer, answer_wait, answer_good, answer_take;
  logic [IndexBits-1:0] answer_idx;
  pr_t            request;

  // What fails goes on until it is cleared, but asks no more.
  assign filtered  = both_valid && both_known;
  assign found_go  = found_valid && (there || (free_valid && pr_in_ready));
  assign coalesced = found_valid && there;
  assign enter     = found_valid && !there && free_valid && pr_in_ready && run;

  // The entry leaves a cycle after its bit was set.
  always_ff @(posedge clk_i) begin
    leave_q    <= leave && rst_ni;
    leave_id_q <= leave_id;
  end

  gather_pending #(
    .Entries  (Pending),
    .IndexBits(IndexBits),
    .TagW     (NodeW)
  ) u_pending (
    .clk_i,
    .rst_ni,
    .clear_i      (clear),
    .look_valid_i (both_valid && !both_known),
    .look_ready_o (look_ready),
    .look_idx_i   (both_want.idx),
    .look_tag_i   (both_want.node),
    .found_valid_o(found_valid),
    .found_ready_i(found_go),
    .found_there_o(there),
    .found_idx_o  (found.idx),
    .found_tag_o  (found.node),
    .free_valid_o (free_valid),
    .free_id_o    (free_id),
    .answer_go_i  (answer_go),
    .answer_i     (answer),
    .answer_id_i  (answer_id),
    .answer_idx_i (answer_idx),
    .answer_wait_o(answer_wait),
    .answer_good_o(answer_good),
    .answer_take_i(answer_take),
    .leave_i      (leave_q),
    .leave_id_i   (leave_id_q),
    .empty_o      (pending_empty)
  );

  assign request = '{response: 1'b0, cacheable: 1'b0, src: own_node_i, dest: 32'(found.node),
                     tid: tid_i, idx: 64'(found.idx), id: {epoch, free_id},
                     generation: generation, len: len};

  prim_skid #(
    .T(pr_t)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .in_valid_i (enter),
    .in_ready_o (pr_in_ready),
    .in_i       (request),
    .out_valid_o(pr_valid_o),
    .out_ready_i(pr_ready_i),
    .out_o      (pr_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Properties that come

  logic came, late, writes_open, leaves_empty;

  gather_return #(
    .IndexBits(IndexBits),
    .IdW      (IdW),
    .Writes   (Writes)
  ) u_return (
    .clk_i,
    .rst_ni,
    .clear_i      (clear),
    .run_i        (run),
    .dest_i       (dest),
    .stride_i     (stride),
    .len_i        (len),
    .epoch_i      (epoch),
    .pr_valid_i,
    .pr_ready_o,
    .pr_i,
    .answer_go_o  (answer_go),
    .answer_o     (answer),
    .answer_id_o  (answer_id),
    .answer_idx_o (answer_idx),
    .answer_wait_i(answer_wait),
    .answer_good_i(answer_good),
    .answer_take_o(answer_take),
    .came_o       (came),
    .late_o       (late),
    .write_valid_o(host_o.write_valid),
    .write_ready_i(host_i.write_ready),
    .write_o      (host_o.write),
    .written_i    (host_i.written),
    .mark_valid_o (host_o.mark_valid),
    .mark_ready_i (host_i.mark_ready),
    .mark_idx_o   (host_o.mark_idx),
    .leave_o      (leave),
    .leave_id_o   (leave_id),
    .open_o       (writes_open),
    .empty_o      (leaves_empty)
  );

  // ---------------------------------------------------------------------------------------------
  // The gather

  gather_control #(
    .EpochW(EpochW)
  ) u_control (
    .clk_i,
    .rst_ni,
    .timeout_i,
    .command_valid_i,
    .command_ready_o,
    .command_i,
    .generation_i,
    .done_valid_o,
    .done_ready_i,
    .done_failed_o,
    .start_o    (start),
    .run_o      (run),
    .clear_o    (clear),
    .epoch_o    (epoch),
    .dest_o     (dest),
    .generation_o(generation),
    .len_o      (len),
    .stride_o   (stride),
    .done_i     ({found_go, filtered, local_go && run, wrong}),
    .none_left_o(none_left),
    .wrong_i    (wrong),
    .empty_i    (pending_empty && leaves_empty),
    .open_i     (reads_open || looks_open || writes_open)
  );

  logic [NumRigCounters-1:0] events;
  assign events[RigFetched]     = idx_valid && idx_ready;
  assign events[RigLocal]       = local_go && run;
  assign events[RigFiltered]    = filtered && run;
  assign events[RigCoalesced]   = coalesced && run;
  assign events[RigRequested]   = enter;
  assign events[RigCame]        = came;
  assign events[RigTooLate]     = late;
  assign events[RigWaitPending] = run && found_valid && !there && !free_valid;
  assign events[RigWaitLook]    = run && solved_valid && !solved_go;
  assign events[RigWaitPr]      = run && found_valid && !there && free_valid && !pr_in_ready;

  gather_tally #(
    .N(NumRigCounters)
  ) u_tally (
    .clk_i,
    .rst_ni,
    .events_i(events),
    .count_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A gather ends with nothing under way.
      a_done : assert (!(run && none_left) || (!found_valid && looks_empty))
      else $error("%m: all indices are done, and some are still inside");
    end
  end

endmodule
