/// What an uplink reads of a frame: the flow it is of, its priority, its RoCEv2 sequence number. C twin of rtl/fabric/uplink_parse.sv.
#ifndef WEIR_MODEL_UPLINK_KEY_H
#define WEIR_MODEL_UPLINK_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/uplink/uplink_hash.h"

struct uplink_read {
  /// A frame that is neither IPv4 nor IPv6 has its MAC addresses in `src` and `dst`, and its EtherType in `dport`. IPv4 with options, and
  /// fragments, have no ports.
  struct uplink_key key;
  bool roce;          ///< UDP to port 4791
  uint8_t priority;   ///< PCP of its 802.1Q tag; without one, the upper three bits of the DSCP; 0 if it is no IP either
  uint8_t opcode;     ///< of BTH; if `roce`, as what follows
  uint32_t psn;
};

/// Reads the headers of a frame (Ethernet without FCS) of `len` bytes. Never fails: what is behind its end counts as zeros.
void uplink_read(const uint8_t *frame, size_t len, struct uplink_read *out);

#endif
