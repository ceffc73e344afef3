// relay_turns and relay_turn, step by step: what a cycle makes of a record's words from any
// registers, with or without gaps between them. (Records from end to end: relay_turns_props.)
//
// Followed are one port and one byte of each word, both free.
module turn_steps_props
  import roce_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  input logic                                  taken_i,
  input logic                                  devices_i,
  input logic [NumPorts-1:0]                   we_i,
  input logic [NumPorts-1:0][HdrWordBits-1:0]  word_i,
  input logic [1:0]                            port_i,   // any
  input logic [3:0]                            byte_i    // any
);

  localparam int unsigned Bytes = HdrWordBits / 8;
  typedef logic [Bytes-1:0][7:0] word_t;
  typedef logic [HdrMetaBits/8-1:0][7:0] meta_bytes_t;

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
  // Of the followed port: what comes, and what is inside.

  typedef struct packed {
    logic            ran;
    logic            comes;     // a word
    word_t           word;
    logic            turns;     // what the queue says of its record
    logic            any;       // a word of any port
    logic [2:0]      count;     // of words, for all ports
    logic            has;       // the word that came before, and which it is
    word_t           held;
    logic [2:0]      at;
    logic            turned;    // its record goes back to a device
    logic            vlan;    // as it was kept
    logic [3:0][7:0] tail;      // of the word before it
  } step_t;

  logic  [NumPorts-1:0]           has, turned, vlan;
  word_t [NumPorts-1:0]           held;
  logic  [NumPorts-1:0][2:0]      at;
  logic  [NumPorts-1:0][3:0][7:0] tail;
  for (genvar p = 0; p < NumPorts; p++) begin : gen_inside
    assign has[p]    = u_dut.gen_port[p].u_turn.we_q;
    assign held[p]   = u_dut.gen_port[p].u_turn.word_q;
    assign at[p]     = u_dut.gen_port[p].u_turn.at_q;
    assign turned[p] = u_dut.gen_port[p].u_turn.turn_q;
    assign vlan[p] = u_dut.gen_port[p].u_turn.vlan_q;
    assign tail[p]   = u_dut.gen_port[p].u_turn.before_q;
  end

  logic [1:0] past_q;
  logic [1:0] port_q, p;
  logic [3:0] b_q;        // the followed byte
  step_t      now, q;
  initial past_q = '0;
  assign p   = (32'(port_q) < NumPorts) ? port_q : 2'd0;
  assign now = '{rst_ni, we_i[p], word_i[p], u_dut.u_whose.out_o, we_i != '0, u_dut.at_q, has[p],
                 held[p], at[p], turned[p], vlan[p], tail[p]};
  always_ff @(posedge clk_i) begin
    past_q <= {past_q[0], 1'b1};
    q      <= now;
    port_q <= past_q[0] ? port_q : port_i;
    b_q    <= past_q[0] ? b_q : byte_i;
  end

  // ---------------------------------------------------------------------------------------------
  // Where a byte of the record comes from if source and destination change places.

  logic        tag;        // the record has one: its first word says so, and it is kept for others
  logic [6:0]  here, ip, from;
  logic [2:0]  from_word;
  logic [7:0]  swapped;
  hdr_meta_t   clear;
  meta_bytes_t clear_bytes;

  assign tag       = (q.at == 3'd0) ? {q.held[12], q.held[13]} == 16'h8100 : q.vlan;
  assign here      = {q.at, b_q};
  assign ip        = tag ? 7'd30 : 7'd26;
  assign from_word = from[6:4];
  always_comb begin
    from = here;
    if (here < 7'd6) from = here + 7'd6;
    if (here >= 7'd6 && here < 7'd12) from = here - 7'd6;
    if (here >= 7'd16) begin   // Ethernet is the first word's
      if (here >= ip && here < ip + 7'd4) from = here + 7'd4;
      if (here >= ip + 7'd4 && here < ip + 7'd8) from = here - 7'd4;
    end
    swapped = q.held[from[3:0]];
    if (from_word == q.at + 3'd1) swapped = q.word[from[3:0]];
    if (from_word + 3'd1 == q.at) swapped = q.tail[from[1:0]];   // bytes 12 to 15
    clear       = '1;
    clear.mark  = 1'b0;
    clear_bytes = clear;
    if (q.at == 3'd7 && 32'(b_q) >= Bytes - HdrMetaBits / 8) begin
      swapped &= clear_bytes[4'(32'(b_q) + HdrMetaBits / 8 - Bytes)];
    end
  end

  logic [7:0] out;
  assign out = out_word[p][8*b_q+:8];

  always_ff @(posedge clk_i) begin
    if (past_q[1]) begin
      // Words of records are counted, whichever ports they are of; a reset begins anew.
      a_count : assert (now.count == (!q.ran ? 3'd0 : q.any ? q.count + 3'd1 : q.count))
      else $error("word %0d", now.count);
      // A word leaves two cycles behind, and nothing else does, nor anything behind a reset.
      a_leaves : assert (now.has == (q.ran && q.comes) && out_we[p] == (q.ran && q.has))
      else $error("%b held, %b leaves", now.has, out_we[p]);
      // The word, and what becomes of its record, stand until the next one.
      a_held : assert (now.held[b_q] == (q.comes ? q.word[b_q] : q.held[b_q]) &&
                       now.turned == (q.comes ? q.turns : q.turned))
      else $error("word %0d", now.at);
      // Each port counts its own words, the last one of a record first.
      a_at : assert (now.at == (!q.ran ? 3'd7 : q.has ? q.at + 3'd1 : q.at))
      else $error("word %0d behind %0d", now.at, q.at);
      // Of the word before are known its last bytes, and of the record whether it has a tag.
      a_before : assert (now.tail[b_q[1:0]] == (q.has ? q.held[{2'b11, b_q[1:0]}] :
                                                q.tail[b_q[1:0]]) &&
                         now.vlan == (q.has ? tag : q.vlan))
      else $error("tail %0h, tag %b", now.tail, now.vlan);
      // A worker's word leaves as it is; of a device's source and destination change places, in
      // Ethernet and in IPv4, and the last word has no mark.
      a_turned : assert (out == (q.turned ? swapped : q.held[b_q]))
      else $error("byte %0d: %0h", here, out);

      // Half of an address comes from the word before, half from the one behind.
      c_behind : cover (q.turned && q.ran && q.has && from_word == q.at + 3'd1);
      c_before : cover (q.turned && q.ran && q.has && from_word + 3'd1 == q.at && tag);
    end
    // Whose a record is leaves the queue with the record's last word, in the order in which it
    // came.
    a_queue : assert (u_dut.u_whose.in_valid_i == taken_i && u_dut.u_whose.in_i == devices_i &&
                      u_dut.u_whose.out_ready_i == (we_i != '0 && now.count == 3'd7))
    else $error("the queue is told %b", u_dut.u_whose.out_ready_i);
  end

endmodule
