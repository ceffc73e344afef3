/// What a run over several racks says of its cables and devices, beside what any run in closed loop says (sim/ring/ring_report.h).
#ifndef WEIR_SIM_TREE_REPORT_H
#define WEIR_SIM_TREE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/engine/tree/racks.h"

struct tree_report {
  const struct topology *topology;
  const struct racks *racks;
  unsigned rings;
  unsigned turns;        ///< jobs one after the other in each
  uint64_t sent_bytes;   ///< that a host's requesters would send if nothing was sent twice: M of NetReduce 3.3. 0: not known
  double time_us;        ///< until the latest result message was whole
  double plain_us;       ///< the same of a ring all-reduce without devices; 0: not measured
};

void tree_report_print(FILE *file, const struct tree_report *r);
/// Adds members to `o`.
void tree_report_json(json_t *o, const struct tree_report *r);

#endif
