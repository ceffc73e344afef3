// roce_link and roce_short, for any bytes: which of a cut beat's bytes the MAC is told of, and in
// which word of a first beat a packet ends, whatever its EtherTypes are. (roce_link's proof has
// whole frames, and roce_locate's packets as they are.)
module roce_ends_props
  import roce_pkg::*;
(
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 down_i,
  input logic                 in_valid_i,
  input logic                 in_last_i,
  input logic                 in_user_i,
  input logic [BeatBytes-1:0] in_keep_i,
  input logic [BeatBits-1:0]  in_data_i,
  input logic                 m_axis_tready
);

  logic                 ready, tvalid, tlast, tuser, drops;
  logic [BeatBits-1:0]  tdata;
  logic [BeatBytes-1:0] tkeep;
  logic [BeatBytes/4-1:FirstEnd] ends;

  roce_link u_dut (
    .clk_i,
    .rst_ni,
    .down_i,
    .in_valid_i,
    .in_ready_o   (ready),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .in_user_i,
    .m_axis_tvalid(tvalid),
    .m_axis_tready,
    .m_axis_tdata (tdata),
    .m_axis_tkeep (tkeep),
    .m_axis_tlast (tlast),
    .m_axis_tuser (tuser),
    .drops_o      (drops)
  );

  roce_short u_short (
    .data_i(in_data_i[191:0]),
    .ends_o(ends)
  );

  // What comes and the MAC has of it: a frame has begun and not ended.
  logic coming_q, begun_q, drops_q, reset_q;
  initial reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (in_valid_i && ready) coming_q <= !in_last_i;
    if (tvalid && m_axis_tready) begun_q <= !tlast;
    // A link that is down drops until both have ended behind it.
    drops_q <= down_i || (drops_q && ((in_valid_i && ready ? !in_last_i : coming_q) ||
                                      (tvalid && m_axis_tready ? !tlast : begun_q)));
    if (!rst_ni) {coming_q, begun_q, drops_q, reset_q} <= 4'b0001;
  end

  // The IP header of the beat, if it is one: behind a tag or not, and its length; and what the
  // frame has up to the packet's end.
  logic        tag, six;
  logic [15:0] length;
  logic [17:0] bytes;
  assign tag    = in_data_i[8*12];
  assign six    = tag ? in_data_i[8*16+7] : in_data_i[8*12+7];
  assign length = tag ? {in_data_i[8*20+:8], in_data_i[8*21+:8]} :
      {in_data_i[8*16+:8], in_data_i[8*17+:8]};
  assign bytes  = 18'(length) + (tag ? 18'd18 : 18'd14);

  always_ff @(posedge clk_i) begin
    // An IPv4 packet of 44 bytes or more ends in the word of the first beat in which its last byte
    // is; one over IPv6 is longer than that beat.
    a_ends : assert (ends[FirstEnd] == (!six && length >= 16'd44 && bytes == 18'd58) &&
                     ends[FirstEnd+1] == (!six && length >= 16'd44 && bytes == 18'd62))
    else $error("ends %b", ends);
    if (rst_ni && reset_q) begin
      // What comes is dropped from the cycle on behind that in which a link was said to be down.
      a_drops : assert (drops == drops_q && u_dut.part_q == coming_q && u_dut.cut_q == begun_q)
      else $error("drops %b", drops);
      // It is taken then, and else when the MAC takes it.
      a_takes : assert (ready == (drops_q || m_axis_tready))
      else $error("takes %b", ready);
      // The MAC is shown what comes, and of a dropped frame an end, if it has its beginning.
      a_shows : assert (tvalid == (drops_q ? begun_q : in_valid_i) &&
                        tlast == (drops_q || in_last_i) && tuser == (drops_q || in_user_i))
      else $error("shows %b", tvalid);
      // The bytes that it is told of are those that came; an end has its first one in any case.
      a_bytes : assert (tdata == in_data_i && tkeep[BeatBytes-1:1] == in_keep_i[BeatBytes-1:1] &&
                        tkeep[0] == (in_keep_i[0] || drops_q))
      else $error("keeps %h", tkeep);

      // A frame is cut and ended with a beat that has no first byte.
      c_cut : cover (drops_q && tvalid && m_axis_tready && !in_keep_i[0] && !down_i);
    end
  end

endmodule
