// Brings both ends of a queue between two clocks to rest together, when either of them is reset.
//
// A link that goes down resets one clock's half. If the other half kept its pointers, frames would
// be lost, doubled or cut. So both go round the same four phases, and neither is ever more than one
// phase ahead: UP (works), DOWN (stands still), CLEAR and READY (pointers at zero). An end whose
// own reset is low does not leave CLEAR. The reading end goes down when it shows nothing
// (`rd_idle_i`), so a reset of the writing clock cuts nothing, and frames that were in and may
// leave do; its own reset cuts at once.
//
// Each end waits for the other's clock: both must run, and at power-up both resets must be low at
// once for some cycles of the slower clock. A reset may be as short as a cycle.
module shell_reset (
  input  logic wr_clk_i,
  input  logic wr_rst_ni,
  output logic wr_up_o,      // may write; changes at any time, frames that it meets are dropped
  output logic wr_clear_o,   // pointers are to be zero

  input  logic rd_clk_i,
  input  logic rd_rst_ni,
  input  logic rd_idle_i,    // nothing is shown, so no frame has begun to leave
  output logic rd_up_o,      // may begin a frame
  output logic rd_clear_o
);

  // One bit changes a step, so that the other clock reads the old phase or the new one.
  typedef enum logic [1:0] {
    PhaseUp    = 2'b00,
    PhaseDown  = 2'b01,
    PhaseClear = 2'b11,
    PhaseReady = 2'b10
  } phase_e;

  function automatic phase_e next(phase_e phase);
    unique case (phase)
      PhaseUp:    next = PhaseDown;
      PhaseDown:  next = PhaseClear;
      PhaseClear: next = PhaseReady;
      default:    next = PhaseUp;
    endcase
  endfunction

  // The bits themselves cross, so no tool may choose another code for them.
  (* fsm_encoding = "none" *) phase_e wr_phase_q;
  (* fsm_encoding = "none" *) phase_e rd_phase_q;
  phase_e wr_phase_d, rd_phase_d, of_wr, of_rd;
  logic   wr_ask_q, rd_ask_q;   // was reset, and the pointers do not know it yet
  logic [1:0] of_wr_bits, of_rd_bits;

  shell_sync #(
    .Width(2)
  ) u_sync_wr (
    .clk_i(rd_clk_i),
    .in_i (wr_phase_q),
    .out_o(of_wr_bits)
  );
  shell_sync #(
    .Width(2)
  ) u_sync_rd (
    .clk_i(wr_clk_i),
    .in_i (rd_phase_q),
    .out_o(of_rd_bits)
  );
  assign of_wr = phase_e'(of_wr_bits);
  assign of_rd = phase_e'(of_rd_bits);

  /// The phase that follows `own`, given the other end's. `leave`: may go down although the other
  /// end is up; `stay`: must not go down; `rst_n`: own reset.
  function automatic phase_e step(phase_e own, phase_e other, logic leave, logic stay,
                                  logic rst_n);
    logic go;
    unique case (own)
      PhaseUp:    go = (other == PhaseUp && leave) || (other == PhaseDown && !stay);
      PhaseDown:  go = other == PhaseDown || other == PhaseClear;
      PhaseClear: go = (other == PhaseClear || other == PhaseReady) && rst_n;
      default:    go = other == PhaseReady || other == PhaseUp;
    endcase
    step = go ? next(own) : own;
    // Two phases apart are they after power-up only.
    if (!rst_n && other == next(next(own))) step = PhaseDown;
  endfunction

  always_comb begin
    wr_phase_d = step(wr_phase_q, of_rd, wr_ask_q || !wr_rst_ni, 1'b0, wr_rst_ni);
    rd_phase_d = step(rd_phase_q, of_wr, rd_ask_q || !rd_rst_ni,
                      !rd_idle_i && !rd_ask_q && rd_rst_ni, rd_rst_ni);
  end

  always_ff @(posedge wr_clk_i) begin
    wr_phase_q <= wr_phase_d;
    wr_ask_q   <= !wr_rst_ni || (wr_ask_q && wr_phase_q != PhaseClear);
  end
  always_ff @(posedge rd_clk_i) begin
    rd_phase_q <= rd_phase_d;
    rd_ask_q   <= !rd_rst_ni || (rd_ask_q && rd_phase_q != PhaseClear);
  end

  assign wr_up_o    = wr_phase_q == PhaseUp && !wr_ask_q && wr_rst_ni;
  assign rd_up_o    = rd_phase_q == PhaseUp && !rd_ask_q && rd_rst_ni;
  assign wr_clear_o = wr_phase_q[1];
  assign rd_clear_o = rd_phase_q[1];

endmodule
