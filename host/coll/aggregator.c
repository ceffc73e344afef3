#include "host/coll/aggregator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/coll/wiring.h"
#include "host/weir/coll.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { HEED_MS = 10 };

struct lane {
  struct verbs *verbs;
  struct engine engine;
};

struct aggregator {
  unsigned rings;
  struct lane lanes[BACKEND_LANES];
  uint64_t orders;   ///< begun
  unsigned failed;   ///< lane that did, first
  int code;
};

// --- the first message ---

/// Waits for one request of a lane, and heeds the others now and then. 0, or the failure and one line.
static int await(struct aggregator *a, struct lane *l, uint64_t number, struct bootstrap *hosts, char *error, size_t size) {
  struct engine *e = &l->engine;
  uint64_t heed_ms = clock_monotonic_ms() + HEED_MS;
  int code = 0;
  while (code == 0 && !engine_done(e, number, false)) {
    const uint64_t now_ms = clock_monotonic_ms();
    code = engine_progress(e, clock_monotonic_ns());
    if (code == 0 && now_ms >= heed_ms) {
      heed_ms = now_ms + HEED_MS;
      code = bootstrap_heed(hosts);
      if (code != 0) snprintf(error, size, "%s", hosts->why);
      if (code != 0) return code;
    }
    if (code == 0 && !engine_done(e, number, false) && hosts->deadline != 0 && now_ms >= hosts->deadline)
      code = failure_set(&e->failure, -ETIMEDOUT, "no progress: the first message had no answer when the time was over");
  }
  const char *detail = verbs_why(l->verbs);
  if (code != 0) a->failed = (unsigned)(l - a->lanes);
  // Somebody is there, since the queue pairs could be connected: the device drops what the ring has no room for.
  const char *dropped = code == -EHOSTUNREACH ? "the first message had no answer: " : "";
  if (code != 0) snprintf(error, size, "%s%s%s%s", dropped, e->failure.text, *detail ? ": " : "", detail);
  return code;
}

/// Reduces one number on a ring: if the answer is the number of hosts, a device has summed; if it is 1, the neighbour's own has come. All hosts must have
/// seen the same. 0 and `*found`, or a negative errno and one line.
static int try_lane(struct aggregator *a, struct lane *l, struct bootstrap *hosts, bool *found, char *error, size_t size) {
  uint8_t number[4], seen[BOOTSTRAP_MOST], mine;
  const struct engine_request r = {.send = number, .receive = number, .bytes = 4, .kind = INA_INT32};
  const unsigned workers = hosts->self.workers;
  uint64_t request;
  put_le32(number, 1);
  l->engine.trial = true;   // where no device is, nothing has a mark
  int code = engine_start(&l->engine, &r, clock_monotonic_ns(), &request);
  if (code == 0) code = await(a, l, request, hosts, error, size);
  if (code != 0) return code;
  mine = get_le32(number) == workers ? 1 : get_le32(number) == 1 ? 0 : 2;
  code = bootstrap_gather(hosts, &mine, 1, seen);
  if (code != 0) snprintf(error, size, "%s", hosts->why);
  for (unsigned r2 = 0; code == 0 && r2 < workers; r2++) {
    if (seen[r2] == mine && mine != 2) continue;
    snprintf(error, size, "what is between the hosts neither sums nor passes");
    code = -EPROTO;
  }
  *found = mine == 1;
  l->engine.trial = false;
  if (code == 0 && *found && l->engine.unmarked) {
    snprintf(error, size, "the device sums, and its results carry no mark: set its EPOCH, or take unmarked results");
    code = -EBADMSG;
  }
  return code;
}

/// Every ring of them, or none, is summed.
static int try_all(struct aggregator *a, struct bootstrap *hosts, bool *found, char *error, size_t size) {
  int code = 0;
  *found = true;
  for (unsigned i = 0; code == 0 && *found && i < a->rings; i++) code = try_lane(a, &a->lanes[i], hosts, found, error, size);
  return code;
}

int aggregator_open(const struct aggregator_config *config, struct bootstrap *hosts, struct aggregator **out, bool *found,
                    char *error, size_t size) {
  int code = 0;
  struct aggregator *a = *out = calloc(1, sizeof *a);
  snprintf(error, size, "out of memory");
  if (a == NULL) return -ENOMEM;
  a->rings = config->rings;
  for (unsigned i = 0; code == 0 && i < a->rings; i++) {
    struct lane *l = &a->lanes[i];
    l->verbs = wiring_connect(hosts, &config->verbs, &code, error, size);
    if (l->verbs == NULL) return code;
    struct engine_config e = config->engine;
    e.transport = verbs_transport(l->verbs);
    e.ring = (uint16_t)(config->engine.ring + i);
    code = engine_init(&l->engine, &e);
    if (code != 0) snprintf(error, size, "no such ring");
  }
  return code != 0 ? code : try_all(a, hosts, found, error, size);
}

