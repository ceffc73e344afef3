// Makes PFC frames that tell the other end of the link which priorities to pause.
//
// One is sent when a priority is to be paused or let go, and again when half of the time asked
// for has gone by, as long as one is paused. It waits for the transmitter until the frame before it
// has left; what changes meanwhile is told by the next one.
module shell_pause_tx
  import shell_pkg::*;
#(
  /// Quanta of 512 bit times that go by in a cycle, in 1/65536, rounded up; 1 to 65536. 100 Gb/s at
  /// 322.265625 MHz: 39719.
  parameter int unsigned QuantumStep = 39719
) (
  input logic clk_i,
  input logic rst_ni,

  input logic [47:0] mac_i,      // sender's address; constant
  input logic [15:0] quanta_i,   // time to ask for; constant, more than twice the longest frame's

  input logic [NumPrios-1:0] xoff_i,   // priorities that are to be paused

  // A frame of one beat of `MinFrame` bytes. It stays as it is until it is taken.
  output logic   out_valid_o,
  input  logic   out_ready_i,
  output bytes_t out_data_o
);

  if (QuantumStep < 1 || QuantumStep > 65536) begin : gen_check
    $fatal(1, "%m: QuantumStep must be 1 to 65536");
  end

  logic [NumPrios-1:0] told_q, named_q;   // who was told to pause; whom the frame is about
  logic [16:0]         part_q;
  logic [15:0]         age_q;             // quanta since the last frame was made
  logic                due, make;

  assign due  = told_q != '0 && age_q >= {1'b0, quanta_i[15:1]};
  assign make = !out_valid_o && (xoff_i != told_q || due);

  always_ff @(posedge clk_i) begin
    part_q <= {1'b0, part_q[15:0]} + 17'(QuantumStep);
    if (part_q[16] && age_q != '1) age_q <= age_q + 16'd1;
    if (out_ready_i) out_valid_o <= 1'b0;
    if (make) begin
      out_valid_o <= 1'b1;
      told_q      <= xoff_i;
      named_q     <= xoff_i | told_q;
      age_q       <= '0;
    end
    if (!rst_ni) begin
      out_valid_o <= 1'b0;
      told_q      <= '0;
      age_q       <= '0;
      part_q      <= '0;
    end
  end

  function automatic bytes_t put16(bytes_t data, int unsigned at, logic [15:0] value);
    put16       = data;
    put16[at]   = value[15:8];
    put16[at+1] = value[7:0];
  endfunction

  always_comb begin
    out_data_o = '0;
    for (int unsigned w = 0; w < 3; w++) begin
      out_data_o = put16(out_data_o, 2 * w, ControlMac[16*(2-w)+:16]);
      out_data_o = put16(out_data_o, 6 + 2 * w, mac_i[16*(2-w)+:16]);
    end
    out_data_o = put16(out_data_o, 12, ControlType);
    out_data_o = put16(out_data_o, 14, OpPfc);
    out_data_o = put16(out_data_o, 16, {8'd0, named_q});
    for (int unsigned p = 0; p < NumPrios; p++) begin
      out_data_o = put16(out_data_o, 18 + 2 * p, told_q[p] ? quanta_i : 16'd0);
    end
  end

endmodule
