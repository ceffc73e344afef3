// Sizes of a gather device as one value, made once at its top from the top's parameters.
package gather_cfg_pkg;

  /// Sizes of a switch or a network interface, and what follows from them. What a device does not
  /// have is 0.
  typedef struct packed {
    bit          IsSwitch;
    // Nodes of the network, 2 to 1024; nodes are 0 to NumNodes - 1.
    int unsigned NumNodes;
    // Ports that frames leave by, 1 to 64.
    int unsigned NumPorts;
    // Most bytes of an IP packet, 1108 to 2369.
    int unsigned Mtu;
    // Concatenation: virtual queues, of VirtualRows rows of 128 bytes; entries of the expiry queue;
    // bits of its clock.
    bit          Virtual;
    int unsigned VirtualRows;
    int unsigned ExpiryDepth;
    int unsigned ClockW;
    // Bits of an index.
    int unsigned IndexBits;
    // Beats of each class that wait to leave, of each port in each pipe.
    int unsigned HoldBeats;
    // A switch: middle pipes, and sets of the property cache of each; beats of each class that wait
    // at a port for a pipe, and those of them that may come when the class was paused.
    int unsigned NumPipes;
    int unsigned CacheSets;
    int unsigned ClassBeats;
    int unsigned Headroom;
    // A network interface: RIG units, requests that each may have under way, and reads of other
    // nodes that may wait; beats that host memory may owe, reads and writes apart; of these, lines
    // of a unit's list, and its writes.
    int unsigned NumUnits;
    int unsigned Pending;
    int unsigned ReadQueue;
    int unsigned HostBeats;
    int unsigned UnitLines;
    int unsigned UnitWrites;
    // Properties under way that units may share a read of; 0: none.
    int unsigned MergeSlots;
    // What follows: bits of a node and of a port, bytes of the longest frame (some may follow the
    // packet), beats of it, and most beats that are kept for a packet's PRs: reads, two for each.
    int unsigned NodeW;
    int unsigned PortW;
    int unsigned MaxFrameBytes;
    int unsigned MaxFrameBeats;
    int unsigned MostKept;
  } cfg_t;

  /// What both devices have.
  function automatic cfg_t common_cfg(int unsigned nodes, int unsigned ports, int unsigned mtu,
                                      bit is_virtual, int unsigned virtual_rows,
                                      int unsigned expiry_depth, int unsigned clock_w,
                                      int unsigned index_bits, int unsigned hold_beats);
    common_cfg               = '0;
    common_cfg.HoldBeats     = hold_beats;
    common_cfg.NumNodes      = nodes;
    common_cfg.NumPorts      = ports;
    common_cfg.Mtu           = mtu;
    common_cfg.Virtual       = is_virtual;
    common_cfg.VirtualRows   = virtual_rows;
    common_cfg.ExpiryDepth   = expiry_depth;
    common_cfg.ClockW        = clock_w;
    common_cfg.IndexBits     = index_bits;
    common_cfg.NodeW         = $clog2(nodes);
    common_cfg.PortW         = (ports > 1) ? $clog2(ports) : 1;
    common_cfg.MaxFrameBytes = mtu + 36;
    common_cfg.MaxFrameBeats = (mtu + 36 + 63) / 64;
    // A receiver counts 127 PRs at most (gather_accept).
    common_cfg.MostKept      = (mtu + 36 - 80 >= 127 * 18) ? 2 * 127 : 2 * ((mtu + 36 - 80) / 18);
  endfunction

  /// A switch.
  function automatic cfg_t switch_cfg(int unsigned ports, int unsigned pipes, int unsigned nodes,
                                      int unsigned mtu, bit is_virtual, int unsigned virtual_rows,
                                      int unsigned expiry_depth, int unsigned clock_w,
                                      int unsigned cache_sets, int unsigned index_bits,
                                      int unsigned hold_beats, int unsigned class_beats,
                                      int unsigned headroom);
    switch_cfg            = common_cfg(nodes, ports, mtu, is_virtual, virtual_rows, expiry_depth,
                                       clock_w, index_bits, hold_beats);
    switch_cfg.IsSwitch   = 1'b1;
    switch_cfg.NumPipes   = pipes;
    switch_cfg.CacheSets  = cache_sets;
    switch_cfg.ClassBeats = class_beats;
    switch_cfg.Headroom   = headroom;
  endfunction

  /// A network interface.
  function automatic cfg_t nic_cfg(int unsigned nodes, int unsigned rigs, int unsigned mtu,
                                   bit is_virtual, int unsigned virtual_rows,
                                   int unsigned expiry_depth, int unsigned clock_w,
                                   int unsigned index_bits, int unsigned pending,
                                   int unsigned read_queue, int unsigned hold_beats,
                                   int unsigned host_beats, int unsigned unit_lines,
                                   int unsigned unit_writes, int unsigned merge_slots);
    nic_cfg            = common_cfg(nodes, 1, mtu, is_virtual, virtual_rows, expiry_depth, clock_w,
                                    index_bits, hold_beats);
    nic_cfg.NumUnits   = rigs;
    nic_cfg.Pending    = pending;
    nic_cfg.ReadQueue  = read_queue;
    nic_cfg.HostBeats  = host_beats;
    nic_cfg.UnitLines  = unit_lines;
    nic_cfg.UnitWrites = unit_writes;
    nic_cfg.MergeSlots = merge_slots;
  endfunction

endpackage
