// uplink_down: which wire goes where between the queues of uplinks, their registers, and the way
// out, and what observers are told.
//
// What the parts make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: prim_skid, uplink_merge.
module down_wires_props
  import shell_pkg::*;
  import uplink_pkg::*;
  import uplink_route_pkg::*;
#(
  localparam int unsigned Fan = 2,
  localparam int unsigned NumQueues = 3,
  localparam int unsigned Depth = 8,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input logic                                   clk_i,
  input logic                                   rst_ni,
  input logic   [PortW-1:0]                     port_i,
  input logic   [Fan-1:0][NumQueues-1:0]        in_valid_i,
  input bytes_t [Fan-1:0][NumQueues-1:0]        in_data_i,
  input keep_t  [Fan-1:0][NumQueues-1:0]        in_keep_i,
  input logic   [Fan-1:0][NumQueues-1:0]        in_last_i,
  input logic   [NumQueues-1:0][CountW-1:0]     level_i,
  input logic                                   out_ready_i
);

  logic   [Fan-1:0][NumQueues-1:0]        in_ready;
  logic                                   out_valid, out_last;
  bytes_t                                 out_data;
  keep_t                                  out_keep;
  logic [2:0]                             out_prio;
  source_obs_t [Fan-1:0][NumQueues-1:0]   source;

  uplink_down #(
    .Fan      (Fan),
    .NumQueues(NumQueues),
    .Depth    (Depth),
    .MaxBeats (4)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .port_i,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .in_keep_i,
    .in_last_i,
    .level_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data),
    .out_keep_o (out_keep),
    .out_last_o (out_last),
    .out_prio_o (out_prio),
    .source_o   (source)
  );

  always_ff @(posedge clk_i) begin
    // Queues behind tell of their levels, and the MAC whether it takes a beat.
    a_behind : assert ({u_dut.u_merge.rst_ni, u_dut.u_merge.level_i, u_dut.u_merge.out_ready_i} ==
                       {rst_ni, level_i, out_ready_i})
    else $error("behind");
    // What the turns choose goes out.
    a_out : assert ({out_valid, out_data, out_keep, out_last, out_prio} ==
                    {u_dut.u_merge.out_valid_o, u_dut.u_merge.out_data_o,
                     u_dut.u_merge.out_keep_o, u_dut.u_merge.out_last_o,
                     u_dut.u_merge.out_prio_o})
    else $error("out");

    // All queues have a beat, and one is taken.
    c_all : cover (in_valid_i == '1 && out_valid && out_ready_i);
  end

  for (genvar f = 0; f < Fan; f++) begin : gen_uplink
    for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
      /// Sources go by uplink, and by queue within it.
      localparam int unsigned At = f * NumQueues + q;
      logic   shows, last;
      bytes_t data;
      keep_t  keep;
      logic [2:0] prio;
      assign shows = u_dut.gen_source[At].u_skid.out_valid_o;
      assign {data, keep, last, prio} = u_dut.gen_source[At].u_skid.out_o;

      // A frame of it has begun and not ended.
      logic inside_q, reset_q;
      initial reset_q = 1'b0;
      always_ff @(posedge clk_i) begin
        if (shows && u_dut.u_merge.in_ready_o[At]) inside_q <= !last;
        if (!rst_ni) {inside_q, reset_q} <= 2'b01;
      end

      always_ff @(posedge clk_i) begin
        // A frame's priority is read off what its queue shows.
        a_prio : assert ({u_dut.gen_source[At].u_prio.data_i, u_dut.gen_source[At].u_prio.keep_i} ==
                         {in_data_i[f][q], in_keep_i[f][q]})
        else $error("uplink %0d, queue %0d", f, q);
        // A beat of a queue goes into a register of its own, with that.
        a_in : assert ({u_dut.gen_source[At].u_skid.rst_ni, u_dut.gen_source[At].u_skid.in_valid_i,
                        u_dut.gen_source[At].u_skid.in_i} ==
                       {rst_ni, in_valid_i[f][q], in_data_i[f][q], in_keep_i[f][q],
                        in_last_i[f][q], u_dut.gen_source[At].u_prio.prio_o} &&
                       in_ready[f][q] == u_dut.gen_source[At].u_skid.in_ready_o)
        else $error("uplink %0d, queue %0d", f, q);
        // It takes its turn as the source of its number, and is gone when that is let go.
        a_turn : assert ({u_dut.u_merge.in_valid_i[At], u_dut.u_merge.in_data_i[At],
                          u_dut.u_merge.in_keep_i[At], u_dut.u_merge.in_last_i[At],
                          u_dut.u_merge.in_prio_i[At]} == {shows, data, keep, last, prio} &&
                         u_dut.gen_source[At].u_skid.out_ready_i == u_dut.u_merge.in_ready_o[At])
        else $error("uplink %0d, queue %0d", f, q);
        // Observers are told of each beat that goes, and for which port; nothing is chosen here,
        // and nothing dropped.
        a_told : assert (source[f][q].beat == (shows && u_dut.u_merge.in_ready_o[At]) &&
                         source[f][q].port == port_i && source[f][q].why == WayHash &&
                         !source[f][q].decides && !source[f][q].drops)
        else $error("uplink %0d, queue %0d", f, q);
        // And whether it is a frame's first one.
        a_begins : assert (!reset_q || source[f][q].begins == !inside_q)
        else $error("uplink %0d, queue %0d", f, q);
      end
    end
  end

endmodule
