// How a message is cut into packets: length and place of the next one.
//
// All messages of an operation are cut alike, so what is expected of a packet is known before it
// comes. Divides nothing: what is left is counted down. Nobody waits; after a start or a step the
// next packet is known three cycles later.
module sat_cut
  import sat_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,

  // A message of so many bytes begins, header included: 1 or more. It replaces the one before.
  input logic            start_i,
  input logic [31:0]     bytes_i,
  input logic [LenW-1:0] mtu_i,
  // The next packet is used up; only while there is one.
  input logic            step_i,

  // The next packet, while there is one and `ready_o`. What was registered from it in the cycle
  // before `ready_o` is right, too.
  output logic             some_o,
  output logic             ready_o,
  output logic             first_o,
  output logic             last_o,
  output logic [LenW-1:0]  len_o,
  output logic [RowsW-1:0] rows_o
);

  logic [31:0] left_q;
  logic        some_q, first_q;
  logic [1:0]  late_q;

  assign some_o  = some_q;
  assign first_o = first_q;
  assign ready_o = some_q && late_q == '0;

  always_ff @(posedge clk_i) begin
    last_o <= left_q <= 32'(mtu_i);
    len_o  <= (left_q <= 32'(mtu_i)) ? left_q[LenW-1:0] : mtu_i;
    late_q <= late_q >> 1;
    if (step_i) begin
      left_q  <= left_q - 32'(len_o);
      first_q <= 1'b0;
      some_q  <= !last_o;
      late_q  <= 2'b11;
    end
    if (start_i) begin
      left_q  <= bytes_i;
      first_q <= 1'b1;
      some_q  <= 1'b1;
      late_q  <= 2'b11;
    end
    if (!rst_ni) some_q <= 1'b0;
  end

  assign rows_o = RowsW'((len_o + LenW'(63)) >> 6);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A packet is used once it is known; else one of another length would be taken for it.
      a_ready : assert (!step_i || ready_o)
      else $error("%m: a packet is used that is not known yet");
    end
  end

endmodule
