// agg_lookup_arbiter: whose request begins, and with what; who has one inside, who comes again, and
// who waits for that. For any requests, and whatever becomes of them.
module agg_lookup_arbiter_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_lookup_pkg::*;
#(
  /// Ports.
  parameter int unsigned NumPorts = 3,
  /// What the device is without (roce_pkg).
  parameter int unsigned Without = 0
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic        [PortW-1:0]    any_port_i,
  input logic        [NumPorts-1:0] req_valid_i,
  input frame_desc_t [NumPorts-1:0] req_i,
  input logic                       conn_set_valid_i,
  input conn_key_t                  conn_set_key_i,
  input logic                       hold_i,
  input logic                       empty_i,
  input logic                       alone_i,
  input logic                       end_valid_i,
  input logic [PortW-1:0]           end_port_i,
  input logic                       end_accept_i,
  input logic                       answer_valid_i,
  input logic [PortW-1:0]           answer_port_i
);

  logic [NumPorts-1:0] ready;
  logic                begins;
  lookup_query_t       req;
  conn_hash_t          hash;
  conn_key_t           key;

  agg_lookup_arbiter #(
    .NumPorts(NumPorts),
    .Without (Without)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o(ready),
    .req_i,
    .conn_set_valid_i,
    .conn_set_key_i,
    .hold_i,
    .empty_i,
    .alone_i,
    .begins_o   (begins),
    .req_o      (req),
    .hash_o     (hash),
    .key_o      (key),
    .end_valid_i,
    .end_port_i,
    .end_accept_i,
    .answer_valid_i,
    .answer_port_i
  );

  // The port that is followed.
  logic             past_q;
  logic [PortW-1:0] p_q;
  initial past_q = 1'b0;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!past_q) p_q <= any_port_i;
    // The first cycle is one of reset.
    e_reset : assume (past_q || !rst_ni);
  end

  // Which ports have a request inside, from its beginning to its answer, or until it is given back;
  // which of them come again; whether one of those was there in the cycle before, and the port that
  // is followed was none of them. Who was the last to begin.
  logic [NumPorts-1:0] inside_q, again_q;
  logic                waits_q;
  logic [PortW-1:0]    last_q;
  always_ff @(posedge clk_i) begin
    if (begins && 32'(req.port) < NumPorts) begin
      inside_q[req.port] <= 1'b1;
      again_q[req.port]  <= 1'b0;
      last_q             <= req.port;
    end
    if (end_valid_i && !end_accept_i && 32'(end_port_i) < NumPorts) begin
      inside_q[end_port_i] <= 1'b0;
      again_q[end_port_i]  <= 1'b1;
    end
    if (answer_valid_i && 32'(answer_port_i) < NumPorts) inside_q[answer_port_i] <= 1'b0;
    waits_q <= rst_ni && again_q != '0 && !again_q[p_q];
    if (!rst_ni) begin
      inside_q <= '0;
      again_q  <= '0;
      last_q   <= PortW'(NumPorts - 1);
    end
  end

  // The port that is followed may begin. How many ports come before one, behind the last that
  // began.
  logic may;
  assign may = req_valid_i[p_q] && !inside_q[p_q] && !conn_set_valid_i && !waits_q &&
      !(again_q[p_q] && !empty_i);

  function automatic int unsigned ahead(logic [PortW-1:0] port, logic [PortW-1:0] last);
    ahead = (32'(port) > 32'(last)) ? 32'(port) - 32'(last) - 1 :
        32'(port) + NumPorts - 32'(last) - 1;
  endfunction

  frame_desc_t of;
  assign of = req_i[req.port];

  always_ff @(posedge clk_i) begin
    // A port's request is accepted when that of the port which is in stage 4 is.
    a_ready : assert (32'(p_q) >= NumPorts || !past_q ||
                      ready[p_q] == (end_accept_i && end_port_i == p_q))
    else $error("port %0d: ready %b", p_q, ready[p_q]);
    if (rst_ni && 32'(p_q) < NumPorts) begin
      // Nothing begins while a flush holds, beside a request that is alone, or while a registration
      // waits.
      a_held : assert (!begins || !(hold_i || alone_i || conn_set_valid_i))
      else $error("begins");
      // What begins is the request of a port that has none inside; while some have to come again,
      // it is one of theirs, and none of them begins before the stages are empty.
      a_whose : assert (!begins || req.port != p_q || may)
      else $error("port %0d begins", p_q);
      // It is one of the device's ports.
      a_port : assert (!begins || 32'(req.port) < NumPorts)
      else $error("port %0d begins", req.port);
      // Who may begin does, or another one.
      a_begins : assert (!may || hold_i || alone_i || begins)
      else $error("port %0d does not begin", p_q);
      // Of several the first one behind the last that began.
      a_turn : assert (!begins || !may || ahead(req.port, last_q) <= ahead(p_q, last_q))
      else $error("port %0d begins in front of %0d", req.port, p_q);
      // Its request goes with it, and says whether it was given back and so is alone.
      a_request : assert (!begins || req.port != p_q || {req.alone, req.starts, req.has_ina,
          req.psn, req.ina, req.tensor_len, req.len_bad} ==
          {again_q[p_q], of.starts, of.has_ina, of.psn, of.ina, of.tensor_len, of.len_bad})
      else $error("request of another port");
      // The table is asked for its key, of which a device reads what it can have.
      a_key : assert (!begins || key == (of.key & key_kept(Without)))
      else $error("another key");
      // With the hash that came with it.
      a_hash : assert (!begins || hash == of.hash)
      else $error("another hash");
    end
  end

  conn_key_t set_q;
  always_ff @(posedge clk_i) begin
    set_q <= conn_set_key_i;
    // A registration asks with its key.
    a_set_key : assert (!conn_set_valid_i || key == (conn_set_key_i & key_kept(Without)))
    else $error("another key");
    // And with the hash of what its key was in the cycle before.
    a_set_hash : assert (!past_q || !conn_set_valid_i || hash == conn_hash(set_q))
    else $error("another hash");

    // Another port's turn is waited for; who was given back comes again.
    c_turn : cover (rst_ni && begins && may && req.port != p_q);
    c_again : cover (rst_ni && begins && req.alone && req.port == p_q && empty_i);
  end

  // ---------------------------------------------------------------------------------------------
  // (Helps the proof.)
  always_ff @(posedge clk_i) begin
    if (past_q) begin
      // It remembers what is remembered here.
      a_remembers : assert ({u_dut.inside_q, u_dut.again_q} == {inside_q, again_q} &&
                            u_dut.u_turn.before_q == u_dut.u_turn.orders[last_q] &&
                            32'(last_q) < NumPorts)
      else $error("inside %b, again %b", u_dut.inside_q, u_dut.again_q);
      // The port waits if it is to.
      a_waits : assert (32'(p_q) >= NumPorts || u_dut.others_q[p_q] == waits_q)
      else $error("waits %b", waits_q);
    end
  end

endmodule
