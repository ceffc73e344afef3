// Messages of one port of a low-latency tree: taken in as a whole, and kept where they are as long
// as their operation needs them.
//
// Rows of packets are written behind each other as they come, header and all. A port has a place
// for each group and one more, where the next message comes in; a message that is taken for a group
// changes places with that group's last one, and nothing is copied. What is longer than any message
// is counted and thrown away.
//
//   oldest_i, claim -> rows, QueueRow cycles later -> place -> valid -> take, with a group or not
module llt_inbox
  import rc_pkg::*;
  import rc_port_pkg::QueueRow;
  import sat_pkg::Groups;
  import sat_pkg::HeadBytes;
  import sat_pkg::LenW;
  import sat_pkg::turned;
  import rc_port_pkg::rc_memory_t;
  import rc_port_pkg::MemMessages;
  import rc_port_pkg::OfTrees;
  import llt_pkg::*;
#(
  /// 1: rows are corrected; those that come are here a cycle later, and so are those that are read.
  parameter int unsigned Ecc = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // The tree begins, with nothing.
  input logic clear_i,

  // The queue of the port (sat_stream).
  input  rc_packet_t           oldest_i,
  output logic                 claim_o,
  output logic                 row_re_o,
  input  logic [RcRowBits-1:0] row_i,

  // The oldest message, until it is taken: thrown away, or kept for a group.
  output low_message_t      message_o,
  input  logic              take_i,
  input  logic              keep_i,      // with take_i:
  input  logic [GroupW-1:0] group_i,

  // A row of the message that was taken last for a group, LowRow cycles later; `use_i`: it has one.
  input  logic                 re_i,
  input  logic                 use_i,
  input  logic [GroupW-1:0]    re_group_i,
  input  logic [4:0]           re_row_i,
  output logic [RcRowBits-1:0] row_o,

  output rc_memory_t memory_o   // flipped bits that were read
);

  if (QueueRow != 2) begin : gen_check_row
    $fatal(1, "%m: rows are taken two cycles after their request, not %0d", QueueRow);
  end

  localparam int unsigned Places = Groups + 1;
  localparam int unsigned PlaceW = $clog2(Places);
  localparam int unsigned LeftW = LenW - 5;

  // ---------------------------------------------------------------------------------------------
  // Packets come in.

  logic              busy_q, last_q, valid_q;
  logic [LeftW-1:0]  left_q;      // rows of the packet to be asked for
  logic              reads_q;     // there are some
  logic [4:0]        at_q;        // of the message, where the next one goes; LowRows: nowhere
  logic [BytesW-1:0] bytes_q, bytes_sum;
  logic [BytesW-1:0] already;
  logic [255:0]      head_q;
  logic              claim, ending, whole_q;
  logic [BytesW-1:0] vector_q;

  // Who was claimed is not shown in the next cycle.
  assign claim    = oldest_i.valid && !busy_q && !valid_q && !clear_i;
  assign claim_o  = claim;
  assign row_re_o = reads_q;
  assign ending     = busy_q && left_q <= LeftW'(1);

  assign already    = oldest_i.first ? '0 : bytes_q;
  assign bytes_sum = (oldest_i.len > LenW'(BytesMost) ||
                      LenW'(already) + oldest_i.len > LenW'(BytesMost)) ?
      BytesMost : already + BytesW'(oldest_i.len);

  always_ff @(posedge clk_i) begin
    if (left_q != '0) left_q <= left_q - LeftW'(1);
    reads_q <= claim ? oldest_i.len != '0 : left_q > LeftW'(1);
    if (ending) busy_q <= 1'b0;
    // Whoever looks at it takes it TakeAfter cycles later at the earliest; by then its rows are
    // here.
    if (busy_q && left_q <= LeftW'(TakeAfter - 1 - Ecc) && last_q) valid_q <= 1'b1;
    if (claim) begin
      busy_q  <= 1'b1;
      last_q  <= oldest_i.last;
      left_q  <= LeftW'((oldest_i.len + LenW'(63)) >> 6);
      bytes_q <= bytes_sum;
      if (oldest_i.first) head_q <= oldest_i.head;
      if (oldest_i.last && oldest_i.len <= LenW'(128 - 64 * Ecc)) valid_q <= 1'b1;
    end
    if (take_i) valid_q <= 1'b0;
    if (!rst_ni || clear_i) begin
      busy_q  <= 1'b0;
      valid_q <= 1'b0;
      left_q  <= '0;
      reads_q <= 1'b0;
      bytes_q <= '0;
    end
  end

  // A cycle behind `valid`, which is before anybody looks.
  always_ff @(posedge clk_i) begin
    whole_q  <= bytes_q >= BytesW'(HeadBytes);
    vector_q <= bytes_q - BytesW'(HeadBytes);
  end
  assign message_o = '{valid: valid_q, whole: whole_q, bytes: vector_q, head: turned(head_q)};

  // ---------------------------------------------------------------------------------------------
  // Places.

  logic [Groups-1:0][PlaceW-1:0] of_q;     // of each group's message
  logic [PlaceW-1:0]             in_q;     // of the one that comes
  logic [2+Ecc:1]                read_q, first_q;

  always_ff @(posedge clk_i) begin
    if (keep_i) begin
      of_q[group_i] <= in_q;
      in_q          <= of_q[group_i];
    end
    if (!rst_ni || clear_i) begin
      for (int unsigned g = 0; g < Groups; g++) of_q[g] <= PlaceW'(g);
      in_q <= PlaceW'(Groups);
    end
  end

  // Rows are asked for, and here QueueRow cycles later; the first one of a message begins it anew.
  logic begins_q;
  logic write;
  logic [4:0] at;

  assign write = read_q[2+Ecc];
  assign at    = first_q[2+Ecc] ? '0 : at_q;

  always_ff @(posedge clk_i) begin
    if (claim && oldest_i.first) begins_q <= 1'b1;
    else if (row_re_o) begins_q <= 1'b0;
    read_q  <= {read_q[1+Ecc:1], row_re_o};
    first_q <= {first_q[1+Ecc:1], begins_q};
    if (write) at_q <= (at == 5'(LowRows)) ? at : at + 5'd1;
    if (!rst_ni || clear_i) read_q <= '0;
  end

  logic [PlaceW+4:0] raddr_q;
  logic [PlaceW+4:0] row_of;
  logic              re_q, use_q, row_corrected, row_bad;
  always_ff @(posedge clk_i) begin
    re_q    <= re_i;
    use_q   <= use_i;
    raddr_q <= {of_q[re_group_i], re_row_i};
  end

  prim_ram_ecc_at #(
    .Width  (RcRowBits),
    .Depth  (32 << PlaceW),
    .Latency(LowRow - 1 + Ecc),
    .Ecc    (Ecc)
  ) u_rows (
    .clk_i,
    .we_i       (write && at != 5'(LowRows)),
    .waddr_i    ({in_q, at}),
    .wdata_i    (row_i),
    .re_i       (re_q),
    .raddr_i    (raddr_q),
    .rdata_o    (row_o),
    .use_i      (use_q),
    .corrected_o(row_corrected),
    .bad_o      (row_bad),
    .at_o       (row_of)
  );

  always_ff @(posedge clk_i) begin
    memory_o <= '{corrected: row_corrected, bad: row_bad,
                  word: '{memory: MemMessages, scope: OfTrees, port: '0, at: 16'(row_of)}};
    if (!rst_ni || clear_i || Ecc == 0) memory_o <= '0;
  end

  logic [TakeAfter-1:0] shown_q;   // how long the message has been shown
  always_ff @(posedge clk_i) shown_q <= valid_q ? {shown_q[TakeAfter-2:0], 1'b1} : '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      // A message is not taken before its last rows may be there.
      a_take_time : assert (!take_i || shown_q[TakeAfter-1])
      else $error("%m: a message is taken less than %0d cycles after it is shown", TakeAfter);
      // What is taken is there, and its rows are; else an operation would have another one's
      // vector.
      a_take : assert (!take_i || (valid_q && read_q == '0))
      else $error("%m: a message is taken that is not whole");
      // A packet that is not its message's last one ends with a whole row.
      a_whole : assert (!claim || oldest_i.last || oldest_i.len[5:0] == '0)
      else $error("%m: %0d bytes in the middle of a message", oldest_i.len);
    end
  end

endmodule
