// shell_pause_tx: when a PFC frame is made, and each of its bytes, for any priorities that are to
// be paused. One priority and one byte are followed.
module pause_tx_steps_props
  import shell_pkg::*;
#(
  parameter int unsigned QuantumStep = 39719
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [47:0]         mac_i,
  input logic [15:0]         quanta_i,
  input logic [NumPrios-1:0] xoff_i,
  input logic                out_ready_i,
  input logic [5:0]          byte_i   // any
);

  logic   valid;
  bytes_t data;

  shell_pause_tx #(
    .QuantumStep(QuantumStep)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .mac_i,
    .quanta_i,
    .xoff_i,
    .out_valid_o(valid),
    .out_ready_i,
    .out_data_o (data)
  );

  // Priorities that the other end was told to pause, and those that the last frame is about; time
  // that has gone by up to a cycle ago in parts of a quantum, since a reset modulo a quantum, and
  // since that frame was made, with what had gone by of a quantum then. That ends at 65535 quanta.
  logic                past_q, reset_q, shown_q, made_q, again, make;
  logic [NumPrios-1:0] told_q, about_q;
  logic [15:0]         part_q;
  logic [31:0]         gone_q;
  initial {past_q, reset_q} = '0;
  assign again = told_q != '0 && 32'(gone_q[31:16]) >= 32'(quanta_i) / 2;
  assign make  = !shown_q && (again || xoff_i != told_q);
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    reset_q <= past_q && (reset_q || !rst_ni);
    part_q  <= part_q + 16'(QuantumStep);
    shown_q <= make || (shown_q && !out_ready_i);
    if (make) begin
      told_q  <= xoff_i;
      about_q <= told_q | xoff_i;
      made_q  <= 1'b1;
      gone_q  <= 32'(part_q);
    end else if (gone_q[31:16] != 16'hFFFF) begin
      gone_q <= gone_q + 32'(QuantumStep);
    end
    if (!rst_ni) {shown_q, told_q, made_q, part_q} <= '0;
  end

  // The bytes of such a frame, in order: address, sender, type, opcode, vector, times, and zeros.
  logic [2:0] prio;   // whose time the byte is of
  logic [7:0] expected;
  assign prio = 3'((32'(byte_i) - 18) / 2);
  always_comb begin
    unique case (byte_i) inside
      6'd0, 6'd5:       expected = 8'h01;
      6'd1:             expected = 8'h80;
      6'd2:             expected = 8'hC2;
      [6'd6 : 6'd11]:   expected = 8'(mac_i >> (8 * (11 - 32'(byte_i))));
      6'd12:            expected = 8'h88;
      6'd13:            expected = 8'h08;
      6'd14, 6'd15:     expected = 8'h01;
      6'd17:            expected = about_q;
      [6'd18 : 6'd33]:  expected = !told_q[prio] ? 8'd0 :
          byte_i[0] ? quanta_i[7:0] : quanta_i[15:8];
      default:          expected = 8'd0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (past_q && reset_q) begin
      // A frame is made when another set of priorities is to be paused than was told, and again
      // when half of the time asked for has gone by while one is; not before the last one was
      // taken. It stays until it is taken.
      a_made : assert (valid == shown_q)
      else $error("shown %b", shown_q);
      // Each of its bytes is that of a PFC frame: it names those to be paused, with the time asked
      // for, and those that were, with none.
      a_byte : assert (!shown_q || data[byte_i] == expected)
      else $error("byte %0d: %h instead of %h", byte_i, data[byte_i], expected);
      // What it knows (helps the proof).
      a_knows : assert (u_dut.told_q == told_q && (made_q || told_q == '0) &&
          (!shown_q || u_dut.named_q == about_q) && u_dut.part_q[15:0] == part_q &&
          (!made_q || (u_dut.age_q == gone_q[31:16] && (gone_q[31:16] == 16'hFFFF ||
                       u_dut.part_q == 17'(gone_q[15:0]) + 17'(QuantumStep)))))
      else $error("told %b, %0d parts ago", told_q, gone_q);

      // A frame pauses one priority and lets another one go; one is made again.
      c_both : cover (shown_q && told_q != '0 && about_q != told_q);
      c_again : cover (made_q && make && again && xoff_i == told_q && quanta_i == 16'd4);
    end
  end

endmodule
