// Emission and relay_out as agg_core connects them in a device of a tree, for the proof of where
// header records and their announcements meet (relay_records_props). Banks read zeros.
module relay_records_pair
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

    input ring_t        [Cfg.NumRings-1:0] rings_i,
    input relay_ring_t  [Cfg.NumRings-1:0] relays_i,
    input relay_known_t                    known_i,

    // Jobs, and ports that write.
    input job_t   job_i,
    input ahead_t soon_i,
    input logic   writing_i,

    // Slot state.
    input logic          state_ready_i,
    input relay_answer_t state_i,

    // Header records as they leave emission.
    output header_t [Cfg.NumPorts-1:0] header_o
);

  take_req_t                    take;
  logic                         take_ready;
  taken_t                       taken;
  header_t   [Cfg.NumPorts-1:0] header;
  assign header_o = header;

  agg_emit #(
    .NumPorts (Cfg.NumPorts),
    .NumRanks (Cfg.NumBanks),
    .NumRings (Cfg.NumRings),
    .NumSlots (Cfg.NumSlots),
    .SlotBytes(Cfg.SlotBytes),
    .FifoRows (Cfg.FifoRows),
    .HdrFrames(Cfg.HdrFrames),
    .Uplink   (Cfg.Uplink),
    .Ecc      (Cfg.Ecc)
  ) u_emit (
    .clk_i,
    .rst_ni,
    .job_i,
    .soon_i,
    .ahead_o       (),
    .flushed_i     (1'b0),
    .flushed_ring_i('0),
    .take_o        (take),
    .take_ready_i  (take_ready),
    .taken_i       (taken),
    .lock_o        (),
    .writing_i,
    .read_o        (),
    .hdr_i         ('0),
    .hdr_ecc_i     ('0),
    .row_ecc_i     ('0),
    .reduce_o      (),
    .parent_o      (),
    .pairs_valid_o (),
    .pairs_o       (),
    .header_o      (header),
    .credit_i      ('0),
    .hdr_event_o   ()
  );

  relay_out #(
    .Cfg(Cfg)
  ) u_out (
    .clk_i,
    .rst_ni,
    .rings_i,
    .relays_i,
    .setup_i     ('0),
    .known_i,
    .look_o      (),
    .take_i      (take),
    .take_ready_o(take_ready),
    .taken_o     (taken),
    .state_o     (),
    .state_ready_i,
    .state_i,
    .kept_i      ('0),
    .header_i    (header),
    .header_o    (),
    .parent_i    ('0),
    .parent_row_i('0),
    .result_i    ('0),
    .result_o    (),
    .events_o    ()
  );

endmodule
