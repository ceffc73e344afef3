// Of agg_lookup_props: what stages 5 to 7 and the message history hold is what the table says. All
// of it helps the proof.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// there.
module lookup_back_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
  import slot_address_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRings = 2,
  parameter int unsigned NumConns = 2,
  parameter int unsigned MaxWindow = 1,
  localparam int unsigned History = 2 * MaxWindow
) (
  input logic clk_i,
  input logic rst_ni,

  input ring_t        [NumRings-1:0] rings_i,
  // What the stages hold, and what is asked of the history in stage 5.
  input lookup_part_t [7:5]          back_i,
  input lookup_seek_t                five_i,
  // Connection of each port's request that was accepted last.
  input conn_key_t    [NumPorts-1:0] asked_i,

  // What is in the table.
  input logic      [NumConns-1:0]            used_i,
  input conn_key_t [NumConns-1:0]            key_i,
  input logic      [NumConns-1:0][RingW-1:0] ring_i,
  input logic      [NumConns-1:0][RankW-1:0] rank_i
);

  ring_t      of5;
  logic [7:5] back_right;
  logic       six, seven;

  assign six   = u_dut.u_message.valid_q[6] && back_i[6].rsp.fate == FateStored;
  assign seven = u_dut.u_message.valid_q[7] && back_i[7].rsp.fate == FateStored;
  assign of5   = rings_i[ring_i[back_i[5].rsp.conn[0]][0]];

  always_comb begin
    for (int unsigned s = 5; s <= 7; s++) begin
      logic [0:0] c;
      ring_t      of;
      c  = back_i[s].rsp.conn[0];
      of = rings_i[ring_i[c][0]];
      back_right[s] = !u_dut.u_message.valid_q[s] || (32'(back_i[s].rsp.port) < NumPorts &&
          (back_i[s].rsp.fate != FateStored || (
           32'(back_i[s].rsp.conn) < NumConns && used_i[c] &&
           (key_i[c] == asked_i[back_i[s].rsp.port[0]]) &&
           back_i[s].rsp.ring == ring_i[c] && back_i[s].rsp.rank == rank_i[c] &&
           back_i[s].rsp.workers == of.workers &&
           back_i[s].rsp.window_log2 == of.window_log2 &&
           of.enable)));
    end
    // What begins is asked of the history in stage 5.
    if (u_dut.u_message.valid_q[5] && back_i[5].rsp.fate == FateStored) begin
      back_right[5] = back_right[5] && five_i.base == of5.base && (!five_i.starts ||
          ((RankW + 1)'(rank_i[back_i[5].rsp.conn[0]]) < of5.workers &&
           SlotW'(five_i.base + five_i.step) == slot_of(of5, back_i[5].rsp.msgid, '0) &&
           five_i.msglen != '0 && five_i.msglen <= of5.stride));
    end
  end

  logic [$clog2(History)-1:0] place4;   // of the message in stage 4, among 2N
  assign place4 = u_dut.u_message.u_seek.entry;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The way from the ring's first slot to a message is twice its place among N times the
      // stride, and one more for the later N of its 2N.
      a_step : assert ((
          u_dut.u_message.s5_d.step == SlotW'(
              2 * (32'(place4) & ((32'd1 << u_dut.s4_q.window_log2) - 32'd1)) *
              32'(u_dut.s4_q.stride) + ((32'(place4) >> u_dut.s4_q.window_log2) & 32'd1)) &&
          7'(place4) == (u_dut.s4_q.req.ina.msgid[6:0] & 7'(History - 1) &
                              7'((8'd2 << u_dut.s4_q.window_log2) - 8'd1))))
      else $error("step %0d", u_dut.u_message.s5_d.step);
      // Stages 5 to 7 hold what the table says.
      a_back : assert (back_right == '1)
      else $error("%b", back_right);
      a_fetched : assert (u_dut.u_message.u_messages.query_q == six &&
          u_dut.u_message.answer_valid == seven &&
          (!u_dut.u_message.u_messages.query_valid_i ||
           u_dut.u_message.u_messages.read_conn_q ==
               {back_i[5].rsp.ring[0], back_i[5].rsp.rank[0]}) &&
          (!six ||
           u_dut.u_message.u_messages.conn_q == {back_i[6].rsp.ring[0], back_i[6].rsp.rank[0]}))
      else $error("history");
    end
  end

endmodule
