// roce_icrc_rows: the CRC of a tensor, with zeros in place of its pad bytes, goes to the ports that
// its rows went to.
//
// Piece by piece, as for roce_icrc_insert: what is fed to the CRC is the tensor, and zeros behind
// it (proved here, each byte), and the register is run back over as many of them as the frame does
// not have. What the CRC makes of it is prim_crc32_beat's proof, and running back
// prim_crc32_unwind's; here both registers are free (`cuts` of the task).
module roce_icrc_rows_props
  import roce_pkg::*;
#(
  parameter int unsigned NumPorts = 2
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                pairs_valid_i,
  input logic   [PairsW-1:0] pairs_i,
  input logic                row_valid_i,
  input logic [BeatBytes-1:0][7:0] row_i,
  input logic                row_last_i,
  input logic [NumPorts-1:0] row_ports_i
);

  /// From a last row to its part of the ICRC.
  localparam int unsigned Part = 4 + WordW;

  logic [NumPorts-1:0] part_valid;
  logic         [31:0] part;

  roce_icrc_rows #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .pairs_valid_i,
    .pairs_i,
    .row_valid_i,
    .row_i,
    .row_last_i,
    .row_ports_i,
    .part_valid_o(part_valid),
    .part_o      (part)
  );

  logic                     started_q, between_q, first_q;
  logic        [PairsW-1:0] pairs;           // of the last row that comes
  logic [BeatBytes-1:0][7:0] fed, fed_q;
  logic            [Part:1] valid_q, last_q;
  logic   [4:1][PairsW-1:0] pairs_q;
  logic [Part:1][NumPorts-1:0] ports_q;
  logic         [ByteW-1:0] run_back;        // zeros that a frame does not have
  logic            [Part:1] along;           // of a row: ports, and words to run back
  initial started_q = 1'b0;

  assign pairs = u_dut.pairs;

  always_comb begin
    for (int unsigned i = 0; i < BeatBytes; i++) begin
      fed[i] = (row_last_i && i >= 2 * 32'(pairs)) ? '0 : row_i[i];
    end
    for (int unsigned i = 1; i <= Part; i++) begin
      along[i] = !valid_q[i] || (u_dut.ports_q[i] == ports_q[i] && (i > 4 ||
          u_dut.zeros_q[i] ==
              WordW'(-1) - WordW'(pairs_q[i][WordW:1] + WordW'(pairs_q[i][0]) - WordW'(1))));
    end
    // Tensor and pad bytes are whole words. A row of zeros may be run back by any number.
    run_back = (pairs_q[4] == '0) ? '0 :
        ByteW'(BeatBytes - (2 * 32'(pairs_q[4]) + 32'd3) / 4 * 4);
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (row_valid_i) between_q <= row_last_i;
    first_q <= between_q;
    valid_q <= rst_ni ? {valid_q[Part-1:1], row_valid_i} : '0;
    last_q  <= {last_q[Part-1:1], row_last_i};
    fed_q   <= fed;
    pairs_q <= {pairs_q[3:1], pairs};
    ports_q <= {ports_q[Part-1:1], row_ports_i};
    if (!rst_ni) between_q <= 1'b1;
    // The first cycle is one of reset, and the only one.
    e_reset : assume (rst_ni == started_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The CRC is fed with the tensor, and behind it with zeros.
      a_fed : assert (!valid_q[1] || u_dut.row_q == fed_q)
      else $error("fed %h instead of %h", u_dut.row_q, fed_q);
      // It is told of every row, its tensor's first and last.
      a_told : assert (u_dut.valid_q == valid_q[1] && (!valid_q[1] ||
          (u_dut.first_q == first_q && u_dut.last_q == last_q[1])))
      else $error("told otherwise");
      // Four cycles behind the last row its register is run back over the zeros behind tensor and
      // pad bytes.
      a_back : assert (u_dut.crc_valid == (valid_q[4] && last_q[4]) && (!u_dut.crc_valid ||
          pairs_q[4] == '0 || u_dut.u_unwind.bytes_i == run_back))
      else $error("%0d bytes", u_dut.u_unwind.bytes_i);
      // Four cycles later, or with 128 bytes five, the part goes to the ports that the last row
      // went to.
      a_ports : assert (part_valid == ((valid_q[Part] && last_q[Part]) ? ports_q[Part] : '0))
      else $error("to ports %b", part_valid);
      // Stages are in step (helps the proof).
      a_step : assert (between_q == (u_dut.valid_q ? u_dut.last_q : u_dut.first_q) &&
          u_dut.u_crc.valid_q == valid_q[3:2] &&
          (!valid_q[2] || u_dut.u_crc.last_q[1] == last_q[2]) &&
          (!valid_q[3] || u_dut.u_crc.last_q[2] == last_q[3]) &&
          u_dut.u_unwind.valid_q == (valid_q[Part:5] & last_q[Part:5]))
      else $error("out of step");
      // What goes along with rows does (helps the proof).
      a_along : assert (along == '1)
      else $error("not along %b", along);
      // A tensor of several rows, the last one cut.
      c_cut : cover (u_dut.crc_valid && u_dut.u_unwind.bytes_i == ByteW'(12) && ports_q[4] != '0);
    end
  end

endmodule
