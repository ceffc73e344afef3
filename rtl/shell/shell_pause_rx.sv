// Takes MAC control frames out of what a MAC receives, and keeps the pauses that they ask for.
//
// PFC frames (IEEE 802.1Q 36) set the timer of each priority they enable, pause frames (802.3 31B)
// all eight. A timer counts quanta of 512 bit times; zero ends a pause at once. A pause lasts as
// long as it was asked for and up to a quantum longer, never shorter. A frame that the MAC found in
// error is not obeyed. Nobody waits: a beat leaves in the cycle after it came.
module shell_pause_rx
  import shell_pkg::*;
#(
  /// What a beat carries beside data, bytes kept, last and error.
  parameter type Tag = logic,
  /// Quanta that go by in a cycle, in 1/65536, rounded down; 1 to 65536. 100 Gb/s at
  /// 322.265625 MHz: 39718.
  parameter int unsigned QuantumStep = 39718
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic   in_valid_i,
  input  bytes_t in_data_i,
  input  keep_t  in_keep_i,
  input  logic   in_last_i,
  input  logic   in_error_i,   // with the last beat
  input  Tag     in_tag_i,

  output logic   out_valid_o,   // all other frames
  output bytes_t out_data_o,
  output keep_t  out_keep_o,
  output logic   out_last_o,
  output logic   out_error_o,
  output Tag     out_tag_o,

  output logic [NumPrios-1:0] paused_o,   // from registers
  output logic                obeyed_o,   // a pause frame was taken
  output logic                other_o     // another control frame, or one in error, was thrown away
);

  if (QuantumStep < 1 || QuantumStep > 65536) begin : gen_check
    $fatal(1, "%m: QuantumStep must be 1 to 65536");
  end

  // ---------------------------------------------------------------------------------------------
  // Parsing. All of a pause frame's fields are in its first beat; its verdict comes with its last.

  logic                      within_q, control_q, control, is_control, is_pfc, is_pause;
  logic [NumPrios-1:0]       enable, enable_q;
  logic [NumPrios-1:0][15:0] quanta, quanta_q;

  assign is_control = {be16(in_data_i, 0), be16(in_data_i, 2), be16(in_data_i, 4)} == ControlMac &&
      be16(in_data_i, 12) == ControlType && in_keep_i[15];
  assign is_pfc     = be16(in_data_i, 14) == OpPfc && in_keep_i[33];
  assign is_pause   = be16(in_data_i, 14) == OpPause && in_keep_i[17];
  assign control    = within_q ? control_q : is_control;

  always_comb begin
    for (int unsigned p = 0; p < NumPrios; p++) begin
      enable[p] = is_pause || (is_pfc && in_data_i[17][p]);
      quanta[p] = be16(in_data_i, is_pause ? 16 : 18 + 2 * p);
    end
    if (within_q) begin
      enable = enable_q;
      quanta = quanta_q;
    end
  end

  // A frame that enables no priority is a pause frame too.
  logic known, known_q, ends, ends_q, good_q;
  assign known = within_q ? known_q : is_pfc || is_pause;
  assign ends  = in_valid_i && in_last_i && control;

  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      within_q  <= !in_last_i;
      control_q <= control;
      known_q   <= known;
      enable_q  <= enable;
      quanta_q  <= quanta;
    end
    ends_q      <= ends;
    good_q      <= known && !in_error_i;
    out_valid_o <= in_valid_i && !control;
    out_data_o  <= in_data_i;
    out_keep_o  <= in_keep_i;
    out_last_o  <= in_last_i;
    out_error_o <= in_error_i;
    out_tag_o   <= in_tag_i;
    if (!rst_ni) begin
      within_q    <= 1'b0;
      ends_q      <= 1'b0;
      out_valid_o <= 1'b0;
    end
  end
  assign obeyed_o = ends_q && good_q;
  assign other_o  = ends_q && !good_q;

  // ---------------------------------------------------------------------------------------------
  // Timers. One more than was asked for: the quantum that is going by may be nearly over.

  logic [NumPrios-1:0][16:0] left_q;
  logic [16:0]               part_q, part_next;
  assign part_next = {1'b0, part_q[15:0]} + 17'(QuantumStep);

  always_ff @(posedge clk_i) begin
    part_q <= part_next;
    for (int unsigned p = 0; p < NumPrios; p++) begin
      if (obeyed_o && enable_q[p]) begin
        left_q[p]   <= (quanta_q[p] == '0) ? '0 : 17'(quanta_q[p]) + 17'd1;
        paused_o[p] <= quanta_q[p] != '0;
      end else if (part_q[16] && paused_o[p]) begin
        left_q[p]   <= left_q[p] - 17'd1;
        paused_o[p] <= left_q[p] != 17'd1;
      end
    end
    if (!rst_ni) begin
      part_q   <= '0;
      left_q   <= '0;
      paused_o <= '0;
    end
  end

  logic [NumPrios-1:0] running;
  always_comb for (int unsigned p = 0; p < NumPrios; p++) running[p] = left_q[p] != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A priority is paused exactly while its timer runs.
      a_timer : assert (paused_o == running)
      else $error("%m: paused %b, timers of %b", paused_o, running);
    end
  end

endmodule
