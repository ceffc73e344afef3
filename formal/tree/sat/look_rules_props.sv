// sat_look and sat_free: what a child's oldest packet is by its header (docs/wire.md), and whether
// all ports that a packet needs are free, for anything that may stand there.
module look_rules_props
  import rc_pkg::*;
  import sat_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input sat_cfg_t                  cfg_i,
  input rc_packet_t [NumPorts-1:0] oldest_i,
  input logic                      ask_i,
  input logic                      scan_i,
  input logic [PortW-1:0]          port_i,
  input logic [PortW-1:0]          scan_port_i,
  input logic                      may_i,
  input logic [NumPorts-1:0]       need_i,
  input logic [NumPorts-1:0]       room_i,
  input logic [NumPorts-1:0]       taken_i,
  input logic [1:0]                group_i   // any
);

  sat_seen_t seen;
  logic      go;

  sat_look #(
    .NumPorts(NumPorts)
  ) u_look (
    .clk_i,
    .rst_ni,
    .cfg_i,
    .oldest_i,
    .ask_i,
    .scan_i,
    .port_i,
    .scan_port_i,
    .seen_o(seen)
  );

  sat_free #(
    .NumPorts(NumPorts)
  ) u_free (
    .may_i,
    .need_i,
    .room_i,
    .taken_i,
    .go_o(go)
  );

  // The question of three cycles ago, the packet that stood at its port two cycles ago, and how the
  // tree was set up a cycle ago.
  logic [3:0]       past_q;
  logic [3:1]       ask_q, scan_q, reset_q;
  logic [1:0][PortW-1:0] port1_q;   // scan on top
  logic [PortW-1:0] port, port2_q, port3_q;
  rc_packet_t       packet2_q, packet;
  sat_cfg_t         cfg;
  initial past_q = '0;
  assign port = port1_q[scan_q[1]];
  always_ff @(posedge clk_i) begin
    past_q    <= {past_q[2:0], 1'b1};
    ask_q     <= {ask_q[2:1], ask_i};
    scan_q    <= {scan_q[2:1], scan_i};
    reset_q   <= {reset_q[2:1], !rst_ni};
    port1_q   <= {scan_port_i, port_i};
    {port3_q, port2_q}  <= {port2_q, port};
    {packet, packet2_q} <= {packet2_q, oldest_i[port]};
    cfg       <= cfg_i;
  end

  // Its header, byte 0 first: what each byte of it says.
  logic [31:0][7:0] byte_;
  logic             carries, wants, vector, halves, ragged;
  logic [31:0]      length;
  logic [3:0]       kind, op;
  logic [Groups-1:0] groups;   // that have its number
  assign byte_   = packet.head;
  assign carries = byte_[7][0];
  assign wants   = byte_[7][1];
  assign vector  = byte_[5] inside {8'd1, 8'd2, 8'd3};
  assign kind    = byte_[6][3:0];
  assign op      = byte_[6][7:4];
  assign halves  = roce_pkg::is_half(kind);
  assign length  = {byte_[16], byte_[17], byte_[18], byte_[19]};
  assign ragged  = halves ? length[0] : length[1:0] != '0;
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    assign groups[g] = cfg.groups[g].valid && cfg.groups[g].id == {byte_[10], byte_[11]};
  end

  // The header that is told, byte 0 on top.
  logic [255:0]     said;
  logic [31:0][7:0] told;
  assign said = seen.head;
  for (genvar b = 0; b < 32; b++) begin : gen_byte
    assign told[b] = said[255-8*b-:8];
  end

  logic is_head, first;   // `first`: no group in front has the number
  assign is_head = {byte_[0], byte_[1], byte_[2], byte_[3]} == 32'h5472_6565 &&
      byte_[4] inside {8'd1, 8'd2, 8'd3} && byte_[5] <= 8'd5 && byte_[7][7:2] == '0 &&
      byte_[24] <= 8'd6;
  always_comb begin
    first = groups[group_i];
    for (int unsigned g = 0; g < Groups; g++) begin
      if (g < 32'(group_i) && groups[g]) first = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q == '1) begin
      // Each question has its answer three cycles later, and nothing else has; a reset ends all.
      a_answer : assert (seen.valid == (ask_q[3] && reset_q == '0))
      else $error("answer %b", seen.valid);
      // It says which port was looked at, and for whom.
      a_port : assert (seen.port == 4'(port3_q) && seen.scan == scan_q[3])
      else $error("port %0d", seen.port);
      // It says the packet's header, and whether it is all of a message.
      a_head : assert (told == packet.head && seen.last == packet.last &&
                       seen.alone == (packet.last && packet.len == LenW'(32)))
      else $error("head %h", seen.head);
      // A contribution to this tree begins with a header that is one and says so.
      a_ours : assert (seen.ours == (packet.first && packet.len >= LenW'(32) && is_head &&
          byte_[4] == 8'd1 && {byte_[8], byte_[9]} == cfg.tree))
      else $error("ours %b", seen.ours);
      // The first group with its number is its group; it may stream if it has this child, an
      // operation with a vector and a length that a message can have.
      a_group : assert (!first || (seen.group == group_i && seen.known ==
          (cfg.groups[group_i].children[port3_q] && vector && length <= 32'h7FFF_FFE0)))
      else $error("group %0d", seen.group);
      a_none : assert (groups != '0 || (!seen.known && seen.group == '0))
      else $error("group %0d", seen.group);
      // A vector has a type and an operation of the wire format and whole elements; of an
      // AllReduce it is there and wanted, of a Reduce it is there, of a Broadcast one of both.
      a_possible : assert (seen.possible == (vector && kind <= 4'(roce_pkg::TypeInt32) &&
          op <= 4'(roce_pkg::OpMax) && length != '0 && !ragged &&
          ((byte_[5] == 8'd1) ? carries && wants : (byte_[5] == 8'd2) ? carries :
           carries || wants)))
      else $error("possible %b", seen.possible);
    end
    // A packet goes if each port that it needs has room, and nothing else is on its way there.
    a_go : assert (go == (may_i && (need_i & room_i & ~taken_i) == need_i))
    else $error("go %b", go);

    // A contribution to the last group; one that is none.
    c_known : cover (past_q == '1 && seen.valid && seen.ours && seen.known && seen.possible &&
                     seen.group == 2'd3);
    c_none : cover (past_q == '1 && seen.valid && seen.ours && groups == '0);
  end

endmodule
