// Out-of-sequence counters of all connections (Meta RoCE 6.3.1): a table for each queue of a down
// port, and what software reads of them. Nobody waits.
module uplink_conns
  import uplink_flow_pkg::*;
  import uplink_pkg::*;
#(
  /// Queues, 1 to 16, each with a table of its own.
  parameter int unsigned NumSources = 4,
  /// See uplink_order.
  parameter int unsigned Sets = 256,
  parameter int unsigned Ways = 2,
  localparam int unsigned Aw = $clog2(Sets),
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int unsigned SourceW = (NumSources > 1) ? $clog2(NumSources) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Headers of frames, as they were read; of those that are no RoCEv2 nothing is counted.
  input logic  [NumSources-1:0] valid_i,
  input read_t [NumSources-1:0] read_i,

  // Packets by verdict (order_e) since reset; they wrap.
  output logic [NumSources-1:0][NumOrder-1:0][31:0] count_o,

  // Forgets all connections; `busy_o` until then.
  input  logic clear_i,
  output logic busy_o,

  // A place of a table: asked with a pulse, there when `done_o` is high again, and kept.
  input  logic               ask_i,
  input  logic [SourceW-1:0] source_i,
  input  logic [Aw-1:0]      set_i,
  input  logic [WayW-1:0]    way_i,
  output logic               done_o,
  output conn_t              conn_o
);

  logic  [NumSources-1:0] busy, done;
  conn_t [NumSources-1:0] conn;
  assign busy_o = busy != '0;

  for (genvar s = 0; s < NumSources; s++) begin : gen_source
    logic   judged, judged_q;
    order_e verdict, verdict_q;
    conn_name_t name, read_name;
    assign name         = '{dst: read_i[s].key.dst, qpn: read_i[s].key.qpn};
    assign conn[s].dst  = read_name.dst;
    assign conn[s].qpn  = read_name.qpn;

    uplink_order #(
      .KeyW($bits(conn_name_t)),
      .Sets(Sets),
      .Ways(Ways)
    ) u_order (
      .clk_i,
      .rst_ni,
      .in_valid_i       (valid_i[s] && read_i[s].roce),
      .in_opcode_i      (read_i[s].opcode),
      .in_key_i         (name),
      .in_psn_i         (read_i[s].psn),
      .out_valid_o      (judged),
      .out_verdict_o    (verdict),
      .clear_i,
      .busy_o           (busy[s]),
      .read_i           (ask_i && source_i == SourceW'(s)),
      .read_set_i       (set_i),
      .read_way_i       (way_i),
      .read_done_o      (done[s]),
      .read_used_o      (conn[s].used),
      .read_key_o       (read_name),
      .read_next_o      (conn[s].psn),
      .read_gaps_o      (conn[s].gaps),
      .read_duplicates_o(conn[s].duplicates)
    );

    always_ff @(posedge clk_i) begin
      judged_q  <= judged;
      verdict_q <= verdict;
      for (int unsigned v = 0; v < NumOrder; v++) begin
        if (judged_q && 32'(verdict_q) == v) count_o[s][v] <= count_o[s][v] + 32'd1;
      end
      if (!rst_ni) begin
        judged_q   <= 1'b0;
        count_o[s] <= '0;
      end
    end
  end

  logic [SourceW-1:0] source_q;
  always_ff @(posedge clk_i) begin
    if (ask_i) source_q <= source_i;
    if (done != '0) begin
      for (int unsigned s = 0; s < NumSources; s++) if (source_q == SourceW'(s)) conn_o <= conn[s];
    end
    done_o <= !ask_i && (done_o || done != '0);
    if (!rst_ni) done_o <= 1'b1;
  end

endmodule
