#include "drive/tree/node_observed.h"

#include <stddef.h>

#include "drive/bits.h"
#include "structs/llt_pkg.h"

static struct tree_twin_ending ending_of(const void *obs) {
  const size_t at = node_observed_t__low__AT + low_observed_t__ending__AT, why = at + low_end_t__why__AT;
  return (struct tree_twin_ending){.low = bits_get(obs, at + FIELD(low_end_t, low)),
                                   .verdict = (enum tree_verdict)bits_get(obs, why + FIELD(low_blame_t, verdict)),
                                   .node = (uint16_t)bits_get(obs, why + FIELD(low_blame_t, node)),
                                   .port = (uint8_t)bits_get(obs, why + FIELD(low_blame_t, port)),
                                   .except = bits_get(obs, at + FIELD(low_end_t, except))};
}

bool node_observed_read(const void *obs, struct node_observed *event) {
  const size_t low = node_observed_t__low__AT;
  *event = (struct node_observed){.asked = bits_get(obs, FIELD(node_observed_t, asked)),
                                  .counted = bits_get(obs, FIELD(node_observed_t, counted)),
                                  .port = (unsigned)bits_get(obs, low + FIELD(low_observed_t, port)),
                                  .group = (unsigned)bits_get(obs, low + FIELD(low_observed_t, group)),
                                  .good = bits_get(obs, low + FIELD(low_observed_t, change_good))};
  if (bits_get(obs, low + FIELD(low_observed_t, message)))
    event->what = NODE_MESSAGE;
  else if (bits_get(obs, low + FIELD(low_observed_t, cast)))
    event->what = NODE_CAST;
  else if (bits_get(obs, low + FIELD(low_observed_t, expired)))
    event->what = NODE_EXPIRED;
  else if (bits_get(obs, low + FIELD(low_observed_t, ended)))
    event->what = NODE_ENDED;
  else if (bits_get(obs, low + FIELD(low_observed_t, changed)))
    event->what = NODE_CHANGED;
  if (event->what == NODE_ENDED) event->ending = ending_of(obs);
  return event->what != NODE_NOTHING || event->asked || event->counted;
}

void node_observed_tell(struct tree_twin *twin, const struct node_observed *event) {
  if (event->asked) tree_twin_asked(twin);
  if (event->counted) tree_twin_counted(twin);
  switch (event->what) {
    case NODE_MESSAGE: tree_twin_message(twin, event->port); break;
    case NODE_CAST: tree_twin_cast(twin, event->group); break;
    case NODE_EXPIRED: tree_twin_expired(twin, event->group); break;
    case NODE_ENDED: tree_twin_ended(twin, &event->ending); break;
    case NODE_CHANGED: tree_twin_changed(twin, event->good); break;
    default: break;
  }
}
