// agg_slot_compare: what all candidates are compared for is what comes of the record that is found
// in the next stage: chosen first here, and compared then, at the sizes that are built.
module agg_slot_compare_props
  import agg_pkg::*;
  import agg_slot_pkg::*;
#(
  parameter int unsigned NumPorts = 6,
  parameter int unsigned NumRanks = 6
) (
  input logic                           clk_i,
  input logic [31:0]                    msgid_i,
  input logic [7:0]                     kind_i,
  input logic [13:0]                    tensor_len_i,
  input logic [MaxPorts-1:0]            port_ready_i,
  input slot_rec_t                      rec_i,
  input logic [2:1]                     forward_i,
  input logic [31:0]                    msgid5_i,
  input logic [7:0]                     kind5_i,
  input logic [13:0]                    tensor_len5_i,
  input logic [MaxRanks-1:0][PortW-1:0] port5_i,
  input slot_rec_t                      rec5_i,
  input slot_result_t                   result5_i,
  input slot_rec_t                      rec6_i,
  input logic [RankW-1:0]               rank_i   // any
);

  slot_rel_t           rel;
  logic [MaxRanks-1:0] blocked;

  agg_slot_compare #(
    .NumPorts(NumPorts),
    .NumRanks(NumRanks)
  ) u_dut (
    .msgid_i,
    .kind_i,
    .tensor_len_i,
    .port_ready_i,
    .rec_i,
    .forward_i,
    .msgid5_i,
    .kind5_i,
    .tensor_len5_i,
    .port5_i,
    .rec5_i,
    .result5_i,
    .rec6_i,
    .rel_o    (rel),
    .blocked_o(blocked)
  );

  slot_rec_t        found;   // the record as those that are ahead leave it
  logic [PortW-1:0] port;
  logic             room;
  always_comb begin
    found = forward_i[1] ? rec5_i : forward_i[2] ? rec6_i : rec_i;
    port  = found.port[rank_i];
    if (forward_i[1] && result5_i.set_tag) begin
      found.tag        = msgid5_i;
      found.kind       = kind5_i;
      found.tensor_len = tensor_len5_i;
    end
    if (forward_i[1] && result5_i.moves[rank_i]) port = port5_i[rank_i];
  end
  assign room = 32'(port) < NumPorts && port_ready_i[port];

  always_ff @(posedge clk_i) begin
    // Whether it is the same message, of the same kind and length, and an older one: of the record
    // as it will be.
    a_relation : assert (rel.same_tag == (found.tag == msgid_i) &&
                         rel.older == (32'(msgid_i - found.tag) > 32'h7FFF_FFFF) &&
                         rel.same_kind == (found.kind == kind_i) &&
                         rel.same_len == (found.tensor_len == tensor_len_i))
    else $error("relation %b", rel);
    // A rank is blocked while the port that it will have has no room.
    a_blocked : assert (blocked[rank_i] == (32'(rank_i) < NumRanks && !room))
    else $error("rank %0d: %b", rank_i, blocked[rank_i]);

    // The operation just ahead gives the rank another port, and the record another tag.
    c_moves : cover (forward_i[1] && result5_i.set_tag && rel.same_tag && rec5_i.tag != msgid_i);
    c_port : cover (forward_i == 2'b11 && result5_i.moves[0] && blocked[0] && !blocked[1]);
  end

endmodule
