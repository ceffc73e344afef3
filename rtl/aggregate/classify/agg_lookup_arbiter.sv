// Stage 0 of look-up: the arbiter. Which port's request goes into the pipeline, round robin.
//
// A module of its own because it alone remembers which ports have a request inside, and which
// requests were given back and have to come again alone. Those wait until stages 1 to 4 are empty;
// all others wait for them, from the cycle after one was given back; and everybody waits for a
// registration of a connection, which asks the table with the same key register. A port's next
// request waits until the answer to the one before has left, so the FIFO of answers has a place for
// each; no port waits for another one's answer.
module agg_lookup_arbiter
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Requests of the ports; each stays until it is accepted in stage 4 (`ready`).
  input  logic        [NumPorts-1:0] req_valid_i,
  output logic        [NumPorts-1:0] req_ready_o,
  // The number of beats is not looked at.
  // verilator lint_off UNUSEDSIGNAL
  input  frame_desc_t [NumPorts-1:0] req_i,
  // verilator lint_on UNUSEDSIGNAL

  // A registration that waits, and its key: no request is granted. A flush (`hold`): none begins.
  input logic      conn_set_valid_i,
  input conn_key_t conn_set_key_i,   // unchanged since the cycle before, but in the first one
  input logic      hold_i,

  // Stages 1 to 4 hold no request; or they hold one that has to be alone.
  input logic empty_i,
  input logic alone_i,

  // The request that begins in this cycle, and the key to query the connection table with, and its
  // hash: those of the grant, or of the registration.
  output logic          begins_o,
  output lookup_query_t req_o,
  output conn_hash_t    hash_o,
  output conn_key_t     key_o,

  // The request in stage 4 is accepted, or given back.
  input logic             end_valid_i,
  input logic [PortW-1:0] end_port_i,
  input logic             end_accept_i,

  // An answer leaves, for this port.
  input logic             answer_valid_i,
  input logic [PortW-1:0] answer_port_i
);

  localparam int unsigned PortIdxW = (NumPorts > 1) ? $clog2(NumPorts) : 1;

  // Ports with a request inside, from its beginning to its answer; whose request was given back;
  // those that wait for it. With an answer to come, for an assertion.
  logic [NumPorts-1:0] inside_q, again_q, others_q, waits_q;
  logic [NumPorts-1:0] eligible, grant;
  logic                any, may_begin;
  // For an assertion.
  // verilator lint_off UNUSEDSIGNAL
  logic [PortIdxW-1:0] winner;
  // verilator lint_on UNUSEDSIGNAL

  assign eligible  = conn_set_valid_i ? '0 :
      req_valid_i & ~inside_q & ~others_q & ~(empty_i ? '0 : again_q);
  assign may_begin = !hold_i && !alone_i;
  assign begins_o  = any && may_begin;

  prim_arb_rr #(
    .N(NumPorts)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .req_i    (eligible),
    .advance_i(begins_o),
    .gnt_o    (grant),
    .idx_o    (winner),
    .valid_o  (any)
  );

  // Chosen by the grants, which are there a level before the winner's number.
  lookup_query_t [NumPorts-1:0] asked;
  conn_key_t     [NumPorts:0]   keys;
  conn_hash_t    [NumPorts:0]   hashes;
  conn_hash_t                   set_hash_q;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_asked
    assign asked[p] = '{
        alone: again_q[p],
        port: PortW'(p),
        starts: req_i[p].starts,
        has_ina: req_i[p].has_ina,
        psn: req_i[p].psn,
        ina: req_i[p].ina,
        tensor_len: req_i[p].tensor_len,
        len_bad: req_i[p].len_bad
    };
    assign keys[p]   = req_i[p].key;
    assign hashes[p] = req_i[p].hash;
  end
  assign keys[NumPorts]   = conn_set_key_i;
  assign hashes[NumPorts] = set_hash_q;

  always_ff @(posedge clk_i) set_hash_q <= conn_hash(conn_set_key_i);

  prim_pick #(
    .Width($bits(lookup_query_t)),
    .Words(NumPorts)
  ) u_request (
    .in_i    (asked),
    .select_i(grant),
    .out_o   (req_o)
  );

  prim_pick #(
    .Width($bits(conn_key_t)),
    .Words(NumPorts + 1),
    .Kept (key_kept(Without))
  ) u_key (
    .in_i    (keys),
    .select_i({conn_set_valid_i, grant}),
    .out_o   (key_o)
  );

  prim_pick #(
    .Width($bits(conn_hash_t)),
    .Words(NumPorts + 1)
  ) u_hash (
    .in_i    (hashes),
    .select_i({conn_set_valid_i, grant}),
    .out_o   (hash_o)
  );

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      req_ready_o[p] = end_accept_i && end_port_i == PortW'(p);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (may_begin && grant[p]) begin
        inside_q[p] <= 1'b1;
        again_q[p]  <= 1'b0;
      end
      if (end_valid_i && end_port_i == PortW'(p)) begin
        if (end_accept_i) begin
          waits_q[p] <= 1'b1;
        end else begin
          inside_q[p] <= 1'b0;
          again_q[p]  <= 1'b1;
        end
      end
      if (answer_valid_i && answer_port_i == PortW'(p)) begin
        inside_q[p] <= 1'b0;
        waits_q[p]  <= 1'b0;
      end
    end
    if (!rst_ni) begin
      inside_q <= '0;
      again_q  <= '0;
      waits_q  <= '0;
    end
    others_q <= (again_q == '0 || !rst_ni) ? '0 : ~again_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A key comes with its own hash; with another one its connection would not be found.
      a_hash : assert (!begins_o || req_i[winner].hash == conn_hash(req_i[winner].key))
      else $error("%m: port %0d asks with a wrong hash", winner);
      // An answer is of a request inside; another one could overtake it.
      a_inside : assert ((waits_q & ~inside_q) == '0)
      else $error("%m: answers to come %b, inside %b", waits_q, inside_q);
      // Only candidates ask: of any other frame the fields mean nothing.
      a_candidate : assert (!begins_o || req_i[winner].candidate)
      else $error("%m: port %0d asks about a frame that is no candidate", winner);
    end
  end

endmodule
