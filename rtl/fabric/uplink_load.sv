// What uplinks were given lately, and which of those that live has the least of it (C twin:
// uplink_load, in beats).
//
// A load grows by one with each beat that is sent to its port. At multiples of 2 ** LoadPeriod
// cycles an eighth of it, rounded up, is forgotten, before what is sent in that cycle counts.
module uplink_load
  import uplink_pkg::*;
  import uplink_route_pkg::*;
#(
  /// Uplinks, 2 to MaxPorts.
  parameter int unsigned NumUp = 4,
  localparam int unsigned Levels = $clog2(NumUp)
) (
  input logic clk_i,
  input logic rst_ni,

  // verilator lint_off UNUSEDSIGNAL
  input logic [TimeW-1:0] now_i,   // low bits of the time
  // verilator lint_on UNUSEDSIGNAL
  input logic [NumUp-1:0] sent_i,
  input logic [NumUp-1:0] live_i,

  // Of loads and ports that live as they were `Levels` cycles before: the lowest of those with the
  // least load. Without any that lives it is arbitrary.
  output logic [PortW-1:0]   least_o
);

  if (NumUp < 2 || NumUp > MaxPorts) begin : gen_check
    $fatal(1, "%m: NumUp must be 2 to %0d", MaxPorts);
  end

  typedef logic [LoadW-1:0] load_t;
  typedef struct packed {
    logic           live;
    load_t          load;
    logic [PortW-1:0] port;
  } runner_t;

  load_t [NumUp-1:0] load_q;
  logic forget;
  assign forget = now_i[LoadPeriod-1:0] == '0;

  // What is to be forgotten is worked out a cycle ahead, as a number to be added: -x / 8, rounded
  // down, where -x is ~load + 1 without what is sent. Nothing is forgotten in two cycles on end. A
  // load that is full stays so.
  typedef logic signed [LoadW:0] less_t;
  for (genvar u = 0; u < NumUp; u++) begin : gen_port
    less_t less, less_q, sum;
    assign less = ~less_t'({1'b0, load_q[u]}) + less_t'({1'b0, !sent_i[u]});
    assign sum = less_t'({1'b0, load_q[u]}) + (forget ? less_q : '0) + less_t'({1'b0, sent_i[u]});
    always_ff @(posedge clk_i) begin
      less_q    <= less >>> 3;
      load_q[u] <= load_t'(sum) | {LoadW{sum[LoadW]}};
      if (!rst_ni) begin
        less_q    <= '0;
        load_q[u] <= '0;
      end
    end
  end

  // A tournament, a level a cycle; of two alike the lower one wins.
  localparam int unsigned Places = 2 ** Levels;
  runner_t [Levels:0][Places-1:0] runner;

  for (genvar p = 0; p < Places; p++) begin : gen_start
    if (p < NumUp) begin : gen_there
      assign runner[0][p] = '{live: live_i[p], load: load_q[p], port: PortW'(p)};
    end else begin : gen_not
      assign runner[0][p] = '0;
    end
  end

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    for (genvar p = 0; p < Places; p++) begin : gen_place
      if (p < Places >> (l + 1)) begin : gen_match
        runner_t low, high;
        assign low  = runner[l][2*p];
        assign high = runner[l][2*p+1];
        runner_t won_q;
        always_ff @(posedge clk_i) begin
          won_q <= (!low.live || (high.live && high.load < low.load)) ? high : low;
        end
        assign runner[l+1][p] = won_q;
      end else begin : gen_none
        assign runner[l+1][p] = '0;
      end
    end
  end

  assign least_o = runner[Levels][0].port;

endmodule
