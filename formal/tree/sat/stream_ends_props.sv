// sat_stream with the lock cells beside it, as tree_node has them: an operation is done once all
// have agreed on it; rows that go into the half rings are of somebody; and operations end so far
// apart that the lock cells count each of them. Packets, locks and room are free, and so is what is
// set while no operation is under way.
module stream_ends_props
  import rc_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input logic                                  open_i,
  input logic                                  close_i,
  input sat_cfg_t                              cfg_i,
  input sat_lock_t                             lock_i,
  input logic [31:0]                           time_i,
  input rc_packet_t [NumPorts-1:0]             oldest_i,
  input logic [NumPorts-1:0]                   room_i,
  input logic                                  cells_open_i,
  input logic                                  ask_valid_i,
  input lock_ask_t                             ask_i
);

  typedef logic [NumPorts-1:0] ports_t;

  logic        begun_q, streams;
  logic [1:0]  group;
  sat_cfg_t    cfg_q;
  sat_events_t events;

  sat_stream #(
    .NumPorts  (NumPorts),
    .ResultRows(128),
    .LockLate  (8)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .open_i,
    .close_i,
    .cfg_i       (cfg_q),
    .lock_i,
    .time_i,
    .oldest_i,
    .claim_o     (),
    .claim_drop_o(),
    .row_re_o    (),
    .row_i       ('0),
    .room_i,
    .out_o       (),
    .end_o       (),
    .streams_o   (streams),
    .group_o     (group),
    .events_o    (events),
    .memory_o    ()
  );

  tree_cells u_cells (
    .clk_i,
    .rst_ni,
    .open_i         (cells_open_i),
    .close_i        (1'b0),
    .cfg_i          (cfg_q),
    .ask_valid_i,
    .ask_ready_o    (),
    .ask_i,
    .answer_valid_o (),
    .answer_o       (),
    .lock_o         (),
    .holds_o        (),
    .there_i        (1'b0),
    .down_i         (1'b0),
    .streams_i      (streams),
    .streams_group_i(group),
    .ended_i        (events.done),
    .cells_o        ()
  );

  // Who is to be looked at by the scan of all children: those that are not asked for yet, and three
  // on their way.
  ports_t     children, left, asked, looked, seen;
  logic       active, agreed, all, over;
  assign children = u_dut.u_gather.group.children[NumPorts-1:0];
  assign left     = u_dut.u_gather.scan_left_q;
  assign asked    = (u_dut.u_gather.u_look.ask_q && u_dut.u_gather.u_look.scan_q) ?
      ports_t'(1) << u_dut.u_gather.u_look.scan_port_q : '0;
  assign looked   = (u_dut.u_gather.u_look.asked_q && u_dut.u_gather.u_look.scanned_q) ?
      ports_t'(1) << u_dut.u_gather.u_look.looked_q : '0;
  assign seen     = (u_dut.u_gather.seen.valid && u_dut.u_gather.seen.scan) ?
      ports_t'(1) << u_dut.u_gather.seen.port : '0;
  assign active   = u_dut.u_gather.active_q;
  assign all      = u_dut.u_gather.all_q;
  assign agreed   = u_dut.u_gather.agreed || u_dut.u_gather.valid_q;
  assign over     = (left | asked | looked | seen) == '0 && !u_dut.u_gather.scan_start;

  /// All of these are in front of all of those.
  function automatic logic in_front(ports_t these, ports_t those);
    in_front = 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned r = 0; r <= p; r++) if (these[p] && those[r]) in_front = 1'b0;
    end
  endfunction

  logic counted_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q   <= 1'b1;
    counted_q <= events.done && rst_ni;
    // What is set is any, and another one while no operation is under way.
    if (!begun_q || open_i || !active) cfg_q <= cfg_i;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // An operation does not end in the cycle behind another one's end; else there would be more
      // to count than the lock cells can keep.
      a_apart : assert (!(events.done && counted_q))
      else $error("two operations end one behind the other");
      // Helpers: children are looked at once more only of an operation on which not all agree, one
      // behind the other, and when all agree nobody is looked at any more.
      a_over : assert (over || (active && all && !u_dut.u_gather.valid_q));
      a_order : assert (in_front(seen, looked | asked | left) && in_front(looked, asked | left) &&
          in_front(asked, left));
      a_children : assert (((left | asked | looked | seen) & ~children) == '0);
      a_agreed : assert (!agreed || (active && all && over));
      // An operation ends.
      c_ends : cover (counted_q);
    end
  end

endmodule
