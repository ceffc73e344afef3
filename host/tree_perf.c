// weir_tree_perf: collectives of a host of an aggregation tree, size by size, with every element checked: by weir/tree.h alone, or by a communicator of weir/coll.h above it. Its ends are told in a line `@weir ends ..`; a line on
// standard input says that the node knows them, and another one, at the end, that the host may leave.
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/perf_common.h"
#include "host/weir/coll.h"
#include "host/weir/tree.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { MAX_LEAVES = 64, MAX_PORTS = 64, PIECE = 1 << 12 };
enum collective { ALL_REDUCE, REDUCE, BROADCAST, BARRIER };

struct tree_perf {
  struct weir_tree_config config;
  struct weir_tree_node node;
  unsigned rank, leaves, hosts, ports;   // hosts below each leaf; ports of a node
  size_t from, to;                       // bytes
  unsigned repeats;
  unsigned collective, type, op, way;
  bool registered;
  uint64_t seed;
  enum { BY_TREE, BY_COLL, MEASURED } library;
  const char *root;   // where the hosts of a communicator meet
  struct weir_tree *tree;
  struct weir_coll *coll;   // NULL: none
  uint8_t *send, *receive, *expected;
};

static const char *const collectives[] = {"all-reduce", "reduce", "broadcast", "barrier", NULL};
static const char *const ways[] = {"auto", "low", "stream", NULL};
static const char *const libraries[] = {"tree", "coll", "measured", NULL};   // as `library` has them

// --- options ---

enum {
  OPT_ADDRESS = 256,
  OPT_DEVICE,
  OPT_NODE,
  OPT_LOW,
  OPT_SAT,
  OPT_TREES,
  OPT_GROUP,
  OPT_RANK,
  OPT_SHAPE,
  OPT_PORTS,
  OPT_MTU,
  OPT_TIMEOUT,
  OPT_QP_TIMEOUT,
  OPT_RETRIES,
  OPT_LOCK,
  OPT_COLLECTIVE,
  OPT_TYPE,
  OPT_OP,
  OPT_WAY,
  OPT_FROM,
  OPT_TO,
  OPT_REPEATS,
  OPT_REGISTER,
  OPT_MULTICAST,
  OPT_LIBRARY,
  OPT_ROOT,
  OPT_SEED
};

static const struct argp_option options[] = {
    {"address", OPT_ADDRESS, "ADDRESS", 0, "Own address on the RDMA network", 0},
    {"device", OPT_DEVICE, "NAME", 0, "RDMA device (default: the one that has the address)", 0},
    {"node", OPT_NODE, "ADDRESS", 0, "Of the node above; the kernel must know its MAC address", 0},
    {"low", OPT_LOW, "QPN:PSN", 0, "The node's end of the low-latency connection", 0},
    {"sat", OPT_SAT, "QPN:PSN", 0, "And of the streaming one", 0},
    {"trees", OPT_TREES, "LOW:SAT", 0, "Numbers of the trees", 0},
    {"group", OPT_GROUP, "G", 0, "Number of the group", 0},
    {"rank", OPT_RANK, "R", 0, "This host's place, from the left", 0},
    {"shape", OPT_SHAPE, "LxH", 0, "L leaves below a root, each with H hosts, or 1xH for one node alone", 0},
    {"ports", OPT_PORTS, "P", 0, "Ports of a node; children are at the first ones (default 4)", 0},
    {"mtu", OPT_MTU, "BYTES", 0, "Path MTU (default 1024)", 0},
    {"timeout", OPT_TIMEOUT, "MS", 0, "Of an operation (default 10000)", 0},
    {"qp-timeout", OPT_QP_TIMEOUT, "N", 0, "Local ACK Timeout, 4.096 us * 2^N (default 17)", 0},
    {"retries", OPT_RETRIES, "N", 0, "Retry Count (default 7)", 0},
    {"lock", OPT_LOCK, "N", 0, "Operations of a lock; 0: until the end (default 1)", 0},
    {"collective", OPT_COLLECTIVE, "all-reduce|reduce|broadcast|barrier", 0,
     "What is done; host 0 is the root (default all-reduce)", 0},
    {"type", OPT_TYPE, "fp32|fp16|bf16|int32", 0, "Elements (default fp32)", 0},
    {"op", OPT_OP, "sum|min|max", 0, "Reduction (default sum)", 0},
    {"way", OPT_WAY, "auto|low|stream", 0, "Which tree (default auto: by size)", 0},
    {"from", OPT_FROM, "BYTES", 0, "Smallest vector (default 4)", 0},
    {"to", OPT_TO, "BYTES", 0, "Largest; each is twice the one before (default 1048576)", 0},
    {"repeats", OPT_REPEATS, "N", 0, "Of each size (default 3)", 0},
    {"register", OPT_REGISTER, NULL, 0, "Vectors are registered memory", 0},
    {"multicast", OPT_MULTICAST, NULL, 0, "Results of the low-latency tree are taken from the node's multicasts, too", 0},
    {"library", OPT_LIBRARY, "tree|coll|measured", 0,
     "The tree by itself; as backend of a communicator, which chooses the way; or beside a ring of the hosts, by size, as it is "
     "measured (default tree)",
     0},
    {"root", OPT_ROOT, "ADDRESS:PORT", 0, "Where host 0 of the communicator listens", 0},
    {"seed", OPT_SEED, "S", 0, "Of the numbers (default 1)", 0},
    {0},
};

