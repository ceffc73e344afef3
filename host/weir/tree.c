#include "host/weir/tree.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/coll/environment.h"
#include "host/coll/numbers.h"
#include "host/config.h"
#include "host/tree/give_up.h"
#include "host/tree/tree_engine.h"
#include "host/tree/tree_verbs.h"

// Versions before 1.2 ended before gid_index.
enum { WHY = 256, CONFIG_1 = offsetof(struct weir_tree_config, gid_index) };
#define PAUSE_NS UINT64_C(1000000)

struct weir_tree_memory {
  struct host_memory at;
};

struct weir_tree {
  struct weir_tree_config config;
  struct tree_verbs *verbs;
  struct tree_engine engine;
  bool joined;
  struct host_memory borrowed[2];   ///< registrations for the time of an operation: of what is sent, of what is received
  char why[WHY];
};

void weir_tree_config_init(struct weir_tree_config *config, size_t size) {
  const struct weir_tree_config values = {.size = size,
                                          .mtu = 1024,
                                          .timeout_ms = 10000,
                                          .qp_timeout = 17,
                                          .retries = 7,
                                          .lock = 1,
                                          .tries = 16,
                                          .gid_index = -1,
                                          .port = 1,
                                          .control_traffic_class = -1,
                                          .control_service_level = -1,
                                          .multicast = 0};
  memset(config, 0, size);
  memcpy(config, &values, size < sizeof values ? size : sizeof values);
}

static uint8_t control(int asked, unsigned of_data) { return (uint8_t)(asked >= 0 ? (unsigned)asked : of_data); }

int weir_tree_init(const struct weir_tree_config *given, struct weir_tree **out, char *error, size_t size) {
  struct weir_tree_config k, *config = &k;
  const char *why;
  weir_tree_config_init(&k, sizeof k);
  const int read = config_read(&k, sizeof k, CONFIG_1, given, &why);
  if (read != 0) snprintf(error, size, "%s", why);
  if (read != 0 || environment_read_tree(&k, error, size) != 0 || numbers_check(numbers_tree, &k, error, size) != 0)
    return -EINVAL;
  struct weir_tree *t = calloc(1, sizeof *t);
  snprintf(error, size, "out of memory");
  if (t == NULL) return -ENOMEM;
  t->config = *config;
  const struct tree_verbs_config v = {.rdma = {.device = config->device,
                                               .address = config->address,
                                               .gid_index = config->gid_index,
                                               .port = config->port,
                                               .mtu = config->mtu,
                                               .traffic_class = (uint8_t)config->traffic_class,
                                               .service_level = (uint8_t)config->service_level,
                                               .control_traffic_class =
                                                   control(config->control_traffic_class, config->traffic_class),
                                               .control_service_level =
                                                   control(config->control_service_level, config->service_level)},
                                      .casts = config->multicast == 1,
                                      .timeout = (uint8_t)config->qp_timeout,
                                      .retries = (uint8_t)config->retries};
  t->verbs = tree_verbs_open(&v, error, size);
  if (t->verbs == NULL) {
    free(t);
    return -ENODEV;
  }
  t->engine.answer.verdict = TREE_NO_TREE;   // as long as it is in no group
  *out = t;
  return 0;
}

static void give_back(struct weir_tree *t) {
  for (int i = 0; i < 2; i++) {
    if (t->borrowed[i].handle != NULL) memory_forget(&t->borrowed[i]);
    t->borrowed[i].handle = NULL;
  }
}

void tree_give_up(struct weir_tree *t) {
  if (t->joined) tree_engine_give_up(&t->engine);
}

/// Gives up what is under way, and waits until nothing is to be sent or acknowledged any more.
static void leave(struct weir_tree *t) {
  const uint64_t latest = clock_monotonic_ns() + t->config.timeout_ms * UINT64_C(1000000);
  tree_give_up(t);
  while (t->joined && !tree_engine_quiet(&t->engine) && clock_monotonic_ns() < latest)
    tree_engine_progress(&t->engine, clock_monotonic_ns());
  give_back(t);
  t->joined = false;
  t->engine.answer = (struct tree_header){.verdict = TREE_NO_TREE};
}

int weir_tree_group_destroy(struct weir_tree *t) {
  if (!t->joined) return -ENOTCONN;
  leave(t);
  *t->why = 0;
  return tree_verbs_renew(t->verbs, t->why, sizeof t->why);
}

