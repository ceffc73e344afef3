// llt_inbox: how a message comes in, whatever its packets, when it is shown, and which place its
// rows have; with coded memories all of them come a cycle later.
//
// Packets are followed by their age, the cycles since they were claimed, and the places of messages
// by any one of them: whose it is. (Rows lie in prim_ram_ecc_at, whose answers are any here.)
module inbox_steps_props
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned Ecc = 1,
  localparam int unsigned Late = 2 + Ecc   // from the request of a row to its coming
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input rc_packet_t           oldest_i,
  input logic [RcRowBits-1:0] row_i,
  input logic                 take_i,
  input logic                 keep_i,
  input logic [GroupW-1:0]    group_i,
  input logic                 re_i,
  input logic                 use_i,
  input logic [GroupW-1:0]    re_group_i,
  input logic [4:0]           re_row_i,
  input logic [2:0]           place_i,   // any, the same all the time
  input logic [4:0]           byte_i     // any
);

  logic                 claim, row_re, begun_q, rst_n, now;
  low_message_t         message;
  logic [RcRowBits-1:0] row;
  rc_memory_t           memory;
  // The first cycle is one of reset.
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;
  assign rst_n = rst_ni && begun_q;
  assign now   = rst_n && !clear_i;

  // A packet has 0 to 4096 bytes.
  rc_packet_t oldest;
  always_comb begin
    oldest = oldest_i;
    if (oldest_i.len > 13'd4096) oldest.len = 13'd4096;
  end

  llt_inbox #(
    .Ecc(Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .clear_i,
    .oldest_i (oldest),
    .claim_o  (claim),
    .row_re_o (row_re),
    .row_i,
    .message_o(message),
    .take_i,
    .keep_i,
    .group_i,
    .re_i,
    .use_i,
    .re_group_i,
    .re_row_i,
    .row_o    (row),
    .memory_o (memory)
  );

  // ---------------------------------------------------------------------------------------------
  // The packet under way: its age, 1 in the cycle behind its claim, and its rows, of which it asks
  // for one a cycle. One without payload is under way for a cycle, too.

  logic [6:0]   age_q, rows_q;
  logic         last_q, under_way, asks, shown_q, full;
  logic [6:0]   needs;           // so old it is when it is shown
  logic [13:0]  length_q;        // of the message, in bytes
  logic [13:0]  length;
  logic [10:0]  bytes_q, bytes_before_q;
  logic         headed_q;
  logic [255:0] head_q;
  logic [4:1]   stays_q;         // it has been shown so long
  assign under_way = age_q != '0 && (age_q == 7'd1 || age_q <= rows_q);
  assign asks      = age_q != '0 && age_q <= rows_q;
  // Who looks at a message takes it four cycles later; by then its last row is to be there.
  assign needs     = (rows_q + 7'(Ecc) > 7'd2) ? rows_q + 7'(Ecc) - 7'd2 : 7'd0;
  assign length    = (oldest.first ? 14'd0 : 14'(bytes_q)) + 14'(oldest.len);
  assign full      = length >= 14'd2047;
  always_ff @(posedge clk_i) begin
    if (age_q != '0) age_q <= age_q + 7'd1;
    if (!under_way || age_q >= rows_q) age_q <= '0;
    if (under_way && last_q && age_q >= needs) shown_q <= 1'b1;
    if (claim) begin
      age_q   <= 7'd1;
      rows_q  <= 7'(oldest.len / 13'd64) + 7'(oldest.len % 13'd64 != '0);
      last_q  <= oldest.last;
      bytes_q <= full ? 11'd2047 : 11'(length);
      if (oldest.first) {headed_q, head_q} <= {1'b1, oldest.head};
      if (oldest.last && oldest.len <= ((Ecc == 0) ? 13'd128 : 13'd64)) shown_q <= 1'b1;
    end
    if (take_i) shown_q <= 1'b0;
    if (!now) {age_q, shown_q, bytes_q} <= '0;
    if (!begun_q) headed_q <= 1'b0;
    bytes_before_q <= bytes_q;
    stays_q        <= {stays_q[3:1], 1'b1} & {4{shown_q && now}};
  end

  // ---------------------------------------------------------------------------------------------
  // Rows that come: so many of the message were there before.

  logic          fresh_q;        // its first row has not been asked for yet
  logic [Late:1] asked_q, opens_q;
  logic [Late+1:1] known_q;      // a message has begun, so many cycles ago or more
  logic [4:0]    there_q, there;
  assign there = opens_q[Late] ? 5'd0 : there_q;
  always_ff @(posedge clk_i) begin
    fresh_q <= (claim && oldest.first) || (fresh_q && !asks);
    asked_q <= {asked_q[Late-1:1], asks};
    opens_q <= {opens_q[Late-1:1], fresh_q};
    known_q <= {known_q[Late:1], known_q[1] || (claim && oldest.first)};
    // No message has more than 17.
    if (asked_q[Late]) there_q <= (there >= 5'd17) ? 5'd17 : there + 5'd1;
    if (!now) {asked_q, known_q} <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Whose a place is: a group's, or the next message's, which is number 4 here.

  logic [2:0] w_q, holder_q, reader_q;
  logic       reads_q, uses_q, is_q, group_has_q;
  logic [4:0] row_at_q;
  rc_memory_t found_q;
  always_ff @(posedge clk_i) begin
    if (!begun_q) w_q <= (place_i > 3'd4) ? 3'd4 : place_i;
    if (keep_i) begin
      if (holder_q == 3'd4) holder_q <= 3'(group_i);
      else if (holder_q == 3'(group_i)) holder_q <= 3'd4;
    end
    if (!now) holder_q <= begun_q ? w_q : (place_i > 3'd4) ? 3'd4 : place_i;
    {reads_q, uses_q, row_at_q} <= {re_i, use_i, re_row_i};
    group_has_q <= holder_q == 3'(re_group_i);
    is_q        <= begun_q;
    // Of what was read a bit was mended, or two are wrong; it is told a cycle later, of the word.
    found_q <= '{corrected: u_dut.u_rows.corrected_o, bad: u_dut.u_rows.bad_o,
                 word: '{memory: MemMessages, scope: OfTrees, port: '0,
                         at: 16'(u_dut.u_rows.at_o)}};
    if (!now || Ecc == 0) found_q <= '0;
  end
  initial is_q = 1'b0;

  logic [4:0] has, holds;   // who has it, in the circuit, and who is to have it
  always_comb begin
    for (int unsigned n = 0; n < 5; n++) holds[n] = holder_q == 3'(n);
    has[4] = u_dut.in_q == w_q;
    for (int unsigned g = 0; g < 4; g++) has[g] = u_dut.of_q[g] == w_q;
  end

  always_ff @(posedge clk_i) begin
    if (is_q) begin
      // A packet is claimed if none is under way and no message is shown.
      a_claim : assert (claim == (oldest.valid && !under_way && !shown_q && !clear_i))
      else $error("claim %b", claim);
      // Its rows are asked for from the next cycle on, one a cycle.
      a_asks : assert (row_re == asks)
      else $error("row %0d of %0d", age_q, rows_q);
      // A message is shown until it is taken.
      a_shown : assert (message.valid == shown_q)
      else $error("shown %b", message.valid);
      // Whoever takes it four cycles later finds all of it: no row is to come any more.
      a_rests : assert (!stays_q[4] || (asked_q == '0 && !asks))
      else $error("%b are to come", asked_q);
      // It shows the head of its first packet, whose first byte is the first,
      a_head : assert (!headed_q || message.head[255-8*byte_i-:8] == head_q[8*byte_i+:8])
      else $error("byte %0d is %h", byte_i, message.head[255-8*byte_i-:8]);
      // and a cycle later how many bytes it has behind its 32 of header, if it has these.
      a_bytes : assert (message.whole == (bytes_before_q >= 11'd32) &&
                        message.bytes == bytes_before_q - 11'd32)
      else $error("%0d bytes", message.bytes);

      // A row that comes is written behind those that are there, up to the 17th.
      a_writes : assert (!known_q[Late+1] || u_dut.u_rows.we_i == (asked_q[Late] && there < 5'd17))
      else $error("row %0d", there);
      // It goes where the next message is, as it came.
      a_where : assert (!known_q[Late+1] || u_dut.u_rows.waddr_i[4:0] == there)
      else $error("row %0d", there);
      a_place : assert ((u_dut.u_rows.waddr_i[7:5] == w_q) == (holder_q == 3'd4) &&
                        u_dut.u_rows.wdata_i == row_i)
      else $error("place %0d", u_dut.u_rows.waddr_i[7:5]);
      // A row of a group's message is read a cycle behind its request, where that message was then.
      a_reads : assert (u_dut.u_rows.re_i == reads_q && u_dut.u_rows.use_i == uses_q &&
                        u_dut.u_rows.raddr_i[4:0] == row_at_q &&
                        (u_dut.u_rows.raddr_i[7:5] == w_q) == group_has_q)
      else $error("place %0d", u_dut.u_rows.raddr_i[7:5]);
      // The answer is that row.
      a_row : assert (row == u_dut.u_rows.rdata_o)
      else $error("%h", row);
      // Flipped bits are told with their word; of memories without a code none are.
      a_memory : assert (memory == found_q)
      else $error("%h", memory);
      // Any place is one group's or the next message's; who keeps a message changes with it.
      a_whose : assert (has == holds)
      else $error("place %0d of %b", w_q, has);

      // These help the proof: rows that are left, bytes, and what is on its way.
      a_left : assert (7'(u_dut.left_q) == (asks ? rows_q - age_q + 7'd1 : 7'd0) &&
                       u_dut.left_q <= 8'd64 && (age_q == '0 || rows_q <= 7'd64) &&
                       u_dut.busy_q == under_way && (!under_way || u_dut.last_q == last_q))
      else $error("%0d left", u_dut.left_q);
      a_few : assert (!shown_q || !asks || rows_q - age_q <= 7'(1 - Ecc))
      else $error("%0d left", rows_q - age_q);
      a_old : assert (age_q == '0 || under_way)
      else $error("age %0d", age_q);
      a_length : assert (u_dut.bytes_q == bytes_q && (!headed_q || u_dut.head_q == head_q))
      else $error("%0d bytes", u_dut.bytes_q);
      a_way : assert (u_dut.read_q == asked_q && (!known_q[1] || u_dut.begins_q == fresh_q))
      else $error("%b", u_dut.read_q);
      a_opens : assert ((known_q & ~{known_q[Late:1], 1'b1}) == '0 &&
          ((known_q[Late+1:2] & (u_dut.first_q ^ opens_q)) == '0) &&
          (!known_q[Late+1] || there == (u_dut.first_q[Late] ? 5'd0 : u_dut.at_q)) &&
          (!known_q[Late+1] || there <= 5'd17))
      else $error("row %0d", u_dut.at_q);

      // A message's fifth row is written while it is shown; the next one comes in a group's place.
      c_long : cover (shown_q && known_q[Late+1] && asked_q[Late] && there == 5'd4);
      c_place : cover (now && has[4] && w_q == 3'd0 && claim);
    end
  end

endmodule
