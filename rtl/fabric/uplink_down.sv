// What comes by the uplinks of a down port, to that port: there is nothing to choose.
//
// Each queue of an uplink is a source of its own, so that a class that is paused stops no other.
// Whole frames leave, those of a queue of an uplink in their order.
module uplink_down
  import shell_pkg::*;
  import uplink_pkg::*;
  import uplink_route_pkg::*;
#(
  /// Uplinks of the port, 1 or more.
  parameter int unsigned Fan = 2,
  /// See uplink_port.
  parameter int unsigned NumQueues = 2,
  /// See uplink_merge.
  parameter int unsigned Depth = 256,
  parameter int unsigned MaxBeats = 144,
  localparam int unsigned CountW = $clog2(Depth + 1),
  localparam int unsigned Sources = Fan * NumQueues
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [PortW-1:0] port_i,   // which down port it is; for source_o alone

  // By uplink and queue.
  input  logic   [Fan-1:0][NumQueues-1:0] in_valid_i,
  output logic   [Fan-1:0][NumQueues-1:0] in_ready_o,
  input  bytes_t [Fan-1:0][NumQueues-1:0] in_data_i,
  input  keep_t  [Fan-1:0][NumQueues-1:0] in_keep_i,
  input  logic   [Fan-1:0][NumQueues-1:0] in_last_i,

  // See uplink_merge.
  input  logic [NumQueues-1:0][CountW-1:0] level_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output bytes_t                           out_data_o,
  output keep_t                            out_keep_o,
  output logic                             out_last_o,
  output logic [2:0]                       out_prio_o,

  // Observation only.
  output source_obs_t [Fan-1:0][NumQueues-1:0] source_o
);

  typedef struct packed {
    bytes_t     data;
    keep_t      keep;
    logic       last;
    logic [2:0] prio;
  } beat_t;

  logic   [Sources-1:0]      valid, ready, last, within_q;
  bytes_t [Sources-1:0]      data;
  keep_t  [Sources-1:0]      keep;
  logic   [Sources-1:0][2:0] prio;

  for (genvar s = 0; s < Sources; s++) begin : gen_source
    localparam int unsigned Uplink = s / NumQueues;
    localparam int unsigned Queue = s % NumQueues;
    beat_t in, out;
    logic [2:0] in_prio;

    uplink_prio u_prio (
      .data_i(in_data_i[Uplink][Queue]),
      .keep_i(in_keep_i[Uplink][Queue]),
      .prio_o(in_prio)
    );
    assign in = '{
      data: in_data_i[Uplink][Queue],
      keep: in_keep_i[Uplink][Queue],
      last: in_last_i[Uplink][Queue],
      prio: in_prio
    };

    prim_skid #(
      .T(beat_t)
    ) u_skid (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid_i[Uplink][Queue]),
      .in_ready_o (in_ready_o[Uplink][Queue]),
      .in_i       (in),
      .out_valid_o(valid[s]),
      .out_ready_i(ready[s]),
      .out_o      (out)
    );
    assign data[s] = out.data;
    assign keep[s] = out.keep;
    assign last[s] = out.last;
    assign prio[s] = out.prio;

    always_ff @(posedge clk_i) begin
      if (valid[s] && ready[s]) within_q[s] <= !last[s];
      if (!rst_ni) within_q[s] <= 1'b0;
    end
    assign source_o[Uplink][Queue] = '{
      decides: 1'b0,
      beat: valid[s] && ready[s],
      begins: !within_q[s],
      drops: 1'b0,
      port: port_i,
      why: WayHash
    };
  end

  uplink_merge #(
    .NumSources(Sources),
    .NumQueues (NumQueues),
    .Depth     (Depth),
    .MaxBeats  (MaxBeats)
  ) u_merge (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid),
    .in_ready_o (ready),
    .in_data_i  (data),
    .in_keep_i  (keep),
    .in_last_i  (last),
    .in_prio_i  (prio),
    /* verilator lint_off PINCONNECTEMPTY */
    .taken_o    (),
    /* verilator lint_on PINCONNECTEMPTY */
    .level_i,
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_keep_o,
    .out_last_o,
    .out_prio_o
  );

endmodule
