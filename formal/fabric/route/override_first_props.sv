// uplink_override: the entry that any key is for, by any entries and links.
module override_first_props
  import uplink_route_pkg::*;
#(
  parameter int unsigned Entries = 3,
  parameter int unsigned NumPorts = 5
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input uplink_override_t [Entries-1:0]  entry_i,
  input logic             [NumPorts-1:0] live_i,
  input logic                            valid_i,
  input uplink_key_t                     key_i
);

  logic             valid, hit;
  logic [PortW-1:0] port;

  uplink_override #(
    .Entries (Entries),
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .entry_i,
    .live_i,
    .valid_i,
    .key_i,
    .valid_o(valid),
    .hit_o  (hit),
    .port_o (port)
  );

  // The key and the entries that it meets are those of three cycles ago; ports and links those of
  // a cycle ago. (Entries change between frames, so they are the same ones.)
  logic             [2:0]               past_q;
  logic             [3:1]               valid_q;
  logic             [NumPorts-1:0]      live_q;
  uplink_key_t      [3:1]               key_q;
  uplink_override_t [3:1][Entries-1:0]  entry_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q  <= {past_q[1:0], 1'b1};
    valid_q <= {valid_q[2:1], valid_i};
    live_q  <= live_i;
    key_q   <= {key_q[2:1], key_i};
    entry_q <= {entry_q[2:1], entry_i};
    if (!rst_ni) valid_q <= '0;
  end

  // An entry is a key's if its source port is the entry's, and of its destination all bits are
  // that the entry is about.
  logic [Entries-1:0] meets;
  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) begin
      meets[e] = entry_q[3][e].valid && entry_q[3][e].sport == key_q[3].sport &&
          (key_q[3].dst & entry_q[3][e].mask) == (entry_q[3][e].prefix & entry_q[3][e].mask);
    end
  end

  always_ff @(posedge clk_i) begin
    // A key is answered three cycles later, and nothing else is; nothing in a reset.
    a_valid : assert (past_q != '1 || valid == valid_q[3])
    else $error("an answer: %b", valid);
    // Where no entry is the key's, nothing is overridden.
    a_none : assert (past_q != '1 || meets != '0 || (!hit && port == '0))
    else $error("port %0d by no entry", port);
    // The last entry counts only where none in front is the key's.
    c_last : cover (past_q == '1 && hit && meets == {1'b1, {(Entries-1){1'b0}}} && port == 4'd3 &&
                    entry_q[3][Entries-1].mask == {{96{1'b1}}, 32'd0});
    c_dead : cover (past_q == '1 && !hit && meets == '1 && valid);
  end

  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    logic first;
    if (e == 0) begin : gen_lowest
      assign first = meets[0];
    end else begin : gen_other
      assign first = meets[e] && meets[e-1:0] == '0;
    end
    always_ff @(posedge clk_i) begin
      // The first entry that is the key's names the port,
      a_port : assert (past_q != '1 || !first || port == entry_q[1][e].port)
      else $error("port %0d instead of that of entry %0d", port, e);
      // and the key is overridden if that port's link is up, and else not.
      a_hit : assert (past_q != '1 || !first ||
                      hit == (32'(entry_q[1][e].port) < NumPorts && live_q[entry_q[1][e].port]))
      else $error("entry %0d: %b", e, hit);
    end
  end

endmodule
