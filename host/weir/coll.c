#include "host/weir/coll.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/meet/bootstrap.h"
#include "host/config.h"
#include "host/engine.h"
#include "host/plain.h"
#include "host/verbs.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { WHY = 256, POLL_TRAILER = 4, HEED_MS = 10, CONFIG_1 = sizeof(struct weir_coll_config) };

// Both are in a list of the communicator, which frees what is left at its end.
struct weir_coll_memory {
  struct weir_coll_memory *next;
  struct host_memory at;
};

struct weir_coll_request {
  struct weir_coll_request *next;
  uint64_t number;
  bool registered;
};

struct weir_coll {
  struct weir_coll_config config;
  struct bootstrap hosts;
  struct verbs *verbs;
  struct engine engine;
  struct plain plain;
  bool offloaded;
  struct weir_coll_request *requests;
  struct weir_coll_memory *memories;
  uint64_t heed_ms;   ///< when to ask again whether all hosts are well
  pid_t process;      ///< that made it
  bool debug;         ///< WEIR_DEBUG is set
  int code;           ///< of the first failure: it stays
  char why[WHY];
  char chosen[WHY];
};

unsigned weir_coll_version(void) { return WEIR_COLL_VERSION; }

void weir_coll_config_init(struct weir_coll_config *config, size_t size) {
  const struct weir_coll_config values = {.size = size,
                                          .window = 2,
                                          .msglen = 170,
                                          .mtu = 1024,
                                          .verb = WEIR_COLL_WRITE_IMM,
                                          .way = WEIR_COLL_DEVICE,
                                          .timeout_ms = 10000,
                                          .qp_timeout = 17,
                                          .retries = 7};
  memset(config, 0, size);
  memcpy(config, &values, size < sizeof values ? size : sizeof values);
}

/// One line on standard error, if WEIR_DEBUG is set.
static void say(const struct weir_coll *c, const char *what, const char *text) {
  if (c->debug) fprintf(stderr, "weir: ring %u rank %u: %s%s\n", c->config.ring, c->config.rank, what, text);
}

/// Notes what happened, unless something did before. Returns `code`.
static int note(struct weir_coll *c, int code, const char *what, const char *detail) {
  if (code == 0 || c->code != 0) return code;
  snprintf(c->why, sizeof c->why, "%s%s%s", what, *detail ? ": " : "", detail);
  say(c, "failed: ", c->why);
  return c->code = code;
}

/// What every call says first: 0, the communicator's failure, or that this process only inherited it.
static int usable(const struct weir_coll *c) { return c->process != getpid() ? -EPERM : c->code; }

static void choose(struct weir_coll *c, const char *text) {
  snprintf(c->chosen, sizeof c->chosen, "%s", text);
  say(c, "", c->chosen);
}

/// Moves on all that is under way. 0, or the failure.
static int progress(struct weir_coll *c) {
  const int code =
      c->offloaded ? engine_progress(&c->engine, clock_monotonic_ns()) : plain_progress(&c->plain, clock_monotonic_ns());
  // A host that has failed or gone is heard of sooner than its silence.
  if (code == 0 && clock_monotonic_ms() >= c->heed_ms) {
    c->heed_ms = clock_monotonic_ms() + HEED_MS;
    return note(c, bootstrap_heed(&c->hosts), c->hosts.why, "");
  }
  return code == 0 ? 0 : note(c, code, c->offloaded ? c->engine.failure.text : c->plain.failure.text, verbs_why(c->verbs));
}

static bool has_ended(const struct weir_coll *c, const struct weir_coll_request *r) {
  return c->offloaded ? engine_done(&c->engine, r->number, r->registered) : plain_done(&c->plain, r->number);
}

static void forget(struct weir_coll *c, struct weir_coll_request *request) {
  struct weir_coll_request **at = &c->requests;
  while (*at != request) at = &(*at)->next;
  *at = request->next;
  free(request);
}

/// Until all that was begun has ended; each step within timeout_ms. 0, or the failure.
static int drain(struct weir_coll *c) {
  int code = usable(c);
  for (const struct weir_coll_request *r = c->requests; code == 0 && r != NULL; r = r->next)
    while (code == 0 && !has_ended(c, r)) code = progress(c);
  return code;
}

