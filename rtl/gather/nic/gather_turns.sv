// Whose PR is next to concatenation: the server's and the units' take turns, and among the units
// they do. So a node answers others with half of what it sends, however many units ask.
//
// The grant is combinational, and lasts to the last beat of a PR.
module gather_turns #(
  /// Units, 1 or more; the server is behind them.
  parameter int unsigned NumUnits = 2,
  localparam int unsigned Users = NumUnits + 1,
  localparam int unsigned UserW = $clog2(Users)
) (
  input logic clk_i,
  input logic rst_ni,

  // Who has a beat; `from_o` is granted. Its beat is taken if `valid_o` and `ready_i`; `last_i`
  // says whether it is the last one of its PR.
  input  logic [Users-1:0] request_i,
  output logic             valid_o,
  output logic [UserW-1:0] from_o,
  input  logic             ready_i,
  input  logic             last_i
);

  localparam int unsigned UnitW = (NumUnits > 1) ? $clog2(NumUnits) : 1;

  logic             unit_valid, server;
  logic [UnitW-1:0] unit;

  gather_grant #(
    .N(NumUnits)
  ) u_units (
    .clk_i,
    .rst_ni,
    .request_i(request_i[NumUnits-1:0]),
    .valid_o  (unit_valid),
    .from_o   (unit),
    .ready_i  (ready_i && valid_o && !server),
    .last_i   (last_i)
  );

  gather_grant #(
    .N(2)
  ) u_both (
    .clk_i,
    .rst_ni,
    .request_i({request_i[NumUnits], unit_valid}),
    .valid_o  (valid_o),
    .from_o   (server),
    .ready_i  (ready_i),
    .last_i   (last_i)
  );

  assign from_o = server ? UserW'(NumUnits) : UserW'(unit);

endmodule
