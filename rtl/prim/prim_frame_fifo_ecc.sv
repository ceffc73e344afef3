// prim_frame_fifo whose memory is coded, if wanted: a flipped bit in each 64 is corrected, two are
// told (prim_secded_pkg).
//
// Without the code it is prim_frame_fifo. With it an entry is shown a cycle later, from a register
// behind the decoder; that register is one more place, which `count_o` does not know of. The
// highest bit says where a frame ends; if it were lost, so would be the frame behind. It is kept
// five times and the majority counts, so that two flips do not change it.
module prim_frame_fifo_ecc
  import prim_secded_pkg::*;
#(
  /// Bits of an entry, 2 or more. The highest one is a frame's end.
  parameter int unsigned Width = 65,
  /// Places, power of two, 8 or more.
  parameter int unsigned Depth = 16,
  /// As prim_frame_fifo has it.
  parameter bit Around = 1'b1,
  parameter bit Block = 1'b0,
  /// 1: with the code.
  parameter int unsigned Ecc = 0,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_ni,

  input  logic             in_valid_i,   // as prim_frame_fifo has it
  output logic             in_ready_o,
  input  logic [Width-1:0] in_i,
  input  logic             commit_i,
  input  logic             rollback_i,

  // With `bad` the entry, but for its highest bit, is wrong.
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_o,
  output logic             out_bad_o,

  // Entries in the memory.
  output logic [CountW-1:0] count_o,

  // Pulses: an entry is shown that was corrected, or is bad.
  output logic corrected_o,
  output logic bad_o
);

  /// Times that a frame's end is kept.
  localparam int unsigned Ends = 5;
  localparam int unsigned Data = Width - 1;
  localparam int unsigned Code = Data + SecdedChecks * secded_words(Data);

  if (Ecc > 1 || Width < 2) begin : gen_check
    $fatal(1, "%m: Ecc must be 0 or 1, Width 2 or more");
  end

  if (Ecc != 0) begin : gen_ecc
    typedef struct packed {
      logic [Ends-1:0] ends;
      logic [Code-1:0] code;
    } coded_t;

    coded_t             in, out;
    logic               valid, ready, corrected, bad, valid_q, bad_q;
    logic [Data-1:0]    data;
    logic [Width-1:0]   out_q;

    assign in.ends = {Ends{in_i[Width-1]}};

    prim_secded_encode #(
      .Width(Data)
    ) u_encode (
      .data_i  (in_i[Data-1:0]),
      .poison_i(1'b0),
      .code_o  (in.code)
    );

    prim_frame_fifo #(
      .T     (coded_t),
      .Depth (Depth),
      .Around(Around),
      .Block (Block)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_i       (in),
      .commit_i,
      .rollback_i,
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_o      (out),
      .count_o
    );

    prim_secded_decode #(
      .Width(Data)
    ) u_decode (
      .code_i     (out.code),
      .data_o     (data),
      .corrected_o(corrected),
      .bad_o      (bad)
    );

    logic end_out;
    always_comb begin
      logic [2:0] votes;
      votes = '0;
      for (int unsigned i = 0; i < Ends; i++) votes = votes + 3'(out.ends[i]);
      end_out = votes >= 3'((Ends + 1) / 2);
    end

    assign ready       = out_ready_i || !valid_q;
    assign out_valid_o = valid_q;
    assign out_o       = out_q;
    assign out_bad_o   = bad_q;

    always_ff @(posedge clk_i) begin
      if (ready) begin
        valid_q <= valid;
        out_q   <= {end_out, data};
        bad_q   <= bad;
      end
      corrected_o <= valid && ready && (corrected || (|out.ends && !(&out.ends)));
      bad_o       <= valid && ready && bad;
      if (!rst_ni) begin
        valid_q     <= 1'b0;
        corrected_o <= 1'b0;
        bad_o       <= 1'b0;
      end
    end
  end else begin : gen_plain
    prim_frame_fifo #(
      .T     (logic [Width-1:0]),
      .Depth (Depth),
      .Around(Around),
      .Block (Block)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_i,
      .commit_i,
      .rollback_i,
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .count_o
    );
    assign out_bad_o   = 1'b0;
    assign corrected_o = 1'b0;
    assign bad_o       = 1'b0;
  end

endmodule
