// Counts the room in every port's egress, so that a result that was taken never meets a full FIFO.
//
// Room is reserved when a take was answered with Done, and given back as rows and headers leave the
// egress. `ready_o` tells of room for a largest result; it follows a reservation by two cycles.
// Emission takes no sooner again, or once, and then there is room for one more.
module agg_emit_credits #(
  /// Ports, 1 to 16.
  parameter int unsigned NumPorts = 6,
  /// Rows of a largest result, 1 to 256.
  parameter int unsigned MaxRows = 16,
  /// Rows that an egress can hold, at least MaxRows.
  parameter int unsigned FifoRows = 512,
  /// Headers that an egress can hold, 1 or more.
  parameter int unsigned HdrFrames = 8,
  /// Takes that may be accepted before what is ready has followed a reservation, 0 or 1.
  parameter int unsigned Behind = 0
) (
  input logic clk_i,
  input logic rst_ni,

  // Reserves room for one result of `reserve_rows_i` rows at each of the ports.
  input logic                reserve_i,
  input logic [NumPorts-1:0] reserve_ports_i,
  input logic [8:0]          reserve_rows_i,

  // Credits: a row, or a header, has left the port's egress.
  input logic [NumPorts-1:0] row_pop_i,
  input logic [NumPorts-1:0] frame_pop_i,

  // Ports with room for a largest result, two cycles behind reservations; ports without it from
  // which nothing has left for StopCycles.
  output logic [NumPorts-1:0] ready_o,
  output logic [NumPorts-1:0] stopped_o
);

  if (FifoRows < MaxRows * (Behind + 1)) begin : gen_check_rows
    $fatal(1, "%m: FifoRows must be at least the %0d rows of a slot", MaxRows * (Behind + 1));
  end
  if (HdrFrames < 1 + Behind) begin : gen_check_frames
    $fatal(1, "%m: HdrFrames must be %0d or more", 1 + Behind);
  end

  // Longer than the largest frame of other traffic that may leave in between (9 KB at 64 bytes a
  // cycle).
  localparam int unsigned StopCycles = 256;
  localparam int unsigned StopW = $clog2(StopCycles);

  localparam int unsigned RowsW = ($clog2(FifoRows + 1) > 9) ? $clog2(FifoRows + 1) : 9;
  localparam int unsigned FramesW = $clog2(HdrFrames + 1);

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [RowsW-1:0]   rows_q, rows_taken;
    logic [FramesW-1:0] frames_q;
    logic               reserve, ready_q, stopped_q;
    logic [StopW-1:0]   still_q;

    assign reserve    = reserve_i && reserve_ports_i[p];
    assign rows_taken = reserve ? RowsW'(reserve_rows_i) : '0;

    always_ff @(posedge clk_i) begin
      rows_q   <= rows_q - rows_taken + RowsW'(row_pop_i[p]);
      frames_q <= frames_q - FramesW'(reserve) + FramesW'(frame_pop_i[p]);
      ready_q  <= rows_q >= RowsW'(MaxRows * (Behind + 1)) && frames_q > FramesW'(Behind);
      if (ready_q || row_pop_i[p] || frame_pop_i[p]) begin
        still_q   <= '0;
        stopped_q <= 1'b0;
      end else begin
        still_q <= still_q + StopW'(1);
        if (still_q == '1) stopped_q <= 1'b1;
      end
      if (!rst_ni) begin
        rows_q   <= RowsW'(FifoRows);
        frames_q <= FramesW'(HdrFrames);
        ready_q  <= 1'b0;
        still_q  <= '0;
        stopped_q <= 1'b0;
      end
    end
    assign ready_o[p]   = ready_q;
    assign stopped_o[p] = stopped_q;

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Room is never reserved twice; a row would be lost in a full FIFO and a result with it.
        a_rows : assert (32'(rows_q) >= 32'(rows_taken))
        else $error("%m: port %0d has no room for %0d rows", p, rows_taken);
        a_frames : assert (!reserve || frames_q != '0)
        else $error("%m: port %0d has no room for a header", p);
        // Nothing leaves that was never reserved; the count would promise room that is not there.
        a_row_pop : assert (!row_pop_i[p] || 32'(rows_q) < FifoRows)
        else $error("%m: port %0d gave back a row too many", p);
        a_frame_pop : assert (!frame_pop_i[p] || 32'(frames_q) < HdrFrames)
        else $error("%m: port %0d gave back a header too many", p);
      end
    end
  end

endmodule
