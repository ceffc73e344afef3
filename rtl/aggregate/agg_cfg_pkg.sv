// The sizes of an aggregator: one parameter for all modules between which something is shared.
//
// The device's top makes it of its own parameters (make_cfg) and has it checked (agg_cfg_check);
// modules that unit tests and proofs elaborate alone have the few sizes that they need as
// parameters of their own.
package agg_cfg_pkg;
  // A package serves many modules; none of them uses all of its constants.
  // verilator lint_off UNUSEDPARAM

  typedef struct packed {
    // As weir_aggregator has them, which says what each means.
    int unsigned NumPorts;
    int unsigned NumRanks;
    int unsigned SlotBytes;
    int unsigned NumSlots;
    int unsigned NumRings;
    int unsigned NumConns;
    int unsigned MaxWindow;
    int unsigned WideLanes;
    int unsigned Spine;
    int unsigned Uplink;
    int unsigned NumRows;
    int unsigned MaxFrameBytes;
    int unsigned Ecc;
    int unsigned Without;

    // What follows from them.
    int unsigned Tree;        // 1: the device can be one of a tree
    int unsigned NumBanks;    // banks that emission reads: one a rank; below a parent, one for it
    int unsigned NumStores;   // banks that ports write: those; below a parent, one of kept headers
    int unsigned FifoBeats;   // beats of a port's frame FIFO, and of its pass FIFO
    int unsigned FifoRows;    // rows that wait at a port's egress
    int unsigned HdrFrames;   // header records that wait there
  } cfg_t;

  /// A function, because Verilator takes parameters in an assignment pattern for unsized.
  function automatic cfg_t make_cfg(
      int unsigned num_ports, int unsigned num_ranks, int unsigned slot_bytes,
      int unsigned num_slots, int unsigned num_rings, int unsigned num_conns,
      int unsigned max_window, int unsigned wide_lanes, int unsigned spine,
      int unsigned uplink, int unsigned num_rows, int unsigned max_frame_bytes, int unsigned ecc,
      int unsigned without = 0);
    cfg_t cfg;
    cfg.NumPorts      = num_ports;
    cfg.NumRanks      = num_ranks;
    cfg.SlotBytes     = slot_bytes;
    cfg.NumSlots      = num_slots;
    cfg.NumRings      = num_rings;
    cfg.NumConns      = num_conns;
    cfg.MaxWindow     = max_window;
    cfg.WideLanes     = wide_lanes;
    cfg.Spine         = spine;
    cfg.Uplink        = uplink;
    cfg.NumRows       = num_rows;
    cfg.MaxFrameBytes = max_frame_bytes;
    cfg.Ecc           = ecc;
    cfg.Without       = without;
    cfg.Tree          = (spine != 0 || uplink != 0) ? 1 : 0;
    cfg.NumBanks      = num_ranks + uplink;
    cfg.NumStores     = num_ranks + 2 * uplink;
    // Three of the longest frames.
    cfg.FifoBeats     = 512;
    cfg.FifoRows      = (slot_bytes >= 4096) ? 512 : 256;
    cfg.HdrFrames     = 8;
    return cfg;
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage
