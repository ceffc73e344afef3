#include "host/coll/wiring.h"

#include <errno.h>
#include <stdio.h>

struct verbs *wiring_connect(struct bootstrap *hosts, const struct verbs_config *config, int *code, char *error, size_t size) {
  const unsigned rank = hosts->self.rank, workers = hosts->self.workers;
  uint8_t mine[VERBS_CARD], all[BOOTSTRAP_MOST * VERBS_CARD], here = 0, everywhere[BOOTSTRAP_MOST];
  struct verbs *v = verbs_open(config, error, size);
  *code = -ENODEV;
  if (v == NULL) return NULL;
  verbs_card(v, mine);
  *code = bootstrap_gather(hosts, mine, sizeof mine, all);
  if (*code == 0) {
    *code =
        verbs_connect(v, all + (rank + 1) % workers * VERBS_CARD, all + (rank + workers - 1) % workers * VERBS_CARD, error, size);
    // Nobody sends before all are connected.
    if (*code == 0) *code = bootstrap_gather(hosts, &here, 1, everywhere);
  }
  if (*code == 0) return v;
  if (hosts->code != 0) snprintf(error, size, "%s", hosts->why);
  verbs_close(v);
  return NULL;
}
