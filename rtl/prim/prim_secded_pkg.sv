// A code that corrects one flipped bit of a word and detects two: Hsiao's, eight check bits for up
// to 64 bits of data, which is what a word of block RAM has room for.
//
// Each data bit has a column, which check bits it goes into: 56 of three ones and eight of five.
// The syndrome of one flipped bit is its column; that of two has an even number of ones, which no
// column has.
package prim_secded_pkg;
  // A package serves several modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  /// Data bits of a word, and check bits beside them.
  localparam int unsigned SecdedBits = 64;
  localparam int unsigned SecdedChecks = 8;

  typedef logic [SecdedBits-1:0][SecdedChecks-1:0] secded_columns_t;
  typedef logic [SecdedChecks-1:0][SecdedBits-1:0] secded_masks_t;

  /// Words that data of so many bits is cut into; all but the last have 64.
  function automatic int unsigned secded_words(int unsigned width);
    secded_words = (width + SecdedBits - 1) / SecdedBits;
  endfunction

  /// Columns of the data bits. Those of five ones come first, so that short words have them, too,
  /// and each check bit is of about as many data bits.
  function automatic secded_columns_t secded_columns();
    int unsigned at;
    at = 0;
    secded_columns = '0;
    for (int unsigned i = 0; i < SecdedChecks; i++) begin
      secded_columns[at] = 8'({8'h1F, 8'h1F} >> i);
      at++;
    end
    for (int unsigned i = 0; i < SecdedChecks; i++) begin
      for (int unsigned j = i + 1; j < SecdedChecks; j++) begin
        for (int unsigned k = j + 1; k < SecdedChecks; k++) begin
          secded_columns[at] = (8'd1 << i) | (8'd1 << j) | (8'd1 << k);
          at++;
        end
      end
    end
  endfunction
  localparam secded_columns_t SecdedColumns = secded_columns();

  /// The same by check bit: which data bits go into it.
  function automatic secded_masks_t secded_masks();
    for (int unsigned c = 0; c < SecdedChecks; c++) begin
      for (int unsigned i = 0; i < SecdedBits; i++) secded_masks[c][i] = SecdedColumns[i][c];
    end
  endfunction
  localparam secded_masks_t SecdedMasks = secded_masks();

  /// Check bits of a word.
  function automatic logic [SecdedChecks-1:0] secded_check(logic [SecdedBits-1:0] data);
    for (int unsigned c = 0; c < SecdedChecks; c++) secded_check[c] = ^(data & SecdedMasks[c]);
  endfunction

  /// Syndromes of a word of `bits` data bits that are no single flip's, and not zero.
  function automatic logic [2**SecdedChecks-1:0] secded_wrong(int unsigned bits);
    secded_wrong    = '1;
    secded_wrong[0] = 1'b0;
    for (int unsigned i = 0; i < bits; i++) secded_wrong[SecdedColumns[i]] = 1'b0;
    for (int unsigned c = 0; c < SecdedChecks; c++) secded_wrong[8'd1 << c] = 1'b0;
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