static void two(struct argp_state *state, const char *text, char between, unsigned most, uint32_t *a, uint32_t *b) {
  char first[16];
  const char *at = strchr(text, between);
  if (at == NULL || (size_t)(at - text) >= sizeof first) {
    argp_error(state, "%s: not two numbers with %c between them", text, between);
    return;
  }
  memcpy(first, text, (size_t)(at - text));
  first[at - text] = 0;
  *a = (uint32_t)perf_number(state, first, most);
  *b = (uint32_t)perf_number(state, at + 1, most);
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct tree_perf *p = state->input;
  struct weir_tree_config *k = &p->config;
  uint32_t a = 0, b = 0;
  switch (key) {
    case OPT_ADDRESS: k->address = text; break;
    case OPT_DEVICE: k->device = text; break;
    case OPT_NODE: p->node.address = text; break;
    case OPT_LOW: two(state, text, ':', 0xFFFFFF, &p->node.low.qpn, &p->node.low.psn); break;
    case OPT_SAT: two(state, text, ':', 0xFFFFFF, &p->node.sat.qpn, &p->node.sat.psn); break;
    case OPT_TREES:
      two(state, text, ':', UINT16_MAX, &a, &b);
      p->node.low_tree = (uint16_t)a;
      p->node.sat_tree = (uint16_t)b;
      break;
    case OPT_GROUP: p->node.group = (uint16_t)perf_number(state, text, UINT16_MAX); break;
    case OPT_RANK: p->rank = (unsigned)perf_number(state, text, MAX_LEAVES * MAX_PORTS - 1); break;
    case OPT_SHAPE:
      two(state, text, 'x', MAX_LEAVES, &a, &b);
      p->leaves = a;
      p->hosts = b;
      break;
    case OPT_PORTS: p->ports = (unsigned)perf_number(state, text, MAX_PORTS); break;
    case OPT_MTU: k->mtu = (unsigned)perf_number(state, text, 4096); break;
    case OPT_TIMEOUT: k->timeout_ms = (unsigned)perf_number(state, text, 86400000); break;
    case OPT_QP_TIMEOUT: k->qp_timeout = (unsigned)perf_number(state, text, 31); break;
    case OPT_RETRIES: k->retries = (unsigned)perf_number(state, text, 7); break;
    case OPT_LOCK: k->lock = (unsigned)perf_number(state, text, UINT32_MAX - 1); break;
    case OPT_COLLECTIVE: p->collective = perf_name(state, text, collectives); break;
    case OPT_TYPE: p->type = perf_name(state, text, ina_types); break;
    case OPT_OP: p->op = perf_name(state, text, ina_ops); break;
    case OPT_WAY: p->way = perf_name(state, text, ways); break;
    case OPT_FROM: p->from = perf_number(state, text, UINT32_MAX); break;
    case OPT_TO: p->to = perf_number(state, text, UINT32_MAX); break;
    case OPT_REPEATS: p->repeats = (unsigned)perf_number(state, text, 1000000); break;
    case OPT_REGISTER: p->registered = true; break;
    case OPT_MULTICAST: k->multicast = 1; break;
    case OPT_LIBRARY: p->library = perf_name(state, text, libraries); break;
    case OPT_ROOT: p->root = text; break;
    case OPT_SEED: p->seed = perf_number(state, text, UINT64_MAX); break;
    case ARGP_KEY_END:
      if (k->address == NULL || p->node.address == NULL) argp_error(state, "--address and --node are needed");
      if (p->leaves == 0 || p->hosts == 0 || p->leaves > p->ports || p->hosts > p->ports || p->rank >= p->leaves * p->hosts)
        argp_error(state, "--shape, --ports and --rank do not fit each other");
      if (p->library != BY_TREE && (p->root == NULL || p->way != WEIR_TREE_AUTO || p->registered))
        argp_error(state, "--library coll and measured: with --root, and without --way and --register");
      if (p->library == MEASURED && p->leaves * p->hosts > 2 && p->type != WEIR_COLL_INT32 && p->op == WEIR_COLL_SUM)
        argp_error(state, "--library measured: sums of more than two hosts in whole numbers alone, --type int32");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

// --- numbers ---

/// The result as it should be, PIECE bytes at a time: each leaf its hosts in the order of its half rings, then the root its leaves (docs/tree.md).
static void reduce_piece(const struct tree_perf *p, struct rng *rng, size_t len, uint8_t *out) {
  static uint8_t rows[MAX_PORTS][PIECE], leaves[MAX_LEAVES][PIECE];
  const uint8_t kind = (uint8_t)(p->op << 4 | p->type);
  const uint8_t *at[MAX_PORTS];
  for (unsigned leaf = 0; leaf < p->leaves; leaf++) {
    for (unsigned port = 0; port < p->ports; port++) {
      at[port] = port < p->hosts ? rows[port] : NULL;
      if (port < p->hosts) perf_fill((enum weir_coll_type)p->type, &rng[leaf * p->hosts + port], len, rows[port]);
    }
    half_rings_reduce(kind, at, p->ports, len, leaves[leaf]);
  }
  for (unsigned port = 0; port < p->ports; port++) at[port] = port < p->leaves ? leaves[port] : NULL;
  half_rings_reduce(kind, at, p->ports, len, out);
}

static bool expect(struct tree_perf *p, size_t bytes) {
  const unsigned hosts = p->leaves * p->hosts;
  struct rng *rng = calloc(hosts, sizeof *rng);
  if (rng == NULL) return false;
  for (unsigned h = 0; h < hosts; h++) rng[h] = perf_rng(p->seed, h, bytes);
  for (size_t at = 0; at < bytes; at += PIECE) {
    const size_t len = bytes - at < PIECE ? bytes - at : PIECE;
    if (p->collective == BROADCAST)
      perf_fill((enum weir_coll_type)p->type, &rng[0], len, p->expected + at);
    else
      reduce_piece(p, rng, len, p->expected + at);
  }
  free(rng);
  return true;
}

// --- operations ---

static bool wants(const struct tree_perf *p) {
  return p->collective == ALL_REDUCE || (p->collective == REDUCE && p->rank == 0) || (p->collective == BROADCAST && p->rank != 0);
}

static int begin(struct tree_perf *p, size_t bytes, struct weir_tree_memory *memory) {
  const bool gives = p->collective != BROADCAST || p->rank == 0;
  const struct weir_tree_vector v = {.send = gives ? p->send : NULL,
                                     .receive = wants(p) ? p->receive : NULL,
                                     .count = bytes / weir_coll_element((enum weir_coll_type)p->type),
                                     .type = (enum weir_coll_type)p->type,
                                     .op = (enum weir_coll_op)p->op,
                                     .way = (enum weir_tree_way)p->way,
                                     .memory = memory};
  switch (p->collective) {
    case ALL_REDUCE: return weir_tree_do_allreduce_nb(p->tree, &v);
    case REDUCE: return weir_tree_do_reduce_nb(p->tree, &v);
    case BROADCAST: return weir_tree_do_bcast_nb(p->tree, &v);
    default: return weir_tree_do_barrier_nb(p->tree);
  }
}

static bool complain(const struct tree_perf *p, const struct weir_tree_status *s) {
  printf("@weir error group %u: %s", p->node.group, weir_tree_verdict_text(s->verdict));
  if (s->node == UINT16_MAX)
    printf(", told by a host");
  else
    printf(", told by node %u", s->node);
  if (s->port != 0) printf(", port %u", s->port - 1u);
  if (s->verdict == WEIR_TREE_LOCK_FAILED) {
    printf(", tree %u is held by group %u", s->holder_tree, s->holder_group);
    if (s->left != UINT32_MAX) printf(" for %u operations more", s->left);
  }
  printf("%s%s\n", *weir_tree_why(p->tree) ? ": " : "", weir_tree_why(p->tree));
  return false;
}

/// Waits for what was begun. False after a complaint.
static bool ended_well(struct tree_perf *p, int code) {
  if (code != 0) {
    printf("@weir error group %u: refused: %s\n", p->node.group, strerror(-code));
    return false;
  }
  const struct weir_tree_status s = weir_tree_req_wait(p->tree);
  return s.verdict == WEIR_TREE_OK || complain(p, &s);
}

// --- the same by a communicator ---

static bool complain_coll(const struct tree_perf *p, int code) {
  printf("@weir error group %u: %s (%s)\n", p->node.group, weir_coll_why(p->coll), strerror(-code));
  return false;
}

/// A barrier, or the operation itself, from its begin to its end. False after a complaint.
static bool by_coll(struct tree_perf *p, bool barrier, size_t bytes) {
  const enum weir_coll_type type = (enum weir_coll_type)p->type;
  const enum weir_coll_op op = (enum weir_coll_op)p->op;
  const size_t count = bytes / weir_coll_element(type);
  struct weir_coll_request *request;
  bool done = false;
  int code;
  if (barrier || p->collective == BARRIER)
    code = weir_coll_ibarrier(p->coll, &request);
  else if (p->collective == ALL_REDUCE)
    code = weir_coll_iallreduce(p->coll, p->send, p->receive, count, type, op, NULL, &request);
  else if (p->collective == REDUCE)
    code = weir_coll_ireduce(p->coll, p->send, p->receive, count, type, op, 0, NULL, &request);
  else
    code = weir_coll_ibroadcast(p->coll, p->rank == 0 ? p->send : p->receive, bytes, 0, &request);
  while (code == 0 && !done) code = weir_coll_test(p->coll, request, &done);
  return code == 0 || complain_coll(p, code);
}

static bool open_coll(struct tree_perf *p) {
  struct weir_coll_config k = weir_coll_defaults();
  char error[256];
  k.rank = p->rank;
  k.workers = p->leaves * p->hosts;
  k.root = p->root;
  k.timeout_ms = p->config.timeout_ms;
  k.backends = p->library == MEASURED ? WEIR_COLL_TREE | WEIR_COLL_RING : WEIR_COLL_TREE;
  k.address = p->config.address;
  k.device = p->config.device;
  k.qp_timeout = p->config.qp_timeout;
  k.retries = p->config.retries;
  k.tree = p->tree;
  const int code = weir_coll_init(&k, &p->coll, error, sizeof error);
  if (code != 0) printf("@weir error group %u: %s (%s)\n", p->node.group, error, strerror(-code));
  return code == 0;
}

// --- sizes ---

/// A barrier, and then an operation, of which the time is taken. False after a complaint.
static bool once(struct tree_perf *p, size_t bytes, struct weir_tree_memory *memory, double *seconds) {
  struct rng rng = perf_rng(p->seed, p->rank, bytes);
  perf_fill((enum weir_coll_type)p->type, &rng, bytes, p->send);
  memset(p->receive, 0, bytes);
  for (int i = 0; i < 2; i++) {
    const double start = clock_seconds();
    if (p->coll != NULL ? !by_coll(p, i == 0, bytes)
                        : !ended_well(p, i == 0 ? weir_tree_do_barrier_nb(p->tree) : begin(p, bytes, memory)))
      return false;
    *seconds = clock_seconds() - start;
  }
  return true;
}

static bool one_size(struct tree_perf *p, size_t bytes, struct weir_tree_memory *memory) {
  const size_t size = weir_coll_element((enum weir_coll_type)p->type);
  const uint64_t casts = weir_tree_multicasts(p->tree);
  size_t wrong = 0;
  double sum = 0, time = 0;
  if (!expect(p, bytes)) return false;
  for (unsigned i = 0; i < p->repeats; i++) {
    if (!once(p, bytes, memory, &time)) return false;
    sum += time;
    for (size_t at = 0; wants(p) && at < bytes; at += size) wrong += memcmp(p->receive + at, p->expected + at, size) != 0;
  }
  const double us = sum * 1e6 / p->repeats;
  if (p->rank == 0)
    printf("%12zu %12s %7s %6s %12.1f %8zu\n", bytes, collectives[p->collective], ina_types[p->type], ina_ops[p->op], us, wrong);
  char why[256] = "";
  const bool device = p->coll == NULL || weir_coll_chosen_for(p->coll, bytes, why, sizeof why) == WEIR_COLL_TREE;
  if (p->library == MEASURED && p->rank == 0) printf("%zu bytes go through %s\n", bytes, why);
  printf("@weir result {\"rank\": %u, \"ring\": %u, \"bytes\": %zu, \"us\": %.1f, \"wrong\": %zu, \"device\": %s, "
         "\"multicasts\": %llu}\n",
         p->rank, p->node.group, bytes, us, wrong, device ? "true" : "false",
         (unsigned long long)(weir_tree_multicasts(p->tree) - casts));
  fflush(stdout);
  return wrong == 0;
}

static bool sweep(struct tree_perf *p) {
  struct weir_tree_memory *memory = NULL;
  const size_t size = weir_coll_element((enum weir_coll_type)p->type);
  // Both vectors in one piece of memory.
  p->send = calloc(2, p->to);
  p->expected = malloc(p->to);
  if (p->send == NULL || p->expected == NULL) return false;
  p->receive = p->send + p->to;
  if (p->registered && weir_tree_reg_mr(p->tree, p->send, 2 * p->to, &memory) != 0) return false;
  bool good = true;
  for (size_t bytes = p->from; good && bytes <= p->to; bytes *= 2) good = one_size(p, bytes / size * size, memory);
  if (memory != NULL) weir_tree_dereg_mr(p->tree, memory);
  const int closed = p->coll != NULL ? weir_coll_close(p->coll) : 0;
  if (good && closed != 0) printf("@weir error group %u: the end: %s\n", p->node.group, strerror(-closed));
  good = good && closed == 0;
  // What is left of a lock is given back.
  return good && (weir_tree_lock_left(p->tree) == 0 || ended_well(p, weir_tree_unlock_nb(p->tree)));
}

/// Until somebody presses Enter, or the control plane says so.
static void await_line(void) {
  int c;
  do c = getchar();
  while (c != '\n' && c != EOF);
}

int main(int argc, char **argv) {
  struct tree_perf p = {
      .config = weir_tree_defaults(), .leaves = 1, .hosts = 2, .ports = 4, .from = 4, .to = 1 << 20, .repeats = 3, .seed = 1};
  const struct argp parser = {.options = options,
                              .parser = parse,
                              .doc = "Runs collectives through a tree of aggregation nodes, checks every element, and measures."};
  char error[256];
  setvbuf(stdin, NULL, _IONBF, 0);   // what follows the lines is for who comes behind us
  argp_parse(&parser, argc, argv, 0, NULL, &p);
  p.config.seed = p.seed + p.rank;
  int code = weir_tree_init(&p.config, &p.tree, error, sizeof error);
  if (code != 0) {
    printf("@weir error group %u: %s (%s)\n", p.node.group, error, strerror(-code));
    return 1;
  }
  const struct weir_tree_end low = weir_tree_low_end(p.tree), sat = weir_tree_sat_end(p.tree);
  printf("@weir ends {\"low_qpn\": %u, \"low_psn\": %u, \"sat_qpn\": %u, \"sat_psn\": %u}\n", low.qpn, low.psn, sat.qpn, sat.psn);
  fflush(stdout);
  await_line();
  code = weir_tree_group_create(p.tree, &p.node);
  if (code != 0) printf("@weir error group %u: %s\n", p.node.group, weir_tree_why(p.tree));
  const bool good = code == 0 && (p.library == BY_TREE || open_coll(&p)) && sweep(&p);
  printf("@weir done\n");
  fflush(stdout);
  await_line();
  weir_tree_finalize(p.tree);
  free(p.send);
  free(p.expected);
  return good ? 0 : 1;
}
