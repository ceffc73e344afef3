/// Rings as a user names them in a JSON file (weir replay --rings):
/// [{"ring": 1, "workers": 4, "msglen": 24, "window": 2,
///   "connections": [{"src": "10.0.0.1", "dst": "10.0.0.2", "qpn": 18, "rank": 0}]}]
/// A connection in a VLAN also has "vlan", its VID.
/// "connections" may be left out: then the device learns them. With it, the device knows these connections and no others.
#ifndef WEIR_SIM_RINGS_H
#define WEIR_SIM_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/capture.h"
#include "wire/roce.h"

struct named_conn {
  struct conn_key key;
  unsigned rank;
};

struct named_ring {
  uint16_t id;
  unsigned workers;   ///< ranks, 1 to 256
  unsigned msglen;    ///< packets of the longest message, 1 to 65535
  unsigned window;    ///< messages a host keeps outstanding, 1 to 32768
  bool learn;         ///< no "connections" given
  struct named_conn *conns;
  size_t conn_count;
};

struct rings {
  struct named_ring *list;
  size_t count;
};

/// Reads a file of rings. Keys not known, missing or given twice, values of another type or out of range, a ring, connection or
/// rank of a ring named twice: all are errors. Returns 0, or -1 and one line in `error`, and nothing to free.
int rings_load(const char *path, struct rings *out, struct file_error *error);
void rings_free(struct rings *rings);

#endif
