/// A whole capture in memory, each frame with the device port it goes in by.
#ifndef WEIR_SIM_TRACE_H
#define WEIR_SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/capture.h"

struct trace_frame {
  const uint8_t *data;
  size_t len;        ///< bytes
  unsigned port;     ///< device port
  uint64_t ns;       ///< time stamp, nanoseconds since the epoch
  uint64_t number;   ///< in the file, 1 for the first, as Wireshark counts
};

/// Frames in the order of the file. Owned by the caller, freed with trace_free.
struct trace {
  struct trace_frame *frames;
  size_t count;
  unsigned ports;      ///< highest port + 1 of the frames in `frames`
  unsigned cables;     ///< ports that have a host, which may be silent: `ports`, or the interfaces of the file if those are more
  size_t cut;          ///< frames left out because the snap length cut them
  bool split_by_mac;   ///< one interface in the file: a port for each source MAC, in order of appearance
  char *path;          ///< of the file, for messages; NULL if the trace is from none
  uint8_t *bytes;      ///< all frames' bytes, one behind the other; frames point into it
};

/// Reads at most `limit` frames (0: all; frames left out count too) of a capture. A file with one interface only is split into
/// ports by source MAC (frames without a whole Ethernet header go to port 0). With a limit, what counts are the interfaces
/// described up to the last frame read. Returns 0, or -1 and one line in `error`, and nothing to free.
int trace_load(const char *path, size_t limit, struct trace *trace, struct file_error *error);
void trace_free(struct trace *trace);

#endif
