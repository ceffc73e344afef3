#include "host/coll/start.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/coll/aggregator.h"
#include "host/coll/nodes.h"
#include "host/coll/numbers.h"
#include "host/coll/ring.h"
#include "wire/bytes.h"
#include "wire/roce.h"

/// What a device has room for, if nobody says more: slots of so many bytes, so many a message.
enum { SLOT_BYTES = 1024, MOST_PACKETS = 170 };
enum { POLL_TRAILER = 4, MEASURED = 3, LONG_US = 20000 };

static bool device_may_sum(const struct weir_coll_config *k) {
  return k->backends != 0 ? (k->backends & WEIR_COLL_AGGREGATOR) != 0 : k->way != WEIR_COLL_HOSTS;
}

int start_check(const struct weir_coll_config *k, char *error, size_t size) {
  const bool marks_seen = k->unmarked || k->verb != WEIR_COLL_WRITE || !device_may_sum(k);
  const struct {
    bool sound;
    const char *otherwise;
  } rules[] = {
      {k->rank < k->workers, "rank is not below workers"},
      {k->root != NULL || k->all_gather != NULL, "neither root nor all_gather is set"},
      {k->secret != NULL || k->secret_bytes == 0, "secret_bytes is set, and secret is not"},
      {k->ring + k->rings - 1 <= UINT16_MAX, "the last of the rings is above 65535"},
      {(k->backends & WEIR_COLL_TREE) == 0 || k->tree != NULL, "backends has a tree, and tree is not set"},
      {marks_seen, "with WEIR_COLL_WRITE no mark can be seen: set unmarked, or another verb"},
  };
  int code = numbers_check(numbers_coll, k, error, size);
  for (size_t i = 0; code == 0 && i < sizeof rules / sizeof *rules; i++) {
    if (rules[i].sound) continue;
    snprintf(error, size, "no sound configuration: %s", rules[i].otherwise);
    code = -EINVAL;
  }
  return code;
}

/// Meets the other hosts. What they must have alike; how long each waits is its own affair.
static int meet(struct weir_coll *c) {
  const struct weir_coll_config *k = &c->config;
  struct greeting_self self = {
      .rank = k->rank, .workers = k->workers, .job = k->job, .secret = k->secret, .secret_bytes = k->secret_bytes};
  const struct greeting_field fields[] = {{"the number of hosts", k->workers},
                                          {"RingID", k->ring},
                                          {"the number of rings", k->rings},
                                          {"the window", k->window},
                                          {"packets of a message", k->msglen},
                                          {"the path MTU", k->mtu},
                                          {"the operation of RDMA (0 write, 1 write-imm, 2 send)", k->verb},
                                          {"who reduces (0 auto, 1 device, 2 hosts)", k->way},
                                          {"the set of backends (1 aggregator, 2 tree, 4 ring)", k->backends},
                                          {"taking results without marks", k->unmarked}};
  _Static_assert(sizeof fields / sizeof *fields <= GREETING_FIELDS, "room for all");
  memcpy(self.fields, fields, sizeof fields);
  self.count = sizeof fields / sizeof *fields;
  c->hosts.traffic_class = k->control_traffic_class;
  c->hosts.priority = k->control_service_level;
  c->hosts.gather = k->all_gather;
  c->hosts.context = k->all_gather_context;
  return state_note(c, bootstrap_open(&c->hosts, &self, k->root, k->timeout_ms), c->hosts.why, "");
}

// --- the path ---

static unsigned lesser(unsigned a, unsigned b) { return a < b ? a : b; }

/// Path MTU and packets of a message, where the program leaves them open: what the ports of all hosts carry.
static int find_path(struct weir_coll *c) {
  struct weir_coll_config *k = &c->config;
  uint8_t mine[8], all[BOOTSTRAP_MOST * 8];
  char text[64];
  put_be32(mine, c->rdma.config.mtu);
  put_be32(mine + 4, lesser((unsigned)c->rdma.port_message, INT_MAX));
  int code = 0;
  if (k->mtu == 0 || k->msglen == 0) {
    code = state_note(c, bootstrap_gather(&c->hosts, mine, sizeof mine, all), c->hosts.why, "");
    if (code != 0) return code;
    unsigned mtu = get_be32(all), message = get_be32(all + 4);
    for (unsigned r = 1; r < k->workers; r++) {
      mtu = lesser(mtu, get_be32(all + 8 * r));
      message = lesser(message, get_be32(all + 8 * r + 4));
    }
    if (k->mtu == 0) k->mtu = device_may_sum(k) ? lesser(mtu, SLOT_BYTES) : mtu;
    if (k->msglen == 0) k->msglen = lesser(MOST_PACKETS, lesser(message, MOST_PACKETS * SLOT_BYTES) / k->mtu);
    c->rdma.config.mtu = k->mtu;
    // Of a port that takes less than a packet nothing can be made.
    if (k->mtu < 256 || k->msglen == 0)
      return state_note(c, -ENODEV, "a host's port carries no path MTU of 256, or no message of one packet", "");
  }
  snprintf(text, sizeof text, "path MTU %u, messages of %u packets", k->mtu, k->msglen);
  state_say(c, text, "");
  return 0;
}