static bool sound(const struct weir_coll_config *k) {
  return k->workers >= 2 && k->workers <= 256 && k->rank < k->workers && (k->root != NULL || k->all_gather != NULL) &&
         (k->secret != NULL || k->secret_bytes == 0) && k->address != NULL && k->window >= 1 && k->window <= 64 &&
         k->msglen >= 1 && k->msglen <= 16384 && k->mtu >= 256 && k->mtu <= 4096 && (k->mtu & (k->mtu - 1)) == 0 &&
         k->timeout_ms > 0 && k->timeout_ms <= INT_MAX && k->qp_timeout < 32 && k->retries <= 7 && k->verb <= WEIR_COLL_SEND &&
         k->way <= WEIR_COLL_HOSTS && (k->unmarked || k->verb != WEIR_COLL_WRITE || k->way == WEIR_COLL_HOSTS);
}

// --- init ---

/// The queue pairs. Without a device a message must not overwrite one that was not read, which only a SEND waits for.
static int connect_ring(struct weir_coll *c, bool hosts_alone) {
  const struct weir_coll_config *k = &c->config;
  const struct verbs_config v = {
      .device = k->device,
      .address = k->address,
      .mtu = k->mtu,
      .operation = hosts_alone ? VERBS_SEND : (enum verbs_operation)k->verb,
      .slots = 2 * k->window,
      .slot_bytes = (size_t)k->mtu * k->msglen,
      .timeout = (uint8_t)k->qp_timeout,
      .retries = (uint8_t)k->retries,
  };
  c->verbs = verbs_open(&v, c->why, sizeof c->why);
  if (c->verbs == NULL) return -ENODEV;
  c->why[0] = 0;
  uint8_t mine[VERBS_CARD], all[BOOTSTRAP_MOST * VERBS_CARD];
  verbs_card(c->verbs, mine);
  int code = note(c, bootstrap_gather(&c->hosts, mine, sizeof mine, all), c->hosts.why, "");
  const uint8_t *next = all + (k->rank + 1) % k->workers * VERBS_CARD;
  const uint8_t *before = all + (k->rank + k->workers - 1) % k->workers * VERBS_CARD;
  char error[WHY];
  if (code == 0) code = note(c, verbs_connect(c->verbs, next, before, error, sizeof error), error, "");
  return code != 0 ? code : weir_coll_barrier(c);
}

static int set_up(struct weir_coll *c, bool hosts_alone) {
  const struct weir_coll_config *k = &c->config;
  const struct engine_config e = {
      .transport = verbs_transport(c->verbs),
      .shape = {.mtu = k->mtu, .msglen = k->msglen, .trailer = !hosts_alone && k->verb == WEIR_COLL_WRITE ? POLL_TRAILER : 0},
      .ring = k->ring,
      .rank = (uint8_t)k->rank,
      .workers = (uint16_t)k->workers,
      .marks = !hosts_alone && !k->unmarked,
      .window = k->window,
      .timeout_ns = k->timeout_ms * UINT64_C(1000000),
  };
  c->offloaded = !hosts_alone;
  return note(c, hosts_alone ? plain_init(&c->plain, &e) : engine_init(&c->engine, &e), "no such ring", "");
}

/// Reduces one number: if the answer is the number of hosts, a device has summed; if it is 1, the neighbour's own has come. All hosts must
/// have seen the same.
static int try_device(struct weir_coll *c, bool *found) {
  uint8_t number[4], seen[BOOTSTRAP_MOST], mine;
  struct weir_coll_request *request;
  bool done = false;
  put_le32(number, 1);
  c->engine.trial = true;   // where no device is, nothing has a mark
  int code = weir_coll_iallreduce(c, number, number, 1, WEIR_COLL_INT32, WEIR_COLL_SUM, NULL, &request);
  while (code == 0 && !done) {
    code = weir_coll_test(c, request, &done);
    if (code == 0 && !done && c->hosts.deadline != 0 && clock_monotonic_ms() >= c->hosts.deadline) {
      code = failure_set(&c->engine.failure, -ETIMEDOUT, "no progress: the first message had no answer when the time was over");
      note(c, code, c->engine.failure.text, "");
      forget(c, request);
    }
  }
  if (code != 0) return code;
  mine = get_le32(number) == c->config.workers ? 1 : get_le32(number) == 1 ? 0 : 2;
  code = note(c, bootstrap_gather(&c->hosts, &mine, 1, seen), c->hosts.why, "");
  for (unsigned r = 0; code == 0 && r < c->config.workers; r++)
    if (seen[r] != mine || mine == 2) code = note(c, -EPROTO, "what is between the hosts neither sums nor passes", "");
  *found = mine == 1;
  c->engine.trial = false;
  if (code == 0 && *found && c->engine.unmarked)
    code = note(c, -EBADMSG, "the device sums, and its results carry no mark", "set its EPOCH, or take unmarked results");
  return code;
}

/// Lets the last messages be acknowledged: a host that waits for a copy of one would not get it any more.
static void settle(struct weir_coll *c) {
  const uint64_t deadline = clock_monotonic_ns() + c->config.timeout_ms * UINT64_C(1000000);
  const uint64_t *sent = c->offloaded ? &c->engine.sent : &c->plain.sent;
  const uint64_t *acknowledged = c->offloaded ? &c->engine.acknowledged : &c->plain.acknowledged;
  while (*acknowledged < *sent && clock_monotonic_ns() < deadline)
    if (progress(c) != 0) return;
}

static int start(struct weir_coll *c) {
  const struct weir_coll_config *k = &c->config;
  bool found = false;
  struct greeting_self self = {
      .rank = k->rank, .workers = k->workers, .job = k->job, .secret = k->secret, .secret_bytes = k->secret_bytes};
  // What hosts must have alike. How long each waits is its own affair.
  const struct greeting_field fields[] = {{"the number of hosts", k->workers},
                                          {"RingID", k->ring},
                                          {"the window", k->window},
                                          {"packets of a message", k->msglen},
                                          {"the path MTU", k->mtu},
                                          {"the operation of RDMA (0 write, 1 write-imm, 2 send)", k->verb},
                                          {"who reduces (0 auto, 1 device, 2 hosts)", k->way},
                                          {"taking results without marks", k->unmarked}};
  memcpy(self.fields, fields, sizeof fields);
  self.count = sizeof fields / sizeof *fields;
  c->hosts.gather = k->all_gather;
  c->hosts.context = k->all_gather_context;
  int code = note(c, bootstrap_open(&c->hosts, &self, k->root, k->timeout_ms), c->hosts.why, "");
  if (code != 0) return code;
  if (k->way != WEIR_COLL_HOSTS) {
    code = connect_ring(c, false);
    if (code == 0) code = set_up(c, false);
    if (code == 0) code = try_device(c, &found);
    if (found) choose(c, "the device: it summed the first message");
    if (code != 0 || found) return code;
    settle(c);
    if (k->way == WEIR_COLL_DEVICE) return note(c, -ENODEV, "no device answers for this ring", "");
    code = weir_coll_barrier(c);
    if (code != 0) return code;
    verbs_close(c->verbs);
    c->verbs = NULL;
  }
  choose(c, k->way == WEIR_COLL_HOSTS ? "the hosts: so asked for"
                                      : "the hosts: the first message passed as it was sent, and AUTO allows it");
  code = connect_ring(c, true);
  return code != 0 ? code : set_up(c, true);
}

static void release(struct weir_coll *c) {
  while (c->requests != NULL) forget(c, c->requests);
  for (struct weir_coll_memory *m = c->memories; m != NULL; m = c->memories) {
    c->memories = m->next;
    memory_forget(&m->at);
    free(m);
  }
  verbs_close(c->verbs);
  plain_free(&c->plain);
  bootstrap_close(&c->hosts);
  free(c);
}

int weir_coll_init(const struct weir_coll_config *config, struct weir_coll **out, char *error, size_t size) {
  struct weir_coll_config k;
  const char *why;
  weir_coll_config_init(&k, sizeof k);
  const int read = config_read(&k, sizeof k, CONFIG_1, config, &why);
  snprintf(error, size, "%s", read != 0 ? why : "no sound configuration");
  if (read != 0 || !sound(&k)) return -EINVAL;
  struct weir_coll *c = calloc(1, sizeof *c);
  snprintf(error, size, "out of memory");
  if (c == NULL) return -ENOMEM;
  bootstrap_clear(&c->hosts);
  c->config = k;
  c->process = getpid();
  c->debug = getenv("WEIR_DEBUG") != NULL;
  const int code = start(c);
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
  if (c->code == 0) settle(c);
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
  note(c, -ECANCELED, "the program has given up", "");
  bootstrap_tell(&c->hosts, c->code, c->why);
  release(c);
  return 0;
}

