// Refuses sizes that a gather device cannot have, at elaboration, with a sentence. No logic.
module gather_check
  import gather_pkg::*;
  import gather_cfg_pkg::*;
#(
  /// The device's sizes.
  parameter cfg_t Cfg
) ();

  if (BeatBytes != 64) begin : gen_beat
    $fatal(1, "%m: beats must have 64 bytes");
  end
  if (Cfg.NumNodes < 2 || Cfg.NumNodes > 1024) begin : gen_nodes
    $fatal(1, "%m: NumNodes must be 2 to 1024");
  end
  // A receiver counts 127 PRs a packet; a longer packet of reads would be made here and refused
  // there.
  localparam int unsigned MostMtu = AroundBytes + 127 * PrBytes + PrBytes - 1;
  if (Cfg.Mtu < AroundBytes + PrBytes + MaxLen || Cfg.Mtu > MostMtu) begin : gen_mtu
    $fatal(1, "%m: Mtu must be %0d to %0d", AroundBytes + PrBytes + MaxLen, MostMtu);
  end
  if (Cfg.Virtual && Cfg.VirtualRows < 32) begin : gen_rows
    $fatal(1, "%m: VirtualRows must be 32 or more, for two packets");
  end
  if (Cfg.ExpiryDepth < 16 || Cfg.ExpiryDepth != 2 ** $clog2(Cfg.ExpiryDepth)) begin : gen_expiry
    $fatal(1, "%m: ExpiryDepth must be a power of two, 16 or more");
  end
  if (Cfg.ClockW < 4 || Cfg.ClockW > 32) begin : gen_clock
    $fatal(1, "%m: ClockW must be 4 to 32");
  end
  // A packet is let in if there is room for each of its PRs alone, and for what may be kept before
  // it is known that it was.
  if (Cfg.HoldBeats < 256 || Cfg.HoldBeats != 2 ** $clog2(Cfg.HoldBeats) ||
      Cfg.HoldBeats < Cfg.MostKept + KeptUnseen) begin : gen_hold
    $fatal(1, "%m: HoldBeats must be a power of two, 256 or more, and hold the longest packet");
  end
  if (Cfg.IsSwitch) begin : gen_switch
    if (Cfg.ClassBeats != 2 ** $clog2(Cfg.ClassBeats) || Cfg.Headroom < 192 ||
        Cfg.ClassBeats < 2 * Cfg.Headroom) begin : gen_classes
      $fatal(1, "%m: Headroom must be 192 or more, and ClassBeats a power of two, twice as many");
    end
    if (Cfg.NumPorts < 1 || Cfg.NumPorts > 64 || Cfg.NumPipes < 1 || Cfg.NumPipes > 16 ||
        Cfg.NumPorts % Cfg.NumPipes != 0) begin : gen_ports
      $fatal(1, "%m: NumPorts must be 1 to 64 and a multiple of NumPipes, which is 1 to 16");
    end
    if (Cfg.CacheSets < 2 || Cfg.CacheSets > 4096 ||
        Cfg.CacheSets != 2 ** $clog2(Cfg.CacheSets)) begin : gen_sets
      $fatal(1, "%m: CacheSets must be a power of two, 2 to 4096");
    end
    if (Cfg.IndexBits < 32 || Cfg.IndexBits > 64) begin : gen_index
      $fatal(1, "%m: IndexBits must be 32 to 64");
    end
  end else begin : gen_nic
    if (Cfg.NumUnits < 1 || Cfg.NumUnits > 64) begin : gen_units
      $fatal(1, "%m: NumUnits must be 1 to 64");
    end
    if (Cfg.IndexBits < 16 || Cfg.IndexBits > 64) begin : gen_index
      $fatal(1, "%m: IndexBits must be 16 to 64");
    end
    if (Cfg.Pending < 8 || Cfg.Pending > 256 || Cfg.Pending != 2 ** $clog2(Cfg.Pending))
    begin : gen_pending
      $fatal(1, "%m: Pending must be a power of two, 8 to 256");
    end
    if (Cfg.HostBeats < 8 || Cfg.HostBeats != 2 ** $clog2(Cfg.HostBeats) || Cfg.UnitLines < 8 ||
        Cfg.UnitLines != 2 ** $clog2(Cfg.UnitLines) || Cfg.UnitWrites < 8 ||
        Cfg.UnitWrites != 2 ** $clog2(Cfg.UnitWrites)) begin : gen_host
      $fatal(1, "%m: HostBeats, UnitLines and UnitWrites must be powers of two, 8 or more");
    end
    if (Cfg.MergeSlots != 0 &&
        (Cfg.MergeSlots < 8 || Cfg.MergeSlots > 4096 ||
         Cfg.MergeSlots != 2 ** $clog2(Cfg.MergeSlots))) begin : gen_merge
      $fatal(1, "%m: MergeSlots must be 0 or a power of two, 8 to 4096");
    end
    if (Cfg.ReadQueue < 8 || Cfg.ReadQueue != 2 ** $clog2(Cfg.ReadQueue)) begin : gen_reads
      $fatal(1, "%m: ReadQueue must be a power of two, 8 or more");
    end
  end

endmodule
