// Of agg_lookup_props: stages 1 to 4. What they hold is what their ports still show, and what they
// say of it is what the table and the rings say.
//
// A part of that property file on its own, so that each can be read in one go; `u_dut` is the one
// there. All of it helps the proof of what leaves the pipeline.
module lookup_front_watch
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumRanks = 2,
  parameter int unsigned NumRings = 2,
  parameter int unsigned NumConns = 2,
  parameter int unsigned MaxWindow = 1
) (
  input logic clk_i,
  input logic rst_ni,

  input logic        [NumPorts-1:0] req_valid_i,
  input frame_desc_t [NumPorts-1:0] req_i,
  input ring_t       [NumRings-1:0] rings_i,
  input logic                       conn_set_valid_i,
  input conn_set_t                  conn_set_i,
  input logic                       set_waits_i,   // it was there a cycle ago
  // What stages 1 to 4 and 5 to 7 hold.
  input lookup_query_t [4:1]        front_i,
  input lookup_part_t  [7:5]        back_i,

  // As lookup_table_watch says.
  input logic      [NumConns-1:0]               used_i,
  input logic      [NumConns-1:0]               retired_i,
  input conn_key_t [NumConns-1:0]               key_i,
  input logic      [NumConns-1:0][RingW-1:0]    ring_i,
  input logic      [NumConns-1:0][RankW-1:0]    rank_i,
  input logic      [NumRings-1:0][NumRanks-1:0] taken_i,
  input logic                                   changed_i,
  input logic                                   query_i,
  input conn_key_t                              query_key_i
);

  logic [4:1] right, single;
  logic [3:0] number;
  logic [NumPorts-1:0] flies;

  function automatic logic [NumConns-1:0] find(conn_key_t one);
    for (int unsigned c = 0; c < NumConns; c++) find[c] = used_i[c] && key_i[c] == one;
  endfunction

  conn_key_t           key3, key4;
  logic [NumConns-1:0] found3, found4, found_set;
  frame_desc_t         four;
  logic                hit_right, four_right, set_right;
  logic                names;       // the header's ring_i is one of the enabled rings_i

  assign key3      = req_i[front_i[3].port[0]].key;
  assign four      = req_i[front_i[4].port[0]];
  assign key4      = four.key;
  assign found3    = find(key3);
  assign found4    = find(key4);
  assign found_set = find(conn_set_i.key);

  always_comb begin
    number = '0;
    flies  = '0;
    for (int unsigned s = 1; s <= 4; s++) begin
      frame_desc_t is;
      is = req_i[front_i[s].port[0]];
      right[s] = !u_dut.valid_q[s] || (32'(front_i[s].port) < NumPorts &&
          req_valid_i[front_i[s].port[0]] &&
          front_i[s].starts == is.starts && front_i[s].has_ina == is.has_ina &&
          front_i[s].psn == is.psn && front_i[s].ina == is.ina &&
          front_i[s].tensor_len == is.tensor_len && front_i[s].len_bad == is.len_bad &&
          !u_dut.u_arbiter.again_q[front_i[s].port[0]]);
      single[s] = !u_dut.valid_q[s] || !front_i[s].alone ||
          ((u_dut.valid_q & ~(4'd1 << (s - 1))) == '0 &&
           (u_dut.key_q == is.key));
      if (u_dut.valid_q[s]) begin
        number = number + 4'd1;
        if (front_i[s].port[0]) flies[1] = 1'b1;
        else flies[0] = 1'b1;
      end
    end
    names     = 1'b0;
    hit_right = (u_dut.conn_hit == (found3 != '0)) && (!u_dut.conn_hit || (
        32'(u_dut.conn) < NumConns && used_i[u_dut.conn[0]] &&
        u_dut.conn_retired == retired_i[u_dut.conn[0]] &&
        u_dut.conn_ring == ring_i[u_dut.conn[0]] && u_dut.conn_rank == rank_i[u_dut.conn[0]]));
    set_right = u_dut.conn_hit == (found_set != '0) &&
        (u_dut.conn_hit || u_dut.table_full == (used_i == '1)) &&
        (u_dut.conn_hit || u_dut.table_full || u_dut.conn == ConnW'(used_i[0])) &&
        u_dut.u_conns.way_q == u_dut.conn[0] && 32'(u_dut.conn) < NumConns;
    if (!u_dut.conn_hit && (u_dut.table_full != (used_i == '1) ||
        (!u_dut.table_full && u_dut.conn != ConnW'(used_i[0])))) hit_right = 1'b0;
    if (u_dut.u_conns.way_q != u_dut.conn[0] || 32'(u_dut.conn) >= NumConns) hit_right = 1'b0;
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (found3[c] && u_dut.conn != ConnW'(c)) hit_right = 1'b0;
    end
    for (int unsigned g = 0; g < NumRings; g++) begin
      if (rings_i[g].enable && rings_i[g].id == four.ina.ring) names = 1'b1;
    end
  end

  // The first enabled ring_i of that RingID, or else the first that drops.
  function automatic logic [RingW-1:0] named(logic [15:0] id);
    named = (rings_i[0].enable && rings_i[0].id == id) ? '0 :
        ((rings_i[1].enable && rings_i[1].id == id) ? RingW'(1) :
         ((rings_i[0].drop && rings_i[0].id == id) ? '0 :
          ((rings_i[1].drop && rings_i[1].id == id) ? RingW'(1) : '0)));
  endfunction

  function automatic logic knows(logic [15:0] id);
    knows = (rings_i[0].enable && rings_i[0].id == id) ||
        (rings_i[1].enable && rings_i[1].id == id);
  endfunction

  logic [RingW-1:0] header4;
  assign header4 = named(four.ina.ring);

  logic [0:0] at4;      // entry of the connection
  assign at4 = u_dut.s4_q.conn[0];

  ring_t of4;           // the ring that counts
  assign of4 = rings_i[u_dut.s4_q.ring[0]];

  always_comb begin
    four_right = u_dut.s4_q.header_known == names && (u_dut.s4_q.hit || !u_dut.s4_q.known) &&
        ((!four.has_ina && !u_dut.s4_q.hit) || (u_dut.s4_q.ring < RingW'(NumRings) &&
         u_dut.s4_q.learn == of4.learn && u_dut.s4_q.workers == of4.workers &&
         u_dut.s4_q.window_log2 == of4.window_log2 && u_dut.s4_q.stride == of4.stride &&
         u_dut.s4_q.base == of4.base)) &&
        (!four.has_ina || (u_dut.s4_q.ring == header4 && u_dut.s4_q.claimed ==
         (32'(four.ina.rank) < NumRanks && taken_i[header4[0]][four.ina.rank[0]])));
    if (u_dut.s4_q.hit) begin
      four_right = four_right && 32'(u_dut.s4_q.conn) < NumConns && used_i[at4] &&
          u_dut.s4_q.rank == rank_i[at4] && u_dut.s4_q.revives == retired_i[at4] &&
          u_dut.s4_q.known == (!retired_i[at4] && rings_i[ring_i[at4][0]].enable) &&
          (four.has_ina || u_dut.s4_q.ring == ring_i[at4]) &&
          u_dut.s4_q.mismatch == (ring_i[at4] != header4 || 8'(rank_i[at4]) != four.ina.rank);
    end
    four_right = four_right && u_dut.s4_q.hit == (found4 != '0) && (u_dut.s4_q.hit ||
        (u_dut.s4_q.full == (used_i == '1) &&
         (u_dut.s4_q.full || u_dut.s4_q.conn == ConnW'(used_i[0])))) &&
        (!u_dut.s4_q.req.alone ||
         (u_dut.conn == u_dut.s4_q.conn && u_dut.u_conns.way_q == u_dut.conn[0]));
    for (int unsigned c = 0; c < NumConns; c++) begin
      if (found4[c] && u_dut.s4_q.conn != ConnW'(c)) four_right = 1'b0;
    end
  end

  // What the header rules say of a request, and who may not read a history yet.
  function automatic logic breaks(ring_t of, ina_t ina);
    breaks = 32'(ina.rank) >= 32'(of.workers) || ina.msglen == '0 ||
        32'(ina.msglen) > 32'(of.stride) || 32'(ina.workers) != 32'(of.workers) ||
        ina.kind[3:0] > TypeInt32 || ina.kind[7:4] > OpMax;
  endfunction

  logic                near_right;
  logic [NumRings-1:0] breaks3;
  ina_t                ina3;
  assign ina3 = req_i[front_i[3].port[0]].ina;
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) breaks3[g] = breaks(rings_i[g], ina3);
    near_right = !u_dut.s4_q.hit || u_dut.s4_q.hazard;
    if (u_dut.s4_q.hit && !u_dut.s4_q.hazard) begin
      near_right = 1'b1;
      for (int unsigned s = 5; s <= 6; s++) begin
        if (u_dut.u_message.valid_q[s] && back_i[s].rsp.fate == FateStored &&
            back_i[s].rsp.conn == u_dut.s4_q.conn) near_right = 1'b0;
      end
    end
  end

  // Which bits of a MsgID are its message's place.
  logic [NumRings-1:0][$clog2(2 * MaxWindow)-1:0] masks;
  always_comb begin
    for (int unsigned g = 0; g < NumRings; g++) begin
      masks[g] = ($clog2(2 * MaxWindow))'((32'd2 << rings_i[g].window_log2) - 32'd1);
    end
  end

  // What the table knows of the entry that the control plane names.
  logic act_right;
  logic act_read;
  assign act_read  = u_dut.u_conns.act1_q && u_dut.u_conns.act_way1_q == conn_set_i.index[0] &&
      u_dut.u_conns.look[0] == u_dut.u_conns.gen_way[0].u_way.u_states.mem[0] &&
      u_dut.u_conns.look[1] == u_dut.u_conns.gen_way[1].u_way.u_states.mem[0];
  assign act_right = u_dut.u_conns.act_way_q == conn_set_i.index[0] &&
      u_dut.u_conns.act_stored_q == (conn_set_i.index[0] ?
       u_dut.u_conns.gen_way[1].u_way.u_states.mem[0] :
       u_dut.u_conns.gen_way[0].u_way.u_states.mem[0]);

  logic [15:0] id2, id3;
  assign id2 = req_i[front_i[2].port[0]].ina.ring;
  assign id3 = req_i[front_i[3].port[0]].ina.ring;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Stages 1 to 4 hold what their ports show, each port once (helps the proof).
      a_front : assert (right == '1 && 32'(number) == 32'(flies[0]) + 32'(flies[1]) &&
          (u_dut.u_arbiter.inside_q & ~u_dut.u_arbiter.waits_q) == flies &&
          (u_dut.u_arbiter.again_q & ~(req_valid_i & ~flies)) == '0)
      else $error("front_i %b", right);
      // Who adds a connection is alone (helps the proof).
      a_single : assert (single == '1)
      else $error("beside another one");
      // The table rests while somebody asks (helps the proof).
      a_rests : assert (!changed_i || u_dut.front_empty)
      else $error("changed");
      // The key_i is compared in stages 1 and 2 (helps the proof).
      a_key : assert ((!u_dut.valid_q[1] ||
                       (u_dut.u_conns.query_q[1] && !changed_i &&
                        u_dut.key_q == req_i[front_i[1].port[0]].key)) &&
          (!u_dut.valid_q[2] || (query_i && !changed_i &&
           (query_key_i == req_i[front_i[2].port[0]].key) &&
           u_dut.u_header.drop_q[0] == (rings_i[0].drop && rings_i[0].id == id2) &&
           u_dut.u_header.drop_q[1] == (rings_i[1].drop && rings_i[1].id == id2) &&
           u_dut.u_header.match_q[0] == (rings_i[0].enable && rings_i[0].id == id2) &&
           u_dut.u_header.match_q[1] == (rings_i[1].enable && rings_i[1].id == id2))))
      else $error("key_i");
      // Whoever else asks the table asks while nobody in front waits for an answer (helps the
      // proof).
      a_queries : assert ((!u_dut.u_conns.query_q[1] || u_dut.valid_q[1] || u_dut.front_empty) &&
          (!u_dut.u_conns.query_q[2] || u_dut.valid_q[2] || u_dut.valid_q[4:2] == '0))
      else $error("queries");
      // The table finds exactly the connection's own entry (helps the proof).
      a_found : assert (!u_dut.valid_q[3] || (hit_right &&
          u_dut.u_header.breaks_q == breaks3 &&
          u_dut.header_known == knows(id3) && u_dut.header_ring == named(id3)))
      else $error("hit");
      a_masks : assert (u_dut.u_known.masks_q == masks)
      else $error("masks");
      a_four : assert (!u_dut.valid_q[4] ||
          (u_dut.s4_q.mask == 7'(masks[u_dut.s4_q.ring[0]]) && four_right && near_right &&
          u_dut.s4_q.header_bad == breaks(rings_i[header4[0]], four.ina) &&
          u_dut.s4_q.fresh == (four.has_ina && names && !u_dut.s4_q.header_bad &&
                          (!u_dut.s4_q.hit || u_dut.s4_q.revives) &&
                          !u_dut.s4_q.claimed)))
      else $error("stage 4");
      // A claim waits for the table (helps the proof).
      a_claim : assert (u_dut.u_set.wait_q == '0 || (conn_set_valid_i && set_waits_i &&
          u_dut.front_empty && !changed_i && !u_dut.u_conns.walk &&
          (u_dut.u_set.wait_q & (u_dut.u_set.wait_q + 5'd1)) == '0 &&
          !u_dut.u_message.valid_q[5] && !(u_dut.u_set.wait_q[1] && u_dut.u_message.valid_q[6]) &&
          !(u_dut.u_set.wait_q[2] && u_dut.u_message.valid_q[7]) &&
          u_dut.key_q == conn_set_i.key && u_dut.u_conns.query_q[1] &&
          (!u_dut.u_set.wait_q[1] || (query_i && query_key_i == conn_set_i.key && act_read)) &&
          (!u_dut.u_set.wait_q[2] || (set_right && act_right)) &&
          (!u_dut.u_set.wait_q[1] || !u_dut.flush_walks_o || conn_set_i.act != ConnRegister ||
           conn_set_i.ring != u_dut.u_conns.flush.ring) &&
          (!u_dut.u_set.wait_q[4] || (u_dut.u_set.ok_q == u_dut.u_set.ok &&
           u_dut.u_set.write_q == (u_dut.u_set.ok && conn_set_i.act == ConnRegister) &&
           u_dut.u_set.retire_q == (u_dut.u_set.ok && conn_set_i.act == ConnRetire) &&
           u_dut.u_set.release_q == (u_dut.u_set.ok && conn_set_i.act == ConnRelease)))))
      else $error("claim");
    end
  end

endmodule