int weir_coll_barrier(struct weir_coll *c) {
  uint8_t mine = 0, all[BOOTSTRAP_MOST];
  const int code = drain(c);
  return code != 0 ? code : note(c, bootstrap_gather(&c->hosts, &mine, 1, all), c->hosts.why, "");
}

// --- memory and requests ---

static uint8_t kind_of(enum weir_coll_type type, enum weir_coll_op op) { return (uint8_t)((unsigned)op << 4 | (unsigned)type); }

bool weir_coll_reduce_support(enum weir_coll_type type, enum weir_coll_op op) {
  return (unsigned)type <= WEIR_COLL_INT32 && (unsigned)op <= WEIR_COLL_MAX;
}

size_t weir_coll_element(enum weir_coll_type type) {
  return (unsigned)type <= WEIR_COLL_INT32 ? ina_element_size(kind_of(type, WEIR_COLL_SUM)) : 0;
}

int weir_coll_reg_mr(struct weir_coll *c, void *data, size_t bytes, struct weir_coll_memory **out) {
  int code = usable(c);
  if (code != 0) return code;
  struct weir_coll_memory *m = calloc(1, sizeof *m);
  if (m == NULL) return -ENOMEM;
  code = verbs_remember(c->verbs, data, bytes, &m->at);
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
  for (const struct weir_coll_request *r = c->requests; c->code == 0 && r != NULL; r = r->next)
    if (r->registered && !has_ended(c, r)) return -EBUSY;
  while (*at != NULL && *at != memory) at = &(*at)->next;
  if (*at == NULL) return -EINVAL;
  *at = memory->next;
  const int code = memory_forget(&memory->at);
  free(memory);
  return code;
}

int weir_coll_iallreduce(struct weir_coll *c, const void *send, void *receive, size_t count, enum weir_coll_type type,
                         enum weir_coll_op op, struct weir_coll_memory *memory, struct weir_coll_request **out) {
  int code = usable(c);
  if (code != 0) return code;
  if (!weir_coll_reduce_support(type, op) || count > SIZE_MAX / 4) return -EINVAL;
  struct engine_request r = {.send = send,
                             .receive = receive,
                             .bytes = count * weir_coll_element(type),
                             .kind = kind_of(type, op),
                             .registered = memory != NULL && c->offloaded};
  if (memory != NULL && !memory_holds(&memory->at, send, r.bytes)) return -EINVAL;
  if (memory != NULL) r.key = memory->at.key;
  struct weir_coll_request *request = calloc(1, sizeof *request);
  if (request == NULL) return -ENOMEM;
  request->registered = r.registered;
  code = c->offloaded ? engine_start(&c->engine, &r, clock_monotonic_ns(), &request->number)
                      : plain_start(&c->plain, &r, clock_monotonic_ns(), &request->number);
  if (code != 0) {
    free(request);
    return code;
  }
  // Behind the others: they end in this order.
  struct weir_coll_request **at = &c->requests;
  while (*at != NULL) at = &(*at)->next;
  *at = *out = request;
  return 0;
}

int weir_coll_test(struct weir_coll *c, struct weir_coll_request *request, bool *done) {
  *done = false;
  if (c->process != getpid()) return -EPERM;
  // What a barrier has seen the end of has ended, whatever failed later.
  const bool ended = has_ended(c, request);
  const int code = ended ? 0 : c->code != 0 ? c->code : progress(c);
  *done = code == 0 && has_ended(c, request);
  if (code != 0 || *done) forget(c, request);
  return code;
}

bool weir_coll_offloaded(const struct weir_coll *c) { return c->offloaded; }
const char *weir_coll_chosen(const struct weir_coll *c) { return c->chosen; }
const char *weir_coll_why(const struct weir_coll *c) { return c->why; }
