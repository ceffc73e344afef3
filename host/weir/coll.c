#include "host/weir/coll.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/coll/environment.h"
#include "host/coll/start.h"
#include "host/coll/state.h"
#include "host/config.h"
#include "wire/roce.h"

// Version 1.0 ended before the tree.
enum { CONFIG_1 = offsetof(struct weir_coll_config, tree) };

unsigned weir_coll_version(void) { return WEIR_COLL_VERSION; }

void weir_coll_config_init(struct weir_coll_config *config, size_t size) {
  const struct weir_coll_config values = {.size = size,
                                          .window = 2,
                                          .verb = WEIR_COLL_WRITE_IMM,
                                          .way = WEIR_COLL_DEVICE,
                                          .timeout_ms = 10000,
                                          .qp_timeout = 17,
                                          .retries = 7,
                                          .rings = 1,
                                          .gid_index = -1,
                                          .port = 1,
                                          .control_traffic_class = -1,
                                          .control_service_level = -1};
  memset(config, 0, size);
  memcpy(config, &values, size < sizeof values ? size : sizeof values);
}

/// What every call says first: 0, the communicator's failure, or that this process only inherited it.
static int usable(const struct weir_coll *c) { return c->process != getpid() ? -EPERM : c->code; }

/// When an operation is done, what it has received goes where it belongs.
static bool has_ended(struct weir_coll_request *r) {
  if (!r->finished && r->backend->done(r->backend->self, &r->ticket)) {
    r->finished = true;
    operation_finish(&r->operation);
  }
  return r->finished;
}

static void forget(struct weir_coll *c, struct weir_coll_request *request) {
  struct weir_coll_request **at = &c->requests;
  while (*at != request) at = &(*at)->next;
  *at = request->next;
  operation_free(&request->operation);
  free(request);
}

/// Until all that was begun has ended; each step within timeout_ms. 0, or the failure.
static int drain(struct weir_coll *c) {
  int code = usable(c);
  for (struct weir_coll_request *r = c->requests; code == 0 && r != NULL; r = r->next)
    while (code == 0 && !has_ended(r)) code = state_progress(c);
  return code;
}

// --- beginning and end ---

static void release(struct weir_coll *c) {
  for (struct weir_coll_memory *m = c->memories; m != NULL; m = c->memories) {
    c->memories = m->next;
    memory_forget(&m->at);
    free(m);
  }
  for (unsigned b = 0; b < c->choice.count; b++) c->backends[b].close(c->backends[b].self);
  // Queue pairs are gone: nobody reads what requests have any more.
  while (c->requests != NULL) forget(c, c->requests);
  rdma_close(&c->rdma);
  bootstrap_close(&c->hosts);
  free(c);
}

int weir_coll_init(const struct weir_coll_config *config, struct weir_coll **out, char *error, size_t size) {
  struct weir_coll_config k;
  const char *why;
  *out = NULL;
  weir_coll_config_init(&k, sizeof k);
  const int read = config_read(&k, sizeof k, CONFIG_1, config, &why);
  if (read != 0) snprintf(error, size, "%s", why);
  if (read != 0 || environment_read(&k, error, size) != 0 || start_check(&k, error, size) != 0) return -EINVAL;
  struct weir_coll *c = calloc(1, sizeof *c);
  snprintf(error, size, "out of memory");
  if (c == NULL) return -ENOMEM;
  bootstrap_clear(&c->hosts);
  c->config = k;
  c->process = getpid();
  c->debug = getenv("WEIR_DEBUG") != NULL;
  const int code = start_all(c);
  if (code == 0) {
    c->hosts.deadline = 0;
    *out = c;
    return 0;
  }
  bootstrap_tell(&c->hosts, code, c->why);
  snprintf(error, size, "%s", c->why);
  release(c);
  return code;
}

int weir_coll_close(struct weir_coll *c) {
  if (c->process != getpid()) return -EPERM;
  int code = c->code == 0 ? drain(c) : 0;
  if (c->code == 0) state_settle(c);
  // Somebody may still wait for the acknowledgement of his last message, or need a copy of ours. And once more, for what answers copies that
  // were on their way then. After an error nobody waits.
  if (c->code == 0) code = weir_coll_barrier(c);
  if (c->code == 0) code = weir_coll_barrier(c);
  if (c->code != 0) bootstrap_tell(&c->hosts, c->code, c->why);
  release(c);
  return code;
}

