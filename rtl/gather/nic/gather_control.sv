// The life of a gather in a RIG unit: from its command to its end, whether that is all properties
// in memory or the watchdog.
//
// A gather that fails goes on until host memory and filter have answered all that they were asked,
// and then drops the rest: so nothing of it is under way when the host is told.
//
// Who waits: commands for the gather before, and its end for whoever takes it.
module gather_control
  import gather_pkg::*;
#(
  /// Bits of a gather's number, which comes back with all that is asked for it.
  parameter int unsigned EpochW = 24
) (
  input logic clk_i,
  input logic rst_ni,

  // Cycles that a gather may take, 0: for ever.
  input logic [31:0] timeout_i,

  // A gather; the next one is taken when the end of this one was. `done_failed_o`: an index was out
  // of range, or time ran out.
  input  logic     command_valid_i,
  output logic     command_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  command_t command_i,   // where its list is, is for others
  // verilator lint_on UNUSEDSIGNAL
  // The generation of what it asks for, if it starts in this cycle.
  input  logic [15:0] generation_i,
  output logic     done_valid_o,
  input  logic     done_ready_i,
  output logic     done_failed_o,

  // Control of the unit. `start_o`, a pulse: a gather starts. `run_o`, a level: it runs. `clear_o`,
  // a pulse: flush of what an aborted one has left, when host memory and filter owe no answer any
  // more. Then the gather's number, and place and length of its properties.
  output logic              start_o,
  output logic              run_o,
  output logic              clear_o,
  output logic [EpochW-1:0] epoch_o,
  output logic [63:0]       dest_o,
  output logic [15:0]       generation_o,
  output logic [10:0]       len_o,
  output logic [3:0]        stride_o,

  // Pulses, each for one index that needs nothing more. Level: none was left some cycles ago.
  input  logic [3:0] done_i,
  output logic       none_left_o,
  // Pulse: an index is out of range.
  input  logic       wrong_i,
  // Levels: no request is under way; a request to host memory or filter is unanswered.
  input  logic       empty_i,
  input  logic       open_i
);

  typedef enum logic [1:0] {StIdle, StRun, StAbort, StDone} state_e;

  state_e      state_q;
  logic        wrong_q, expired_q;
  logic [31:0] timer;

  assign run_o           = state_q == StRun;
  assign command_ready_o = state_q == StIdle && rst_ni;
  assign start_o         = command_valid_i && command_ready_o;
  assign done_valid_o    = state_q == StDone;
  assign done_failed_o   = wrong_q;

  gather_count #(
    .Width(32)
  ) u_timer (
    .clk_i,
    .rst_ni,
    .start_i(!run_o),
    .from_i ('0),
    .step_i (1'b1),
    .count_o(timer)
  );

  gather_count #(
    .Width(EpochW)
  ) u_epoch (
    .clk_i,
    .rst_ni,
    .start_i(1'b0),
    .from_i ('0),
    .step_i (done_valid_o && done_ready_i),
    .count_o(epoch_o)
  );

  // Indices that are left: what is done in a cycle is counted in the next one, and taken off
  // byte by byte.
  logic [3:0][7:0] left_q;
  logic [4:0][2:0] off_q;        // what is taken off a byte
  logic            none_left_q;

  assign none_left_o = none_left_q;

  always_ff @(posedge clk_i) begin
    off_q[0] <= 3'(done_i[0]) + 3'(done_i[1]) + 3'(done_i[2]) + 3'(done_i[3]);
    for (int unsigned p = 0; p < 4; p++) begin
      left_q[p]  <= left_q[p] - 8'(off_q[p]);
      off_q[p+1] <= 3'(left_q[p] < 8'(off_q[p]));
    end
    none_left_q <= run_o && left_q == '0 && off_q[3:0] == '0;
    expired_q   <= run_o && timeout_i != '0 && timer >= timeout_i;
    if (start_o) left_q <= command_i.count;
    if (!rst_ni || start_o) begin
      off_q       <= '0;
      none_left_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (wrong_i) wrong_q <= 1'b1;
    // What is not open in here stays so: nothing more is asked.
    clear_o <= state_q == StAbort && !open_i && !clear_o;
    unique case (state_q)
      StIdle:
      if (start_o) begin
        state_q  <= StRun;
        dest_o   <= command_i.dest;
        len_o    <= command_i.len;
        generation_o <= generation_i;
        stride_o <= command_i.stride;
        wrong_q  <= 1'b0;
      end
      StRun:
      if (none_left_q && empty_i) begin
        state_q <= StDone;
      end else if (expired_q) begin
        state_q <= StAbort;
        wrong_q <= 1'b1;
      end
      StAbort: if (clear_o) state_q <= StDone;
      default:
      if (done_ready_i) state_q <= StIdle;
    endcase
    if (!rst_ni) begin
      state_q <= StIdle;
      clear_o <= 1'b0;
    end
  end

endmodule
