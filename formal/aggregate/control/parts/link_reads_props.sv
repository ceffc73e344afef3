// weir_links: what software reads of its counters, for any events and any numbers that it names. A
// counter that is named in two cycles, one after the other, is read twice; from one reading to the
// next it has grown by its events of one cycle, and by nothing else. So no counter needs a second
// one beside it here, and it may stand anywhere.
module link_reads_props
  import agg_pkg::*;
#(
  parameter int unsigned NumPorts = 3
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [PortW-1:0]    index_i,
  input logic [4:0]          which_i,
  input logic [NumPorts-1:0] lost_i
);

  logic [47:0] links;

  weir_links #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .lost_i,
    .port_i (index_i),
    .which_i,
    .value_o(links)
  );

  // What was named in the last three cycles, and what of it had grown in the cycle before.
  typedef struct packed {
    logic             ran;
    logic [PortW-1:0] index;
    logic [4:0]       which;
    logic             is;        // there is such a counter
    logic             grown;
  } past_t;
  past_t               now;
  past_t [3:1]         past_q;
  logic                twice, ran_q, is;
  logic [NumPorts-1:0] lost_q;
  logic [47:0]         links_q;
  logic [4:0]          deep_q;   // so many cycles have gone by
  initial deep_q = '0;
  assign is    = 32'(index_i) < NumPorts && which_i == '0;
  assign now   = '{ran: rst_ni, index: index_i, which: which_i, is: is,
                   grown: is && ran_q && lost_q[index_i[$clog2(NumPorts)-1:0]]};
  assign twice = past_q[3].ran && past_q[3].index == past_q[2].index &&
                 past_q[3].which == past_q[2].which;

  always_ff @(posedge clk_i) begin
    deep_q  <= {deep_q[3:0], 1'b1};
    ran_q   <= rst_ni;
    lost_q  <= lost_i;
    past_q  <= {past_q[2:1], now};
    links_q <= links;
  end

  always_ff @(posedge clk_i) begin
    if (deep_q[4]) begin
      // Frames that a port lost because its link was down: the counter of a port grows by one with
      // each of its own, and wraps at 2^32.
      a_links : assert (!twice || links == 48'(32'(links_q[31:0] + 32'(past_q[3].grown))))
      else $error("%0d, then %0d", links_q, links);
      // There is no other counter, and none of a port that there is not.
      a_no_link : assert (links[47:32] == '0 && (past_q[2].is || links == '0))
      else $error("number %0d of port %0d reads %0d", past_q[2].which, past_q[2].index, links);
      // Behind a reset all are 0.
      a_reset : assert (past_q[3].ran || links == '0)
      else $error("%0d behind a reset", links);

      // The last port loses a frame.
      c_last : cover (twice && past_q[3].grown && 32'(past_q[3].index) == NumPorts - 1);
    end
  end

endmodule
