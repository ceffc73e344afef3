// agg_emit_credits: what is told to be ready has room for a largest result, as one counts who sees
// only what is reserved and what leaves; and a port that stands still is told of in its time.
module agg_emit_credits_props #(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned MaxRows = 4,
  parameter int unsigned FifoRows = 40,
  parameter int unsigned HdrFrames = 3,
  parameter int unsigned Behind = 1,
  localparam int unsigned PortW = $clog2(NumPorts)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                reserve_i,
  input logic [NumPorts-1:0] reserve_ports_i,
  input logic [8:0]          reserve_rows_i,
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,
  input logic [PortW-1:0]    port_i   // any
);

  logic [NumPorts-1:0] ready, stopped;

  agg_emit_credits #(
    .NumPorts (NumPorts),
    .MaxRows  (MaxRows),
    .FifoRows (FifoRows),
    .HdrFrames(HdrFrames),
    .Behind   (Behind)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .reserve_i,
    .reserve_ports_i,
    .reserve_rows_i,
    .row_pop_i,
    .frame_pop_i,
    .ready_o  (ready),
    .stopped_o(stopped)
  );

  // Of one port: rows and headers that are reserved and have not left; cycles for which nothing has
  // left while it was not ready. Nobody reserves what is not there (the contracts of
  // agg_emit_take's proof), so they are as many as their numbers can be.
  localparam int unsigned Stop = 256;
  localparam int unsigned FramesW = $clog2(HdrFrames + 1);
  logic               begun_q, takes, still, room;
  logic [PortW-1:0]   port_q;
  logic [8:0]         rows_q;
  logic [FramesW-1:0] frames_q;
  logic [8:0]         still_q;
  logic               ready_q;

  assign takes = reserve_i && reserve_ports_i[port_q];
  assign still = !ready[port_q] && !row_pop_i[port_q] && !frame_pop_i[port_q];
  assign room  = 9'(FifoRows) - rows_q >= 9'(MaxRows * (Behind + 1)) &&
      FramesW'(HdrFrames) - frames_q > FramesW'(Behind);

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b1;
    if (!begun_q) port_q <= port_i;
    rows_q   <= rows_q + (takes ? reserve_rows_i : 9'd0) - 9'(row_pop_i[port_q]);
    frames_q <= frames_q + FramesW'(takes) - FramesW'(frame_pop_i[port_q]);
    ready_q  <= room;
    still_q  <= !still ? 9'd0 : (32'(still_q) == Stop) ? still_q : still_q + 9'd1;
    if (!rst_ni) begin
      rows_q   <= '0;
      frames_q <= '0;
      ready_q  <= 1'b0;
      still_q  <= '0;
    end
  end

  logic [8:0]         rows_now;     // of that port, as the module has them
  logic [FramesW-1:0] frames_now;
  logic [7:0]         still_now;
  assign rows_now   = (port_q == '0) ? u_dut.gen_port[0].rows_q : u_dut.gen_port[1].rows_q;
  assign frames_now = (port_q == '0) ? u_dut.gen_port[0].frames_q : u_dut.gen_port[1].frames_q;
  assign still_now  = (port_q == '0) ? u_dut.gen_port[0].still_q : u_dut.gen_port[1].still_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && begun_q) begin
      // A port is ready exactly if a cycle ago there was room for the largest result, and for one
      // more where a take may be on its way.
      a_ready : assert (ready[port_q] == ready_q)
      else $error("port %0d ready %b", port_q, ready[port_q]);
      // It stands still when for 256 cycles nothing has left and it was not ready, and not before.
      a_stopped : assert (stopped[port_q] == (32'(still_q) == Stop))
      else $error("port %0d stopped %b after %0d cycles", port_q, stopped[port_q], still_q);
      // What is free and what is reserved are all there is (helps the proof).
      a_all : assert (rows_now == 9'(FifoRows) - rows_q &&
                      frames_now == FramesW'(HdrFrames) - frames_q)
      else $error("%0d rows, %0d headers", rows_now, frames_now);
      // Cycles are counted up to the one in which it is told (helps the proof).
      a_cycles : assert (32'(still_q) <= Stop &&
                         (32'(still_q) == Stop || still_now == still_q[7:0]))
      else $error("%0d cycles", still_now);

      // A port has no room, and then has.
      c_again : cover (rows_q == '0 && frames_q == '0 && !ready[port_q] && ready_q != room);
    end
  end

endmodule
