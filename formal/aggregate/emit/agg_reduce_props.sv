// agg_reduce: the elements of a word of the reduced row are made of those of every rank below
// `workers`, once each, in the order of docs/wire.md, and of nothing else. What two elements make
// is prim_fp32_reduce's affair: see reduce_stand_in.
module agg_reduce_props
  import roce_pkg::*;
  import agg_pkg::*;
  import prim_fp16_pkg::*;
  import reduce_shuffle_pkg::*;
#(
  parameter int unsigned NumRanks = 3,
  parameter int unsigned WideLanes = 0,
  /// Which 32 bits of the row. All words at once are more than the solver takes; lanes are copies
  /// of each other in the RTL.
  parameter int unsigned Word = 0,
  localparam int unsigned AtW = 2
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [NumRanks-1:0][BeatBits-1:0] in_rows_i,
  input logic [RankW:0]                    in_workers_i,
  input logic [7:0]                        in_kind_i,
  input logic                              in_last_i,
  input logic [MaxPorts-1:0]               in_ports_i,
  input logic                              in_keep_i,
  input logic                              in_kept_i,
  input logic [AtW-1:0]                    in_at_i
);

  /// Cycles from a row to its result, if it goes through the tree at once.
  localparam int unsigned Latency = 5 * $clog2(NumRanks) + 3;

  logic                out_valid, out_last;
  logic [BeatBits-1:0] out_row;
  logic [MaxPorts-1:0] out_ports;
  logic                kept_re, out_keep, out_kept;
  logic [AtW-1:0]      kept_at, out_at;

  agg_reduce #(
    .NumRanks (NumRanks),
    .WideLanes(WideLanes),
    .AtW      (AtW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_rows_i,
    .in_workers_i,
    .in_kind_i,
    .in_last_i,
    .in_ports_i,
    .in_keep_i,
    .in_kept_i,
    .in_at_i,
    .in_found_i ('0),
    .kept_re_o  (kept_re),
    .kept_at_o  (kept_at),
    .out_valid_o(out_valid),
    .out_row_o  (out_row),
    .out_last_o (out_last),
    .out_ports_o(out_ports),
    .out_keep_o (out_keep),
    .out_kept_o (out_kept),
    .out_at_o   (out_at),
    .out_found_o()
  );

  typedef logic [NumRanks-1:0][31:0] elements_t;

  /// docs/wire.md: neighbours are combined, then pairs of the results, and so on; an odd one at the
  /// end passes through.
  function automatic logic [31:0] reduced(elements_t elements, logic [RankW:0] workers,
                                          logic is_int, logic [1:0] op);
    logic [31:0]    row[NumRanks+1];
    logic [RankW:0] left;
    for (int unsigned i = 0; i < NumRanks; i++) row[i] = elements[i];
    row[NumRanks] = '0;
    left = workers;
    for (int unsigned step = 0; step < $clog2(NumRanks); step++) begin
      for (int unsigned i = 0; 2 * i < NumRanks; i++) begin
        row[i] = (2 * i + 1 < 32'(left)) ? shuffled(is_int, op, row[2*i], row[2*i+1]) : row[2*i];
      end
      left = (left + 1'b1) >> 1;
    end
    reduced = row[0];
  endfunction

  function automatic logic [15:0] reduced_half(logic [NumRanks-1:0][15:0] halves,
                                               logic [RankW:0] workers, logic bf16, logic [1:0] op);
    elements_t   elements;
    logic [31:0] root;
    for (int unsigned r = 0; r < NumRanks; r++) begin
      elements[r] = bf16 ? bf16_widen(halves[r]) : fp16_widen(halves[r]);
    end
    root = reduced(elements, workers, 1'b0, op);
    // A ring of one keeps its NaNs.
    reduced_half = rounded(bf16 ? bf16_cut(root, workers == 1) : fp16_cut(root, workers == 1));
  endfunction

  typedef struct packed {
    logic                valid;
    logic                half;
    logic [31:0]         bits;
    logic                last;
    logic [MaxPorts-1:0] ports;
    logic                keep;
    logic                kept;
    logic [AtW-1:0]      at;
  } result_t;

  logic                       begun_q;
  elements_t                  words;
  logic [NumRanks-1:0][15:0]  low, high;
  result_t                    now;
  result_t [Latency+1:1]      was_q;   // [n]: of n cycles ago

  always_comb begin
    for (int unsigned r = 0; r < NumRanks; r++) begin
      words[r] = in_rows_i[r][32*Word+:32];
      low[r]   = words[r][15:0];
      high[r]  = words[r][31:16];
    end
    now.valid = in_valid_i && rst_ni;
    now.half  = in_kind_i[3:0] == TypeFp16 || in_kind_i[3:0] == TypeBf16;
    now.last  = in_last_i;
    now.ports = in_ports_i;
    now.keep  = in_keep_i;
    now.kept  = in_kept_i;
    now.at    = in_at_i;
    now.bits  = now.half ?
        {reduced_half(high, in_workers_i, in_kind_i[3:0] == TypeBf16, in_kind_i[5:4]),
         reduced_half(low, in_workers_i, in_kind_i[3:0] == TypeBf16, in_kind_i[5:4])} :
        reduced(words, in_workers_i, in_kind_i[3:0] == TypeInt32, in_kind_i[5:4]);
  end

  logic [2:1]          asked_q;
  logic [2:1][AtW-1:0] at_q;

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    asked_q <= rst_ni ? {asked_q[1], kept_re} : '0;
    at_q    <= {at_q[1], kept_at};
    was_q <= {was_q[Latency:1], now};
    if (!rst_ni) for (int unsigned n = 1; n <= Latency + 1; n++) was_q[n].valid <= 1'b0;
  end

  // A row of 16-bit elements takes two turns of 16 lanes.
  logic    direct, twice;
  result_t expected;
  assign direct   = was_q[Latency].valid && !(was_q[Latency].half && WideLanes == 0);
  assign twice    = was_q[Latency+1].valid && was_q[Latency+1].half && WideLanes == 0;
  assign expected = twice ? was_q[Latency+1] : was_q[Latency];

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // A ring has at least one rank, and no more than there are.
    e_workers : assume (!in_valid_i || (in_workers_i != '0 && 32'(in_workers_i) <= NumRanks));
    if (rst_ni && begun_q) begin
      // Every row is answered, in its turn, and nothing else is.
      a_answered : assert (out_valid == (direct || twice))
      else $error("valid %b", out_valid);
      // Each element of the answer's word is that element of all ranks of the ring, each once,
      // combined neighbour with neighbour; elements of 16 bits are widened before and cut once, at
      // the end.
      a_row : assert (!out_valid || out_row[32*Word+:32] == expected.bits)
      else $error("word %0d", Word);
      // The ports and the end of the packet stay with their row.
      a_with : assert (!out_valid || (out_last == expected.last && out_ports == expected.ports &&
          out_keep == expected.keep && out_kept == expected.kept && out_at == expected.at))
      else $error("ports %h", out_ports);
      // A kept sum is asked for two cycles before its row leaves, and only then.
      a_kept : assert ((out_valid && out_kept) == asked_q[2] && (!asked_q[2] || out_at == at_q[2]))
      else $error("asked %b", asked_q);
      // Rows of two kinds come out one behind the other.
      c_kinds : cover (direct && was_q[Latency-1].valid &&
          was_q[Latency].half != was_q[Latency-1].half);
    end
  end

endmodule
