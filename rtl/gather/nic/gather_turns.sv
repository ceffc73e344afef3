// Whose turn it is: units take turns, and the server behind them, if there is one, has every other
// turn while it asks. So a node answers others with half of what it sends, however many units ask.
//
// A turn is chosen while the one in front is used and stands in a register, one-hot: between who
// sends and who takes there is a gate and no choice. Whoever is served in a cycle asks in it for
// what may be behind; is there nothing, the turn is passed on.
module gather_turns #(
  /// Units, 1 or more.
  parameter int unsigned NumUnits = 2,
  /// 1: there is a server behind them.
  parameter bit Server = 1'b1,
  localparam int unsigned Users = NumUnits + 32'(Server)
) (
  input logic clk_i,
  input logic rst_ni,

  // Who has a beat, and who of those may have a turn if it has not begun. Nobody takes a beat back
  // in its turn.
  input  logic [Users-1:0] valid_i,
  input  logic [Users-1:0] request_i,
  // Whose turn it is: its beat is taken if it has one, and `ready_i`. `last_i` says of that beat
  // whether its turn ends with it; one that has begun lasts until then.
  output logic [Users-1:0] turn_o,
  input  logic             ready_i,
  input  logic             last_i
);

  logic                there, next, begun_q, server;
  logic [NumUnits-1:0] grant;
  logic [ Users-1:0]   chosen;

  assign there = (turn_o & valid_i) != '0;
  assign next  = there ? ready_i && last_i : !begun_q;

  // verilator lint_off UNUSEDSIGNAL
  logic                any;   // one of them may have a turn
  logic [((NumUnits > 1) ? $clog2(NumUnits) : 1)-1:0] unit;   // one-hot is enough
  // verilator lint_on UNUSEDSIGNAL

  prim_arb_rr #(
    .N(NumUnits)
  ) u_units (
    .clk_i,
    .rst_ni,
    .req_i    (request_i[NumUnits-1:0]),
    .advance_i(next && !server),
    .gnt_o    (grant),
    .idx_o    (unit),
    .valid_o  (any)
  );

  if (Server) begin : gen_server
    logic unit_had_q;   // the server comes first

    assign server = request_i[NumUnits] && (unit_had_q || !any);
    assign chosen = {server, server ? '0 : grant};

    always_ff @(posedge clk_i) begin
      if (next && chosen != '0) unit_had_q <= !server;
      if (!rst_ni) unit_had_q <= 1'b0;
    end
  end else begin : gen_units
    assign server = 1'b0;
    assign chosen = grant;
  end

  always_ff @(posedge clk_i) begin
    if (next) turn_o <= chosen;
    if (there && ready_i) begun_q <= !last_i;
    if (!rst_ni) begin
      turn_o  <= '0;
      begun_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // One turn at a time; two would mix two requests.
      a_one : assert ($onehot0(turn_o))
      else $error("%m: turns of %b", turn_o);
      // What has begun keeps its turn; else another PR would come in between.
      a_begun : assert (!begun_q || turn_o != '0)
      else $error("%m: a turn that has begun is nobody's");
    end
  end

endmodule
