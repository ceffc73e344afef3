// roce_icrc_join between its parts: what the CRC of headers is fed with, what its product is made
// of, what waits and what comes of it, for any words and whatever the parts give. (That together
// they are the ICRC of a frame is roce_icrc_join's proof, for headers that there are.)
module join_words_props
  import roce_pkg::*;
  import icrc_definition_pkg::*;
  import crc32_definition_pkg::*;
#(
  parameter int unsigned Ecc = 1,
  localparam int unsigned Frames = 8,
  localparam int unsigned SlotBytes = 64
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             we_i,
  input logic [2:0]       at_i,
  input logic [15:0][7:0] word_i,
  input logic [7:0]       epoch_i,
  input logic [7:0]       epoch_kept_i,
  input logic             bad_i,
  input logic             part_we_i,
  input logic [31:0]      part_i,
  input logic             icrc_pop_i,
  input logic [3:0]       byte_i   // any
);

  logic        ready, valid;
  logic [31:0] icrc;

  roce_icrc_join #(
    .Frames   (Frames),
    .HdrFrames(2),
    .SlotBytes(SlotBytes),
    .Ecc      (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .ready_o     (ready),
    .we_i,
    .at_i,
    .word_i,
    .epoch_i,
    .epoch_kept_i,
    .bad_i,
    .part_we_i,
    .part_i,
    .icrc_valid_o(valid),
    .icrc_o      (icrc),
    .icrc_pop_i
  );

  // ---------------------------------------------------------------------------------------------
  // The record that comes: the last of its words says what it is, and comes first.

  typedef struct packed {
    logic        v6;
    logic        vlan;
    logic        mark;
    logic [4:0]  end_;      // its headers end behind byte 1 of this word of four bytes
    logic [15:0] tail;      // its bytes 112 and 113
    logic [15:0] pad;
    logic [5:0]  words;     // of its frame, but for the two bytes behind them
  } record_t;

  // verilator lint_off UNUSEDSIGNAL
  hdr_meta_t meta;
  // verilator lint_on UNUSEDSIGNAL
  record_t   now_q, late_q;   // `late`: the one whose words have all come
  logic      known_q, rest_q, whole_q, reset_q, bad_late_q, bad_q;
  assign meta = word_i[15-:HdrMetaBits/8];
  initial {known_q, whole_q, reset_q} = '0;
  always_ff @(posedge clk_i) begin
    if (we_i && at_i == 3'd7) begin
      known_q     <= 1'b1;
      now_q.v6    <= meta.v6;
      now_q.vlan  <= meta.vlan;
      now_q.mark  <= meta.mark && epoch_i != '0;
      now_q.end_  <= 5'(meta.hdr_len / 7'd4);
      now_q.tail  <= word_i[1:0];
      now_q.pad   <= meta.has_pad ? meta.pad_bytes : 16'd0;
      now_q.words <= 6'(32'(meta.hdr_len) / 4 + 32'(meta.tensor_len) / 4 + 32'(meta.has_pad));
    end
    // The cycle behind its seventh word, when bytes 112 and 113 are taken in.
    rest_q <= rst_ni && we_i && at_i == 3'd6;
    if (rest_q) begin
      late_q     <= now_q;
      whole_q    <= known_q;
      bad_late_q <= bad_i;
    end
    if (!rst_ni) {reset_q, known_q, whole_q} <= 3'b100;
  end

  // ---------------------------------------------------------------------------------------------
  // A byte that is taken in: nothing in front of the IP header and behind the headers, and nothing
  // of what routers may change.

  logic [7:0] fed, fed_q;
  logic [6:0] place;
  logic       takes_q, first_q, last_q, of_known_q;
  logic [3:0] byte_q;
  always_comb begin
    automatic int unsigned ip = now_q.vlan ? 18 : 14;
    place = {rest_q ? 3'd7 : at_i, byte_i};
    fed   = word_i[byte_i];
    if (rest_q) fed = (place == 7'd112) ? now_q.tail[7:0] : (place == 7'd113) ? now_q.tail[15:8] :
        8'd0;
    if (now_q.mark && place == {now_q.end_, 2'd0}) fed = epoch_kept_i;
    if (32'(place) < ip || 32'(place) > 4 * 32'(now_q.end_) + 1) fed = '0;
    else fed &= ~variant(now_q.v6, 32'(place) - ip);
  end
  always_ff @(posedge clk_i) begin
    {fed_q, byte_q} <= {fed, byte_i};
    takes_q    <= rst_ni && (rest_q || (we_i && at_i != 3'd7));
    first_q    <= place[6:4] == 3'd0;
    last_q     <= rest_q;
    of_known_q <= known_q;
  end

  // ---------------------------------------------------------------------------------------------
  // What ones and the start value add for a shape {v6, vlan}, and the powers by the frame's words:
  // of 126 bytes less, and four more each.

  function automatic logic [3:0][31:0] added();
    for (int unsigned s = 0; s < 4; s++) begin
      added[s] = '0;
      for (int unsigned i = 0; i < 128; i++) begin
        automatic int unsigned ip = s[0] ? 18 : 14;
        added[s] = byte_more(added[s], i < ip ? 8'd0 : counted(8'd0, s[1], 1'b1, i - ip));
      end
    end
  endfunction
  function automatic logic [63:0][31:0] powers();
    powers[0] = before_zeros(126)[31];
    for (int unsigned i = 1; i < 64; i++) powers[i] = zeros(powers[i-1], 4);
  endfunction
  localparam logic [3:0][31:0]  Added = added();
  localparam logic [63:0][31:0] Powers = powers();

  logic        crc, power_known_q, bad_known_q;
  logic [9:1]  begun_q;    // a product was so many cycles ago
  logic [31:0] power_q;
  logic [6:0]  count_q;
  logic        heads, rows, spoilt, taken;
  logic        past_q, was_reset_q;
  assign crc    = u_dut.u_crc.valid_o;
  assign heads  = u_dut.u_heads.out_valid_o;
  assign rows   = u_dut.u_rows.out_valid_o;
  assign spoilt = Ecc != 0 && u_dut.u_heads.out_o[31+Ecc];
  assign taken  = icrc_pop_i || (heads && rows && spoilt);
  initial {power_known_q, bad_known_q, past_q} = '0;
  always_ff @(posedge clk_i) begin
    {past_q, was_reset_q} <= {1'b1, rst_ni};
    begun_q <= rst_ni ? {begun_q[8:1], crc} : '0;
    if (crc) begin
      power_q       <= Powers[late_q.words];
      power_known_q <= whole_q;
      bad_q         <= bad_late_q;
      bad_known_q   <= whole_q;
    end
    if (!rst_ni) {power_known_q, bad_known_q} <= '0;
    count_q <= 7'(u_dut.u_heads.count_o);
  end

  logic [1:0] bads;   // whether the record before was bad, and that of the product
  if (Ecc != 0) begin : gen_ecc
    assign bads = {u_dut.gen_bad.bad_q, u_dut.bad};
  end else begin : gen_no_ecc
    assign bads = {bad_late_q, bad_q};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && reset_q) begin
      // What is known of the record that comes and of the one before (helps the proof).
      a_record : assert (u_dut.rest_q == rest_q && (!known_q || {u_dut.v6_q, u_dut.vlan_q,
                         u_dut.mark_q, u_dut.end_q, u_dut.tail_q, u_dut.pad_q, u_dut.words_q} ==
                         now_q))
      else $error("record");
      a_late : assert (!whole_q || {u_dut.shape_v6_q, u_dut.shape_vlan_q, u_dut.late_pad_q,
                                    u_dut.late_words_q, bads[1]} ==
                       {late_q.v6, late_q.vlan, late_q.pad, late_q.words, bad_late_q})
      else $error("record before");
      // Words are taken in as they come, but for the first one, and the rest of that at the end;
      // the word of bytes 0 to 15 begins a record's CRC.
      a_takes : assert (u_dut.u_crc.valid_i == takes_q && (!takes_q ||
                        (u_dut.u_crc.first_i == first_q && u_dut.u_crc.last_i == last_q)))
      else $error("takes %b", u_dut.u_crc.valid_i);
      // A byte counts as it is, as the mark, or not.
      a_fed : assert (!takes_q || !of_known_q || u_dut.u_crc.data_i[{byte_q, 3'd0}+:8] == fed_q)
      else $error("byte %0d: %h", byte_q, u_dut.u_crc.data_i);
      // A CRC, with what ones and start value add for the shape of its record, is multiplied, and
      // the pad bytes added.
      a_times : assert (u_dut.u_times.start_i == crc && (!whole_q || (u_dut.u_times.also_i ==
                        late_q.pad && (u_dut.u_times.by_i ^ u_dut.u_crc.crc_o) ==
                        Added[{late_q.v6, late_q.vlan}])))
      else $error("factor %h", u_dut.u_times.by_i);
      // By the power for the words of its frame, until there is another CRC.
      a_power : assert (!power_known_q || u_dut.u_times.times_i == power_q)
      else $error("power %h", u_dut.u_times.times_i);
      // Nine cycles behind its begin the product waits, with whether its record was bad.
      a_heads : assert (u_dut.u_heads.in_valid_i == begun_q[9] &&
                        (!bad_known_q || bads[0] == bad_q) && (!bad_known_q ||
                        33'(u_dut.u_heads.in_i) == {Ecc != 0 && bad_q, u_dut.u_times.product_o}))
      else $error("part of headers %b", u_dut.u_heads.in_valid_i);
      // The rows' part waits as it comes.
      a_rows : assert (u_dut.u_rows.in_valid_i == part_we_i && u_dut.u_rows.in_i == part_i)
      else $error("part of rows %b", u_dut.u_rows.in_valid_i);
      // An ICRC is there when both parts are, and the record was good; it is the complement of
      // their sum.
      a_icrc : assert (valid == (heads && rows && !spoilt) && (32'(u_dut.u_heads.out_o) ^
                       u_dut.u_rows.out_o ^ icrc) == '1)
      else $error("ICRC %h", icrc);
      // Both parts go when it is taken, or when they are of a bad record.
      a_taken : assert (u_dut.u_heads.out_ready_i == taken && u_dut.u_rows.out_ready_i == taken)
      else $error("taken");
    end
    // Words may come as long as fewer than so many frames have a part that waits.
    a_ready : assert (!past_q || ready == (was_reset_q && 32'(count_q) + 4 < Frames))
    else $error("ready %b, %0d wait", ready, count_q);
    // A bad record's parts go; the last bytes are of headers with a mark.
    c_bad : cover (rst_ni && reset_q && taken && !icrc_pop_i || Ecc == 0);
    c_tail : cover (rst_ni && reset_q && takes_q && last_q && of_known_q && fed_q == 8'h5A &&
                    byte_q == 4'd1);
  end

endmodule
