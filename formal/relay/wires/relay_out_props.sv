// relay_out: which wire goes where between the parts of the filter behind slot state.
//
// What these make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: relay_take, and of relay_header's
// parts relay_turns and relay_write.
module relay_out_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import agg_device_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is below another one.
  parameter int unsigned Uplink = 1,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, 1, Uplink, 2, 9216, 0)
) (
  input logic                                 clk_i,
  input logic                                 rst_ni,
  input ring_t         [Cfg.NumRings-1:0]     rings_i,
  input relay_ring_t   [Cfg.NumRings-1:0]     relays_i,
  input core_setup_t                          setup_i,
  input relay_known_t                         known_i,
  input take_req_t                            take_i,
  input logic                                 state_ready_i,
  input relay_answer_t                        state_i,
  input relay_kept_t                          kept_i,
  input header_t       [Cfg.NumPorts-1:0]     header_i,
  input parent_rows_t                         parent_i,
  input logic          [BeatBits-1:0]         parent_row_i,
  input result_t       [Cfg.NumPorts-1:0]     result_i
);

  relay_look_t                   look;
  logic                          take_ready;
  taken_t                        taken;
  take_req_t                     state;
  header_t    [Cfg.NumPorts-1:0] header;
  result_t    [Cfg.NumPorts-1:0] result;
  relay_take_events_t            events;

  relay_out #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .setup_i,
    .known_i,
    .look_o      (look),
    .take_i,
    .take_ready_o(take_ready),
    .taken_o     (taken),
    .state_o     (state),
    .state_ready_i,
    .state_i,
    .kept_i,
    .header_i,
    .header_o    (header),
    .parent_i,
    .parent_row_i,
    .result_i,
    .result_o    (result),
    .events_o    (events)
  );

  always_ff @(posedge clk_i) begin
    // Headers of results are edited with the device's own address and mark, by the ring's
    // registers.
    a_setup : assert (u_dut.u_header.rst_ni == rst_ni && u_dut.u_header.rings_i == rings_i &&
                      u_dut.u_header.relays_i == relays_i &&
                      u_dut.u_header.self_i == setup_i.self &&
                      u_dut.u_header.epoch_i == setup_i.epoch)
    else $error("other registers");
    // For what was taken as emission hears it.
    a_taken : assert (u_dut.u_header.taken_i == taken)
    else $error("another column");
    // Headers that are kept come in, and emission's go through.
    a_header : assert (u_dut.u_header.kept_i == kept_i && u_dut.u_header.header_i == header_i &&
                       header == u_dut.u_header.header_o)
    else $error("another header");

    // A column is taken as the last header of the one before leaves.
    c_taken : cover (taken.valid && header[1].we);
  end

  if (Uplink != 0) begin : gen_parent
    always_ff @(posedge clk_i) begin
      // Below a parent, takes go through relay_take.
      a_takes : assert (u_dut.gen_parent.u_take.rst_ni == rst_ni &&
                        u_dut.gen_parent.u_take.rings_i == rings_i &&
                        u_dut.gen_parent.u_take.relays_i == relays_i &&
                        u_dut.gen_parent.u_take.take_i == take_i &&
                        take_ready == u_dut.gen_parent.u_take.take_ready_o &&
                        taken == u_dut.gen_parent.u_take.taken_o &&
                        state == u_dut.gen_parent.u_take.state_o &&
                        u_dut.gen_parent.u_take.state_ready_i == state_ready_i &&
                        u_dut.gen_parent.u_take.state_taken_i == state_i.taken &&
                        u_dut.gen_parent.u_take.state_column_i == state_i.column)
      else $error("another take");
      // It looks for notifications, and hears of messages that begin.
      a_looks : assert (look == u_dut.gen_parent.u_take.look_o &&
                        u_dut.gen_parent.u_take.head_i == known_i.head &&
                        u_dut.gen_parent.u_take.note_i == known_i.note)
      else $error("another notification");
      // It says what becomes of headers, and counters hear of it.
      a_edit : assert (u_dut.u_header.edit_i == u_dut.gen_parent.u_take.edit_o &&
                       events == u_dut.gen_parent.u_take.events_o)
      else $error("another edit");
      // Rows of the parent's result and those of sums leave by relay_rows.
      a_rows : assert (u_dut.gen_parent.u_rows.rst_ni == rst_ni &&
                       u_dut.gen_parent.u_rows.parent_i == parent_i &&
                       u_dut.gen_parent.u_rows.row_i == parent_row_i &&
                       u_dut.gen_parent.u_rows.result_i == result_i &&
                       result == u_dut.gen_parent.u_rows.result_o)
      else $error("another row");
    end
  end else begin : gen_no_parent
    always_ff @(posedge clk_i) begin
      // Without a parent, takes and results go straight through.
      a_takes : assert (state == take_i && take_ready == state_ready_i && taken == state_i.taken)
      else $error("another take");
      a_rows : assert (result == result_i)
      else $error("another result");
      // Nothing is looked for, edited or counted.
      a_looks : assert (look == '0)
      else $error("looks");
      a_edit : assert (u_dut.u_header.edit_i == '0 && events == '0)
      else $error("edits");
    end
  end

endmodule
