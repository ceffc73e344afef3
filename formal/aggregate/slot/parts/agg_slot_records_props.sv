// agg_slot_records: a record that is read is the one that was written, unless the code calls it
// bad, and then what stands beside the code is known still; and all are swept after reset. What the
// RAMs give back is free, and so is what the decoder makes of it (`cuts` of the task): it is
// compared with what would be written of the record that stands at the input. Their own proofs
// (prim_ram_word, prim_secded) say when it is that. One slot and one rank are followed.
module agg_slot_records_props
  import agg_pkg::*;
  import agg_slot_pkg::*;
  import prim_secded_pkg::*;
#(
  parameter int unsigned NumPorts = 3,
  parameter int unsigned NumRanks = 3,
  parameter int unsigned NumSlots = 6,
  parameter int unsigned Tree = 1,
  parameter int unsigned Ecc = 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             re_i,
  input logic [SlotW-1:0] raddr_i,
  input logic             we_i,
  input logic [SlotW-1:0] waddr_i,
  input slot_rec_t        wdata_i,
  input slot_place_t      place_i,
  input logic [SlotW-1:0] slot_i,   // any
  input logic [RankW-1:0] rank_i    // any
);

  logic        ready;
  slot_rec_t   rdata;
  ecc_t        found;
  slot_place_t place;

  agg_slot_records #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks),
    .NumSlots(NumSlots),
    .Tree    (Tree),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ready_o(ready),
    .re_i,
    .raddr_i,
    .rdata_o(rdata),
    .found_o(found),
    .place_o(place),
    .we_i,
    .waddr_i,
    .wdata_i,
    .place_i
  );

  // Whether what is read is the record at the input; the decoder's flips, and what is bad.
  localparam int unsigned Copies = 5;
  localparam int unsigned Places = (Ecc != 0) ? Copies : 1;
  logic                             same, joined, single, bad;
  logic [Copies-1:0][1:0]           kept_flips;
  slot_place_t [Places-1:0]         place_flips;
  assign place_flips = u_dut.places ^ {Places{place_i}};
  if (Ecc != 0) begin : gen_code
    // Bits of a record, and of its code.
    localparam int unsigned Data = 74 + $clog2(NumSlots) + 3 * NumRanks +
        NumRanks * $clog2(NumPorts) + 4 * Tree;
    localparam int unsigned Code = Data + SecdedChecks * secded_words(Data);
    assign same       = u_dut.gen_ecc.data == u_dut.gen_ecc.u_encode.data_i;
    assign single     = u_dut.gen_ecc.corrected;
    assign bad        = u_dut.gen_ecc.bad;
    assign kept_flips = u_dut.read[Code+:2*Copies] ^ u_dut.written[Code+:2*Copies];
    // What goes into the decoder is what comes out of the encoder, but for the RAM.
    assign joined     = u_dut.gen_ecc.u_decode.code_i == u_dut.read[Code-1:0] &&
        u_dut.gen_ecc.u_encode.code_o == u_dut.written[Code-1:0] &&
        !u_dut.gen_ecc.u_encode.poison_i;
  end else begin : gen_code
    assign same       = u_dut.read == u_dut.written;
    assign {single, bad, kept_flips} = '0;
    assign joined     = 1'b1;
  end

  // Copies of a bit that flipped: of the two beside the code, and of the place.
  logic [1:0][2:0] kept_count, place_count;
  always_comb begin
    {kept_count, place_count} = '0;
    for (int unsigned b = 0; b < 2; b++) begin
      for (int unsigned c = 0; c < Copies; c++) kept_count[b] += 3'(kept_flips[c][b]);
      for (int unsigned c = 0; c < Places; c++) place_count[b] += 3'(place_flips[c][b]);
    end
  end

  // What was read, as it stood at the input when the RAM gave it back: with the code a cycle ago.
  typedef struct packed {
    slot_rec_t       rec;
    slot_place_t     place;
    logic            same;
    logic            single;
    logic            bad;
    logic [1:0][2:0] kept;
    logic [1:0][2:0] places;
  } given_t;
  given_t    now, now_q, given;
  slot_rec_t kept;
  logic [2:1] asked_q;   // a read so many cycles ago
  logic       asked;
  logic [$bits({rdata, found, place})-1:0] last_q;   // what was shown in the last cycle
  assign now   = '{wdata_i, place_i, same, single, bad, kept_count, place_count};
  assign given = (Ecc != 0) ? now_q : now;
  assign kept  = given.rec;
  assign asked = asked_q[1+Ecc];
  always_ff @(posedge clk_i) begin
    asked_q <= {asked_q[1], re_i};
    now_q   <= now;
    last_q  <= {rdata, found, place};
  end

  // The record can be had; it counts. Whether it is lost; the votes are right.
  logic       counts, lost;
  logic [1:0] kept_right, place_right;
  assign counts = given.same && !lost;
  assign lost   = Ecc != 0 && ((given.same && kept.lost) || given.bad);
  always_comb begin
    for (int unsigned b = 0; b < 2; b++) begin
      kept_right[b]  = given.kept[b] <= 3'd2;
      place_right[b] = given.places[b] <= ((Ecc != 0) ? 3'd2 : 3'd0);
    end
  end

  logic             started_q, past_q;   // one cycle has gone by, two
  logic [SlotW-1:0] s_q;
  logic [RankW-1:0] r_q;
  logic [SlotW:0]   age_q;   // cycles since the last one of reset, up to NumSlots
  logic             own;     // a rank of this configuration
  initial {started_q, past_q, asked_q} = '0;
  assign own = 32'(r_q) < NumRanks;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    past_q    <= started_q;
    if (!started_q) {s_q, r_q} <= {slot_i, rank_i};
    if (32'(age_q) < NumSlots) age_q <= age_q + (SlotW + 1)'(1);
    if (!rst_ni) age_q <= '0;
    // The first cycle is one of reset.
    e_reset : assume (started_q || !rst_ni);
    // Slots are those that there are. Dropped: what is read is nothing that anybody stored.
    e_slots : assume ((!we_i || 32'(waddr_i) < NumSlots) && (!re_i || 32'(raddr_i) < NumSlots));
  end

  // What is asked of the RAMs, of the followed slot.
  logic written, place_written, is_read, place_read;
  assign written       = u_dut.u_ram.we_i && SlotW'(u_dut.u_ram.waddr_i) == s_q;
  assign place_written = u_dut.u_places.we_i && SlotW'(u_dut.u_places.waddr_i) == s_q >> 1;
  assign is_read       = u_dut.u_ram.re_i && SlotW'(u_dut.u_ram.raddr_i) == s_q;
  assign place_read    = u_dut.u_places.re_i && SlotW'(u_dut.u_places.raddr_i) == s_q >> 1;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // It is ready when it has made all invalid, a slot a cycle.
      a_ready : assert (ready == (32'(age_q) == NumSlots) && 32'(age_q) <= NumSlots &&
                        (ready || 32'(u_dut.sweep_addr_q) == 32'(age_q)))
      else $error("ready %b after %0d cycles", ready, age_q);
      if (!ready) begin
        // In its turn a slot is written, and its pair's place, with zeros, and no other.
        a_swept : assert (written == (32'(age_q) == 32'(s_q)) &&
                          place_written == (32'(age_q) >> 1 == 32'(s_q) >> 1) &&
                          (!written || u_dut.u_ram.wdata_i == '0) &&
                          (!place_written || u_dut.u_places.wdata_i == '0))
        else $error("slot %0d after %0d cycles", s_q, age_q);
      end else begin
        // From then on it is written when it is the one that is written, with all that is kept of
        // it; and the place with it, or with the other slot of the pair.
        a_written : assert (written == (we_i && waddr_i == s_q) &&
                            (!written || u_dut.u_ram.wdata_i == u_dut.written) &&
                            place_written == (we_i && waddr_i >> 1 == s_q >> 1) &&
                            (!place_written || u_dut.u_places.wdata_i == {Places{place_i}}))
        else $error("slot %0d: %b, place %b", s_q, written, place_written);
      end
      // It is read when it is the one that is read, and so is the place of its pair.
      a_read : assert (is_read == (re_i && raddr_i == s_q) &&
                       place_read == (re_i && raddr_i >> 1 == s_q >> 1))
      else $error("slot %0d: %b, place %b", s_q, is_read, place_read);

      if (asked) begin
        // A record that can be had is what it was.
        a_flags : assert (!counts || {rdata.valid, rdata.empty, rdata.complete,
            rdata.first_pending, rdata.held, rdata.stray, rdata.lost} == {kept.valid, kept.empty,
            kept.complete, kept.first_pending, kept.held, kept.stray, 1'b0})
        else $error("another record");
        a_message : assert (!counts || ({rdata.tag, rdata.kind, rdata.tensor_len,
            rdata.workers, rdata.window_log2, rdata.ring} == {kept.tag, kept.kind, kept.tensor_len,
            kept.workers, kept.window_log2, kept.ring} &&
            (32'(kept.offset) >= NumSlots || rdata.offset == kept.offset)))
        else $error("message %0d, not %0d", rdata.tag, kept.tag);
        // Of each rank, too; a rank that the configuration lacks has done nothing.
        a_rank : assert (!counts || {rdata.accepted[r_q], rdata.missing[r_q],
            rdata.owed[r_q]} == (own ? {kept.accepted[r_q], kept.missing[r_q], kept.owed[r_q]} :
                                 3'b000))
        else $error("rank %0d", r_q);
        a_port : assert (!counts || (own ? 32'(kept.port[r_q]) >= NumPorts ||
            rdata.port[r_q] == kept.port[r_q] : rdata.port[r_q] == '0))
        else $error("rank %0d, port %0d", r_q, rdata.port[r_q]);
        // What the device is in a tree is kept in a tree.
        a_tree : assert (!counts || {rdata.ends, rdata.answered, rdata.devices,
            rdata.parent} == ((Tree != 0) ? {kept.ends, kept.answered, kept.devices, kept.parent} :
                              '0))
        else $error("another part in the tree");
        // Of a lost one, and of one that was written as lost, nothing is known but whether it
        // holds packets, and whether a job is out; each is known while at most two of five copies
        // flipped.
        a_lost : assert (!lost || (rdata.lost && {rdata.valid, rdata.complete, rdata.first_pending,
            rdata.held, rdata.parent, rdata.devices, rdata.answered, rdata.ends} == '0 &&
            {rdata.tag, rdata.kind, rdata.tensor_len, rdata.workers, rdata.window_log2,
             rdata.ring, rdata.offset, rdata.accepted, rdata.missing, rdata.owed} == '0 &&
            rdata.port == '0))
        else $error("a lost record has contents");
        a_packets : assert (!lost || !kept_right[0] ||
                            rdata.empty == !((kept.valid || kept.lost) && !kept.empty))
        else $error("empty %b", rdata.empty);
        a_job : assert (!lost || !kept_right[1] ||
                        rdata.stray == (kept.stray || kept.owed != '0))
        else $error("job %b", rdata.stray);
        // The place is what it was, too, while at most two of five copies of a bit flipped.
        a_place : assert ((!place_right[0] || place[0] == given.place[0]) &&
                          (!place_right[1] || place[1] == given.place[1]))
        else $error("place %b", place);
        // What the decoder has found is told; and flips in copies, as corrected.
        a_found : assert ({kept_right, place_right} != '1 || (found.bad == given.bad &&
            found.corrected == (given.single ||
                                (Ecc != 0 && {given.kept, given.places} != '0))))
        else $error("corrected %b, bad %b", found.corrected, found.bad);
      end
      // With the code, what was read stands until the next read.
      a_stands : assert (Ecc == 0 || asked || !past_q || {rdata, found, place} == last_q)
      else $error("another record without a read");
      // Zeros are what is written of an invalid record, of which no rank was accepted; so a swept
      // slot holds that.
      a_zeros : assert (wdata_i != '0 || u_dut.written == '0)
      else $error("a swept slot holds something");
      // The RAM stands between encoder and decoder.
      a_code : assert (joined)
      else $error("another code");

      // A record of the last rank with flips beside it; the last slot.
      c_record : cover (asked && counts && kept.valid && kept.owed[NumRanks-1] &&
                        (Ecc == 0 || given.kept[0] == 3'd2));
      c_last : cover (ready && written && 32'(s_q) == NumSlots - 1 && is_read);
    end
  end

endmodule
