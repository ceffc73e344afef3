// llt_inboxes: which wire goes where between inboxes of ports, that of multicasts, and who reads
// them; whose row the parent's is.
//
// What the inboxes make of it is left out of the circuit and free (`cuts` of the task), so this
// holds whatever they do. They have a proof of their own: llt_inbox.
module inbox_wires_props
  import rc_pkg::*;
  import rc_port_pkg::*;
  import sat_pkg::*;
  import llt_pkg::*;
#(
  /// 1: memories are coded.
  parameter int unsigned Ecc = 0,
  parameter int unsigned NumPorts = 4
) (
  input logic                                     clk_i,
  input logic                                     rst_ni,
  input logic                                     clear_i,
  input logic [NumPorts-1:0]                      parent_i,
  input rc_packet_t [NumPorts-1:0]                oldest_i,
  input logic [NumPorts-1:0][RcRowBits-1:0]       row_i,
  input rc_packet_t                               cast_oldest_i,
  input logic [RcRowBits-1:0]                     cast_row_i,
  input logic [NumPorts-1:0]                      take_i,
  input logic [NumPorts-1:0]                      keep_i,
  input logic                                     cast_take_i,
  input logic                                     cast_keep_i,
  input logic [GroupW-1:0]                        group_i,
  input logic [NumPorts-1:0]                      sum_re_i,
  input logic [GroupW-1:0]                        sum_re_group_i,
  input logic [4:0]                               sum_re_row_i,
  input logic                                     send_re_i,
  input logic                                     send_use_i,
  input logic [GroupW-1:0]                        send_re_group_i,
  input logic [4:0]                               send_re_row_i,
  input logic                                     from_cast_i
);

  logic [NumPorts-1:0]                claim, row_re;
  logic                               cast_claim, cast_row_re;
  low_message_t [NumPorts-1:0]        message;
  low_message_t                       cast_message;
  logic [NumPorts-1:0][RcRowBits-1:0] row;
  logic [RcRowBits-1:0]               parent_row;
  rc_memory_t                         memory;

  llt_inboxes #(
    .NumPorts(NumPorts),
    .Ecc     (Ecc)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .parent_i,
    .oldest_i,
    .claim_o       (claim),
    .row_re_o      (row_re),
    .row_i,
    .cast_oldest_i,
    .cast_claim_o  (cast_claim),
    .cast_row_re_o (cast_row_re),
    .cast_row_i,
    .message_o     (message),
    .cast_message_o(cast_message),
    .take_i,
    .keep_i,
    .cast_take_i,
    .cast_keep_i,
    .group_i,
    .sum_re_i,
    .sum_re_group_i,
    .sum_re_row_i,
    .row_o         (row),
    .send_re_i,
    .send_use_i,
    .send_re_group_i,
    .send_re_row_i,
    .from_cast_i,
    .parent_row_o  (parent_row),
    .memory_o      (memory)
  );

  // A row is here three cycles behind the question, with coded memories four: whether that was of a
  // multicast.
  localparam int unsigned Late = 3 + Ecc;
  logic [Late-1:0] cast_q;
  logic [Late-1:0] past_q;
  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q <= Late'({past_q, 1'b1});
    cast_q <= Late'({cast_q, from_cast_i});
  end

  // What memories found in the cycle before; of words that were lost one is told, or else of those
  // that were corrected.
  rc_memory_t [4:0] found;
  rc_memory_t       told, told_q;
  always_comb begin
    found[0] = u_dut.gen_inbox[3].u_inbox.memory_o;
    found[1] = u_dut.gen_inbox[1].u_inbox.memory_o;
    found[2] = u_dut.gen_inbox[2].u_inbox.memory_o;
    found[3] = u_dut.gen_inbox[0].u_inbox.memory_o;
    found[4] = u_dut.u_casts.memory_o;
    for (int n = 0; n < 4; n++) found[n].word.scope = OfPort;
    found[0].word.port = 4'd3;
    found[1].word.port = 4'd1;
    found[2].word.port = 4'd2;
    found[3].word.port = 4'd0;
    told = '0;
    for (int n = 0; n < 5; n++) begin
      if (found[n].corrected) told.word = found[n].word;
      if (found[n].corrected) told.corrected = 1'b1;
    end
    for (int n = 0; n < 5; n++) begin
      if (found[n].bad) told.word = found[n].word;
      if (found[n].bad) told.bad = 1'b1;
    end
  end
  always_ff @(posedge clk_i) told_q <= (Ecc == 0) ? '0 : told;

  always_ff @(posedge clk_i) begin
    // Multicasts are kept like a port's messages.
    a_casts : assert ({u_dut.u_casts.rst_ni, u_dut.u_casts.clear_i, u_dut.u_casts.oldest_i,
                       u_dut.u_casts.row_i, u_dut.u_casts.take_i, u_dut.u_casts.keep_i,
                       u_dut.u_casts.group_i} ==
                      {rst_ni, clear_i, cast_oldest_i, cast_row_i, cast_take_i, cast_keep_i,
                       group_i})
    else $error("another multicast");
    // They are asked for, and shown.
    a_cast_shown : assert ({cast_claim, cast_row_re, cast_message} ==
                           {u_dut.u_casts.claim_o, u_dut.u_casts.row_re_o,
                            u_dut.u_casts.message_o})
    else $error("another multicast");
    // Who sends reads them with each row of the parent's; they are used if the answer came so.
    a_cast_read : assert ({u_dut.u_casts.re_i, u_dut.u_casts.re_group_i, u_dut.u_casts.re_row_i,
                           u_dut.u_casts.use_i} ==
                          {send_re_i, send_re_group_i, send_re_row_i, from_cast_i && send_use_i})
    else $error("another row");
    if (past_q[Late-1]) begin
      // The parent's row is the multicast's if the answer had come by it when it was asked for.
      a_of_cast : assert (!cast_q[Late-1] || parent_row == u_dut.u_casts.row_o)
      else $error("row %h", parent_row);
      // Else it is the parent's port's,
      a_of_parent : assert (cast_q[Late-1] || parent_row == (
                            parent_i[3] ? u_dut.gen_inbox[3].u_inbox.row_o :
                            parent_i[2] ? u_dut.gen_inbox[2].u_inbox.row_o :
                            parent_i[1] ? u_dut.gen_inbox[1].u_inbox.row_o :
                            parent_i[0] ? u_dut.gen_inbox[0].u_inbox.row_o : '0))
      else $error("row %h", parent_row);
    end
    // What memories found is told a cycle later, with the port.
    a_memory : assert (!past_q[0] || memory == told_q)
    else $error("memory %h", memory);

    // The last port's vector is summed while the parent's multicast is sent.
    c_both : cover (past_q[Late-1] && sum_re_i[3] && send_re_i && from_cast_i && send_use_i &&
                    parent_i == 4'b0010);
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // A port's queue is taken from by its inbox,
      a_queue : assert ({u_dut.gen_inbox[p].u_inbox.rst_ni, u_dut.gen_inbox[p].u_inbox.clear_i,
                         u_dut.gen_inbox[p].u_inbox.oldest_i,
                         u_dut.gen_inbox[p].u_inbox.row_i} ==
                        {rst_ni, clear_i, oldest_i[p], row_i[p]} &&
                        {claim[p], row_re[p]} == {u_dut.gen_inbox[p].u_inbox.claim_o,
                                                  u_dut.gen_inbox[p].u_inbox.row_re_o})
      else $error("port %0d", p);
      // its messages are shown, and taken, or kept for the group.
      a_take : assert ({u_dut.gen_inbox[p].u_inbox.take_i, u_dut.gen_inbox[p].u_inbox.keep_i,
                        u_dut.gen_inbox[p].u_inbox.group_i} == {take_i[p], keep_i[p], group_i} &&
                       message[p] == u_dut.gen_inbox[p].u_inbox.message_o)
      else $error("port %0d", p);
      // Of the parent's port rows are read by who sends, and used if no multicast is,
      a_parent : assert (!parent_i[p] || {u_dut.gen_inbox[p].u_inbox.re_i,
                                          u_dut.gen_inbox[p].u_inbox.re_group_i,
                                          u_dut.gen_inbox[p].u_inbox.re_row_i,
                                          u_dut.gen_inbox[p].u_inbox.use_i} ==
                         {send_re_i, send_re_group_i, send_re_row_i, send_use_i && !from_cast_i})
      else $error("port %0d", p);
      // of all others by who sums, who uses them all.
      a_child : assert (parent_i[p] || {u_dut.gen_inbox[p].u_inbox.re_i,
                                        u_dut.gen_inbox[p].u_inbox.re_group_i,
                                        u_dut.gen_inbox[p].u_inbox.re_row_i,
                                        u_dut.gen_inbox[p].u_inbox.use_i} ==
                        {sum_re_i[p], sum_re_group_i, sum_re_row_i, 1'b1})
      else $error("port %0d", p);
      // It gets what is read.
      a_row : assert (row[p] == u_dut.gen_inbox[p].u_inbox.row_o)
      else $error("port %0d", p);
    end
  end

endmodule
