// uplink_choose: the port of any hash, by any links.
module choose_port_props
  import uplink_route_pkg::*;
#(
  parameter int unsigned NumPorts = 5
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [NumPorts-1:0] live_i,
  input logic                valid_i,
  input logic [31:0]         hash_i
);

  logic             valid, none;
  logic [PortW-1:0] port;

  uplink_choose #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .live_i,
    .valid_i,
    .hash_i,
    .valid_o(valid),
    .none_o (none),
    .port_o (port)
  );

  // What was asked three cycles ago.
  logic [2:0]               past_q;   // so many cycles have gone by
  logic [3:1]               valid_q;
  logic [3:1][NumPorts-1:0] live_q;
  logic [3:1][31:0]         hash_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[1:0], 1'b1};
    valid_q <= {valid_q[2:1], valid_i};
    live_q  <= {live_q[2:1], live_i};
    hash_q  <= {hash_q[2:1], hash_i};
    if (!rst_ni) valid_q <= '0;
  end

  // A number of n parts of 2 ** 16: the part that `x` lies in.
  function automatic logic lies(logic [15:0] x, logic [31:0] n, logic [31:0] part);
    lies = 32'(x) * n >= part << 16 && 32'(x) * n < (part + 32'd1) << 16;
  endfunction

  logic [NumPorts-1:0] live;
  logic [31:0]         lives, below;
  logic                named, named_lives;   // by the high half is the port that is shown
  always_comb begin
    live        = live_q[3];
    lives       = 32'($countones(live));
    below       = 32'($countones(live & ~({NumPorts{1'b1}} << port)));
    named       = lies(hash_q[3][31:16], NumPorts, 32'(port));
    named_lives = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (live[p] && lies(hash_q[3][31:16], NumPorts, p)) named_lives = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    // A hash is answered three cycles later, and nothing else is; nothing in a reset.
    a_valid : assert (past_q != '1 || valid == valid_q[3])
    else $error("an answer: %b", valid);
    // Where no port lived, that is said, and else not.
    a_none : assert (past_q != '1 || none == (live == '0))
    else $error("none: %b", none);
    // The port that the hash's high half names among all is taken, if it lived.
    a_named : assert (past_q != '1 || !named_lives || named)
    else $error("port %0d instead of the named one", port);
    // Else the low half names one of those that live, counted from the lowest.
    a_other : assert (past_q != '1 || named_lives || none ||
                      (32'(port) < NumPorts && live[port] &&
                       lies(hash_q[3][15:0], lives, below)))
    else $error("port %0d, %0d live ones are below", port, below);
    // Where none lived it is port 0.
    a_zero : assert (past_q != '1 || !none || port == '0)
    else $error("port %0d of none", port);

    // The highest port is named, of four that live; it is dead, and the highest of three is taken.
    c_named : cover (past_q == '1 && valid && 32'(port) == NumPorts - 1 && named && lives == 4);
    c_other : cover (past_q == '1 && valid && hash_q[3] == '1 && port == 4'd3 && lives == 3);
  end

endmodule