int weir_coll_abort(struct weir_coll *c) {
  if (c->process != getpid()) return -EPERM;
  state_note(c, -ECANCELED, "the program has given up", "");
  bootstrap_tell(&c->hosts, c->code, c->why);
  release(c);
  return 0;
}

int weir_coll_barrier(struct weir_coll *c) {
  uint8_t mine = 0, all[BOOTSTRAP_MOST];
  const int code = drain(c);
  return code != 0 ? code : state_note(c, bootstrap_gather(&c->hosts, &mine, 1, all), c->hosts.why, "");
}

// --- memory ---

bool weir_coll_reduce_support(enum weir_coll_type type, enum weir_coll_op op) {
  return (unsigned)type <= WEIR_COLL_INT32 && (unsigned)op <= WEIR_COLL_AVERAGE &&
         (type != WEIR_COLL_INT32 || op != WEIR_COLL_AVERAGE);
}

size_t weir_coll_element(enum weir_coll_type type) {
  return (unsigned)type <= WEIR_COLL_INT32 ? ina_element_size((uint8_t)type) : 0;
}

int weir_coll_reg_mr(struct weir_coll *c, void *data, size_t bytes, struct weir_coll_memory **out) {
  int code = usable(c);
  if (code != 0) return code;
  struct weir_coll_memory *m = calloc(1, sizeof *m);
  if (m == NULL) return -ENOMEM;
  code = c->rdma.pd != NULL ? rdma_remember(&c->rdma, data, bytes, &m->at) : -EOPNOTSUPP;
  if (code != 0) {
    free(m);
    return code;
  }
  m->next = c->memories;
  c->memories = *out = m;
  return 0;
}

int weir_coll_dereg_mr(struct weir_coll *c, struct weir_coll_memory *memory) {
  struct weir_coll_memory **at = &c->memories;
  if (c->process != getpid()) return -EPERM;
  // A queue pair may still read from it.
  for (struct weir_coll_request *r = c->requests; c->code == 0 && r != NULL; r = r->next)
    if (r->ticket.registered && !has_ended(r)) return -EBUSY;
  while (*at != NULL && *at != memory) at = &(*at)->next;
  if (*at == NULL) return -EINVAL;
  *at = memory->next;
  const int code = memory_forget(&memory->at);
  free(memory);
  return code;
}

// --- operations ---

static uint8_t kind_of(enum weir_coll_type type, enum weir_coll_op op) {
  return (uint8_t)((op == WEIR_COLL_AVERAGE ? (unsigned)WEIR_COLL_SUM : (unsigned)op) << 4 | (unsigned)type);
}

/// Begins an operation, which becomes the request's. 0, or a negative errno.
static int begin(struct weir_coll *c, const struct operation *operation, struct weir_coll_request **out) {
  struct weir_coll_request *r = calloc(1, sizeof *r);
  struct backend_order order;
  if (r == NULL) return -ENOMEM;
  r->operation = *operation;
  r->operation.rank = c->config.rank;
  r->operation.workers = c->config.workers;
  if (r->operation.send == NULL && r->operation.receive == NULL)
    r->operation.send = r->operation.receive = r->word;   // a barrier
  const bool segments = operation->what == BACKEND_REDUCE_SCATTER || operation->what == BACKEND_ALL_GATHER;
  r->backend = &c->backends[choice_of(&c->choice, operation->bytes * (segments ? c->config.workers : 1))];
  int code = operation_shape(&r->operation, r->backend->natives, &order);
  if (code == 0 && order.bytes > r->backend->most_bytes) code = -EMSGSIZE;
  if (code == 0) code = r->backend->start(r->backend->self, &order, clock_monotonic_ns(), &r->ticket);
  if (code != 0) {
    operation_free(&r->operation);
    free(r);
    return code;
  }
  // Behind the others: they end in this order.
  struct weir_coll_request **at = &c->requests;
  while (*at != NULL) at = &(*at)->next;
  *at = *out = r;
  return 0;
}

