#include "host/coll/state.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"

// A wait is told to the others when it has taken so long; who has told them gives them so much more to do it, too.
enum { HEED_MS = 10, DOUBT_MS = 1000, ANSWER_MS = 250 };

void state_say(const struct weir_coll *c, const char *what, const char *text) {
  if (c->debug) fprintf(stderr, "weir: ring %u rank %u: %s%s\n", c->config.ring, c->config.rank, what, text);
}

int state_note(struct weir_coll *c, int code, const char *what, const char *detail) {
  if (code == 0 || c->code != 0) return code;
  snprintf(c->why, sizeof c->why, "%s%s%s", what, *detail ? ": " : "", detail);
  state_say(c, "failed: ", c->why);
  return c->code = code;
}

/// How long a wait is no reason for doubt.
static uint64_t doubt_ms(const struct weir_coll *c) {
  return c->config.timeout_ms / 4 < DOUBT_MS ? c->config.timeout_ms / 4 : DOUBT_MS;
}

/// A device answers only if all hosts ask for the same, and tells none of them what the others ask for. So they tell each other when there is no answer,
/// each wait once. True if there is one, of `least_ms` at least.
static bool tell_wait(struct weir_coll *c, const struct backend *backend, uint64_t least_ms) {
  struct backend_wait wait;
  if (backend->waits == NULL || !backend->waits(backend->self, &wait)) return false;
  if (clock_monotonic_ns() - wait.since_ns < least_ms * UINT64_C(1000000)) return false;
  if (c->noted != wait.number + 1) {
    c->noted = wait.number + 1;
    c->noted_ms = clock_monotonic_ms();
    bootstrap_wait(&c->hosts, wait.number, wait.text);
  }
  return true;
}

/// A host that has failed or gone, or does something else, is heard of sooner than its silence.
static int heed(struct weir_coll *c) {
  c->heed_ms = clock_monotonic_ms() + HEED_MS;
  return state_note(c, bootstrap_heed(&c->hosts), c->hosts.why, "");
}

/// A backend has failed. Queue pairs that break, and answers that do not come, have their cause at another host, if the hosts know of one; and each has a
/// moment to say what it waits for, or to hear who is gone.
static int fail(struct weir_coll *c, const struct backend *backend, int code) {
  if (code == -EHOSTUNREACH || code == -ETIMEDOUT) {
    const bool waits = tell_wait(c, backend, 0);
    const uint64_t now_ms = clock_monotonic_ms();
    if (code == -EHOSTUNREACH && c->broke_ms == 0) c->broke_ms = now_ms;
    if (heed(c) != 0) return c->code;
    const bool asks = waits && now_ms < c->noted_ms + doubt_ms(c) + ANSWER_MS;
    const bool listens = c->broke_ms != 0 && now_ms < c->broke_ms + ANSWER_MS;
    if (c->hosts.gather == NULL && (asks || listens)) return 0;
  }
  const char *detail, *what = backend->why(backend->self, &detail);
  return state_note(c, code, what, detail);
}

int state_progress(struct weir_coll *c) {
  for (unsigned b = 0; b < c->choice.count; b++) {
    const int code = c->backends[b].progress(c->backends[b].self, clock_monotonic_ns());
    if (code != 0) return fail(c, &c->backends[b], code);
  }
  if (clock_monotonic_ms() < c->heed_ms) return 0;
  for (unsigned b = 0; b < c->choice.count; b++) tell_wait(c, &c->backends[b], doubt_ms(c));
  return heed(c);
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