void weir_tree_finalize(struct weir_tree *t) {
  leave(t);
  tree_verbs_close(t->verbs);
  free(t);
}

struct weir_tree_caps weir_tree_caps_query(const struct weir_tree *t) {
  (void)t;
  return (struct weir_tree_caps){.low_most = TREE_LLT_MOST,
                                 .stream_most = TREE_MOST,
                                 .types = (1u << (WEIR_COLL_INT32 + 1)) - 1,
                                 .ops = (1u << (WEIR_COLL_MAX + 1)) - 1};
}

unsigned weir_tree_mtu(const struct weir_tree *t) { return tree_verbs_mtu(t->verbs); }

static struct weir_tree_end own_end(const struct weir_tree *t, enum tree_conn conn) {
  const struct tree_verbs_end end = tree_verbs_own(t->verbs, conn);
  return (struct weir_tree_end){.qpn = end.qpn, .psn = end.psn};
}

struct weir_tree_end weir_tree_low_end(const struct weir_tree *t) {
  return own_end(t, TREE_LOW);
}
struct weir_tree_end weir_tree_sat_end(const struct weir_tree *t) {
  return own_end(t, TREE_SAT);
}

int weir_tree_group_create(struct weir_tree *t, const struct weir_tree_node *node) {
  if (t->joined) return -EISCONN;
  const struct tree_verbs_end ends[TREE_CONNS] = {{node->low.qpn, node->low.psn}, {node->sat.qpn, node->sat.psn}};
  const int code = tree_verbs_connect(t->verbs, node->address, ends, node->low_tree, t->why, sizeof t->why);
  if (code != 0) return code;
  tree_engine_init(&t->engine, &(struct tree_engine_config){.link = tree_verbs_link(t->verbs),
                                                            .low_tree = node->low_tree,
                                                            .sat_tree = node->sat_tree,
                                                            .group = node->group,
                                                            .timeout_ns = t->config.timeout_ms * UINT64_C(1000000),
                                                            .lock = t->config.lock,
                                                            .tries = t->config.tries,
                                                            .pause_ns = PAUSE_NS,
                                                            .seed = t->config.seed});
  t->joined = true;
  return 0;
}

// --- memory ---

int weir_tree_reg_mr(struct weir_tree *t, void *data, size_t bytes, struct weir_tree_memory **out) {
  struct weir_tree_memory *m = calloc(1, sizeof *m);
  if (m == NULL) return -ENOMEM;
  const int code = tree_verbs_remember(t->verbs, data, bytes, &m->at);
  if (code == 0)
    *out = m;
  else
    free(m);
  return code;
}

int weir_tree_dereg_mr(struct weir_tree *t, struct weir_tree_memory *memory) {
  (void)t;
  const int code = memory_forget(&memory->at);
  free(memory);
  return code;
}

/// The key of a vector's memory, which may have to be registered first. 0, or a negative errno.
static int key_of(struct weir_tree *t, const struct weir_tree_vector *v, unsigned which, void *data, size_t bytes,
                  uint32_t *key) {
  if (data == NULL) return 0;
  if (v->memory != NULL) {
    *key = v->memory->at.key;
    return memory_holds(&v->memory->at, data, bytes) ? 0 : -EINVAL;
  }
  const int code = tree_verbs_remember(t->verbs, data, bytes, &t->borrowed[which]);
  *key = t->borrowed[which].key;
  return code;
}

// --- operations ---

static int begin(struct weir_tree *t, struct tree_engine_order *order) {
  if (!t->joined) return -ENOTCONN;
  return tree_engine_start(&t->engine, order, clock_monotonic_ns());
}

static int begin_vector(struct weir_tree *t, enum tree_operation operation, const struct weir_tree_vector *v) {
  const size_t element = weir_coll_element(v->type);
  if (!weir_coll_reduce_support(v->type, v->op) || v->op > WEIR_COLL_MAX || v->count == 0) return -EINVAL;
  if (v->count > TREE_MOST / element) return -EMSGSIZE;
  const size_t bytes = v->count * element;
  if (t->joined && !tree_engine_done(&t->engine)) return -EBUSY;
  struct tree_engine_order o = {
      .operation = operation,
      .streams = v->way == WEIR_TREE_STREAM || (v->way == WEIR_TREE_AUTO && bytes > TREE_LLT_MOST),
      .type = (uint8_t)((unsigned)v->op << 4 | (unsigned)v->type),
      .length = (uint32_t)bytes,
      .input = {.data = v->send},
      .output = {.data = v->receive},
  };
  int code = 0;
  // A vector of the low-latency tree is copied.
  if (o.streams) code = key_of(t, v, 0, (void *)(uintptr_t)v->send, bytes, &o.input.key);
  if (o.streams && code == 0) code = key_of(t, v, 1, v->receive, bytes, &o.output.key);
  if (code == 0) code = begin(t, &o);
  if (code != 0) give_back(t);
  return code;
}

