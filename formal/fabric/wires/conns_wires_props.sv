// uplink_conns: what each queue's table of connections is asked, what is counted of its verdicts,
// and what software reads.
//
// What the tables make of it is left out of the circuit and free (`cuts` of the task), so this
// holds whatever they do. They have a proof of their own: uplink_order.
module conns_wires_props
  import uplink_flow_pkg::*;
  import uplink_pkg::*;
#(
  localparam int unsigned NumSources = 3,
  localparam int unsigned Sets = 4,
  localparam int unsigned Ways = 2
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic  [NumSources-1:0]   valid_i,
  input read_t [NumSources-1:0]   read_i,
  input logic                     clear_i,
  input logic                     ask_i,
  input logic [1:0]               source_i,
  input logic [1:0]               set_i,
  input logic                     way_i,
  input logic [2:0]               verdict_i   // any
);

  logic [NumSources-1:0][NumOrder-1:0][31:0] count;
  logic                                      busy, done;
  conn_t                                     conn;

  uplink_conns #(
    .NumSources(NumSources),
    .Sets      (Sets),
    .Ways      (Ways)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .read_i,
    .count_o(count),
    .clear_i,
    .busy_o (busy),
    .ask_i,
    .source_i,
    .set_i,
    .way_i,
    .done_o (done),
    .conn_o (conn)
  );

  // A verdict; what has happened a cycle ago and before.
  logic [2:0] any_q, verdict;
  assign verdict = (any_q < 3'(NumOrder)) ? any_q : '0;
  logic [2:0] past_q;   // so many cycles have gone by
  logic       ready_q, ask_q, done_q;
  logic [1:0] asked_q, asked2_q;   // the table that was asked last, and that of a cycle ago
  conn_t      conn_q;
  initial past_q = '0;

  // What the tables say: that they are done, and a place.
  logic  [NumSources-1:0] tables_busy, tables_done, done2_q;
  conn_t [NumSources-1:0] place, place_q;

  always_ff @(posedge clk_i) begin
    past_q <= {past_q[1:0], 1'b1};
    if (!past_q[0]) any_q <= verdict_i;
    ready_q  <= rst_ni;
    ask_q    <= ask_i;
    done_q   <= done;
    conn_q   <= conn;
    done2_q  <= tables_done;
    place_q  <= place;
    if (ask_i) asked_q <= source_i;
    asked2_q <= asked_q;
  end

  for (genvar s = 0; s < NumSources; s++) begin : gen_source
    assign tables_busy[s] = u_dut.gen_source[s].u_order.busy_o;
    assign tables_done[s] = u_dut.gen_source[s].u_order.read_done_o;
    assign place[s] = '{
      used: u_dut.gen_source[s].u_order.read_used_o,
      dst: u_dut.gen_source[s].u_order.read_key_o[151:24],
      qpn: u_dut.gen_source[s].u_order.read_key_o[23:0],
      psn: u_dut.gen_source[s].u_order.read_next_o,
      gaps: u_dut.gen_source[s].u_order.read_gaps_o,
      duplicates: u_dut.gen_source[s].u_order.read_duplicates_o
    };

    logic        judged, judged_q, judged2_q;
    logic [31:0] count_q;
    assign judged = u_dut.gen_source[s].u_order.out_valid_o &&
        u_dut.gen_source[s].u_order.out_verdict_o == verdict;
    always_ff @(posedge clk_i) begin
      judged_q  <= rst_ni && judged;
      judged2_q <= judged_q;
      count_q   <= count[s][verdict];
    end

    always_ff @(posedge clk_i) begin
      // A table is reset and cleared with the others.
      a_reset : assert (u_dut.gen_source[s].u_order.rst_ni == rst_ni &&
                        u_dut.gen_source[s].u_order.clear_i == clear_i)
      else $error("reset, or cleared: %b", u_dut.gen_source[s].u_order.clear_i);
      // It judges the packets of its queue that are RoCEv2, and nothing else.
      a_judges : assert (u_dut.gen_source[s].u_order.in_valid_i == (valid_i[s] && read_i[s].roce))
      else $error("judges: %b", u_dut.gen_source[s].u_order.in_valid_i);
      // A connection is named by where it goes: address and queue pair. Its opcode and number say
      // the rest.
      a_named : assert (u_dut.gen_source[s].u_order.in_key_i ==
                        {read_i[s].key.dst, read_i[s].key.qpn} &&
                        u_dut.gen_source[s].u_order.in_opcode_i == read_i[s].opcode &&
                        u_dut.gen_source[s].u_order.in_psn_i == read_i[s].psn)
      else $error("another packet");
      // It is read where software asks for a place of it.
      a_asked : assert (u_dut.gen_source[s].u_order.read_i == (ask_i && source_i == 2'(s)) &&
                        u_dut.gen_source[s].u_order.read_set_i == set_i &&
                        u_dut.gen_source[s].u_order.read_way_i == way_i)
      else $error("asked: %b", u_dut.gen_source[s].u_order.read_i);
      // Each verdict is counted two cycles behind, one by one, for its queue alone; behind a reset
      // none was.
      a_counts : assert (!past_q[2] || count[s][verdict] ==
                         (ready_q ? count_q + 32'(judged2_q) : 32'd0))
      else $error("verdict %0d: %0d", verdict, count[s][verdict]);
    end
  end

  always_ff @(posedge clk_i) begin
    // Busy as long as one of them is.
    a_busy : assert (busy ? tables_busy != '0 : tables_busy == '0)
    else $error("busy: %b", busy);
    if (past_q[1]) begin
      // Nothing is under way behind a reset.
      a_idle : assert (ready_q || done)
      else $error("busy behind a reset");
      // Who asks waits.
      a_waits : assert (!ready_q || !ask_q || !done)
      else $error("done as it is asked");
      // A place is there once a table has answered, and then until somebody asks again.
      a_done : assert (!ready_q || ask_q || done == (done_q || done2_q != '0))
      else $error("done: %b", done);
      // It is what the table that was asked shows as one answers; else it stays.
      a_place : assert (!past_q[2] || asked2_q >= 2'(NumSources) ||
                        conn == ((done2_q != '0) ? place_q[asked2_q] : conn_q))
      else $error("a place of another table, not %0d", asked2_q);
    end

    // The last table answers.
    c_last : cover (past_q[2] && ready_q && done2_q == 3'b100 && asked2_q == 2'd2 && done);
  end

endmodule
