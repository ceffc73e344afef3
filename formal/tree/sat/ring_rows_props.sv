// sat_ring, all lanes of its nodes at once: each of them is told the same of the row that is its
// turn, a half ring after the other's port, and gets the sums of before and its own port's row.
// (ring_nodes follows one lane, with what becomes of its words.) Answers of nodes and what widening
// makes of a row are any values (cuts).
module ring_rows_props
  import roce_pkg::*;
#(
  parameter int unsigned NumPorts = 4,
  parameter int unsigned WideLanes = 0
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              in_valid_i,
  input logic [7:0]                        in_kind_i,
  input logic [NumPorts-1:0]               in_children_i,
  input logic [1:0]                        in_along_i,
  input logic [NumPorts-1:0][BeatBits-1:0] row_i
);

  localparam int unsigned HalfPorts = NumPorts / 2;
  localparam int unsigned RowRead = 2;
  localparam int unsigned Lanes = (WideLanes != 0) ? 32 : 16;
  /// Cycles from a row to its sum, before it is rounded.
  localparam int unsigned Summed = 1 + RowRead + 1 + 5 * HalfPorts;

  logic                in_ready;
  logic [NumPorts-1:0] row_re;

  sat_ring #(
    .NumPorts (NumPorts),
    .WideLanes(WideLanes),
    .RowRead  (RowRead),
    .AlongW   (2)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_kind_i,
    .in_children_i,
    .in_along_i,
    .row_re_o   (row_re),
    .row_i,
    .out_valid_o(),
    .out_row_o  (),
    .out_along_o()
  );

  typedef logic [NumPorts-1:0] ports_t;

  function automatic logic is_short(logic [3:0] kind);
    is_short = kind == TypeFp16 || kind == TypeBf16;
  endfunction

  // A row takes a turn; one of 16-bit elements two, where there are 16 lanes.
  typedef struct packed {
    logic       valid;
    logic       second;
    logic [5:0] kind;
    ports_t     children;
    logic [1:0] along;
  } turn_t;

  logic                 begun_q, again;
  turn_t                now, is, meets;
  turn_t [Summed:1]     was_q;   // [n]: of n cycles ago
  logic  [NumPorts-1:0] due, right, told;
  logic  [Lanes-1:0]    met;

  assign again = WideLanes == 0 && was_q[1].valid && !was_q[1].second &&
      is_short(was_q[1].kind[3:0]);
  always_comb begin
    now = '{valid: in_valid_i && rst_ni, second: 1'b0, kind: in_kind_i[5:0],
            children: in_children_i, along: in_along_i};
    if (again) begin
      now        = was_q[1];
      now.valid  = rst_ni;
      now.second = 1'b1;
    end
  end
  assign is    = was_q[Summed];
  assign meets = was_q[Summed-5];

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    localparam int unsigned Half = p / HalfPorts;
    localparam int unsigned Nth = p % HalfPorts;
    localparam int unsigned Asks = 1 + ((Nth < 2) ? 0 : 5 * (Nth - 1));
    localparam int unsigned Comes = Asks + RowRead;
    turn_t comes;
    logic  widens;
    assign comes    = was_q[Comes];
    assign due[p]   = was_q[Asks].valid && !was_q[Asks].second && was_q[Asks].children[p];
    assign widens   = u_dut.gen_half[Half].gen_port[Nth].u_widen.valid_i;
    assign right[p] = widens == (comes.valid && comes.children[p]) && (!widens ||
        {u_dut.gen_half[Half].gen_port[Nth].u_widen.high_i,
         u_dut.gen_half[Half].gen_port[Nth].u_widen.half_i,
         u_dut.gen_half[Half].gen_port[Nth].u_widen.bf16_i} ==
        {comes.second, is_short(comes.kind[3:0]), comes.kind[3:0] == TypeBf16}) &&
        u_dut.gen_half[Half].gen_port[Nth].u_widen.row_i == row_i[p];

    // The node of a port that is not the first one of its half.
    if (Nth > 0) begin : gen_step
      turn_t                  adds;
      logic [Lanes-1:0]       lane_told;
      logic [Lanes-1:0][31:0] so_far;
      assign adds = was_q[Comes+1];
      if (Nth == 1) begin : gen_second
        assign so_far = u_dut.gen_half[Half].gen_port[0].lane;
      end
      for (genvar l = 0; l < Lanes; l++) begin : gen_lane
        if (Nth > 1) begin : gen_later
          assign so_far[l] =
              u_dut.gen_half[Half].gen_port[Nth-1].gen_step.gen_lane[l].u_lane.y_o;
        end
        assign lane_told[l] =
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.valid_i == adds.valid &&
            (!adds.valid || (
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.op_i ==
                adds.kind[5:4] &&
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.is_int_i ==
                (adds.kind[3:0] == TypeInt32) &&
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.a_valid_i ==
                (adds.children[Half*HalfPorts+:Nth] != '0) &&
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.b_valid_i ==
                adds.children[p])) &&
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.a_i == so_far[l] &&
            u_dut.gen_half[Half].gen_port[Nth].gen_step.gen_lane[l].u_lane.b_i ==
                u_dut.gen_half[Half].gen_port[Nth].lane[l];
      end
      assign told[p] = lane_told == '1;
    end else begin : gen_first
      assign told[p] = 1'b1;
    end
  end

  // Both halves' sums meet.
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign met[l] = u_dut.gen_lane[l].u_lane.valid_i == meets.valid && (!meets.valid || (
        u_dut.gen_lane[l].u_lane.op_i == meets.kind[5:4] &&
        u_dut.gen_lane[l].u_lane.is_int_i == (meets.kind[3:0] == TypeInt32) &&
        u_dut.gen_lane[l].u_lane.a_valid_i == (meets.children[HalfPorts-1:0] != '0) &&
        u_dut.gen_lane[l].u_lane.b_valid_i == (meets.children[NumPorts-1:HalfPorts] != '0))) &&
        u_dut.gen_lane[l].u_lane.a_i ==
        u_dut.gen_half[0].gen_port[HalfPorts-1].gen_step.gen_lane[l].u_lane.y_o &&
        u_dut.gen_lane[l].u_lane.b_i ==
        u_dut.gen_half[1].gen_port[HalfPorts-1].gen_step.gen_lane[l].u_lane.y_o &&
        u_dut.u_round.lane_i[l] == u_dut.gen_lane[l].u_lane.y_o;
  end

  // The passes that are inside, but for what nobody asks of one that is not there.
  logic [Summed:1] alike;
  always_comb begin
    for (int unsigned n = 1; n <= Summed; n++) begin
      alike[n] = u_dut.pass_q[n-1].valid == was_q[n].valid && (!was_q[n].valid ||
          {u_dut.pass_q[n-1].high, u_dut.pass_q[n-1].half, u_dut.pass_q[n-1].bf16,
           u_dut.pass_q[n-1].is_int, u_dut.pass_q[n-1].op, u_dut.pass_q[n-1].children,
           u_dut.pass_q[n-1].along} ==
          {was_q[n].second, is_short(was_q[n].kind[3:0]), was_q[n].kind[3:0] == TypeBf16,
           was_q[n].kind[3:0] == TypeInt32, was_q[n].kind[5:4], was_q[n].children,
           was_q[n].along});
    end
  end

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    was_q   <= {was_q[Summed-1:1], now};
    if (!rst_ni) for (int unsigned n = 1; n <= Summed; n++) was_q[n].valid <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    if (rst_ni && begun_q) begin
      // Each child is asked for each of its rows once, in the cycle that is its port's, and nobody
      // else is.
      a_asked : assert (row_re == due)
      else $error("asks %b", row_re);
      // A row is taken in every cycle, but behind one of 16-bit elements that takes two turns.
      a_rate : assert (in_ready == !again)
      else $error("ready %b", in_ready);
      // A row is widened when it is there, as its type says: one of 16-bit elements a second time
      // for its upper half.
      a_widened : assert (right == '1)
      else $error("port %b is not widened as it is", ~right);
      // Each turn of a row comes to be rounded, in its turn, and nothing else does.
      a_turn : assert (u_dut.u_round.valid_i == is.valid && (!is.valid ||
          {u_dut.u_round.high_i, u_dut.u_round.half_i} == {is.second, is_short(is.kind[3:0])}))
      else $error("valid %b", u_dut.u_round.valid_i);
      // It is rounded as its type says; an only child's bits are told to stay.
      a_round : assert (!is.valid || (u_dut.u_round.bf16_i == (is.kind[3:0] == TypeBf16) &&
                                      u_dut.u_round.single_i == $onehot0(is.children)))
      else $error("single %b", u_dut.u_round.single_i);
      // What goes along stays with its row.
      a_with : assert (!is.valid || u_dut.u_round.along_i == is.along)
      else $error("along %b", u_dut.u_round.along_i);
      // Each lane of each port's node gets the sum of the ports before and the row of its own, with
      // the row's operation, and is told who of them has a child.
      a_told : assert (told == '1)
      else $error("ports %b are not", ~told);
      // Each lane of the last node gets the sums of both halves and is told the same; what it
      // answers is rounded.
      a_met : assert (met == '1)
      else $error("lanes %b are not", ~met);
      // What goes along with a pass is its own all the way (helps the proof).
      a_along : assert (alike == '1)
      else $error("passes %b", alike);

      // A row of 16-bit elements of one child behind one of 32 bits of all.
      c_kinds : cover (is.valid && is.second && is_short(is.kind[3:0]) && $onehot(is.children) &&
                       was_q[Summed-1].valid && !is_short(was_q[Summed-1].kind[3:0]) &&
                       was_q[Summed-1].children == '1);
    end
  end

endmodule
