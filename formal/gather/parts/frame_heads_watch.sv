// What gather_frame owes each packet that it takes: four cycles later its headers wait, with what
// the tables of nodes have told two cycles after they were asked.
module frame_heads_watch
  import gather_pkg::*;
#(
  parameter int unsigned PortW = 2,
  localparam int unsigned HeadBits = $bits(closed_t) + $bits(address_t) + PortW + 9 + 16 + 16
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                past_i,   // it was reset once
  input address_t            own_i,
  input logic                packet_valid_i,
  input logic                packet_ready_i,
  input closed_t             packet_i,
  input logic                take_i,
  input address_t            address_i,
  input logic [PortW-1:0]    read_port_i,
  input logic [PortW-1:0]    response_port_i,
  input logic [3:0]          held_i,
  input logic                head_valid_i,
  input logic [HeadBits-1:0] head_i,
  // The RTL's registers, by stage.
  input logic [4:1]          stage_i,
  input logic [18:0]         same_i,
  input closed_t             packet1_i,
  input logic [15:0]         ip_len1_i,
  input logic [4:0]          alone1_i,
  input closed_t             packet2_i,
  input logic [8:0]          kept2_i,
  input logic [15:0]         ip_len2_i,
  input logic [19:0]         partial_i,
  input logic [HeadBits-1:0] head3_i,
  input logic [19:0]         sum3_i
);

  // The packets that were taken last, by cycles since then; each stays until the next one.
  logic [4:1]       there_q, known_q;
  closed_t [4:1]    packet_q;
  logic [31:0]      own0_q;   // the device's address a cycle ago
  address_t         to3_q, to4_q;
  logic [PortW-1:0] port3_q, port4_q;
  logic [3:0]       under;
  logic [19:0]      part2_q, sum3_q, sum4_q;          // of the words of the IP header
  initial known_q = '0;

  always_comb begin
    under = '0;
    for (int unsigned s = 1; s <= 4; s++) under = under + 4'(there_q[s]);
  end

  always_ff @(posedge clk_i) begin
    own0_q  <= own_i.ip;
    there_q <= {there_q[3:1], take_i};
    if (take_i) packet_q[1] <= packet_i;
    for (int unsigned s = 1; s < 4; s++) if (there_q[s]) packet_q[s+1] <= packet_q[s];
    if (there_q[1]) begin
      part2_q <= words(packet_q[1], own0_q);
    end
    if (there_q[2]) begin
      sum3_q  <= part2_q + 20'(address_i.ip[31:16]) + 20'(address_i.ip[15:0]);
      to3_q   <= address_i;
      port3_q <= packet_q[2].response ? response_port_i : read_port_i;
    end
    if (there_q[3]) {sum4_q, to4_q, port4_q} <= {sum3_q, to3_q, port3_q};
    known_q <= known_q | {there_q[3:1] & known_q[3:1], take_i && past_i};
    if (!past_i) known_q <= '0;
    if (!rst_ni) there_q <= '0;
  end

  /// Bytes of the IP packet: all headers from IP's on, the PRs, and their pad up to two bytes
  /// behind a multiple of four; and the ICRC. The PRs begin in the 12th byte.
  function automatic logic [15:0] length(closed_t packet);
    length = 16'(12'(packet.stop >> 2) * 4) + 16'd2 + 16'd54;
  endfunction
  /// Beats that were kept for each PR: those of a frame of its own.
  function automatic logic [4:0] alone(closed_t packet);
    alone = packet.response ? 5'((12'd34 + 12'(packet.len)) / 12'd64) + 5'd2 : 5'd2;
  endfunction
  /// The sum of the words of the IP header that are known without the node.
  function automatic logic [19:0] words(closed_t packet, logic [31:0] own);
    words = 20'h4500 + 20'h4000 + 20'h4011 + 20'(own[31:16]) + 20'(own[15:0]) +
        20'(length(packet));
  endfunction

  // The sum in ones' complement: what is carried out is added, twice.
  logic [15:0] once, folded;
  assign once   = sum4_q[15:0] + 16'(sum4_q[19:16]);
  assign folded = (once < sum4_q[15:0]) ? once + 16'd1 : once;

  always_ff @(posedge clk_i) begin
    // A packet is taken while there is room for the headers of all that are inside.
    a_ready : assert (!past_i || packet_ready_i == (5'(held_i) + 5'(under) <= 5'd7))
    else $error("ready %b", packet_ready_i);
    a_take : assert (take_i == (packet_ready_i ? packet_valid_i : 1'b0))
    else $error("take %b", take_i);
    if (past_i) begin
      // Headers wait four cycles behind: what the packet is, where it goes, what was kept for its
      // PRs, its length and the checksum of its IP header.
      a_waits : assert (head_valid_i == there_q[4])
      else $error("headers: %b", head_valid_i);
      a_head : assert (!known_q[4] || head_i == {packet_q[4], to4_q, port4_q,
                       9'(packet_q[4].count * 9'(alone(packet_q[4]))), length(packet_q[4]),
                       ~folded})
      else $error("headers");
      // These help the proof.
      a_stages : assert (stage_i == there_q)
      else $error("stages %b", stage_i);
      a_first : assert (!known_q[1] || {packet1_i, ip_len1_i, alone1_i} ==
                        {packet_q[1], length(packet_q[1]), alone(packet_q[1])})
      else $error("first stage");
      a_own : assert (same_i == 19'(20'h4500 + 20'h4000 + 20'h4011 + 20'(own0_q[31:16]) +
                                    20'(own0_q[15:0])))
      else $error("own address");
      a_second : assert (!known_q[2] || {packet2_i, ip_len2_i, kept2_i, partial_i} ==
                         {packet_q[2], length(packet_q[2]),
                          9'(packet_q[2].count * 9'(alone(packet_q[2]))),
                          part2_q})
      else $error("second stage");
      a_third : assert (!known_q[3] || (head3_i == {packet_q[3], to3_q, port3_q,
                        9'(packet_q[3].count * 9'(alone(packet_q[3]))), length(packet_q[3]),
                        16'd0} && sum3_i == sum3_q))
      else $error("third stage");
      a_known : assert ((there_q & ~known_q) == '0)
      else $error("unknown");

      // A packet of responses is behind one of reads.
      c_both : cover (rst_ni && head_valid_i && known_q[4] && packet_q[4].response &&
                      there_q[3] && !packet_q[3].response);
    end
  end

endmodule
