// llt_look: what it shows stands until it is taken or forgotten, whatever messages come.
module look_holds_props
  import sat_pkg::*;
  import llt_pkg::*;
#(
  parameter int unsigned NumPorts = 4
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input sat_cfg_t                    cfg_i,
  input logic         [15:0]         tree_i,
  input low_message_t [NumPorts-1:0] message_i,
  input low_message_t                cast_i,
  input logic         [NumPorts-1:0] not_i,
  input logic [Groups-1:0]           any_i,
  input logic [Groups-1:0][31:0]     sequence_no_i,
  input logic [Groups-1:0][7:0]      operation_i,
  input logic                        flush_i,
  input logic                        ready_i
);

  low_seen_t seen, seen_q;
  logic      held_q, begun_q;

  llt_look #(
    .NumPorts(NumPorts)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .cfg_i,
    .tree_i,
    .message_i,
    .cast_i,
    .not_i,
    .any_i,
    .sequence_no_i,
    .operation_i,
    .flush_i,
    .ready_i,
    .seen_o(seen)
  );

  initial {begun_q, held_q} = '0;
  always_ff @(posedge clk_i) begin
    held_q <= seen.valid && !ready_i && !flush_i && rst_ni;
    seen_q <= seen;
    begun_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    // The first cycle is one of reset.
    e_reset : assume (begun_q || !rst_ni);
    // What is looked at stands until it is taken or the pipeline is flushed, or the tree is no
    // more; else one thing would be decided on, and another one done.
    a_holds : assert (!held_q || seen == seen_q)
    else $error("port %0d is looked at, and another one was", seen.port);
    // Somebody waits, and is taken, and another one comes.
    c_next : cover (rst_ni && begun_q && !held_q && seen.valid && seen_q.valid &&
        seen.port != seen_q.port);
  end

endmodule