/// What all operations that reduce begin with. `count` elements of each of `segments`.
static int reduce(struct weir_coll *c, struct operation o, size_t count, unsigned segments, enum weir_coll_type type,
                  enum weir_coll_op op, const struct weir_coll_memory *memory, struct weir_coll_request **out) {
  const int code = usable(c);
  if (code != 0) return code;
  if (!weir_coll_reduce_support(type, op) || count > SIZE_MAX / 4 / segments || o.root >= c->config.workers) return -EINVAL;
  o.bytes = count * weir_coll_element(type);
  o.kind = kind_of(type, op);
  o.average = op == WEIR_COLL_AVERAGE;
  if (memory != NULL && !memory_holds(&memory->at, o.send, o.bytes * segments)) return -EINVAL;
  if (memory != NULL) o.memory = &memory->at;
  return begin(c, &o, out);
}

int weir_coll_iallreduce(struct weir_coll *c, const void *send, void *receive, size_t count, enum weir_coll_type type,
                         enum weir_coll_op op, struct weir_coll_memory *memory, struct weir_coll_request **out) {
  return reduce(c, (struct operation){.what = BACKEND_ALL_REDUCE, .send = send, .receive = receive}, count, 1, type, op, memory,
                out);
}

int weir_coll_ireduce(struct weir_coll *c, const void *send, void *receive, size_t count, enum weir_coll_type type,
                      enum weir_coll_op op, unsigned root, struct weir_coll_memory *memory, struct weir_coll_request **out) {
  return reduce(c, (struct operation){.what = BACKEND_REDUCE, .send = send, .receive = receive, .root = root}, count, 1, type, op,
                memory, out);
}

int weir_coll_ireduce_scatter(struct weir_coll *c, const void *send, void *receive, size_t count, enum weir_coll_type type,
                              enum weir_coll_op op, struct weir_coll_memory *memory, struct weir_coll_request **out) {
  return reduce(c, (struct operation){.what = BACKEND_REDUCE_SCATTER, .send = send, .receive = receive}, count, c->config.workers,
                type, op, memory, out);
}

int weir_coll_ibroadcast(struct weir_coll *c, void *data, size_t bytes, unsigned root, struct weir_coll_request **out) {
  const int code = usable(c);
  if (code != 0) return code;
  if (root >= c->config.workers || bytes > SIZE_MAX / 4) return -EINVAL;
  return begin(c, &(struct operation){.what = BACKEND_BROADCAST, .send = data, .receive = data, .bytes = bytes, .root = root},
               out);
}

int weir_coll_iall_gather(struct weir_coll *c, const void *send, void *receive, size_t bytes, struct weir_coll_request **out) {
  const int code = usable(c);
  if (code != 0) return code;
  if (bytes > SIZE_MAX / 4 / c->config.workers) return -EINVAL;
  return begin(c, &(struct operation){.what = BACKEND_ALL_GATHER, .send = send, .receive = receive, .bytes = bytes}, out);
}

int weir_coll_ibarrier(struct weir_coll *c, struct weir_coll_request **out) {
  const int code = usable(c);
  if (code != 0) return code;
  return begin(c, &(struct operation){.what = BACKEND_ALL_REDUCE, .bytes = 4, .kind = INA_INT32}, out);
}

int weir_coll_test(struct weir_coll *c, struct weir_coll_request *request, bool *done) {
  *done = false;
  if (c->process != getpid()) return -EPERM;
  // What a barrier has seen the end of has ended, whatever failed later.
  const bool ended = has_ended(request);
  const int code = ended ? 0 : c->code != 0 ? c->code : state_progress(c);
  *done = code == 0 && has_ended(request);
  // Of one that has failed the network may still write into what is its own: it stays until the queue pairs are gone.
  if (*done) forget(c, request);
  return code;
}

// --- what was chosen ---

bool weir_coll_offloaded(const struct weir_coll *c) {
  for (unsigned b = 0; b < c->choice.count; b++)
    if (c->backends[b].bit == WEIR_COLL_RING) return false;
  return true;
}

enum weir_coll_backend weir_coll_chosen_for(const struct weir_coll *c, size_t bytes, char *text, size_t size) {
  char words[CHOICE_TEXT];
  choice_text(&c->choice, c->backends, bytes, words);
  if (text != NULL) snprintf(text, size, "%s", words);
  return (enum weir_coll_backend)c->backends[choice_of(&c->choice, bytes)].bit;
}

const char *weir_coll_chosen(const struct weir_coll *c) { return c->chosen; }
void weir_coll_path(const struct weir_coll *c, unsigned *mtu, unsigned *msglen) {
  *mtu = c->config.mtu;
  *msglen = c->config.msglen;
}

const char *weir_coll_why(const struct weir_coll *c) { return c->why; }