void aggregator_close(struct aggregator *a) {
  if (a == NULL) return;
  for (unsigned i = 0; i < a->rings; i++) verbs_close(a->lanes[i].verbs);
  free(a);
}

// --- orders ---

/// Where lane `i` begins, of `lanes` that share `bytes`: pieces of whole words, as equal as can be.
static size_t share(size_t bytes, unsigned i, unsigned lanes) { return i == lanes ? bytes : bytes / lanes * i & ~(size_t)3; }

/// One ring after the other takes a small tensor; all share one that gives each more than a message.
static int start(void *self, const struct backend_order *order, uint64_t now_ns, struct backend_ticket *ticket) {
  struct aggregator *a = self;
  const unsigned alone = (unsigned)(a->orders % a->rings);
  const bool shared = order->bytes / a->rings > chunk_most(&a->lanes[0].engine.config.shape);
  int code = a->code;
  ticket->registered = order->memory != NULL;
  memset(ticket->numbers, 0, sizeof ticket->numbers);
  for (unsigned i = 0; code == 0 && i < a->rings; i++)
    if (a->lanes[i].engine.pending == ENGINE_REQUESTS && (shared || i == alone)) code = -EAGAIN;
  for (unsigned i = 0; code == 0 && i < a->rings; i++) {
    if (!shared && i != alone) continue;
    const size_t from = shared ? share(order->bytes, i, a->rings) : 0,
                 to = shared ? share(order->bytes, i + 1, a->rings) : order->bytes;
    const struct engine_request r = {.send = order->send + from,
                                     .receive = order->receive + from,
                                     .bytes = to - from,
                                     .kind = order->kind,
                                     .key = order->memory != NULL ? order->memory->key : 0,
                                     .registered = order->memory != NULL};
    code = engine_start(&a->lanes[i].engine, &r, now_ns, &ticket->numbers[i]);
  }
  if (code == 0) a->orders++;
  return code;
}

static bool done(const void *self, const struct backend_ticket *t) {
  const struct aggregator *a = self;
  for (unsigned i = 0; i < a->rings; i++)
    if (!engine_done(&a->lanes[i].engine, t->numbers[i], t->registered)) return false;
  return true;
}

static int progress(void *self, uint64_t now_ns) {
  struct aggregator *a = self;
  for (unsigned i = 0; a->code == 0 && i < a->rings; i++) {
    a->code = engine_progress(&a->lanes[i].engine, now_ns);
    if (a->code != 0) a->failed = i;
  }
  return a->code;
}

static bool settled(const void *self) {
  const struct aggregator *a = self;
  for (unsigned i = 0; i < a->rings; i++)
    if (a->lanes[i].engine.acknowledged < a->lanes[i].engine.sent) return false;
  return true;
}

/// Messages of a lane are counted alike on all hosts.
static bool waits(const void *self, struct backend_wait *wait) {
  const struct aggregator *a = self;
  bool any = false;
  for (unsigned i = 0; i < a->rings; i++) {
    struct backend_wait lane;
    if (!engine_waits(&a->lanes[i].engine, &lane.number, &lane.since_ns, lane.text, sizeof lane.text)) continue;
    lane.number = lane.number * BACKEND_LANES + i;
    if (!any || lane.since_ns < wait->since_ns) *wait = lane;
    any = true;
  }
  return any;
}

static const char *why(const void *self, const char **detail) {
  const struct aggregator *a = self;
  *detail = verbs_why(a->lanes[a->failed].verbs);
  return a->lanes[a->failed].engine.failure.text;
}

static void close_it(void *self) { aggregator_close(self); }

struct backend aggregator_backend(struct aggregator *a) {
  return (struct backend){.self = a,
                          .bit = WEIR_COLL_AGGREGATOR,
                          .name = "aggregator",
                          .natives = 1u << BACKEND_ALL_REDUCE,
                          .most_bytes = SIZE_MAX / 4,
                          .start = start,
                          .done = done,
                          .progress = progress,
                          .settled = settled,
                          .waits = waits,
                          .why = why,
                          .close = close_it};
}