// --- backends ---

static struct engine_config engine_of(const struct weir_coll_config *k) {
  return (struct engine_config){
      .shape = {.mtu = k->mtu, .msglen = k->msglen, .trailer = k->verb == WEIR_COLL_WRITE ? POLL_TRAILER : 0},
      .ring = k->ring,
      .rank = (uint8_t)k->rank,
      .workers = (uint16_t)k->workers,
      .marks = !k->unmarked,
      .window = k->window,
      .timeout_ns = k->timeout_ms * UINT64_C(1000000),
  };
}

static struct verbs_config verbs_of(const struct weir_coll *c) {
  const struct weir_coll_config *k = &c->config;
  return (struct verbs_config){
      .rdma = &c->rdma,
      .operation = (enum verbs_operation)k->verb,
      .slots = 2 * k->window,
      .slot_bytes = (size_t)k->mtu * k->msglen,
      .timeout = (uint8_t)k->qp_timeout,
      .retries = (uint8_t)k->retries,
  };
}

static int add_aggregator(struct weir_coll *c, bool *found) {
  const struct aggregator_config a = {.engine = engine_of(&c->config), .verbs = verbs_of(c), .rings = c->config.rings};
  struct aggregator *made;
  char error[STATE_WHY];
  const int code = state_note(c, aggregator_open(&a, &c->hosts, &made, found, error, sizeof error), error, "");
  if (made != NULL) c->backends[c->choice.count++] = aggregator_backend(made);
  return code;
}

static int add_ring(struct weir_coll *c) {
  const struct engine_config e = engine_of(&c->config);
  const struct verbs_config v = verbs_of(c);
  struct ring *made;
  char error[STATE_WHY];
  const int code = state_note(c, ring_open(&e, &v, &c->hosts, &made, error, sizeof error), error, "");
  if (made != NULL) c->backends[c->choice.count++] = ring_backend(made);
  return code;
}

static int add_tree(struct weir_coll *c) {
  struct nodes *made = nodes_open(c->config.tree);
  if (made == NULL) return state_note(c, -ENOMEM, "out of memory", "");
  c->backends[c->choice.count++] = nodes_backend(made);
  return 0;
}

static void choose(struct weir_coll *c, const char *text) {
  snprintf(c->chosen, sizeof c->chosen, "%s", text);
  state_say(c, "", c->chosen);
}

// --- measuring ---

/// One all-reduce by a backend: microseconds, or a negative errno.
static int64_t time_one(struct weir_coll *c, const struct backend *b, const struct backend_order *order) {
  struct backend_ticket ticket;
  const uint64_t start = clock_monotonic_ns();
  int code = state_note(c, b->start(b->self, order, start, &ticket), "an operation cannot be begun", "");
  while (code == 0 && !b->done(b->self, &ticket)) code = state_progress(c);
  return code != 0 ? code : (int64_t)((clock_monotonic_ns() - start) / 1000);
}

/// The time of one all-reduce on the slowest host, the least of `times` of them, in `*slowest`. 0, or the failure.
static int time_some(struct weir_coll *c, const struct backend *b, const struct backend_order *order, unsigned times,
                     uint32_t *slowest) {
  uint8_t mine[4], all[BOOTSTRAP_MOST * 4];
  int64_t best = INT_MAX, us = 0;
  for (unsigned i = 0; us >= 0 && i < times; i++) {
    us = time_one(c, b, order);
    if (us >= 0 && us < best) best = us;
  }
  if (us < 0) return (int)us;
  put_le32(mine, (uint32_t)best);
  const int code = state_note(c, bootstrap_gather(&c->hosts, mine, sizeof mine, all), c->hosts.why, "");
  *slowest = 0;
  for (unsigned r = 0; code == 0 && r < c->config.workers; r++)
    if (get_le32(all + 4 * r) > *slowest) *slowest = get_le32(all + 4 * r);
  return code;
}

