// Reads may become responses in the property cache only if there is room for these where they
// leave: else a read would wait for responses inside the switch, and responses behind it for reads.
//
// It exists so that a hit is never in anybody's way. In front of the cache room for its response is
// kept for each read that may hit; a read that finds none is not looked up and goes on as it is.
// Behind the cache what was kept in vain is given back: of a read that did not hit the response's
// room, of one that did the read's.
//
// Who waits: reads for packets that were chosen to enter, a cycle each, and two more if these are
// responses that leave where theirs would; PRs as the cache says.
module gather_turn
  import gather_pkg::*;
#(
  /// Nodes, 2 to 1024.
  parameter int unsigned NumNodes = 16,
  /// Ports, 1 to 64.
  parameter int unsigned NumPorts = 4,
  localparam int unsigned NodeW = $clog2(NumNodes),
  localparam int unsigned PortW = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input logic clk_i,
  input logic rst_ni,

  // Hits are possible. The port of each node, for reads and for responses.
  input logic                           enable_i,
  input logic [NumNodes-1:0][PortW-1:0] read_port_i,
  input logic [NumNodes-1:0][PortW-1:0] response_port_i,

  // PRs as they were split, and on their way to the cache: of a read `cacheable` is new.
  input  logic     pr_valid_i,
  output logic     pr_ready_o,
  input  pr_beat_t pr_i,
  output logic     pr_valid_o,
  input  logic     pr_ready_i,
  output pr_beat_t pr_o,

  // The same PRs as they leave the cache, in the same order: the first beat of one is taken.
  input logic back_i,
  input logic back_response_i,

  // At each port: there was room for three responses, the two in front may have been kept theirs
  // since. Room of it is being kept for packets; none is taken here now, nor at any port in a cycle
  // of `enters_i`. Pulse: so many beats at a port are kept.
  input  logic [NumPorts-1:0] open_i,
  input  logic [NumPorts-1:0] busy_i,
  input  logic                enters_i,
  output logic                keep_o,
  output logic [PortW-1:0]    keep_port_o,
  output logic [4:0]          keep_beats_o,

  // Pulse: what is not used is given back.
  output logic             give_o,
  output logic             give_response_o,
  output logic [PortW-1:0] give_port_o,
  output logic [4:0]       give_beats_o,

  // Pulse: a read is not looked up for want of room.
  output logic not_turned_o
);

  /// PRs in the cache, and more.
  localparam int unsigned Inside = 16;

  // What is known of a PR beside the cache.
  typedef struct packed {
    logic             read;
    logic             kept;    // room for its response
    logic [PortW-1:0] there;   // by which the read goes
    logic [PortW-1:0] back;    // by which its response would
    logic [4:0]       alone;   // beats of the response
  } beside_t;

  logic     valid_q, room, stall, go, put_q, beside_ready, beside_valid;
  pr_beat_t pr_q;
  beside_t  beside_q, beside_in, put_beside_q, left;
  // verilator lint_off UNUSEDSIGNAL
  logic [$clog2(Inside+1)-1:0] count;
  // verilator lint_on UNUSEDSIGNAL

  // ---------------------------------------------------------------------------------------------
  // In front

  assign pr_ready_o = !valid_q || go;

  always_ff @(posedge clk_i) begin
    if (pr_ready_o) begin
      valid_q  <= pr_valid_i;
      pr_q     <= pr_i;
      // Room is wanted for its response.
      beside_q <= '{read: !pr_i.pr.response,
                    kept: !pr_i.pr.response && pr_i.pr.src < NumNodes && enable_i,
                    there: read_port_i[pr_i.pr.dest[NodeW-1:0]],
                    back: response_port_i[pr_i.pr.src[NodeW-1:0]],
                    alone: alone_beats(1'b1, pr_i.pr.len)};
    end
    if (!rst_ni) valid_q <= 1'b0;
  end

  assign room  = open_i[beside_q.back];
  assign stall = beside_q.kept && (enters_i || busy_i[beside_q.back]);

  always_comb begin
    beside_in      = beside_q;
    beside_in.kept = beside_q.kept && room;
    pr_o           = pr_q;
    if (beside_q.read) pr_o.pr.cacheable = beside_in.kept;
  end

  assign pr_valid_o   = valid_q && !stall;
  assign go           = pr_valid_o && pr_ready_i;
  assign keep_o       = go && beside_in.kept;
  assign keep_port_o  = beside_q.back;
  assign keep_beats_o = beside_q.alone;
  assign not_turned_o = go && beside_q.kept && !room;

  // ---------------------------------------------------------------------------------------------
  // Beside the cache, and behind it. A PR is longer in the cache than the cycle that it is late
  // here.

  always_ff @(posedge clk_i) begin
    put_q        <= go && pr_q.first;
    put_beside_q <= beside_in;
    if (!rst_ni) put_q <= 1'b0;
  end

  prim_fifo #(
    .T    (beside_t),
    .Depth(Inside)
  ) u_beside (
    .clk_i,
    .rst_ni,
    .in_valid_i (put_q),
    .in_ready_o (beside_ready),
    .in_i       (put_beside_q),
    .out_valid_o(beside_valid),
    .out_ready_i(back_i),
    .out_o      (left),
    .count_o    (count)
  );

  assign give_o          = back_i && left.kept;
  assign give_response_o = !back_response_i;
  assign give_port_o     = back_response_i ? left.there : left.back;
  assign give_beats_o    = back_response_i ? alone_beats(1'b0, '0) : left.alone;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What is beside the cache finds room, and is there when its PR leaves; else room would be
      // given back that another PR needs.
      a_beside : assert (!(put_q && !beside_ready) && (!back_i || beside_valid))
      else $error("%m: the cache and what is beside it are not in step");
      // Only a read for which room is kept has turned.
      a_turned : assert (!back_i || !left.read || !back_response_i || left.kept)
      else $error("%m: a read has turned without room for its response");
    end
  end

endmodule
