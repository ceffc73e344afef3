// Filter between emission and the ports' egresses in a device of a tree (docs/relay.md): headers of
// what goes back to child devices are turned round (relay_turns), and below a parent headers are
// written that nobody sent here (relay_write).
//
// Nobody waits: header records pass word by word, some cycles late.
module relay_header
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
  import relay_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) (
  input logic clk_i,
  input logic rst_ni,

  /* verilator lint_off UNUSEDSIGNAL */
  input ring_t       [Cfg.NumRings-1:0] rings_i,
  input relay_ring_t [Cfg.NumRings-1:0] relays_i,
  input relay_self_t                    self_i,
  // What results are marked with.
  input logic [7:0]                     epoch_i,

  // Answer to a take, in front of the header records that its read makes; below a parent, how these
  // are edited.
  input taken_t          taken_i,
  input relay_edit_req_t edit_i,

  // Writes to the bank of kept headers, those of notifications.
  input relay_kept_t kept_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Header records for all egresses, word by word, as emission makes them and as they leave.
  input  header_t [Cfg.NumPorts-1:0] header_i,
  output header_t [Cfg.NumPorts-1:0] header_o
);

  localparam int unsigned RingIdxW = (Cfg.NumRings > 1) ? $clog2(Cfg.NumRings) : 1;

  logic [Cfg.NumPorts-1:0]                  in_we, turned_we, out_we;
  logic [Cfg.NumPorts-1:0][HdrWordBits-1:0] in_word, turned_word, out_word;

  for (genvar p = 0; p < Cfg.NumPorts; p++) begin : gen_port
    assign in_we[p]    = header_i[p].we;
    assign in_word[p]  = header_i[p].word;
    assign header_o[p] = '{we: out_we[p], word: out_word[p], bad: 1'b0};
  end

  if (Cfg.Spine != 0) begin : gen_turn
    relay_turns #(
      .NumPorts(Cfg.NumPorts)
    ) u_turns (
      .clk_i,
      .rst_ni,
      .taken_i  (taken_i.valid && taken_i.taken.status == TakeDone &&
                 taken_i.taken.ranks != '0),
      .devices_i(relays_i[taken_i.taken.ring[RingIdxW-1:0]].devices),
      .we_i     (in_we),
      .word_i   (in_word),
      .we_o     (turned_we),
      .word_o   (turned_word)
    );
  end else begin : gen_as_they_are
    assign turned_we   = in_we;
    assign turned_word = in_word;
  end

  if (Cfg.Uplink != 0) begin : gen_write
    relay_write #(
      .NumPorts (Cfg.NumPorts),
      .NumRings (Cfg.NumRings),
      .MaxWindow(Cfg.MaxWindow),
      .Spine    (Cfg.Spine)
    ) u_write (
      .clk_i,
      .rst_ni,
      .rings_i,
      .relays_i,
      .self_i,
      .epoch_i,
      .edit_valid_i(edit_i.valid),
      .edit_i      (edit_i.edit),
      .we_i        (turned_we),
      .word_i      (turned_word),
      .we_o        (out_we),
      .word_o      (out_word),
      .kept_we_i   (kept_i.we),
      .kept_i      (kept_i.write)
    );
  end else begin : gen_no_write
    assign out_we   = turned_we;
    assign out_word = turned_word;
  end

endmodule
