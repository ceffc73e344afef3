// What has come to a node for a low-latency tree: an inbox for each port, and one for what the
// parent multicasts, which is kept as what it sends, in places of its own.
//
// Vectors of children are read to be summed, those of the parent to be handed down as they came.
// Nobody waits here: who asks for a row has been shown its message.
module llt_inboxes
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// 1: memories are corrected, or looked at; rows that are read come a cycle later.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // All that is kept is forgotten. The parent's port, or none.
  input logic                clear_i,
  input logic [NumPorts-1:0] parent_i,

  // Queues of the ports' connections, and of the parent's multicasts, as llt_engine has them.
  input  rc_packet_t [NumPorts-1:0]                oldest_i,
  output logic       [NumPorts-1:0]                claim_o,
  output logic       [NumPorts-1:0]                row_re_o,
  input  logic       [NumPorts-1:0][RcRowBits-1:0] row_i,
  input  rc_packet_t           cast_oldest_i,
  output logic                 cast_claim_o,
  output logic                 cast_row_re_o,
  input  logic [RcRowBits-1:0] cast_row_i,

  // The oldest message of each port, and of the multicasts; taken, and kept for a group or not.
  output low_message_t [NumPorts-1:0] message_o,
  output low_message_t                cast_message_o,
  input  logic         [NumPorts-1:0] take_i,
  input  logic         [NumPorts-1:0] keep_i,   // of take_i
  input  logic                        cast_take_i,
  input  logic                        cast_keep_i,
  input  logic         [GroupW-1:0]   group_i,

  // Rows of the children's vectors, LowRow cycles after they are asked for, with Ecc one more.
  input  logic [NumPorts-1:0]                sum_re_i,
  input  logic [GroupW-1:0]                  sum_re_group_i,
  input  logic [4:0]                         sum_re_row_i,
  output logic [NumPorts-1:0][RcRowBits-1:0] row_o,

  // The same of the parent's vector, of its multicast if the group's answer came by that.
  input  logic                 send_re_i,
  input  logic                 send_use_i,       // the row will be used
  input  logic [GroupW-1:0]    send_re_group_i,
  input  logic [4:0]           send_re_row_i,
  input  logic                 from_cast_i,      // of send_re_group_i
  output logic [RcRowBits-1:0] parent_row_o,

  output rc_memory_t memory_o   // flipped bits that were read
);

  rc_memory_t [NumPorts-1:0]  inbox_memory;
  rc_memory_t                 cast_memory;
  logic [RcRowBits-1:0]       cast_row;
  logic [LowRow+Ecc:1]        casted_q;   // of the rows that were asked for

  for (genvar p = 0; p < NumPorts; p++) begin : gen_inbox
    llt_inbox #(
      .Ecc(Ecc)
    ) u_inbox (
      .clk_i,
      .rst_ni,
      .clear_i,
      .oldest_i  (oldest_i[p]),
      .claim_o   (claim_o[p]),
      .row_re_o  (row_re_o[p]),
      .row_i     (row_i[p]),
      .message_o (message_o[p]),
      .take_i    (take_i[p]),
      .keep_i    (keep_i[p]),
      .group_i,
      // The parent's vectors are sent, the others' summed.
      .re_i      (parent_i[p] ? send_re_i : sum_re_i[p]),
      .use_i     (!parent_i[p] || (send_use_i && !from_cast_i)),
      .re_group_i(parent_i[p] ? send_re_group_i : sum_re_group_i),
      .re_row_i  (parent_i[p] ? send_re_row_i : sum_re_row_i),
      .row_o     (row_o[p]),
      .memory_o  (inbox_memory[p])
    );
  end

  llt_inbox #(
    .Ecc(Ecc)
  ) u_casts (
    .clk_i,
    .rst_ni,
    .clear_i,
    .oldest_i  (cast_oldest_i),
    .claim_o   (cast_claim_o),
    .row_re_o  (cast_row_re_o),
    .row_i     (cast_row_i),
    .message_o (cast_message_o),
    .take_i    (cast_take_i),
    .keep_i    (cast_keep_i),
    .group_i,
    .re_i      (send_re_i),
    .use_i     (send_use_i && from_cast_i),
    .re_group_i(send_re_group_i),
    .re_row_i  (send_re_row_i),
    .row_o     (cast_row),
    .memory_o  (cast_memory)
  );

  always_ff @(posedge clk_i) casted_q <= {casted_q[LowRow+Ecc-1:1], from_cast_i};

  always_comb begin
    parent_row_o = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (parent_i[p]) parent_row_o = row_o[p];
    if (casted_q[LowRow+Ecc]) parent_row_o = cast_row;
  end

  rc_memory_t [15:0] found;
  always_comb begin
    found = '0;
    for (int unsigned p = 0; p < NumPorts && Ecc != 0; p++) begin
      found[p]            = inbox_memory[p];
      found[p].word.scope = OfPort;
      found[p].word.port  = 4'(p);
    end
  end

  always_ff @(posedge clk_i) memory_o <= (Ecc != 0) ? both(cast_memory, all_of(found)) : '0;

endmodule
