// relay_turns and relay_turn: a child device's header record leaves turned round, each byte from
// where docs/relay.md has it; a worker's leaves as it came.
//
// Followed is one byte of the records of one port, both free.
module relay_turns_props
  import roce_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  localparam int unsigned Bytes = HdrWords * HdrWordBits / 8,
  localparam int unsigned MetaAt = Bytes - HdrMetaBits / 8
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input logic                                  taken_i,
  input logic                                  devices_i,
  input logic [NumPorts-1:0]                   we_i,
  input logic [NumPorts-1:0][HdrWordBits-1:0]  word_i,
  // The answer that is followed through the queue.
  input logic                                  follow_i,
  // In the first cycle: what is followed.
  input logic                                  port_i,
  input logic [6:0]                            byte_i
);

  typedef logic [Bytes-1:0][7:0] record_t;

  logic       started_q;
  logic       port_q;
  logic [6:0] byte_q;
  initial started_q = 1'b0;

  logic [NumPorts-1:0]                  out_we;
  logic [NumPorts-1:0][HdrWordBits-1:0] out_word;

  relay_turns #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .taken_i,
    .devices_i,
    .we_i,
    .word_i,
    .we_o  (out_we),
    .word_o(out_word)
  );

  // ---------------------------------------------------------------------------------------------
  // Records that come in, and the answer that each is of.

  logic                any, last, turn;
  logic [2:0]          at_q, waiting, ahead;
  logic [1:0]          place;    // of the answer that is followed
  logic                followed, value;
  logic [NumPorts-1:0] mask_q;
  record_t             seen_q;   // words of the followed port

  // Of the record the word that comes: its last one is first.
  logic [2:0]          at;
  assign at   = at_q + 3'd7;

  assign any  = we_i != '0;
  assign last = any && at_q == 3'd7;
  assign turn = u_dut.turn;

  queue_watch #(
    .Width (1),
    .Places(4)
  ) u_watch (
    .clk_i,
    .rst_ni,
    .follow_i,
    .push_i     (taken_i),
    .in_i       (devices_i),
    .commit_i   (1'b1),
    .rollback_i (1'b0),
    .out_valid_i(u_dut.valid),
    .out_ready_i(last),
    .out_i      (turn),
    .inside_o   (waiting),
    .readable_o (),
    .followed_o (followed),
    .ahead_o    (ahead),
    .value_o    (value)
  );
  assign place = 2'(u_dut.u_whose.read_q + 2'(ahead));

  // One and two cycles ago.
  logic [2:1]      we_q, turn_q;
  logic [2:1][2:0] word_q;
  always_ff @(posedge clk_i) begin
    if (any) at_q <= at_q + 3'd1;
    if (any && at_q == '0) mask_q <= we_i;
    if (we_i[port_q]) seen_q[16*at+:16] <= word_i[port_q];
    we_q   <= {we_q[1], we_i[port_q]};
    turn_q <= {turn_q[1], turn};
    word_q <= {word_q[1], at};
    if (!rst_ni) begin
      at_q <= '0;
      we_q <= '0;
    end
  end

  // Each port is as far as its record is, or has none (for the proof).
  logic [NumPorts-1:0] far;
  for (genvar p = 0; p < NumPorts; p++) begin : gen_far
    assign far[p] = (u_dut.gen_port[p].u_turn.we_q ?
        u_dut.gen_port[p].u_turn.at_q == word_q[1] && mask_q[p] &&
            at_q == 3'(word_q[1] + 3'd2) :
        u_dut.gen_port[p].u_turn.at_q == 3'd7 && (at_q == '0 || !mask_q[p])) &&
        (mask_q[p] || at_q == '0 || !u_dut.gen_port[p].u_turn.we_q);
  end

  // ---------------------------------------------------------------------------------------------
  // The record that is to leave.

  logic       vlan, vlan_q;
  logic [6:0] ip, from;
  logic [7:0] want, here;
  hdr_meta_t  mask;
  logic [Bytes-MetaAt-1:0][7:0] mask_bytes;

  // The tag stands in the record's first word, which may be written over when the last ones leave.
  assign vlan = (word_q[1] == '0) ? {seen_q[12], seen_q[13]} == 16'h8100 : vlan_q;
  always_ff @(posedge clk_i) if (we_q[1]) vlan_q <= vlan;

  assign ip = vlan_q ? 7'd30 : 7'd26;   // where the source's address begins
  always_comb begin
    mask       = '1;
    mask.mark  = 1'b0;
    mask_bytes = mask;
    from       = byte_q;
    if (byte_q < 7'd6) from = byte_q + 7'd6;
    else if (byte_q < 7'd12) from = byte_q - 7'd6;
    else if (byte_q >= ip && byte_q < ip + 7'd4) from = byte_q + 7'd4;
    else if (byte_q >= ip + 7'd4 && byte_q < ip + 7'd8) from = byte_q - 7'd4;
    want = turn_q[2] ? seen_q[from] : seen_q[byte_q];
    if (turn_q[2] && 32'(byte_q) >= MetaAt) want &= mask_bytes[4'(32'(byte_q) - MetaAt)];
    here = out_word[port_q][8*byte_q[3:0]+:8];
  end

  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) {port_q, byte_q} <= {port_i, byte_i};
    // The first cycle is one of reset. Dropped: a record without its first words.
    e_reset : assume (started_q || !rst_ni);
    // A record's words come in cycles that follow each other, for the same ports. Dropped: half of
    // an address from the record behind.
    e_words : assume (at_q == '0 || we_i == mask_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A word leaves two cycles after it came, and nothing else does.
      a_leaves : assert (out_we[port_q] == we_q[2]);
      // What goes back to a device has source and destination exchanged, in Ethernet and IPv4, with
      // a tag and without one, and no mark; all other bytes, and what goes to workers, are as they
      // came.
      a_turned : assert (!out_we[port_q] || word_q[2] != byte_q[6:4] || here == want)
      else $error("byte %0d", byte_q);
      // Words on their way are those of records (helps the proof).
      a_line : assert (u_dut.at_q == at_q && far == '1 &&
          (!we_q[1] || at_q == word_q[1] + 3'd2) && (!we_q[2] || word_q[2] == 3'd6 ||
           (we_q[1] && word_q[1] == word_q[2] + 3'd1 && turn_q[1] == turn_q[2])) &&
          (!we_q[1] || word_q[1] == 3'd6 || turn == turn_q[1]));
      // Answers wait in their queue (helps the proof).
      a_whose : assert (32'(waiting) == 32'(u_dut.u_whose.count_q) &&
          u_dut.ready == (32'(waiting) < 4) && u_dut.valid == (waiting != '0) &&
          2'(u_dut.u_whose.write_q - u_dut.u_whose.read_q) == 2'(waiting) &&
          (!followed || u_dut.u_whose.mem_q[place] == value));
      // A device's record with a tag leaves behind a worker's.
      c_tagged : cover (out_we[port_q] && word_q[2] == 3'd2 && turn_q[2] && vlan_q &&
                        byte_q == 7'd33);
      c_worker : cover (out_we[port_q] && word_q[2] == 3'd6 && !turn_q[2] && we_q[1] && turn_q[1]);
    end
  end

endmodule
