// relay_header: which wire goes where between header records of emission, the filters that change
// them, and egresses.
//
// What these make of it is left out of the circuit and free (`cuts` of the task), so this holds
// whatever they do. They have proofs of their own: relay_turns, relay_write.
module relay_header_props
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// 1: the device is above others.
  parameter int unsigned Spine = 1,
  /// 1: it is below one.
  parameter int unsigned Uplink = 1,
  localparam cfg_t Cfg = make_cfg(2, 2, 64, 8, 2, 4, 1, 0, Spine, Uplink, 2, 9216, 0)
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  input relay_self_t                    self_i,
  input logic [7:0]                     epoch_i,
  input taken_t                         taken_i,
  input relay_edit_req_t                edit_i,
  input relay_kept_t                    kept_i,
  input header_t     [Cfg.NumPorts-1:0] header_i
);

  header_t [Cfg.NumPorts-1:0] header;

  relay_header #(
    .Cfg(Cfg)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .self_i,
    .epoch_i,
    .taken_i,
    .edit_i,
    .kept_i,
    .header_i,
    .header_o(header)
  );

  // Records as they come, as they are turned, and as they leave; a port's word is nothing without
  // its `we`.
  logic [Cfg.NumPorts-1:0]                  turned_we, left_we;
  logic [Cfg.NumPorts-1:0][HdrWordBits-1:0] turned_word, left_word;
  logic                                     comes, devices, known, written;

  // The column is done, and somebody gets a result.
  logic result;
  assign result = taken_i.valid && taken_i.taken.status == TakeDone && |taken_i.taken.ranks;

  always_ff @(posedge clk_i) begin
    // Above others, records of ports go to be turned round.
    a_comes : assert (comes)
    else $error("another record");
    // They are turned for each column that is done and has somebody to go to, by whether its ring
    // is one of devices.
    a_devices : assert (devices)
    else $error("ring %0d", taken_i.taken.ring);
    // Below a parent they are then edited as relay_take says, with what registers say and what
    // notifications brought.
    a_known : assert (known)
    else $error("another edit");
    a_written : assert (written)
    else $error("another record is edited");
    // A column is turned.
    c_turned : cover (result && header[1].we && !header[0].we);
  end

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    always_ff @(posedge clk_i) begin
      // What leaves for a port is what the last of them has made of it.
      a_leaves : assert (header[p].we == left_we[p] && header[p].word == left_word[p])
      else $error("port %0d", p);
      // A tree has no coded memories, so none is bad.
      a_bad : assert (!header[p].bad)
      else $error("port %0d", p);
    end
  end

  // Of each port; without these, its record is the one that came.
  logic [Cfg.NumPorts-1:0]                  in_we;
  logic [Cfg.NumPorts-1:0][HdrWordBits-1:0] in_word;
  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_in
    assign {in_we[p], in_word[p]} = {header_i[p].we, header_i[p].word};
  end

  if (Spine != 0) begin : gen_turned
    logic [Cfg.NumRings-1:0] fits;
    for (genvar g = 0; g < Cfg.NumRings; g++) begin : gen_ring
      assign fits[g] = 32'(taken_i.taken.ring) != g ||
          u_dut.gen_turn.u_turns.devices_i == relays_i[g].devices;
    end
    assign comes = u_dut.gen_turn.u_turns.rst_ni == rst_ni &&
        u_dut.gen_turn.u_turns.we_i == in_we && u_dut.gen_turn.u_turns.word_i == in_word;
    assign devices = u_dut.gen_turn.u_turns.taken_i == result && fits == '1;
    assign turned_we   = u_dut.gen_turn.u_turns.we_o;
    assign turned_word = u_dut.gen_turn.u_turns.word_o;
  end else begin : gen_not_turned
    assign {comes, devices} = '1;
    assign turned_we   = in_we;
    assign turned_word = in_word;
  end

  if (Uplink != 0) begin : gen_edited
    assign known = u_dut.gen_write.u_write.rst_ni == rst_ni &&
        u_dut.gen_write.u_write.rings_i == rings_i &&
        u_dut.gen_write.u_write.relays_i == relays_i &&
        u_dut.gen_write.u_write.self_i == self_i &&
        u_dut.gen_write.u_write.epoch_i == epoch_i &&
        {u_dut.gen_write.u_write.edit_valid_i, u_dut.gen_write.u_write.edit_i} == edit_i &&
        {u_dut.gen_write.u_write.kept_we_i, u_dut.gen_write.u_write.kept_i} == kept_i;
    assign written = u_dut.gen_write.u_write.we_i == turned_we &&
        u_dut.gen_write.u_write.word_i == turned_word;
    assign left_we   = u_dut.gen_write.u_write.we_o;
    assign left_word = u_dut.gen_write.u_write.word_o;
  end else begin : gen_not_edited
    assign {known, written} = '1;
    assign left_we   = turned_we;
    assign left_word = turned_word;
  end

endmodule
