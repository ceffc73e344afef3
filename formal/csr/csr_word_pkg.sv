// What the register at an address is, as SystemRDL says it, for proofs of generated register files.
package csr_word_pkg;

  typedef struct packed {
    logic        there;    // there is one
    logic [31:0] writes;   // bits that software writes,
    logic [31:0] pulses;   // of them those that are 1 for one cycle,
    logic [31:0] causes;   // and those that it clears by writing 1
    logic [31:0] comes;    // causes that come in this cycle
    logic [31:0] loads;    // bits that the device loads in this cycle,
    logic [31:0] loaded;   // and with what
    logic [31:0] begins;   // what they are from reset on
    logic [31:0] keeps;    // what they are
    logic [31:0] shows;    // what is read beside
    logic        elsewhere;   // it is no register here: another module keeps it, and answers
  } csr_word_t;

  /// What the bits of `is` are a cycle later. Of a write to it each bit counts that software may
  /// write and that the access names (`bits`); pulses are for one cycle, causes are cleared by a 1.
  function automatic logic [31:0] csr_next(csr_word_t is, logic written, logic [31:0] bits,
                                           logic [31:0] data);
    csr_next = is.keeps;
    for (int unsigned b = 0; b < 32; b++) begin
      if (is.pulses[b]) csr_next[b] = 1'b0;
      if (is.loads[b]) csr_next[b] = is.loaded[b];
      if (written) begin
        csr_next[b] = is.keeps[b];
        if (bits[b] && is.writes[b]) begin
          csr_next[b] = is.causes[b] ? is.keeps[b] && !data[b] : data[b];
        end
      end
      // A cause that comes in the very cycle of a write that clears it stays.
      if (is.causes[b] && is.comes[b]) csr_next[b] = 1'b1;
    end
  endfunction

endpackage
