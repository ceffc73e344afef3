// What reduce_stand_in makes of two elements.
package reduce_shuffle_pkg;

  function automatic logic [31:0] shuffled(logic is_int, logic [1:0] op, logic [31:0] a,
                                           logic [31:0] b);
    logic [31:0] left, right;
    left  = {a[30:0], a[31]};
    right = {b[2:0], b[15:8], b[23:16], b[31:24], b[7:3]};
    // Which operation it was shows too.
    shuffled = left ^ right ^ {13'd0, is_int, op, 16'd0};
  endfunction

endpackage
