#include "formal/protocol/rules.h"

const char *const free_names[] = {"any-packet", "own-bit", "first-completion", "lazy", NULL};
const char *const tag_names[] = {"none", "epoch", "full", NULL};
const char *const clt_names[] = {"ideal", "single", "overwrite", "monotone", "base", NULL};
const char *const reemit_names[] = {"own", "all", "merged", NULL};
const char *const emit_names[] = {"together", "one-by-one", NULL};
const char *const place_names[] = {"own", "shared", "unguarded", NULL};
const char *const timeout_names[] = {"idle", "quiet", "any", NULL};

static bool power_of_two(unsigned n) { return n != 0 && (n & (n - 1)) == 0; }

const char *rules_fault(const struct rules *r) {
  if (r->hosts < 2 || r->hosts > HOSTS_MOST) return "hosts: 2 to 4";
  if (!power_of_two(r->window) || 2 * r->window > HISTORY_MOST) return "window: 1, 2 or 4";
  if (r->msglen == 0 || 2 * r->window * r->msglen > COLUMNS_MOST)
    return "message length: 1 or more, at most 16 slots (2 x window x length)";
  if (r->messages == 0 || r->messages * r->msglen > PACKETS_MOST) return "messages: 1 or more, at most 24 packets";
  if (r->fifo == 0 || r->fifo > FIFO_MOST) return "fifo: 1 to 3";
  if (r->host_window == 0) return "host window: 1 or more";
  if (r->place != PLACE_OWN && (r->two_level || r->tag != TAG_FULL || r->emit != EMIT_ONE_BY_ONE))
    return "places that pairs share: one device, full tags, results leave one by one";
  if (r->two_level && (r->hosts != 2 || r->msglen != 1 || r->clt != CLT_IDEAL || r->tag != TAG_FULL)) {
    return "two levels: two hosts, messages of one packet, full tags, ideal connection table";
  }
  if (r->two_level && (r->free != FREE_COMPLETION || r->emit != EMIT_TOGETHER))
    return "two levels: results leave together, slots are freed by them";
  return NULL;
}
