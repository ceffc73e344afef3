#include "host/coll/state.h"

#include <stdio.h>

#include "base/clock.h"

enum { HEED_MS = 10 };

void state_say(const struct weir_coll *c, const char *what, const char *text) {
  if (c->debug) fprintf(stderr, "weir: ring %u rank %u: %s%s\n", c->config.ring, c->config.rank, what, text);
}

int state_note(struct weir_coll *c, int code, const char *what, const char *detail) {
  if (code == 0 || c->code != 0) return code;
  snprintf(c->why, sizeof c->why, "%s%s%s", what, *detail ? ": " : "", detail);
  state_say(c, "failed: ", c->why);
  return c->code = code;
}

int state_progress(struct weir_coll *c) {
  for (unsigned b = 0; b < c->choice.count; b++) {
    const struct backend *backend = &c->backends[b];
    const int code = backend->progress(backend->self, clock_monotonic_ns());
    if (code == 0) continue;
    // Queue pairs break because a host has failed or is gone: that is the cause, if the hosts know of one.
    if (code == -EHOSTUNREACH && bootstrap_heed(&c->hosts) != 0) return state_note(c, c->hosts.code, c->hosts.why, "");
    const char *detail, *what = backend->why(backend->self, &detail);
    return state_note(c, code, what, detail);
  }
  // A host that has failed or gone is heard of sooner than its silence.
  if (clock_monotonic_ms() < c->heed_ms) return 0;
  c->heed_ms = clock_monotonic_ms() + HEED_MS;
  return state_note(c, bootstrap_heed(&c->hosts), c->hosts.why, "");
}

static bool settled(const struct weir_coll *c) {
  for (unsigned b = 0; b < c->choice.count; b++)
    if (!c->backends[b].settled(c->backends[b].self)) return false;
  return true;
}

void state_settle(struct weir_coll *c) {
  const uint64_t deadline = clock_monotonic_ns() + c->config.timeout_ms * UINT64_C(1000000);
  while (!settled(c) && clock_monotonic_ns() < deadline)
    if (state_progress(c) != 0) return;
}
