// agg_align, cycle by cycle and from any state: what each step makes of what the one before has
// left, of any beats. (agg_align_props follows a packet from its first beat to its last write; here
// each register has a rule of its own, so a mistake in one of them shows at once.) One byte of a
// row is followed.
module align_steps_props
  import roce_pkg::*;
  import agg_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       beat_valid_i,
  input logic       beat_first_i,
  input beat_t      beat_i,
  input packet_t    packet_i,
  input logic       beat_bad_i,
  input logic [5:0] byte_i   // any
);

  logic             write_valid, write_bad, padded;
  logic [RankW-1:0] write_rank;
  bank_write_t      write;

  agg_align #(
    .Ecc(1)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_first_i,
    .beat_i,
    .packet_i,
    .beat_bad_i,
    .write_valid_o(write_valid),
    .write_rank_o (write_rank),
    .write_o      (write),
    .write_bad_o  (write_bad),
    .padded_o     (padded)
  );

  // A cycle ago: what came, and what stood in the module.
  typedef struct packed {
    logic                valid;      // a beat came, the first one of its packet
    logic                first;
    logic                last;
    logic                bad;
    logic [BeatBits-1:0] data;
    packet_t             packet;     // with a first beat
    packet_t             of;         // of the packet read last
    logic                of_bad;
    logic                t_valid;    // a beat was turned
    logic                t_first;
    logic                t_last;
    logic [BeatBits-1:0] t_data;
    logic [BeatBits-1:0] front;     // the turned beat in front of it
    logic                behind;     // the tensor has begun in that
    logic [7:0]          done;       // rows so far
    logic                flush;      // a cycle behind the last turned beat, two, three
    logic                finish;
    logic                pad;
    logic                head;
    logic [BeatBits-1:0] header0;
    logic [BeatBits-1:0] header1;
    logic                second;
    logic                row;        // a row is there
    logic                row_last;
    logic [7:0]          row_number;
    logic [BeatBits-1:0] row_data;
    logic                written;    // the last row is being written
    logic [15:0]         pads;
    logic [BeatBits-1:0] out;
  } state_t;
  state_t now, was_q;
  assign now = '{
    valid: beat_valid_i, first: beat_first_i, last: beat_i.last, bad: beat_bad_i,
    data: beat_i.data, packet: packet_i, of: u_dut.out_q, of_bad: u_dut.out_bad_q,
    t_valid: u_dut.turned_valid_q, t_first: u_dut.turned_first_q, t_last: u_dut.turned_last_q,
    t_data: u_dut.turned_q, front: u_dut.previous_q, behind: u_dut.behind_q,
    done: u_dut.rows_done_q, flush: u_dut.flush_q, finish: u_dut.finish_q, pad: u_dut.padded_q,
    head: u_dut.head_q, header0: u_dut.header0_q, header1: BeatBits'(u_dut.header1_q),
    second: u_dut.second_q, row: u_dut.row_valid_q, row_last: u_dut.row_last_q,
    row_number: u_dut.row_q, row_data: u_dut.earlier_q | u_dut.later_q,
    written: u_dut.row_was_last_q, pads: u_dut.pad_q, out: write.data
  };

  localparam int unsigned HeaderBytes = BeatBytes - HdrMetaBits / 8;   // of the last header row
  logic       past_q, reset_q;
  logic [5:0] byte_q, at;
  initial past_q = 1'b0;
  assign at = past_q ? byte_q : byte_i;
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    reset_q <= !rst_ni;
    byte_q  <= at;
    was_q   <= now;
  end

  function automatic logic [7:0] byte_of(logic [BeatBits-1:0] row, logic [5:0] place);
    return row[{place, 3'd0}+:8];
  endfunction

  // The packet of a beat; where its UDP checksum is; where in a row that is written the bytes
  // behind its tensor are, and what the egress is told of it.
  packet_t    its;
  logic [6:0] sum_at;
  logic [5:0] turn;      // where the tensor begins in a beat
  logic       forms, ours;
  logic [7:0] pad0, pad1;
  hdr_meta_t  meta;
  assign its    = was_q.first ? was_q.packet : was_q.of;
  assign sum_at = 7'd40 + (its.meta.v6 ? 7'd20 : 7'd0) + (its.meta.vlan ? 7'd4 : 7'd0);
  assign turn   = its.meta.hdr_len[5:0];
  // A row is formed of a turned beat and the one in front of it, if that holds tensor, and of the
  // rest behind the last one, as long as rows are missing.
  assign forms  = (was_q.flush || (was_q.t_valid && was_q.behind && !was_q.t_first)) &&
      was_q.of.rows > was_q.done;
  // Headers are written: in the first case the first row.
  assign ours   = was_q.head || was_q.pad;
  assign pad0   = byte_of(was_q.out, {was_q.of.meta.tensor_len[5:1], 1'b0});
  assign pad1   = byte_of(was_q.out, {was_q.of.meta.tensor_len[5:1], 1'b1});
  always_comb begin
    meta           = was_q.of.meta;
    meta.pad_bytes = was_q.written ? {pad1, pad0} : was_q.pads;
  end

  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // In reset nothing is under way.
      a_reset : assert (!reset_q || {now.t_valid, now.head, now.flush, now.finish, now.pad, now.row,
                                     now.row_last, now.written, write_valid, padded} == '0)
      else $error("something is under way");
      // A beat is turned by its packet's headers, so that the tensor begins at byte 0.
      a_turned : assert (!was_q.valid || turn[1:0] != 2'd2 ||
                         byte_of(now.t_data, at) == byte_of(was_q.data, at + turn))
      else $error("byte %0d", at);
      a_beat : assert (reset_q || (now.t_valid == was_q.valid && (!was_q.valid ||
          {now.t_first, now.t_last} == {was_q.first, was_q.last})))
      else $error("turned %b", now.t_valid);
      // A packet is that of its first beat, and bad from its first bad beat on.
      a_packet : assert (now.of == ((was_q.valid && was_q.first) ? was_q.packet : was_q.of))
      else $error("slot %0d", now.of.slot);
      a_bad : assert (now.of_bad == (!was_q.valid ? was_q.of_bad :
                                     was_q.bad ? 1'b1 : !was_q.first && was_q.of_bad))
      else $error("bad %b", now.of_bad);
      // The first beat is the first header row, the second one the other, as they came, but for the
      // UDP checksum, which is 0; all others leave them.
      a_header0 : assert (byte_of(now.header0, at) == (!(was_q.valid && was_q.first) ?
          byte_of(was_q.header0, at) : (7'(at) == sum_at || 7'(at) == sum_at + 7'd1) ? 8'd0 :
          byte_of(was_q.data, at)))
      else $error("byte %0d", at);
      a_header1 : assert (32'(at) >= HeaderBytes || byte_of(now.header1, at) ==
          (!(was_q.valid && !was_q.first && was_q.second) ? byte_of(was_q.header1, at) :
           (sum_at[6] && at < 6'd2) ? 8'd0 : byte_of(was_q.data, at)))
      else $error("byte %0d", at);
      a_second : assert (now.second == (was_q.valid ? was_q.first : was_q.second))
      else $error("second %b", now.second);
      // Two turned beats make a row: of the first what is behind its headers, of the second the
      // rest.
      a_row : assert (reset_q || (now.row == forms &&
          (!forms || byte_of(now.row_data, at) == ((7'(at) + 7'(was_q.of.meta.hdr_len[5:1] * 2) <
          7'd64) ? byte_of(was_q.front, at) : byte_of(was_q.t_data, at)))))
      else $error("row %b, byte %0d", now.row, at);
      a_before : assert (!was_q.t_valid || (byte_of(now.front, at) == byte_of(was_q.t_data, at) &&
          now.behind == !(was_q.t_first && was_q.of.meta.hdr_len >= 7'd64)))
      else $error("behind %b", now.behind);
      a_stands : assert (was_q.t_valid || (now.behind == was_q.behind &&
                                           byte_of(now.front, at) == byte_of(was_q.front, at)))
      else $error("behind %b", now.behind);
      // Rows are numbered from 0 in each packet, and the last one is known.
      a_number : assert (now.done == ((was_q.valid && was_q.first) ? 8'd0 :
                         was_q.done + 8'(forms)) && now.row_number == was_q.done)
      else $error("row %0d", now.row_number);
      a_last : assert (reset_q || (now.row_last == (forms &&
                       was_q.of.rows - was_q.done == 8'd1) && now.written == was_q.row_last))
      else $error("last %b", now.row_last);
      // What is to be written behind a packet's first beat, and behind its last one.
      a_behind : assert (reset_q || (now.head == (was_q.t_valid && was_q.t_first) &&
          now.flush == (was_q.t_valid && was_q.t_last) && now.finish == was_q.flush &&
          now.pad == (was_q.of.meta.has_pad && was_q.finish)))
      else $error("head %b, flush %b, pad %b", now.head, now.flush, now.pad);
      // Pad bytes are the two behind the tensor, of the last row as it is written.
      a_pads : assert (now.pads == (was_q.written ? {pad1, pad0} : was_q.pads))
      else $error("pad bytes %h", now.pads);

      // The last header row is written behind the first one, and once more behind the last row of a
      // packet with pad bytes; with what the egress must know.
      a_write1 : assert (reset_q || !ours || (write_valid && write.header && write.row == 8'd1 &&
          write.data[BeatBits-1-:HdrMetaBits] == meta &&
          (32'(at) >= HeaderBytes || byte_of(write.data, at) == byte_of(was_q.header1, at))))
      else $error("row %0d", write.row);
      // The first one is written behind the first beat.
      a_write0 : assert (reset_q || ours || !(was_q.t_valid && was_q.t_first) || (write_valid &&
          write.header && write.row == 8'd0 &&
          byte_of(write.data, at) == byte_of(was_q.header0, at)))
      else $error("row %0d", write.row);
      // Else a row, but for those of a repeated packet; else nothing.
      a_write : assert (reset_q || ours || (was_q.t_valid && was_q.t_first) ||
          (write_valid == (was_q.row && was_q.of.first) && !write.header &&
           (!was_q.row || (write.row == was_q.row_number &&
                           byte_of(write.data, at) == byte_of(was_q.row_data, at)))))
      else $error("row %0d", write.row);
      // It goes to the packet's slot and bank, and is as bad as its beats were; the end is said
      // where pad bytes are written.
      a_where : assert (write.slot == was_q.of.slot && write_rank == was_q.of.rank &&
                        write_bad == was_q.of_bad && (reset_q || padded == was_q.pad))
      else $error("slot %0d, rank %0d", write.slot, write_rank);

      // A packet's pad bytes; a row of two beats.
      c_pad : cover (padded && write_valid && write.header);
      c_row : cover (write_valid && !write.header && write.row == 8'd1);
    end
  end

endmodule
