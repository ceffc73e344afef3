// Refuses sizes that an aggregator cannot have, at elaboration, with a sentence. No logic.
module agg_cfg_check
  import roce_pkg::*;
  import agg_pkg::*;
  import agg_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) ();

  if (BeatBytes != 64 && (BeatBytes != 128 || Cfg.Tree != 0)) begin : gen_beat
    $fatal(1, "%m: beats must have 64 or 128 bytes, in a tree 64");
  end
  if (Cfg.NumPorts < 1 || Cfg.NumPorts > MaxPorts) begin : gen_ports
    $fatal(1, "%m: NumPorts must be 1 to %0d", MaxPorts);
  end
  if (Cfg.Uplink > 1) begin : gen_uplink
    $fatal(1, "%m: Uplink must be 0 or 1");
  end
  if (Cfg.NumRanks < 1 || Cfg.NumRanks + 2 * Cfg.Uplink > MaxRanks) begin : gen_ranks
    $fatal(1, "%m: NumRanks must be 1 to %0d, below a parent to %0d", MaxRanks, MaxRanks - 2);
  end
  if (Cfg.SlotBytes < BeatBytes || Cfg.SlotBytes > 8192 ||
      Cfg.SlotBytes != 2 ** $clog2(Cfg.SlotBytes)) begin : gen_bytes
    $fatal(1, "%m: SlotBytes must be a power of two from %0d to 8192", BeatBytes);
  end
  if (Cfg.NumSlots < 2 || Cfg.NumSlots > 2 ** SlotW || Cfg.NumSlots % 2 != 0) begin : gen_slots
    $fatal(1, "%m: NumSlots must be even, 2 to %0d", 2 ** SlotW);
  end
  if (Cfg.NumRings < 1 || Cfg.NumRings > 2 ** RingW) begin : gen_rings
    $fatal(1, "%m: NumRings must be 1 to %0d", 2 ** RingW);
  end
  if (Cfg.NumConns < 2 || Cfg.NumConns > 2 ** ConnW || Cfg.NumConns != 2 ** $clog2(Cfg.NumConns))
  begin : gen_conns
    $fatal(1, "%m: NumConns must be a power of two, 2 to %0d", 2 ** ConnW);
  end
  if (Cfg.MaxWindow < 1 || Cfg.MaxWindow > 64 || Cfg.MaxWindow != 2 ** $clog2(Cfg.MaxWindow))
  begin : gen_window
    $fatal(1, "%m: MaxWindow must be a power of two from 1 to 64");
  end
  if (Cfg.WideLanes > 1) begin : gen_lanes
    $fatal(1, "%m: WideLanes must be 0 or 1");
  end
  if (Cfg.Spine > 1) begin : gen_spine
    $fatal(1, "%m: Spine must be 0 or 1");
  end
  if (Cfg.NumRows < 1 || Cfg.NumRows > Cfg.NumRings) begin : gen_rows
    $fatal(1, "%m: NumRows must be 1 to %0d, the rings", Cfg.NumRings);
  end
  if (Cfg.MaxFrameBytes < BeatBytes) begin : gen_frame
    $fatal(1, "%m: MaxFrameBytes must be %0d or more", BeatBytes);
  end

  if (Cfg.Ecc > 1 || (Cfg.Ecc != 0 && Cfg.Tree != 0)) begin : gen_ecc
    $fatal(1, "%m: Ecc must be 0 or 1, in a tree 0");
  end
  if (Cfg.Without >= 2 ** NumWithout || (Cfg.Without != 0 && Cfg.Tree != 0)) begin : gen_without
    $fatal(1, "%m: Without must be less than %0d, in a tree 0", 2 ** NumWithout);
  end

endmodule
