// Where a streaming tree's packets leave: sums, what comes down, and headers alone follow each
// other at a port and never mix. A refusal is the last to get its turn.
module sat_leave
  import rc_pkg::*;
  import sat_pkg::*;
#(
  /// Ports of the node.
  parameter int unsigned NumPorts = 8,
  /// 0: buffers count a packet from its first row on; 1: once its last one is there.
  parameter bit RoomAtStop = 1'b0,
  /// Cycles from that row to a `room_i` that counts the packet, 1 to 3.
  parameter int unsigned RoomLate = 2
) (
  input logic clk_i,
  input logic rst_ni,

  // The buffers, and which of them have room for a packet that nobody has begun.
  input  logic    [NumPorts-1:0] room_i,
  output logic    [NumPorts-1:0] room_o,
  output rc_row_t [NumPorts-1:0] out_o,

  // Packets that begin, of whatever kind; to these ports one is under way, or will be.
  input logic [NumPorts-1:0] begun_i,
  input logic [NumPorts-1:0] taken_i,

  // Rows of a sum, and of what comes down, to the ports that their packet goes to; and a header
  // alone.
  input logic      [NumPorts-1:0] emit_to_i,
  input rc_row_t                  emit_row_i,
  input logic      [NumPorts-1:0] fall_to_i,
  input logic      [NumPorts-1:0] fall_row_to_i,
  input rc_row_t                  fall_row_i,
  input logic      [NumPorts-1:0] head_to_i,
  input sat_head_t                head_i,

  // A header that refuses waits until all its ports have room. `posted_i`: it begins.
  input  logic                     refuse_valid_i,
  output logic                     refuse_ready_o,
  input  logic      [NumPorts-1:0] refuse_i,
  input  sat_head_t                refuse_head_i,
  input  logic      [NumPorts-1:0] posted_i
);

  typedef logic [NumPorts-1:0] ports_t;

  ports_t                 head_to_q, posted_q, counted;
  sat_head_t              head_q;
  rc_row_t [NumPorts-1:0] out_q;

  sat_free #(
    .NumPorts(NumPorts)
  ) u_free (
    .may_i  (refuse_valid_i),
    .need_i (refuse_i),
    .room_i (room_o),
    .taken_i,
    .go_o   (refuse_ready_o)
  );

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      counted[p] = out_q[p].valid && (RoomAtStop ? out_q[p].stop : out_q[p].start);
    end
  end

  sat_room #(
    .NumPorts(NumPorts),
    .RoomLate(RoomLate)
  ) u_room (
    .clk_i,
    .rst_ni,
    .room_i,
    .begun_i,
    .counted_i(counted),
    .room_o
  );

  always_ff @(posedge clk_i) begin
    head_to_q <= head_to_i;
    head_q    <= head_i;
    posted_q  <= posted_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      out_q[p].valid <= 1'b0;
      if (fall_row_to_i[p]) begin
        out_q[p] <= fall_row_i;
      end else if (emit_to_i[p]) begin
        out_q[p] <= emit_row_i;
      end else if (head_to_q[p] || posted_q[p]) begin
        out_q[p] <= '{valid: 1'b1, start: 1'b1, stop: 1'b1, first: 1'b1, last: 1'b1,
                      len: LenW'(HeadBytes),
                      row: RcRowBits'(turned(posted_q[p] ? refuse_head_i : head_q))};
      end
      if (!rst_ni) out_q[p].valid <= 1'b0;
    end
    if (!rst_ni) begin
      head_to_q <= '0;
      posted_q  <= '0;
    end
  end
  assign out_o = out_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A port's packets follow each other; a row of another one in between would be in it.
      a_one : assert ((fall_to_i & emit_to_i) == '0 && (head_to_q & posted_q) == '0 &&
          ((head_to_q | posted_q) & (fall_to_i | emit_to_i)) == '0)
      else $error("%m: packets mix: fall %b, sum %b, head %b", fall_to_i, emit_to_i, head_to_q);
    end
  end

endmodule
