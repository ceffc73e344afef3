// The slot records' memory: packs a record to the bits that a configuration has, and makes all
// invalid after reset.
//
// Nobody waits: one read (two cycles) and one write a cycle. A read in the cycle of a write sees
// the old record; agg_slot_state forwards what is on its way.
module agg_slot_records
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Ranks, 1 to 16.
  parameter int unsigned NumRanks = 6,
  /// Slots, 1 to 16384.
  parameter int unsigned NumSlots = 680,
  /// 1: a record says what the device is in its ring (docs/relay.md).
  parameter int unsigned Tree = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // High once every record is invalid, NumSlots cycles after reset. No read and no write before.
  output logic ready_o,

  // The record of `raddr_i`, two cycles after `re_i`.
  input  logic             re_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [SlotW-1:0] raddr_i,   // below NumSlots, like waddr_i
  /* verilator lint_on UNUSEDSIGNAL */
  output slot_rec_t        rdata_o,

  input logic             we_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input logic [SlotW-1:0] waddr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input slot_rec_t        wdata_i
);

  localparam int unsigned AddrW = (NumSlots > 1) ? $clog2(NumSlots) : 1;
  localparam int unsigned PortIndexW = (NumPorts > 1) ? $clog2(NumPorts) : 1;

  // A record as the RAM holds it: no bit that this configuration lacks.
  typedef struct packed {
    logic                                valid;
    logic                                empty;
    logic                                complete;
    logic                                first_pending;
    logic                                stray;
    logic [31:0]                         tag;
    logic [7:0]                          kind;
    logic [13:0]                         tensor_len;
    logic [RankW:0]                      workers;
    logic [2:0]                          window_log2;
    logic [RingW-1:0]                    ring;
    logic [AddrW-1:0]                    offset;
    logic [AddrW-1:0]                    free_slot;
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
    s.stray         = rec.stray;
    s.tag           = rec.tag;
    s.kind          = rec.kind;
    s.tensor_len    = rec.tensor_len;
    s.workers       = rec.workers;
    s.window_log2   = rec.window_log2;
    s.ring          = rec.ring;
    s.offset        = AddrW'(rec.offset);
    s.free_slot     = AddrW'(rec.free_slot);
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
    rec.stray         = s.stray;
    rec.tag           = s.tag;
    rec.kind          = s.kind;
    rec.tensor_len    = s.tensor_len;
    rec.workers       = s.workers;
    rec.window_log2   = s.window_log2;
    rec.ring          = s.ring;
    rec.offset        = SlotW'(s.offset);
    rec.free_slot     = SlotW'(s.free_slot);
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

  localparam int unsigned Roles = (Tree != 0) ? 2 : 0;
  localparam int unsigned Width = $bits(stored_t) + Roles;
  logic [Width-1:0] rdata;

  prim_ram_1r1w #(
    .Width(Width),
    .Depth(NumSlots),
    .Latency(2)
  ) u_ram (
    .clk_i,
    .we_i   (sweep_q || we_i),
    .waddr_i(sweep_q ? sweep_addr_q : waddr_i[AddrW-1:0]),
    .wdata_i(sweep_q ? '0 : Width'({wdata_i.devices, wdata_i.parent, pack(wdata_i)})),
    .re_i,
    .raddr_i(raddr_i[AddrW-1:0]),
    .rdata_o(rdata)
  );
  always_comb begin
    rdata_o = unpack(rdata[$bits(stored_t)-1:0]);
    if (Tree != 0) {rdata_o.devices, rdata_o.parent} = rdata[Width-1-:2];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A record touched during the sweep would come up valid with no message, or vanish.
      a_swept : assert (ready_o || (!we_i && !re_i))
      else $error("%m: record used before it was made invalid");
    end
  end

endmodule
