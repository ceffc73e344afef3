// gather_reads: what becomes of a read of another node, whatever it asks and whatever is served.
//
// The queue and the register stage in front of the server have proofs of their own (prim_fifo_ram,
// prim_skid). Here what they show is left out of the circuit and free.
module reads_fates_props
  import gather_pkg::*;
#(
  parameter int unsigned NumNodes = 16,
  parameter int unsigned ReadQueue = 32,
  localparam int unsigned NodeW = $clog2(NumNodes)
) (
  input logic        clk_i,
  input logic        rst_ni,
  input serve_t      serve_i,
  input logic [15:0] generation_i,
  input logic        pr_valid_i,
  input pr_t         pr_i,
  input logic        read_ready_i
);

  logic read_valid, pause, served, not_served, no_room;
  pr_t  read;

  gather_reads #(
    .NumNodes (NumNodes),
    .ReadQueue(ReadQueue)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .serve_i,
    .generation_i,
    .pr_valid_i,
    .pr_i,
    .read_valid_o(read_valid),
    .read_ready_i,
    .read_o      (read),
    .pause_o     (pause),
    .served_o    (served),
    .not_served_o(not_served),
    .no_room_o   (no_room)
  );

  // A cycle ago, and what was served two cycles ago.
  logic [1:0]  past_q;   // so many cycles have gone by
  logic        run_q, pr_valid_q, pause_q;
  pr_t         pr_q;
  serve_t      serve_q, serve2_q;
  logic [15:0] generation_q;
  logic [31:0] count_q;

  initial past_q = '0;
  always_ff @(posedge clk_i) begin
    past_q       <= {past_q[0], 1'b1};
    run_q        <= rst_ni;
    pr_valid_q   <= pr_valid_i;
    pr_q         <= pr_i;
    serve_q      <= serve_i;
    serve2_q     <= serve_q;
    generation_q <= generation_i;
    pause_q      <= pause;
    count_q      <= 32'(u_dut.u_queue.count_o);
  end

  // What was served did not change under the read, and lies below the highest column.
  logic        steady;
  logic [64:0] stop;
  logic        ahead, behind, other, long;
  assign stop   = 65'(serve_q.first) + 65'(serve_q.count);
  assign steady = past_q == '1 && serve_q == serve2_q && !stop[64];
  assign ahead = pr_q.idx < serve_q.first;
  assign behind = 65'(pr_q.idx) >= stop;
  assign other  = pr_q.generation != generation_q;
  assign long   = pr_q.len != '0 && ((pr_q.len - 11'd1) >> serve_q.stride) != '0;

  // What is queued, and the oldest that is.
  logic        put, in_served, head_valid, head_served, leaves, taken, room;
  logic [NodeW+16+64+32+16+11-1:0] in_read, head_read;
  assign put         = u_dut.u_queue.in_valid_i;
  assign in_served   = u_dut.u_queue.in_i.served;
  assign in_read     = u_dut.u_queue.in_i.read;
  assign room        = u_dut.u_queue.in_ready_o;
  assign head_valid  = u_dut.u_queue.out_valid_o;
  assign head_served = u_dut.u_queue.out_o.served;
  assign head_read   = u_dut.u_queue.out_o.read;
  assign leaves      = u_dut.u_queue.out_ready_i;
  assign taken       = u_dut.u_first.in_ready_o;

  always_ff @(posedge clk_i) begin
    // A read comes to the queue in the next cycle, and nothing else does; not behind a reset.
    a_put : assert (!past_q[0] || put == (pr_valid_q && run_q))
    else $error("comes to the queue: %b", put);
    // With it goes what the server and its answer need of it.
    a_read : assert (!past_q[0] || in_read == {pr_q.src[NodeW-1:0], pr_q.tid, pr_q.idx, pr_q.id,
                                               pr_q.generation, pr_q.len})
    else $error("another read is queued");
    // It is served if its column is one of those that are served, its generation is theirs, and it
    // is not longer than a property's place.
    a_served : assert (!steady || ahead || behind || other || long || in_served)
    else $error("column %h is served and refused", pr_q.idx);
    // A column in front of them is not,
    a_before : assert (!steady || !ahead || !in_served)
    else $error("column %h is served, the first is %h", pr_q.idx, serve_q.first);
    // nor one behind them,
    a_behind : assert (!steady || !behind || !in_served)
    else $error("column %h is served, the last is in front of %h", pr_q.idx, stop);
    // nor a property of another generation,
    a_generation : assert (!steady || !other || !in_served)
    else $error("generation %h is served", pr_q.generation);
    // nor what lies behind the property.
    a_long : assert (!steady || !long || !in_served)
    else $error("%0d bytes are served", pr_q.len);

    // Reads are to stop when half of the queue is in use,
    a_pause : assert (!past_q[0] || !run_q || count_q < ReadQueue / 2 || pause)
    else $error("%0d are queued, and no pause", count_q);
    // go on when less than a quarter is, and behind a reset,
    a_go : assert (!past_q[0] || (run_q && count_q >= ReadQueue / 4) || !pause)
    else $error("%0d are queued, and a pause", count_q);
    // and between the two nothing changes.
    a_stays : assert (!past_q[0] || !run_q || count_q < ReadQueue / 4 ||
                      count_q >= ReadQueue / 2 || pause == pause_q)
    else $error("%0d are queued, and the pause changes", count_q);

    // A read that finds no room is counted, and nothing else is.
    a_no_room : assert (no_room == (put && !room))
    else $error("no room: %b", no_room);
    // The oldest read goes on to the server if it is of what is served, as it was queued.
    a_first : assert (u_dut.u_first.in_valid_i == (head_valid && head_served) &&
                      u_dut.u_first.in_i == head_read)
    else $error("another read goes to the server");
    // It is counted when it does so.
    a_goes : assert (served == (head_valid && head_served && taken))
    else $error("served: %b", served);
    // Else it is counted as one of what is not served, and leaves at once.
    a_dropped : assert (not_served == (head_valid && !head_served))
    else $error("not served: %b", not_served);
    // So the queue waits only for the server to take one.
    a_leaves : assert (leaves == (!head_served || taken))
    else $error("leaves: %b", leaves);
    // Both parts see the reset, and the server's ready.
    a_parts : assert (u_dut.u_queue.rst_ni == rst_ni && u_dut.u_first.rst_ni == rst_ni &&
                      u_dut.u_first.out_ready_i == read_ready_i &&
                      read_valid == u_dut.u_first.out_valid_o)
    else $error("another reset or ready");
    // The server gets a read of a node, that is no response and nothing for a cache, with all that
    // it asks for.
    a_asks : assert (!read.response && !read.cacheable && read.src[31:NodeW] == '0 &&
                     read.dest == '0 &&
                     {read.src[NodeW-1:0], read.tid, read.idx, read.id, read.generation,
                      read.len} == u_dut.u_first.out_o)
    else $error("another read is shown to the server");

    // The last column that is served, of full length; the one behind it; one of no room.
    c_last   : cover (steady && in_served && put && 65'(pr_q.idx) + 65'd1 == stop &&
                      serve_q.stride == 4'd6 && pr_q.len == 11'd64);
    c_behind : cover (steady && !in_served && put && 65'(pr_q.idx) == stop && !other && !long);
    c_room   : cover (no_room && pause && served);
  end

endmodule
