// agg_emit_credits from any state, reachable or not: what is free at a port goes by what is
// reserved and what leaves, and what is told of it follows. (agg_emit_credits_props counts from
// reset, which a mistake in a count of 256 cycles takes long to be seen by.) One port is followed.
module credits_steps_props #(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned MaxRows = 4,
  parameter int unsigned FifoRows = 40,
  parameter int unsigned HdrFrames = 3,
  parameter int unsigned Behind = 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                reserve_i,
  input logic [NumPorts-1:0] reserve_ports_i,
  input logic [8:0]          reserve_rows_i,
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,
  input logic                port_i   // any
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

  // The port, and what the module has of it: rows and headers that are free, cycles in which
  // nothing has left while it was not ready.
  localparam int unsigned FramesW = $clog2(HdrFrames + 1);
  logic               begun_q, port_q, p;
  logic [8:0]         rows, rows_q;
  logic [FramesW-1:0] frames, frames_q;
  logic [7:0]         still, still_q;
  assign p      = begun_q ? port_q : port_i;
  assign rows   = p ? u_dut.gen_port[1].rows_q : u_dut.gen_port[0].rows_q;
  assign frames = p ? u_dut.gen_port[1].frames_q : u_dut.gen_port[0].frames_q;
  assign still  = p ? u_dut.gen_port[1].still_q : u_dut.gen_port[0].still_q;

  // A cycle ago: what was told, what came, what left.
  logic       reset_q, takes_q, row_q, frame_q, ready_q, stopped_q;
  logic [8:0] reserved_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    port_q  <= p;
    {rows_q, frames_q, still_q}  <= {rows, frames, still};
    {reset_q, takes_q, row_q, frame_q} <=
        {!rst_ni, reserve_i && reserve_ports_i[p], row_pop_i[p], frame_pop_i[p]};
    {ready_q, stopped_q, reserved_q} <= {ready[p], stopped[p], reserve_rows_i};
  end

  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      if (reset_q) begin
        // Reset empties the egress, and no port is ready before its room was looked at.
        a_reset : assert (rows == 9'(FifoRows) && frames == FramesW'(HdrFrames) && !ready[p] &&
                          !stopped[p] && still == '0)
        else $error("%0d rows, %0d headers", rows, frames);
      end else begin
        // A reservation takes its rows and a header, and what leaves gives one back.
        a_rows : assert (rows + (takes_q ? reserved_q : 9'd0) == rows_q + 9'(row_q))
        else $error("%0d rows, then %0d", rows_q, rows);
        a_frames : assert (frames + FramesW'(takes_q) == frames_q + FramesW'(frame_q))
        else $error("%0d headers, then %0d", frames_q, frames);
        // A port is ready if a cycle ago there was room for the largest result, and for one more
        // where a take may be on its way.
        a_ready : assert (ready[p] == !(32'(rows_q) < (1 + Behind) * MaxRows ||
                                        32'(frames_q) < 1 + Behind))
        else $error("ready %b with %0d rows, %0d headers", ready[p], rows_q, frames_q);
        if (ready_q || row_q || frame_q) begin
          // A ready port does not stand still, nor one from which something leaves.
          a_moves : assert (!stopped[p] && still == '0)
          else $error("stopped %b, %0d cycles", stopped[p], still);
        end else begin
          // All others are counted, a cycle each, and stand still from the 256th on.
          a_counted : assert (still - still_q == 8'd1)
          else $error("%0d cycles, then %0d", still_q, still);
          a_stopped : assert (stopped[p] == (stopped_q || still_q > 8'd254))
          else $error("stopped %b after %0d cycles", stopped[p], still_q);
        end
      end

      // The last cycle of standing still; room for just two results.
      c_stops : cover (!reset_q && stopped[p] && !stopped_q);
      c_room : cover (!reset_q && ready[p] && rows == 9'(MaxRows * (1 + Behind)) && takes_q);
    end
  end

endmodule
