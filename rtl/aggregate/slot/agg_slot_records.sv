// The slot records' memory: packs a record to the bits that a configuration has, and makes all
// invalid after reset.
//
// Nobody waits: one read (a cycle, with Ecc two) and one write a cycle. A read in the cycle of a
// write sees the old record; agg_slot_state forwards what is on its way.
//
// With Ecc a record is coded (prim_secded_pkg), and decoded in front of a register. Two bits of it
// stand beside the code, kept five times: whether it holds packets, and whether a job of its slot
// is out. Of a record that cannot be corrected these are known still, and nothing else; so no job
// is forgotten, and none is queued twice. Of each pair, the place in the banks (slot_place_t) is
// kept five times, too.
module agg_slot_records
  import agg_pkg::*;
  import prim_secded_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// 1: a record says what the device is in its ring (docs/relay.md).
  parameter int unsigned Tree = 0,
  /// 1: with the code.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // High once every record is invalid, NumSlots cycles after reset. No read and no write before.
  output logic ready_o,

  // The record of `raddr_i`, 1 + Ecc cycles after `re_i`.
  input  logic             re_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [SlotW-1:0] raddr_i,   // below NumSlots, like waddr_i
  /* verilator lint_on UNUSEDSIGNAL */
  output slot_rec_t        rdata_o,
  // With the record: what reading it found. What cannot be corrected reads as lost.
  output ecc_t             found_o,
  // And as late: the place in the banks of its pair.
  output slot_place_t      place_o,

  // Write of a record, and of its pair's place in the banks, which take effect a cycle later.
  input logic             we_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input logic [SlotW-1:0] waddr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input slot_rec_t        wdata_i,
  input slot_place_t      place_i
);

  localparam int unsigned AddrW = (NumSlots > 1) ? $clog2(NumSlots) : 1;
  localparam int unsigned PortIndexW = (NumPorts > 1) ? $clog2(NumPorts) : 1;

  // A record as the RAM holds it: no bit that this configuration lacks.
  typedef struct packed {
    logic                                valid;
    logic                                empty;
    logic                                complete;
    logic                                first_pending;
    logic                                held;
    logic                                stray;
    logic [31:0]                         tag;
    logic [7:0]                          kind;
    logic [13:0]                         tensor_len;
    logic [RankW:0]                      workers;
    logic [2:0]                          window_log2;
    logic [RingW-1:0]                    ring;
    logic [AddrW-1:0]                    offset;
    logic [NumRanks-1:0]                 accepted;
    logic [NumRanks-1:0]                 missing;
    logic [NumRanks-1:0]                 owed;
    logic [NumRanks-1:0][PortIndexW-1:0] port;
  } stored_t;

  // All but what the device is in a tree, which stands in front of it.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic stored_t pack(input slot_rec_t rec);
  /* verilator lint_on UNUSEDSIGNAL */
    stored_t s;
    s.valid         = rec.valid;
    s.empty         = rec.empty;
    s.complete      = rec.complete;
    s.first_pending = rec.first_pending;
    s.held          = rec.held;
    s.stray         = rec.stray;
    s.tag           = rec.tag;
    s.kind          = rec.kind;
    s.tensor_len    = rec.tensor_len;
    s.workers       = rec.workers;
    s.window_log2   = rec.window_log2;
    s.ring          = rec.ring;
    s.offset        = AddrW'(rec.offset);
    s.accepted      = NumRanks'(rec.accepted);
    s.missing       = NumRanks'(rec.missing);
    s.owed          = NumRanks'(rec.owed);
    for (int unsigned r = 0; r < NumRanks; r++) s.port[r] = PortIndexW'(rec.port[r]);
    return s;
  endfunction

  function automatic slot_rec_t unpack(input stored_t s);
    slot_rec_t rec;
    rec               = '0;
    rec.valid         = s.valid;
    rec.empty         = s.empty;
    rec.complete      = s.complete;
    rec.first_pending = s.first_pending;
    rec.held          = s.held;
    rec.stray         = s.stray;
    rec.tag           = s.tag;
    rec.kind          = s.kind;
    rec.tensor_len    = s.tensor_len;
    rec.workers       = s.workers;
    rec.window_log2   = s.window_log2;
    rec.ring          = s.ring;
    rec.offset        = SlotW'(s.offset);
    rec.accepted      = MaxRanks'(s.accepted);
    rec.missing       = MaxRanks'(s.missing);
    rec.owed          = MaxRanks'(s.owed);
    for (int unsigned r = 0; r < NumRanks; r++) rec.port[r] = PortW'(s.port[r]);
    return rec;
  endfunction

  logic             sweep_q;
  logic [AddrW-1:0] sweep_addr_q;

  always_ff @(posedge clk_i) begin
    if (sweep_q) begin
      sweep_addr_q <= sweep_addr_q + AddrW'(1);
      sweep_q      <= sweep_addr_q != AddrW'(NumSlots - 1);
    end
    if (!rst_ni) begin
      sweep_q      <= 1'b1;
      sweep_addr_q <= '0;
    end
  end
  assign ready_o = !sweep_q;

  localparam int unsigned Roles = (Tree != 0) ? 4 : 0;
  localparam int unsigned Width = $bits(stored_t) + Roles;
  // With the code: also whether the record is lost.
  localparam int unsigned Data = Width + Ecc;
  localparam int unsigned Code = Data + Ecc * SecdedChecks * secded_words(Data);
  localparam int unsigned Copies = 5;
  localparam int unsigned Kept = Ecc * 2;   // bits that stand beside the code
  localparam int unsigned Bits = Code + Copies * Kept;
  logic [Width-1:0] rdata, wdata;
  logic [Bits-1:0]  written, read;

  if (Ecc > 1) begin : gen_check_ecc
    $fatal(1, "%m: Ecc must be 0 or 1");
  end
  if (NumSlots % 2 != 0) begin : gen_check_slots
    $fatal(1, "%m: NumSlots must be even");
  end

  assign wdata = Width'({wdata_i.ends, wdata_i.answered, wdata_i.devices, wdata_i.parent,
                         pack(wdata_i)});

  prim_ram_1r1w #(
    .Width(Bits),
    .Depth(NumSlots),
    .Latency(1)
  ) u_ram (
    .clk_i,
    .we_i   (sweep_q || we_i),
    .waddr_i(sweep_q ? sweep_addr_q : waddr_i[AddrW-1:0]),
    .wdata_i(sweep_q ? '0 : written),   // a code of zeros is one of all zeros
    .re_i,
    .raddr_i(raddr_i[AddrW-1:0]),
    .rdata_o(read)
  );

  localparam int unsigned Pairs = NumSlots / 2;
  localparam int unsigned PairW = (Pairs > 1) ? $clog2(Pairs) : 1;
  localparam int unsigned PlaceCopies = (Ecc != 0) ? Copies : 1;
  slot_place_t [PlaceCopies-1:0] places;

  prim_ram_1r1w #(
    .Width  ($bits(slot_place_t) * PlaceCopies),
    .Depth  (Pairs),
    .Latency(1)
  ) u_places (
    .clk_i,
    .we_i   (sweep_q || we_i),
    .waddr_i(PairW'((sweep_q ? SlotW'(sweep_addr_q) : waddr_i) >> 1)),
    .wdata_i(sweep_q ? '0 : {PlaceCopies{place_i}}),
    .re_i,
    .raddr_i(PairW'(raddr_i >> 1)),
    .rdata_o(places)
  );

  logic       lost;   // what is read, and of a lost record all that is known
  logic [1:0] kept;

  always_comb begin
    rdata_o = unpack(rdata[$bits(stored_t)-1:0]);
    if (Tree != 0) begin
      {rdata_o.ends, rdata_o.answered, rdata_o.devices, rdata_o.parent} = rdata[Width-1-:4];
    end
    if (Ecc != 0 && lost) begin
      rdata_o       = '0;
      rdata_o.lost  = 1'b1;
      rdata_o.empty = !kept[0];
      rdata_o.stray = kept[1];
    end
  end

  if (Ecc != 0) begin : gen_ecc
    logic [Data-1:0] data;
    logic [1:0]      voted;
    logic            corrected, bad, differ, place_differ, read_q;
    slot_place_t     place_voted;

    prim_secded_encode #(
      .Width(Data)
    ) u_encode (
      .data_i  ({wdata_i.lost, wdata}),
      .poison_i(1'b0),
      .code_o  (written[Code-1:0])
    );
    assign written[Bits-1:Code] = {Copies{wdata_i.stray || wdata_i.owed != '0,
                                          (wdata_i.valid || wdata_i.lost) && !wdata_i.empty}};

    prim_secded_decode #(
      .Width(Data)
    ) u_decode (
      .code_i     (read[Code-1:0]),
      .data_o     (data),
      .corrected_o(corrected),
      .bad_o      (bad)
    );

    prim_vote #(
      .Width(Kept)
    ) u_kept (
      .copies_i(read[Bits-1:Code]),
      .data_o  (voted),
      .differ_o(differ)
    );

    prim_vote #(
      .Width($bits(slot_place_t))
    ) u_place_vote (
      .copies_i(places),
      .data_o  (place_voted),
      .differ_o(place_differ)
    );

    always_ff @(posedge clk_i) begin
      read_q <= re_i;
      if (read_q) begin
        place_o <= place_voted;
        rdata   <= data[Width-1:0];
        lost    <= bad || data[Data-1];
        kept    <= voted;
        found_o <= '{corrected: corrected || differ || place_differ, bad: bad};
      end
    end
  end else begin : gen_plain
    assign written = wdata;
    assign rdata   = read;
    assign lost    = 1'b0;
    assign kept    = '0;
    assign found_o = '0;
    assign place_o = places;
    logic unused;
    assign unused = ^{wdata_i.lost, lost, kept};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A record touched during the sweep would come up valid with no message, or vanish.
      a_swept : assert (ready_o || (!we_i && !re_i))
      else $error("%m: record used before it was made invalid");
    end
  end

endmodule
