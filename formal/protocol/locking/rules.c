#include "formal/protocol/locking/rules.h"

#include <string.h>

const char *const shape_names[] = {"pairs", "alone", "local", NULL};
const char *const failed_names[] = {"up", "at-once", NULL};
const char *const give_back_names[] = {"request", "any", "nothing", NULL};
const char *const grant_names[] = {"top", "first", NULL};
const char *const sequence_names[] = {"matched", "ignored", NULL};
const char *const teardown_names[] = {"told", "silent", "finder", NULL};
const char *const count_names[] = {"each", "top", NULL};
const char *const lapse_names[] = {"ends", "gives", NULL};
const char *const parent_names[] = {"ends", "alone", NULL};
const char *const fault_names[] = {"all", "others", NULL};
const char *const patience_names[] = {"late", "any", NULL};

const char *locking_fault(const struct locking_rules *r) {
  size_t longest = 0;
  for (unsigned g = 0; g < LOCKING_GROUPS; g++) {
    const size_t steps = strlen(r->script[g]);
    if (steps > SCRIPT_MOST || strspn(r->script[g], "123lsub") != steps) return "script: at most 6 of the letters 1 2 3 l s u b";
    if (steps > longest) longest = steps;
  }
  if (longest == 0) return "script: of one group at least";
  if (longest + r->retries > SEQUENCE_MOST) return "retries: at most 7 operations with them";
  if (r->packets == 0 || r->packets > 2) return "packets: 1 or 2";
  if ((r->cut || r->connection_fails) && r->shape == SHAPE_ALONE) return "one node alone: no cable between nodes";
  return NULL;
}
