/// Which rings the device is set up for, where their slots lie, and which configuration holds all of it.
#ifndef WEIR_SIM_PLAN_H
#define WEIR_SIM_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "drive/config.h"
#include "sim/replay/survey.h"
#include "sim/engine/trace.h"
#include "wire/capture.h"

/// A connection that --rings names.
struct plan_conn {
  struct conn_key key;
  unsigned ring;   ///< index into plan.rings
  unsigned rank;
};

struct plan {
  const struct drive_config *config;
  struct drive_ring *rings;   ///< with `base` set; regions of 2 * window * stride slots do not overlap
  size_t ring_count;
  struct plan_conn *conns;   ///< registered before the first frame
  size_t conn_count;
  char *notes;   ///< lines about rings that are left alone or cannot complete, "" if none
};

/// What the user asked for.
struct plan_options {
  const char *config;       ///< NULL: the smallest configuration that fits
  const char *rings_file;   ///< JSON (NULL: the usable rings of the survey, learning)
  unsigned
      window;   ///< for rings found in the capture; messages a host keeps outstanding, 1 to 32768; the device has the next power of two
};

/// Finds a configuration with room for the capture's ports, for the rings and their connections, and for the longest tensor
/// that the survey saw in them. Returns 0, or -1 and one line in `error`, which says what is wrong with the rings file or the
/// options, or which parameters of which configuration to raise, and to what. The plan is freed with plan_free; on error there
/// is nothing to free.
int plan_make(const struct trace *trace, const struct survey *survey, const struct plan_options *options, struct plan *out,
              struct file_error *error);
/// The same with a table of configurations, smallest first, instead of those of the program; `out` points into it.
int plan_make_from(const struct drive_config *configs, size_t config_count, const struct trace *trace,
                   const struct survey *survey, const struct plan_options *options, struct plan *out, struct file_error *error);
void plan_free(struct plan *plan);

#endif
