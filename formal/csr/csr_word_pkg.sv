// What the register at an address is, as SystemRDL says it, for proofs of generated register files.
package csr_word_pkg;

  typedef struct packed {
    logic        there;    // there is one
    logic [31:0] writes;   // bits that software writes,
    logic [31:0] pulses;   // of them those that are 1 for one cycle,
    logic [31:0] causes;   // and those that it clears by writing 1
    logic [31:0] comes;    // causes that come in this cycle
    logic [31:0] begins;   // what they are from reset on
    logic [31:0] keeps;    // what they are
    logic [31:0] shows;    // what is read beside
  } csr_word_t;

endpackage
