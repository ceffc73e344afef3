// agg_store with the ports in front of it, real ones: banks are asked for, owned, written and given
// back as each of them takes for granted of the other.
//
// Two ports and two banks: who is followed meets one other port, and one other bank. Frames have
// any length. What agg_align makes of their beats is left out of the circuit (`cuts` of the task),
// but for when it writes, and to which bank, which its own proof says.
module bank_turns_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_port_pkg::*;
  import port_packet_pkg::*;
#(
  /// Ports, and banks.
  parameter int unsigned NumPorts = 2,
  /// Frames that a port fetches at most, 1 or 2.
  parameter int unsigned Hand = 2,
  localparam int unsigned NumRanks = 2
) (
  input logic                                   clk_i,
  input logic                                   rst_ni,
  input logic        [NumPorts-1:0]             desc_valid_i,
  input frame_desc_t [NumPorts-1:0]             desc_i,
  input logic        [NumPorts-1:0]             beat_valid_i,
  input beat_t       [NumPorts-1:0]             beat_i,
  input logic        [NumPorts-1:0]             lookup_ready_i,
  input logic                                   verdict_valid_i,
  input verdict_t                               verdict_i,
  input logic        [NumPorts-1:0]             pass_ready_i,
  input logic        [NumPorts-1:0][9:0]        pass_room_i,
  input logic                  [1:0]            lock_valid_i,
  input logic                  [1:0][SlotW-1:0] lock_slot_i,
  input logic        [NumPorts-1:0]             commit_ready_i
);

  localparam int unsigned Depth = 2 ** $clog2(decided_of(Hand) * NumPorts);
  // Cycles from the acceptance of a look-up to its verdict, at least, for ports that ask about one
  // frame at a time; there are four in look-up and SlotAnswer in slot state. A packet with pad
  // bytes keeps its bank longer than its port; with fewer cycles such a port would have three
  // decided packets, and there are places for two.
  localparam logic [3:0] Answer = (Hand == 1) ? 4'd8 : 4'd1;
  localparam int unsigned PlaceW = $clog2(Depth);
  localparam int unsigned CountW = $clog2(Depth + 2);

  logic                       started_q;
  logic        [NumPorts-1:0] of_port, waits, want, grant, write_valid;
  logic        [NumPorts-1:0][NumRanks-1:0] bank, given;
  logic        [NumPorts-1:0][RankW-1:0]    write_rank;
  bank_write_t [NumPorts-1:0]               write;
  logic        [NumRanks-1:0] we;
  initial started_q = 1'b0;

  // One name for all, by which the task leaves most of their own assertions to their own proofs.
  // verilog_lint: waive generate-label-prefix
  if (1) begin : u_dut
    for (genvar p = 0; p < NumPorts; p++) begin : gen_port
      agg_port #(
        .NumBanks(NumRanks),
        .Hand    (Hand)
      ) u_port (
        .clk_i,
        .rst_ni,
        .port_i         (PortW'(p)),
        .desc_valid_i   (desc_valid_i[p]),
        .desc_ready_o   (),
        .desc_i         (desc_i[p]),
        .beat_valid_i   (beat_valid_i[p]),
        .beat_ready_o   (),
        .beat_i         (beat_i[p]),
        .beat_bad_i     (1'b0),
        .lookup_valid_o (),
        .lookup_ready_i (lookup_ready_i[p]),
        .lookup_o       (),
        .verdict_valid_i(of_port[p]),
        .verdict_i,
        .pass_valid_o   (),
        .pass_ready_i   (pass_ready_i[p]),
        .pass_o         (),
        .pass_room_i    (pass_room_i[p]),
        .want_o         (want[p]),
        .bank_o         (bank[p]),
        .grant_i        (grant[p]),
        .release_o      (given[p]),
        .write_valid_o  (write_valid[p]),
        .write_rank_o   (write_rank[p]),
        .write_o        (write[p]),
        .lock_valid_i,
        .lock_slot_i,
        .writing_slot_i ('0),
        .writing_o      (),
        .commit_valid_o (),
        .commit_ready_i (commit_ready_i[p]),
        .commit_o       (),
        .fate_valid_o   (),
        .fate_o         (),
        .busy_o         (),
        .idle_o         ()
      );
      assign of_port[p] = verdict_valid_i && verdict_i.port == PortW'(p);
      assign waits[p]   = u_port.u_fetch.waits_q != '0;
    end

    agg_store #(
      .NumPorts(NumPorts),
      .NumRanks(NumRanks),
      .Hand    (Hand)
    ) u_store (
      .clk_i,
      .rst_ni,
      .verdict_valid_i,
      .verdict_i,
      .want_i       (want),
      .bank_i       (bank),
      .grant_o      (grant),
      .release_i    (given),
      .write_valid_i(write_valid),
      .write_rank_i (write_rank),
      .write_i      (write),
      .write_bad_i  ('0),
      .bank_we_o    (we),
      .bank_write_o ()
    );
  end

  // ---------------------------------------------------------------------------------------------
  // What is taken for granted, as of each port in agg_port_props.

  logic [NumPorts-1:0] writing, late, of_packet;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_look
    logic       reads;
    logic [6:1] read_q, last_q;    // a beat of a packet that is written was read n cycles ago
    logic [6:1] rank_q;            // of which rank, and its last one, with pad bytes behind
    logic [3:0] since_q;           // cycles of waiting for a verdict
    assign reads      = u_dut.gen_port[p].u_port.u_align.beat_valid_i;
    assign late[p]    = waits[p] && (Hand > 1 || since_q == Answer);
    assign writing[p] = u_dut.gen_port[p].u_port.started_q &&
        u_dut.gen_port[p].u_port.mode_q == 2'd2;
    always_comb begin
      of_packet[p] = !write_valid[p] || (last_q[6] && write_rank[p] == RankW'(rank_q[6]));
      for (int unsigned k = 3; k <= 5; k++) begin
        if (read_q[k] && write_rank[p] == RankW'(rank_q[k])) of_packet[p] = 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      since_q    <= !waits[p] ? 4'd1 : (since_q == Answer) ? since_q : since_q + 4'd1;
      read_q     <= rst_ni ? {read_q[5:1], reads} : '0;
      rank_q     <= {rank_q[5:1], u_dut.gen_port[p].u_port.packet_q.rank[0]};
      last_q     <= rst_ni ? {last_q[5:1], reads && beat_i[p].last &&
                              u_dut.gen_port[p].u_port.packet_q.meta.has_pad} : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
    if (rst_ni) begin
      // A verdict is for a port that waits for it, takes its time, and names a bank that there is.
      e_verdict : assume (!verdict_valid_i || (32'(verdict_i.port) < NumPorts &&
          late[verdict_i.port[0]] && 32'(verdict_i.rank) < NumRanks));
      // What is written goes to the bank of a packet that was read three to five cycles ago, or,
      // with pad bytes, six behind its last beat.
      e_writes : assume (of_packet == '1);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What the store takes for granted of the ports.

  logic                give_right, places_right, bank_right;
  logic [NumPorts-1:0] was_q;   // who had the first bank last

  banks_handover #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .Hand    (Hand)
  ) u_banks (
    .clk_i,
    .rst_ni,
    .verdict_valid_i(u_dut.u_store.verdict_valid_i),
    .verdict_i      (u_dut.u_store.verdict_i),
    .want_i         (u_dut.u_store.want_i),
    .bank_i         (u_dut.u_store.bank_i),
    .grant_i        (u_dut.u_store.grant_o),
    .release_i      (u_dut.u_store.release_i),
    .give_o         (give_right),
    .places_o       (places_right),
    .bank_o         (bank_right)
  );

  always_ff @(posedge clk_i) begin
    if (u_banks.takes[0] != '0) was_q <= u_banks.takes[0];
    if (!rst_ni) was_q <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Whose bank it is, port by port: of a packet that is read, of one whose pad bytes are to come,
  // of one that has just given it back. And which packets wait for it, current or fetched.

  logic [NumRanks-1:0][NumPorts-1:0]      owns, waiting;
  logic [NumRanks-1:0][NumPorts-1:0][1:0] decides;   // verdicts that wait for their frames' turn
  logic [NumPorts-1:0]                    sound_port;
  logic [NumRanks-1:0]               counted, in_order;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_inside
    logic [NumRanks-1:0] one;
    logic                reads, pads, over, hand_right, pointers, in_time;
    logic [1:0]          asked, kept, fetched;
    verdict_t    [1:0]   verdicts;    // that wait, the older one first
    logic        [1:0]   candidate;   // fetched frames, likewise
    assign one   = NumRanks'(1) << u_dut.gen_port[p].u_port.packet_q.rank;
    assign reads = u_dut.gen_port[p].u_port.current_q && writing[p];
    assign pads  = reads && u_dut.gen_port[p].u_port.packet_q.meta.has_pad;
    assign asked    = u_dut.gen_port[p].u_port.u_fetch.waits_q;
    assign kept     = u_dut.gen_port[p].u_port.u_fetch.u_verdicts.count_q;
    assign fetched  = u_dut.gen_port[p].u_port.u_fetch.u_fetched.count_q;
    if (Hand == 1) begin : gen_one
      assign verdicts  = {2{u_dut.gen_port[p].u_port.u_fetch.u_verdicts.mem_q[0]}};
      assign candidate = {2{u_dut.gen_port[p].u_port.u_fetch.u_fetched.mem_q[0].candidate}};
      assign pointers  = {u_dut.gen_port[p].u_port.u_fetch.u_fetched.write_q,
                          u_dut.gen_port[p].u_port.u_fetch.u_fetched.read_q,
                          u_dut.gen_port[p].u_port.u_fetch.u_verdicts.write_q,
                          u_dut.gen_port[p].u_port.u_fetch.u_verdicts.read_q} == '0;
      // The frame behind the one that follows a packet with pad bytes is asked about when that has
      // been read, and decided when all of it is written.
      always_comb begin
        in_time = !(over && u_dut.gen_port[p].u_port.current_q && kept != '0 &&
                    writes(verdicts[0].fate));
        for (int unsigned k = 1; k <= 6; k++) begin
          if (u_dut.gen_port[p].u_port.pad_q[k] && u_dut.gen_port[p].u_port.current_q &&
              waits[p] && 32'(gen_look[p].since_q) > k) in_time = 1'b0;
        end
      end
    end else begin : gen_two
      assign verdicts = {u_dut.gen_port[p].u_port.u_fetch.u_verdicts.mem_q[
                             !u_dut.gen_port[p].u_port.u_fetch.u_verdicts.read_q],
                         u_dut.gen_port[p].u_port.u_fetch.u_verdicts.mem_q[
                             u_dut.gen_port[p].u_port.u_fetch.u_verdicts.read_q]};
      assign candidate = {u_dut.gen_port[p].u_port.u_fetch.u_fetched.mem_q[
                              !u_dut.gen_port[p].u_port.u_fetch.u_fetched.read_q].candidate,
                          u_dut.gen_port[p].u_port.u_fetch.u_fetched.mem_q[
                              u_dut.gen_port[p].u_port.u_fetch.u_fetched.read_q].candidate};
      assign pointers  = u_dut.gen_port[p].u_port.u_fetch.u_fetched.write_q ==
              (u_dut.gen_port[p].u_port.u_fetch.u_fetched.read_q ^ fetched[0]) &&
          u_dut.gen_port[p].u_port.u_fetch.u_verdicts.write_q ==
              (u_dut.gen_port[p].u_port.u_fetch.u_verdicts.read_q ^ kept[0]);
      assign in_time   = 1'b1;
    end
    // The last beat of the packet whose pad bytes are to come has been read.
    assign over  = u_dut.gen_port[p].u_port.pad_q != '0;
    always_comb begin
      for (int unsigned r = 0; r < NumRanks; r++) begin
        owns[r][p]    = (reads && !pads && u_dut.gen_port[p].u_port.bank_q[r]) || given[p][r] ||
            (u_dut.gen_port[p].u_port.late_wait_q && u_dut.gen_port[p].u_port.late_bank_q[r]);
        waiting[r][p] = u_dut.gen_port[p].u_port.current_q && !writing[p] &&
            u_dut.gen_port[p].u_port.mode_q == 2'd2 && u_dut.gen_port[p].u_port.bank_q[r];
        decides[r][p] = '0;
        for (int unsigned i = 0; i < 2; i++) begin
          if (32'(kept) > i && writes(verdicts[i].fate) && verdicts[i].rank == RankW'(r)) begin
            decides[r][p] = decides[r][p] + 2'd1;
          end
        end
      end
      hand_right = 1'b1;
      for (int unsigned i = 0; i < 2; i++) begin
        if (32'(kept) > i && writes(verdicts[i].fate) && 32'(verdicts[i].rank) >= NumRanks) begin
          hand_right = 1'b0;
        end
      end
      sound_port[p] = (!u_dut.gen_port[p].u_port.started_q || u_dut.gen_port[p].u_port.current_q) &&
          (u_dut.gen_port[p].u_port.mode_q != 2'd2 || !u_dut.gen_port[p].u_port.current_q ||
           (u_dut.gen_port[p].u_port.bank_q == one &&
            32'(u_dut.gen_port[p].u_port.packet_q.rank) < NumRanks)) &&
          u_dut.gen_port[p].u_port.late_wait_q == (pads || over) &&
          $onehot0(u_dut.gen_port[p].u_port.pad_q) && !(over && reads) &&
          (!pads || u_dut.gen_port[p].u_port.late_bank_q == u_dut.gen_port[p].u_port.bank_q) &&
          (!u_dut.gen_port[p].u_port.late_wait_q ||
           $onehot(u_dut.gen_port[p].u_port.late_bank_q)) &&
          $onehot0(given[p]) && u_dut.gen_port[p].u_port.gave_q == (given[p] != '0) &&
          !(u_dut.gen_port[p].u_port.gave_q &&
            (reads || u_dut.gen_port[p].u_port.late_wait_q)) &&
          // Fetched candidates are those that wait for a verdict, and those whose verdict waits.
          hand_right && 32'(fetched) <= Hand && 32'(kept) <= Hand &&
          3'(asked) + 3'(kept) == 3'(fetched != 2'd0 && candidate[0]) +
              3'(fetched == 2'd2 && candidate[1]) && pointers && in_time;
    end
  end

  for (genvar r = 0; r < NumRanks; r++) begin : gen_count
    logic [PlaceW-1:0] count, at;
    assign count = u_dut.u_store.gen_rank[r].u_order.count_q[PlaceW-1:0];
    assign at    = u_dut.u_store.gen_rank[r].u_order.read_q;
    always_comb begin
      in_order[r] = u_dut.u_store.gen_rank[r].u_order.write_q == PlaceW'(at + count) &&
          (u_dut.u_store.gen_rank[r].u_order.count_q == '0 ||
           u_dut.u_store.gen_rank[r].head == u_dut.u_store.gen_rank[r].u_order.mem_q[at]);
      for (int unsigned i = 0; i < Depth; i++) begin
        if (i < 32'(u_dut.u_store.gen_rank[r].u_order.count_q) &&
            !$onehot(u_dut.u_store.gen_rank[r].u_order.mem_q[PlaceW'(at+PlaceW'(i))]))
          in_order[r] = 1'b0;
      end
    end
    assign counted[r] = $onehot0(owns[r]) &&
        u_dut.u_store.gen_rank[r].u_turn.given_q == (owns[r] != '0) &&
        32'(u_dut.u_store.gen_rank[r].u_order.count_q) ==
        32'($countones({owns[r], waiting[r]})) + 32'(decides[r][0]) + 32'(decides[r][1]) &&
        u_banks.count_q[r] == CountW'(u_dut.u_store.gen_rank[r].u_order.count_q) &&
        u_banks.owned_q[r] == u_dut.u_store.gen_rank[r].u_turn.given_q &&
        (!u_banks.owned_q[r] || owns[r][u_banks.owner_q[r][0]]) &&
        (!u_banks.owned_q[r] || 32'(u_banks.owner_q[r]) < NumPorts);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port asks for one bank.
      a_bank : assert (bank_right)
      else $error("asks for %b", bank);
      // Only its owner gives a bank back, once.
      a_give : assert (give_right)
      else $error("given back by %b", u_banks.gives);
      // Whose bank it is, and who waits for it (helps the proof).
      a_sound : assert (sound_port == '1)
      else $error("ports %b", sound_port);
      a_queue : assert (in_order == '1)
      else $error("queues");
      a_counted : assert (counted == '1)
      else $error("%b", counted);
      // A bank's queue has a place for each decision.
      a_places : assert (places_right)
      else $error("%0d decisions", u_banks.count_q);
      // A bank goes from one port to the other.
      c_other : cover (u_banks.takes[0] == 2'b10 && was_q == 2'b01);
    end
  end

endmodule