int weir_tree_do_allreduce_nb(struct weir_tree *t, const struct weir_tree_vector *v) {
  return v->send != NULL && v->receive != NULL ? begin_vector(t, TREE_ALL_REDUCE, v) : -EINVAL;
}

int weir_tree_do_reduce_nb(struct weir_tree *t, const struct weir_tree_vector *v) {
  return v->send != NULL ? begin_vector(t, TREE_REDUCE, v) : -EINVAL;
}

int weir_tree_do_bcast_nb(struct weir_tree *t, const struct weir_tree_vector *v) {
  return (v->send != NULL) != (v->receive != NULL) ? begin_vector(t, TREE_BROADCAST, v) : -EINVAL;
}

int weir_tree_do_barrier_nb(struct weir_tree *t) { return begin(t, &(struct tree_engine_order){.operation = TREE_BARRIER}); }

/// What was begun ends.
static int ended(struct weir_tree *t, int begun, struct weir_tree_status *status) {
  if (begun != 0) return begun;
  const struct weir_tree_status s = weir_tree_req_wait(t);
  if (status != NULL) *status = s;
  return 0;
}

int weir_tree_do_allreduce(struct weir_tree *t, const struct weir_tree_vector *v, struct weir_tree_status *status) {
  return ended(t, weir_tree_do_allreduce_nb(t, v), status);
}
int weir_tree_do_reduce(struct weir_tree *t, const struct weir_tree_vector *v, struct weir_tree_status *status) {
  return ended(t, weir_tree_do_reduce_nb(t, v), status);
}
int weir_tree_do_bcast(struct weir_tree *t, const struct weir_tree_vector *v, struct weir_tree_status *status) {
  return ended(t, weir_tree_do_bcast_nb(t, v), status);
}
int weir_tree_do_barrier(struct weir_tree *t, struct weir_tree_status *status) {
  return ended(t, weir_tree_do_barrier_nb(t), status);
}

int weir_tree_lock_nb(struct weir_tree *t, unsigned operations) {
  return begin(t, &(struct tree_engine_order){.operation = TREE_LOCK, .count = operations});
}

int weir_tree_unlock_nb(struct weir_tree *t) { return begin(t, &(struct tree_engine_order){.operation = TREE_UNLOCK}); }

unsigned weir_tree_lock_left(const struct weir_tree *t) { return t->engine.held; }
uint64_t weir_tree_multicasts(const struct weir_tree *t) { return t->engine.casts; }

bool weir_tree_req_test(struct weir_tree *t, struct weir_tree_status *status) {
  if (t->joined) tree_engine_progress(&t->engine, clock_monotonic_ns());
  if (!tree_engine_done(&t->engine)) return false;
  give_back(t);
  const struct tree_header *a = tree_engine_answer(&t->engine);
  if (t->joined && *t->engine.text != 0 && *t->why == 0) snprintf(t->why, sizeof t->why, "%s", t->engine.text);
  if (status != NULL)
    *status = (struct weir_tree_status){.verdict = (enum weir_tree_verdict)a->verdict,
                                        .node = a->node,
                                        .port = a->port,
                                        .holder_tree = a->holder_tree,
                                        .holder_group = a->holder_group,
                                        .left = a->verdict == TREE_LOCK_FAILED ? a->count : 0};
  return true;
}

struct weir_tree_status weir_tree_req_wait(struct weir_tree *t) {
  struct weir_tree_status status;
  while (!weir_tree_req_test(t, &status)) sched_yield();
  return status;
}

const char *weir_tree_verdict_text(enum weir_tree_verdict verdict) { return tree_verdict_name((enum tree_verdict)verdict); }
const char *weir_tree_why(const struct weir_tree *t) { return t->why; }
