// Frames that a port has in hand: how many, and what of them it keeps.
//
// A package of its own because ports, banks and their proofs count them alike.
package agg_port_pkg;
  // A package serves many modules; none of them uses all of it.
  // verilator lint_off UNUSEDPARAM
  import roce_pkg::*;

  /// What of a frame its port still needs when its verdict has come.
  typedef struct packed {
    logic       candidate;
    logic [8:0] beats;
    logic [7:0] rows;        // payload rows, if it is written
    hdr_meta_t  meta;        // rank and connection are the verdict's
  } fetched_t;

  /// Frames that a port fetches at most, in a tree or in one rack: there, filters on look-up's
  /// channels look at a descriptor until its verdict.
  function automatic int unsigned hand_of(int unsigned tree);
    return (tree != 0) ? 1 : 2;
  endfunction
  /// Packets of a port that are decided and have not given their bank back, at most: fetched, the
  /// current one, and one that waits for its pad bytes. With one at a time a verdict comes later
  /// than those.
  function automatic int unsigned decided_of(int unsigned hand);
    return (hand == 1) ? 2 : hand + 2;
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