/// All hosts agree, as what counts is the slowest of them. The first time warms up; if it is long it is enough, and counts.
static int measure(struct weir_coll *c) {
  uint8_t *tensor = calloc(1, choice_sizes[CHOICE_SIZES - 1]);
  int code = tensor != NULL ? 0 : state_note(c, -ENOMEM, "out of memory", "");
  for (unsigned s = 0; code == 0 && s < CHOICE_SIZES; s++) {
    for (unsigned b = 0; code == 0 && b < c->choice.count; b++) {
      const struct backend_order order = {.send = tensor, .receive = tensor, .bytes = choice_sizes[s], .kind = INA_FP32};
      uint32_t *us = &c->choice.us[s][b];
      code = time_some(c, &c->backends[b], &order, 1, us);
      if (code == 0 && *us < LONG_US) code = time_some(c, &c->backends[b], &order, MEASURED, us);
    }
  }
  free(tensor);
  if (code != 0) return code;
  choice_make(&c->choice);
  for (unsigned s = 0; s < CHOICE_SIZES; s++) {
    char text[CHOICE_TEXT];
    choice_text(&c->choice, c->backends, choice_sizes[s], text);
    state_say(c, "measured: ", text);
  }
  return 0;
}

// --- all of it ---

/// All backends of a set, which must be there.
static int start_set(struct weir_coll *c, unsigned set) {
  bool found = true;
  char text[STATE_WHY] = "";
  int code = 0;
  if ((set & WEIR_COLL_AGGREGATOR) != 0) code = add_aggregator(c, &found);
  if (code == 0 && !found) code = state_note(c, -ENODEV, "no device answers for this ring", "");
  if (code == 0 && (set & WEIR_COLL_TREE) != 0) code = add_tree(c);
  if (code == 0 && (set & WEIR_COLL_RING) != 0) code = add_ring(c);
  if (code == 0 && c->choice.count > 1) code = measure(c);
  if (code != 0) return code;
  for (unsigned b = 0; b < c->choice.count; b++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", b > 0 ? ", " : "", c->backends[b].name);
  snprintf(text + strlen(text), sizeof text - strlen(text), ": %s",
           c->choice.count > 1 ? "by size, as measured" : "so asked for");
  choose(c, text);
  return 0;
}

/// By `way`: a device; or the hosts, if that is asked for, or allowed and no device answers.
static int start_way(struct weir_coll *c) {
  const enum weir_coll_way way = c->config.way;
  bool found = false;
  int code = 0;
  if (way != WEIR_COLL_HOSTS) {
    code = add_aggregator(c, &found);
    if (found) choose(c, "the device: it summed the first message");
    if (code != 0 || found) return code;
    state_settle(c);
    if (way == WEIR_COLL_DEVICE) return state_note(c, -ENODEV, "no device answers for this ring", "");
    code = weir_coll_barrier(c);
    if (code != 0) return code;
    c->backends[0].close(c->backends[0].self);
    c->choice.count = 0;
  }
  choose(c, way == WEIR_COLL_HOSTS ? "the hosts: so asked for"
                                   : "the hosts: the first message passed as it was sent, and AUTO allows it");
  return add_ring(c);
}

int start_all(struct weir_coll *c) {
  const struct weir_coll_config *k = &c->config;
  const struct rdma_config r = {.device = k->device,
                                .address = k->address,
                                .gid_index = k->gid_index,
                                .port = k->port,
                                .mtu = k->mtu,
                                .message = (size_t)k->mtu * k->msglen,
                                .traffic_class = (uint8_t)k->traffic_class,
                                .service_level = (uint8_t)k->service_level,
                                .control_traffic_class =
                                    (uint8_t)(k->control_traffic_class >= 0 ? k->control_traffic_class : (int)k->traffic_class),
                                .control_service_level =
                                    (uint8_t)(k->control_service_level >= 0 ? k->control_service_level : (int)k->service_level)};
  char error[STATE_WHY];
  int code = meet(c);
  // A tree has opened its own.
  if (code == 0 && k->backends != WEIR_COLL_TREE)
    code = rdma_open(&c->rdma, &r, error, sizeof error) ? find_path(c) : state_note(c, -ENODEV, error, "");
  if (code != 0) return code;
  return k->backends != 0 ? start_set(c, k->backends) : start_way(c);
}
