// Maps parities of more bits than a LUT has, six bits a LUT: UltraScale+.
//
// ABC sees a parity as a balanced tree of pairs, of which a LUT takes four bits.
(* techmap_celltype = "$reduce_xor" *)
module parity (A, Y);
  parameter A_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  output [Y_WIDTH-1:0] Y;

  localparam Luts = A_WIDTH / 6;
  localparam Rest = A_WIDTH - 6 * Luts;   // bits that go on as they are

  // What is smaller may be joined with other logic: ABC's.
  wire _TECHMAP_FAIL_ = A_WIDTH < 5;

  generate
    if (A_WIDTH == 5) begin
      LUT5 #(.INIT(32'h96696996)) lut (.I0(A[0]), .I1(A[1]), .I2(A[2]), .I3(A[3]), .I4(A[4]), .O(Y[0]));
    end else if (A_WIDTH == 6) begin
      LUT6 #(.INIT(64'h6996966996696996)) lut (.I0(A[0]), .I1(A[1]), .I2(A[2]), .I3(A[3]), .I4(A[4]), .I5(A[5]), .O(Y[0]));
    end else if (A_WIDTH > 6) begin
      wire [Luts+Rest-1:0] parts;
      genvar k;
      for (k = 0; k < Luts; k = k + 1)
        LUT6 #(.INIT(64'h6996966996696996)) lut (.I0(A[6*k]), .I1(A[6*k+1]), .I2(A[6*k+2]), .I3(A[6*k+3]), .I4(A[6*k+4]), .I5(A[6*k+5]),
                                                 .O(parts[k]));
      for (k = 0; k < Rest; k = k + 1) assign parts[Luts+k] = A[6*Luts+k];
      \$reduce_xor #(.A_SIGNED(0), .A_WIDTH(Luts+Rest), .Y_WIDTH(1)) more (.A(parts), .Y(Y[0]));
    end
  endgenerate
endmodule
