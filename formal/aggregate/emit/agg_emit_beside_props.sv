// The parent's rows are read whole beside those of the ranks, and in every port the rows of one
// result come behind those of the other. The reader stands behind it, as it does in the device.
module agg_emit_beside_props
  import roce_pkg::*;
  import agg_pkg::*;
#(
  localparam int unsigned NumPorts = 2,
  localparam int unsigned NumRanks = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             take_valid_i,
  input take_rsp_t        take_i,
  input logic             take_lock_i,
  // In the first cycle: the port that is followed, of two.
  input logic             port_i
);

  /// Cycles from the banks to a port, through the reduction, at most.
  localparam int unsigned Through = $clog2(NumRanks) * 5 + 4;

  logic             started_q;
  logic             port_q;
  initial started_q = 1'b0;

  logic                take_ready, read_valid, read_ready, read_parent, read_lock, released;
  logic                released_lock, row_re, hdr_re, hdr_row, parent_re, summed;
  take_rsp_t           read;
  logic [SlotW-1:0]    row_slot, hdr_slot, parent_slot;
  logic [7:0]          row_row, parent_row;
  logic [MaxPorts-1:0] summed_ports;
  parent_rows_t        parent;

  agg_emit_beside #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .take_valid_i,
    .take_ready_o (take_ready),
    .take_i,
    .take_lock_i,
    .read_valid_o (read_valid),
    .read_parent_o(read_parent),
    .read_ready_i (read_ready),
    .read_o       (read),
    .read_lock_o  (read_lock),
    .summed_i     (summed),
    .parent_re_o  (parent_re),
    .parent_slot_o(parent_slot),
    .parent_row_o (parent_row),
    .parent_o     (parent)
  );

  agg_emit_read #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Uplink  (1)
  ) u_read (
    .clk_i,
    .rst_ni,
    .read_valid_i    (read_valid),
    .read_now_i      (1'b0),
    .read_parent_i   (read_parent),
    .read_ready_o    (read_ready),
    .read_i          (read),
    .read_lock_i     (read_lock),
    .release_o       (released),
    .release_lock_o  (released_lock),
    .row_re_o        (row_re),
    .row_slot_o      (row_slot),
    .row_row_o       (row_row),
    .hdr_re_o        (hdr_re),
    .hdr_slot_o      (hdr_slot),
    .hdr_row_o       (hdr_row),
    .hdr_i           ('0),
    .hdr_ecc_i       ('0),
    .row_ecc_i       ('0),
    .reduce_valid_o  (summed),
    .reduce_workers_o(),
    .reduce_kind_o   (),
    .reduce_last_o   (),
    .reduce_ports_o  (summed_ports),
    .reduce_keep_o   (),
    .reduce_kept_o   (),
    .reduce_slot_o   (),
    .reduce_row_o    (),
    .reduce_found_o  (),
    .pairs_valid_o   (),
    .pairs_o         (),
    .hdr_we_o        (),
    .hdr_word_o      (),
    .hdr_bad_o       (),
    .hdr_event_o     ()
  );

  // ---------------------------------------------------------------------------------------------
  // The parent's result that is read, how far it is, and its lock.

  logic      go, open_q, lock_q, freed_q;
  take_rsp_t job_q;
  logic [8:0] rows_q, rows;
  assign go   = read_valid && read_ready;
  assign rows = 9'((15'(job_q.tensor_len) + 15'd63) >> 6);

  // Rows for the followed port on their way through the reduction, and of the parent, from their
  // banks on.
  logic [Through:1]    through_q;
  logic [2:1]          comes_q;
  logic [MaxPorts-1:0] job_ports, take_ports, next_ports;

  function automatic logic [MaxPorts-1:0] ports_of(take_rsp_t job);
    ports_of = '0;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      if (job.ranks[r]) ports_of[job.port[r]] = 1'b1;
    end
  endfunction
  assign job_ports  = ports_of(job_q);
  assign take_ports = ports_of(take_i);
  assign next_ports = ports_of(u_dut.next_q);

  always_ff @(posedge clk_i) begin
    if (parent_re) rows_q <= rows_q + 9'd1;
    if (parent_re && rows_q + 9'd1 == rows) open_q <= 1'b0;
    if (released && released_lock == lock_q) freed_q <= 1'b1;
    if (go && read_parent) begin
      job_q   <= read;
      lock_q  <= read_lock;
      open_q  <= 1'b1;
      freed_q <= 1'b0;
      rows_q  <= '0;
    end
    through_q <= {through_q[Through-1:1], summed && summed_ports[port_q]};
    comes_q   <= {comes_q[1], parent_re && job_ports[port_q]};
    if (!rst_ni) begin
      open_q    <= 1'b0;
      through_q <= '0;
      comes_q   <= '0;
    end
  end

  logic [Through:1] known;
  always_comb begin
    for (int unsigned i = 1; i <= Through; i++) begin
      known[i] = !through_q[i] || (u_dut.sum_ports_q[port_q] &&
          32'(u_dut.drain_q) + i > u_dut.Drain);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What was taken and is not read yet, and what it has to wait for: rows of the parent that are
  // read after this cycle, and ports of sums in the reduction, of which none is heard `Drain`
  // cycles after the last read and the last row.
  /// Cycles for which ports of sums are kept.
  localparam int unsigned Drain = $clog2(NumRanks) * 5 + 6;
  logic                      have_q, have_lock_q, wait_rows, wait_sums, must_wait;
  take_rsp_t                 have;
  logic [$bits(have)-1:0]    have_bits_q;
  logic [$clog2(Drain+2)-1:0] since_q;
  logic [MaxPorts-1:0]       have_ports, held_q;
  logic [2:1]                re_q, last_q;
  assign have       = take_rsp_t'(have_bits_q);
  assign have_ports = ports_of(have);
  assign wait_rows  = open_q && rows_q + 9'd1 != rows;
  assign wait_sums  = (have_ports & held_q) != '0;
  assign must_wait  = parents_rows(have) ? wait_rows || wait_sums :
      wait_rows && (have_ports & job_ports) != '0;

  always_ff @(posedge clk_i) begin
    if (go) have_q <= 1'b0;
    if (take_valid_i && take_ready) begin
      have_q      <= 1'b1;
      have_bits_q <= take_i;
      have_lock_q <= take_lock_i;
    end
    if (32'(since_q) <= Drain) since_q <= since_q + 1'b1;
    if (32'(since_q) == Drain) held_q <= '0;
    if (summed) since_q <= '0;
    if (go && !parents_rows(have)) begin
      since_q <= '0;
      held_q  <= held_q | have_ports;
    end
    re_q   <= {re_q[1], parent_re};
    last_q <= {last_q[1], parent_re && rows_q + 9'd1 == rows};
    if (!rst_ni) begin
      have_q  <= 1'b0;
      held_q  <= '0;
      re_q    <= '0;
      since_q <= ($bits(since_q))'(Drain + 1);
    end
  end

  logic here, unread;   // one comes to the port; one of a sum is still to be read for it
  assign here   = parent.valid && parent.ports[port_q];
  assign unread = u_read.ports_q[port_q] && (u_read.rows_left_q ||
      (u_read.row_valid_q[1] && u_read.row_ctrl_q[1].ports[port_q]));

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) port_q <= port_i;
    // The first cycle is one of reset. Dropped: rows of nobody's job are read.
    e_reset : assume (started_q || !rst_ni);
    // Slot state gives no two ranks behind one port. Dropped: headers are mixed.
    e_ranks : assume (!take_valid_i || ((take_i.ranks >> NumRanks) == '0 &&
        (take_ports >> NumPorts) == '0 && (take_i.ranks != '0 || take_i.sum) &&
        $countones(take_i.ranks) == $countones(take_ports)));

    if (rst_ni && started_q) begin
      // Rows of the parent's result are read one after the other, each once, of the slot that was
      // taken, in cycles that follow each other.
      a_rows : assert (parent_re == open_q && (!parent_re || (parent_slot == job_q.slot &&
          9'(parent_row) == rows_q && rows_q < rows)));
      // The lock is given back while rows are still to be read, but not before the eighth of them.
      a_lock : assert (!open_q || !freed_q || rows_q >= 9'd8);
      // A row goes to the ports of its result as it leaves its bank, the last one marked.
      a_leaves : assert (here == comes_q[2]);
      a_pairs : assert (parent.pairs_valid == (parent_re && rows_q + 9'd1 == rows) &&
          (!parent.pairs_valid || parent.pairs == pairs_of(job_q.tensor_len)));
      // What was taken is what is read, each once and in its turn, and the next one is taken as it
      // goes. Only what a neighbour's rows would mix with waits.
      a_taken : assert (!have_q || (read == have && read_lock == have_lock_q &&
          read_parent == parents_rows(have)));
      a_now : assert (read_valid == (have_q && !must_wait));
      a_room : assert (take_ready == (!have_q || go));
      a_marked : assert (parent.valid == re_q[2] && (!parent.valid || parent.last == last_q[2]));
      // A row of the parent's comes to a port when no sum's for it is on its way, and it is begun
      // when none of an earlier take is still to be read: rows of two results would be mixed, or
      // leave behind each other's headers.
      a_apart : assert (!here || (through_q == '0 &&
          !(summed && summed_ports[port_q])))
      else $error("a row of the parent's among those of a sum");
      a_behind : assert (!(go && read_parent && u_dut.next_ports_q[port_q]) ||
          !unread);
      // What is kept of sums is kept for as long there (helps the proof).
      a_held : assert (MaxPorts'(u_dut.sum_ports_q) == held_q && 32'(u_dut.drain_q) ==
          (32'(since_q) > Drain ? 0 : Drain - 32'(since_q)));
      a_have : assert (u_dut.next_valid_q == have_q && u_dut.valid_q == re_q &&
          ((u_dut.last_q ^ last_q) & re_q) == '0);
      // The read in hand is as it is here, and so is the next one (helps the proof).
      a_inside : assert (u_dut.rows_left_q == open_q && (!open_q || (u_dut.slot_q == job_q.slot &&
          9'(u_dut.row_q) == rows_q && rows_q < rows && 9'(u_dut.last_row_q) + 9'd1 == rows &&
          u_dut.at_last_q == (rows_q + 9'd1 == rows) &&
          u_dut.pairs_q == pairs_of(job_q.tensor_len) && parents_rows(job_q))));
      a_ports : assert (!(open_q || comes_q != '0) ||
          MaxPorts'(u_dut.parent_ports_q) == job_ports);
      a_next : assert (!u_dut.next_valid_q ||
          (u_dut.next_parent_q == parents_rows(u_dut.next_q) &&
          MaxPorts'(u_dut.next_ports_q) == next_ports &&
          (u_dut.next_q.ranks >> NumRanks) == '0 && (next_ports >> NumPorts) == '0 &&
          (u_dut.next_q.ranks != '0 || u_dut.next_q.sum) &&
          $countones(u_dut.next_q.ranks) == $countones(next_ports)));
      a_pipe : assert (
          comes_q[1] == (u_dut.valid_q[1] && u_dut.ports_q[1][port_q]) &&
          comes_q[2] == (u_dut.valid_q[2] && u_dut.ports_q[2][port_q]));
      // What is read for a sum is known as well.
      a_unread : assert (!unread || u_dut.sum_ports_q[port_q]);
      // Ports that the reduction has rows for are known for as long as it has them (helps the
      // proof).
      a_through : assert (known == '1);
      // A result and a sum for different ports leave in the same cycle.
      c_beside : cover (here && summed && summed_ports != '0);
      // A result waits for a sum that goes to one of its ports.
      c_waits : cover (u_dut.next_valid_q && u_dut.next_parent_q && read_ready && u_dut.waits);
    end
  end

endmodule
