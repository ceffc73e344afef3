// tree_node: which wire goes where between its ports, multicasts, lock cells and the engines of
// both trees; when connections are opened and closed; who is lost; and how the streaming tree ends.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own.
module node_wires_props
  import roce_pkg::*;
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned Ecc = 1,
  localparam int unsigned NumPorts = 4,
  localparam int unsigned NumCells = 2
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic [NumPorts-1:0]                 s_axis_tvalid,
  input logic [NumPorts-1:0][BeatBits-1:0]   s_axis_tdata,
  input logic [NumPorts-1:0][BeatBytes-1:0]  s_axis_tkeep,
  input logic [NumPorts-1:0]                 s_axis_tlast,
  input logic [NumPorts-1:0]                 s_axis_tuser,
  input logic [NumPorts-1:0]                 m_axis_tready,
  input logic                                open_i,
  input logic                                close_i,
  input sat_cfg_t                            cfg_i,
  input logic         [15:0]                 low_tree_i,
  input logic         [NumPorts-1:0]         casts_i,
  input logic                                listens_i,
  input rc_conn_cfg_t [NumPorts-1:0][1:0]    conn_cfg_i,
  input logic         [31:0]                 time_i,
  input low_change_t                         change_i
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t                                     s_ready, m_valid, m_last;
  logic            [NumPorts-1:0][BeatBits-1:0]  m_data;
  logic            [NumPorts-1:0][BeatBytes-1:0] m_keep;
  logic                                       changed, changed_good, low_down, sat_down;
  lock_cell_t      [NumCells-1:0]             cells;
  logic            [NumPorts-1:0][1:0]        idle;
  rc_fault_e       [NumPorts-1:0][1:0]        fault;
  node_observed_t                             observed;
  low_events_t                                low_events;
  sat_events_t                                sat_events;
  rc_conn_events_t [NumPorts-1:0][1:0]        conn_events;
  rc_port_events_t [NumPorts-1:0]             port_events;
  rc_memory_t                                 memory;

  tree_node #(
    .NumPorts (NumPorts),
    .QueueRoom(4),
    .SendRoom (4),
    .MaxRows  (4),
    .NumCells (NumCells),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axis_tvalid,
    .s_axis_tready (s_ready),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tvalid (m_valid),
    .m_axis_tready,
    .m_axis_tdata  (m_data),
    .m_axis_tkeep  (m_keep),
    .m_axis_tlast  (m_last),
    .open_i,
    .close_i,
    .cfg_i,
    .low_tree_i,
    .casts_i,
    .listens_i,
    .conn_cfg_i,
    .time_i,
    .change_i,
    .changed_o     (changed),
    .changed_good_o(changed_good),
    .low_down_o    (low_down),
    .sat_down_o    (sat_down),
    .cells_o       (cells),
    .idle_o        (idle),
    .fault_o       (fault),
    .observed_o    (observed),
    .low_events_o  (low_events),
    .sat_events_o  (sat_events),
    .conn_events_o (conn_events),
    .port_events_o (port_events),
    .memory_o      (memory)
  );

  // ---------------------------------------------------------------------------------------------
  // As it was a cycle ago.

  logic        past_q, reset_q, reset2_q;   // there was one; it was reset by then; a cycle before
  logic        alive_q, open_q, close_q;
  sat_end_t    said_q, end_q;               // by the streaming half; by all
  ports_t      near, near_q, faulty_q, parent_q;
  logic        anew, anew_q, down_q;
  initial {past_q, reset_q, reset2_q} = '0;
  always_comb begin
    // The neighbours, and whether the streaming tree may begin once more.
    for (int unsigned p = 0; p < NumPorts; p++) begin
      near[p] = cfg_i.children[p] || (cfg_i.parent_valid && 32'(cfg_i.parent) == p);
    end
    anew = u_dut.u_low.changed_o && u_dut.u_low.changed_good_o && change_i.reopen && !close_i;
  end
  always_ff @(posedge clk_i) begin
    past_q                     <= 1'b1;
    reset_q                    <= reset_q || !rst_ni;
    reset2_q                   <= reset_q;
    {alive_q, open_q, close_q} <= {rst_ni, open_i, close_i};
    {said_q, end_q}            <= {u_dut.u_stream.end_o, u_dut.u_low.sat_end_i};
    near_q                     <= near;
    anew_q                     <= anew;
    down_q                     <= sat_down;
  end

  // The trees are there from the second cycle behind their opening on, until they are opened or
  // closed; that the streaming one is down is news in the first cycle in which it is.
  logic began_q, there_q, ended_q, reopens, news, news_q, clears;
  logic fresh_q;      // the streaming tree begins once more, as of a cycle ago
  always_ff @(posedge clk_i) begin
    began_q <= rst_ni && open_i && !close_i;
    there_q <= rst_ni && (began_q || (there_q && !(open_i || close_i)));
    ended_q <= rst_ni && !open_i && !close_i && sat_down;
    news_q  <= news;
    fresh_q <= reopens;
  end
  assign news    = sat_down && !ended_q;
  assign reopens = alive_q && anew_q && !open_q;
  assign clears  = !alive_q || open_q || close_q;

  // ---------------------------------------------------------------------------------------------
  // Ports.

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic now, then_q, faulty, faulty2_q, lost_q;
    always_ff @(posedge clk_i) begin
      faulty2_q <= there_q && near_q[p] && u_dut.gen_port[p].u_port.fault_o[0] != RcGood;
      then_q    <= cfg_i.parent_valid && listens_i && 32'(cfg_i.parent) == p;
    end
    assign faulty_q[p] = lost_q;
    // A streaming tree that begins once more has lost nobody.
    always_ff @(posedge clk_i) begin
      lost_q <= there_q && near_q[p] && u_dut.gen_port[p].u_port.fault_o[1] != RcGood &&
          !anew && !reopens && rst_ni && !open_i && !close_i;
    end
    assign now    = alive_q && open_q && near_q[p];
    assign faulty = !clears && faulty2_q;

    always_ff @(posedge clk_i) begin
      // A port takes frames of its own MAC, and gives it its own.
      a_frames : assert (
          {u_dut.gen_port[p].u_port.s_axis_tvalid, u_dut.gen_port[p].u_port.s_axis_tdata,
           u_dut.gen_port[p].u_port.s_axis_tkeep, u_dut.gen_port[p].u_port.s_axis_tlast,
           u_dut.gen_port[p].u_port.s_axis_tuser, u_dut.gen_port[p].u_port.m_axis_tready} ==
          {s_axis_tvalid[p], s_axis_tdata[p], s_axis_tkeep[p], s_axis_tlast[p], s_axis_tuser[p],
           m_axis_tready[p]} &&
          {m_valid[p], m_data[p], m_keep[p], m_last[p], s_ready[p]} ==
          {u_dut.gen_port[p].u_port.m_axis_tvalid, u_dut.gen_port[p].u_port.m_axis_tdata,
           u_dut.gen_port[p].u_port.m_axis_tkeep, u_dut.gen_port[p].u_port.m_axis_tlast,
           u_dut.gen_port[p].u_port.s_axis_tready})
      else $error("port %0d", p);
      // It is reset with all others, has the clock of all, and its own connections; multicasts are
      // of the low-latency tree.
      a_set : assert (u_dut.gen_port[p].u_port.rst_ni == rst_ni &&
                      u_dut.gen_port[p].u_port.cfg_i == conn_cfg_i[p] &&
                      u_dut.gen_port[p].u_port.time_i == time_i &&
                      u_dut.gen_port[p].u_port.cast_group_i == low_tree_i)
      else $error("port %0d", p);
      // The low-latency tree has connection 0 of each, the streaming one connection 1.
      a_low : assert (u_dut.u_low.oldest_i[p] == u_dut.gen_port[p].u_port.oldest_o[0] &&
                      u_dut.u_low.row_i[p] == u_dut.gen_port[p].u_port.row_o[0] &&
                      u_dut.u_low.room_i[p] == u_dut.gen_port[p].u_port.room_o[0] &&
                      u_dut.gen_port[p].u_port.claim_i[0] == u_dut.u_low.claim_o[p] &&
                      u_dut.gen_port[p].u_port.row_re_i[0] == u_dut.u_low.row_re_o[p] &&
                      u_dut.gen_port[p].u_port.send_row_i[0] == u_dut.u_low.out_o[p] &&
                      u_dut.gen_port[p].u_port.send_cast_i[0] == u_dut.u_low.cast_o[p])
      else $error("port %0d", p);
      a_streaming : assert (
          u_dut.u_stream.oldest_i[p] == u_dut.gen_port[p].u_port.oldest_o[1] &&
          u_dut.u_stream.row_i[p] == u_dut.gen_port[p].u_port.row_o[1] &&
          u_dut.u_stream.room_i[p] == u_dut.gen_port[p].u_port.room_o[1] &&
          u_dut.gen_port[p].u_port.claim_i[1] == u_dut.u_stream.claim_o[p] &&
          u_dut.gen_port[p].u_port.claim_drop_i[1] == u_dut.u_stream.claim_drop_o[p] &&
          u_dut.gen_port[p].u_port.row_re_i[1] == u_dut.u_stream.row_re_o[p] &&
          u_dut.gen_port[p].u_port.send_row_i[1] == u_dut.u_stream.out_o[p])
      else $error("port %0d", p);
      // The first reads all its packets, the other one multicasts nothing.
      a_reads : assert (!u_dut.gen_port[p].u_port.claim_drop_i[0] &&
                        !u_dut.gen_port[p].u_port.send_cast_i[1])
      else $error("port %0d", p);
      // What comes by multicast is collected, from the parent if this node listens to him.
      a_casts : assert (
          u_dut.u_casts.came_i[p] == u_dut.gen_port[p].u_port.came_o &&
          u_dut.u_casts.valid_i[p] == u_dut.gen_port[p].u_port.cast_valid_o &&
          u_dut.u_casts.len_i[p] == u_dut.gen_port[p].u_port.cast_len_o &&
          (!past_q || (u_dut.u_casts.parent_i[p] == then_q &&
                       u_dut.gen_port[p].u_port.listens_i == then_q)))
      else $error("port %0d", p);
      // Others hear what it says.
      a_says : assert ({idle[p], fault[p], conn_events[p], port_events[p]} ==
                       {u_dut.gen_port[p].u_port.idle_o, u_dut.gen_port[p].u_port.fault_o,
                        u_dut.gen_port[p].u_port.conn_events_o,
                        u_dut.gen_port[p].u_port.events_o})
      else $error("port %0d", p);
      // Both connections of a neighbour are opened a cycle behind the trees, the second one also
      // when the streaming tree begins once more.
      a_opens : assert (!past_q || (u_dut.gen_port[p].u_port.open_i[0] == now &&
          u_dut.gen_port[p].u_port.open_i[1] == (now || (reopens && near_q[p]))))
      else $error("port %0d", p);
      // Connections are closed with the trees, and so are those of ports that are no neighbours of
      // new ones; the second one also once the streaming tree has ended.
      a_closes : assert (!reset2_q || !reset_q || (
          u_dut.gen_port[p].u_port.close_i[0] == (alive_q && (close_q || (open_q && !near_q[p])))
          && u_dut.gen_port[p].u_port.close_i[1] == (u_dut.gen_port[p].u_port.close_i[0] ||
          (alive_q && news_q && !open_q))))
      else $error("port %0d", p);
      // A neighbour whose connection 0 has failed is lost to the low-latency tree, while that is
      // there.
      a_lost : assert (!reset2_q || !reset_q || u_dut.u_low.lost_i[p] == faulty)
      else $error("port %0d", p);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The end of the streaming tree, and memories. What is said of memories is of the first that has
  // lost a word, or else of the first that had to correct one: of low latency, multicasts and
  // streaming, then of ports, those with an even number first.

  localparam int unsigned Sources = 3 + NumPorts;
  ports_t                    faulty2;   // as of a cycle ago
  logic                      fresh2;
  logic [15:0]               node_q;
  sat_end_t                  ends;
  rc_memory_t [Sources-1:0]  found, found_q;
  rc_memory_t                whole;
  always_comb begin
    ends = said_q;
    if (!said_q.valid && faulty2 != '0) begin
      ends.valid   = 1'b1;
      ends.verdict = VerdictLost;
      ends.node    = node_q;
      for (int unsigned p = NumPorts; p > 0; p--) if (faulty2[p-1]) ends.port = 8'(p);
    end
    if (end_q.valid) ends = end_q;
    if (clears || fresh2) ends.valid = 1'b0;
    found[0] = u_dut.u_low.memory_o;
    found[1] = u_dut.u_casts.memory_o;
    found[2] = u_dut.u_stream.memory_o;
    found[3] = u_dut.gen_port[0].u_port.memory_o;
    found[4] = u_dut.gen_port[2].u_port.memory_o;
    found[5] = u_dut.gen_port[1].u_port.memory_o;
    found[6] = u_dut.gen_port[3].u_port.memory_o;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      found[3+p].word.port = {2'd0, p[0], p[1]};
    end
    whole = '0;
    for (int unsigned s = Sources; s > 0; s--) begin
      whole.corrected |= found_q[s-1].corrected;
      whole.bad       |= found_q[s-1].bad;
      if (found_q[s-1].corrected) whole.word = found_q[s-1].word;
    end
    for (int unsigned s = Sources; s > 0; s--) begin
      if (found_q[s-1].bad) whole.word = found_q[s-1].word;
    end
    if (Ecc == 0 || !alive_q) whole = '0;
  end
  always_ff @(posedge clk_i) begin
    found_q <= found;
    faulty2 <= faulty_q;
    fresh2  <= anew || reopens;
    node_q  <= cfg_i.node;
  end

  always_ff @(posedge clk_i) begin
    // All parts are reset, and know how the trees are set up, and the time.
    a_reset : assert ({u_dut.u_casts.rst_ni, u_dut.u_low.rst_ni, u_dut.u_cells.rst_ni,
                       u_dut.u_stream.rst_ni} == {4{rst_ni}})
    else $error("reset");
    a_setup : assert (u_dut.u_low.cfg_i == cfg_i && u_dut.u_cells.cfg_i == cfg_i &&
                      u_dut.u_stream.cfg_i == cfg_i && u_dut.u_low.tree_i == low_tree_i &&
                      u_dut.u_low.casts_i == casts_i && u_dut.u_low.time_i == time_i &&
                      u_dut.u_stream.time_i == time_i)
    else $error("another tree");
    // They begin and end together, ...
    a_begins : assert ({u_dut.u_low.open_i, u_dut.u_low.close_i} == {open_i, close_i} &&
                       {u_dut.u_cells.open_i, u_dut.u_cells.close_i} == {open_i, close_i})
    else $error("another begin");
    // ... but for the streaming tree: that ends when it is down, and begins once more when the
    // low-latency one has said that it may.
    a_stream : assert (!reset2_q || !reset_q ||
        (u_dut.u_stream.open_i == (open_i || (reopens && !close_i)) &&
         u_dut.u_stream.close_i == (!open_i && (close_i || news))))
    else $error("opens %b, closes %b", u_dut.u_stream.open_i, u_dut.u_stream.close_i);
    // Multicasts of the trees before are forgotten.
    a_forgets : assert (!past_q || u_dut.u_casts.clear_i == (open_q || close_q))
    else $error("clears %b", u_dut.u_casts.clear_i);
    // The rest goes to the low-latency half, which takes it.
    a_casts : assert (u_dut.u_low.cast_oldest_i == u_dut.u_casts.oldest_o &&
                      u_dut.u_low.cast_row_i == u_dut.u_casts.row_o &&
                      u_dut.u_casts.claim_i == u_dut.u_low.cast_claim_o &&
                      u_dut.u_casts.row_re_i == u_dut.u_low.cast_row_re_o)
    else $error("another multicast");
    // That asks for locks, and is answered.
    a_asks : assert (u_dut.u_cells.ask_valid_i == u_dut.u_low.lock_valid_o &&
                     u_dut.u_cells.ask_i == u_dut.u_low.lock_o &&
                     u_dut.u_low.lock_ready_i == u_dut.u_cells.ask_ready_o &&
                     u_dut.u_low.lock_answered_i == u_dut.u_cells.answer_valid_o &&
                     u_dut.u_low.lock_answer_i == u_dut.u_cells.answer_o &&
                     u_dut.u_low.holds_i == u_dut.u_cells.holds_o)
    else $error("another lock");
    // A vector comes in with the lock; all know whose it is, and its end is counted.
    a_streams : assert (u_dut.u_stream.lock_i == u_dut.u_cells.lock_o &&
                        u_dut.u_low.streams_i == u_dut.u_stream.streams_o &&
                        u_dut.u_low.streams_group_i == u_dut.u_stream.group_o &&
                        u_dut.u_cells.streams_i == u_dut.u_stream.streams_o &&
                        u_dut.u_cells.streams_group_i == u_dut.u_stream.group_o &&
                        u_dut.u_cells.ended_i == u_dut.u_stream.events_o.done)
    else $error("another vector");
    // Cells know whether their tree is there, and whether it is down.
    a_there : assert (!reset2_q || !reset_q || (u_dut.u_cells.there_i == there_q &&
                      u_dut.u_cells.down_i == u_dut.u_low.sat_down_o))
    else $error("there %b", u_dut.u_cells.there_i);
    // What is changed is asked of the low-latency half.
    a_changes : assert (u_dut.u_low.change_i == change_i &&
                        {changed, changed_good, low_down, sat_down} ==
                        {u_dut.u_low.changed_o, u_dut.u_low.changed_good_o,
                         u_dut.u_low.low_down_o, u_dut.u_low.sat_down_o})
    else $error("another change");
    // Others hear what both say, and what comes to the cells.
    a_says : assert (low_events == u_dut.u_low.events_o && cells == u_dut.u_cells.cells_o &&
                     sat_events == u_dut.u_stream.events_o &&
                     observed.low == u_dut.u_low.observed_o &&
                     observed.counted == u_dut.u_stream.events_o.done &&
                     observed.asked == (u_dut.u_low.lock_valid_o && u_dut.u_cells.ask_ready_o &&
                     (u_dut.u_low.lock_o.op == LockTake || u_dut.u_low.lock_o.op == LockHolds)))
    else $error("another event");
    // The streaming tree has one end, until it begins: as its half says, or a neighbour whose
    // connection 1 has failed is lost, of several the one with the lowest port.
    a_end : assert (!reset2_q || !reset_q || u_dut.u_low.sat_end_i == ends)
    else $error("ends %b", u_dut.u_low.sat_end_i);
    // Of memories all is told a cycle later.
    a_memory : assert (!past_q || memory == whole)
    else $error("another word");

    // A neighbour is lost; the streaming tree begins once more.
    c_lost : cover (reset2_q && ends.valid && ends.verdict == VerdictLost && !said_q.valid);
    c_anew : cover (reset2_q && there_q && u_dut.u_stream.open_i && !open_i);
  end

endmodule
