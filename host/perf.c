// weir_perf: collectives of hosts, size by size, with every element checked. What it prints is laid out as nccl-tests does, with percentiles behind it.
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/perf_common.h"
#include "host/perf_work.h"
#include "host/weir/coll.h"
#include "wire/roce.h"

struct perf {
  struct perf_order order;
  uint8_t secret[4096];
  double bus;   // sum of bandwidths
  unsigned lines;
};

static const char *const collectives[] = {"all-reduce", "reduce", "broadcast", "reduce-scatter", "all-gather", "barrier", NULL};
static const char *const places[] = {"both", "out", "in", NULL};
static const char *const ops[] = {"sum", "min", "max", "avg", NULL};
// As nccl-tests has them.
static const char *const type_names[] = {"float", "half", "bfloat16", "int32"};

static const char *const verbs[] = {"write", "write-imm", "send", NULL};
static const char *const ways[] = {"auto", "device", "hosts", NULL};

// --- options ---

enum {
  OPT_RANK = 256,
  OPT_WORKERS,
  OPT_ROOT,
  OPT_ADDRESS,
  OPT_DEVICE,
  OPT_RING,
  OPT_WINDOW,
  OPT_MSGLEN,
  OPT_MTU,
  OPT_VERB,
  OPT_WAY,
  OPT_TIMEOUT,
  OPT_QP_TIMEOUT,
  OPT_RETRIES,
  OPT_FROM,
  OPT_TO,
  OPT_REPEATS,
  OPT_WARM_UP,
  OPT_TYPE,
  OPT_OP,
  OPT_IN_PLACE,
  OPT_REGISTER,
  OPT_SEED,
  OPT_UNMARKED,
  OPT_JOB,
  OPT_SECRET,
  OPT_COLLECTIVE,
  OPT_ROOT_RANK,
  OPT_PLACE,
  OPT_CHECK,
  OPT_BACKENDS,
  OPT_RINGS
};

static const struct argp_option options[] = {
    {"rank", OPT_RANK, "R", 0, "This host's rank", 0},
    {"workers", OPT_WORKERS, "H", 0, "Hosts of the ring", 0},
    {"root", OPT_ROOT, "ADDRESS:PORT", 0, "Where rank 0 listens", 0},
    {"job", OPT_JOB, "N", 0, "Number of the job: hosts of another one are turned away (default 0)", 0},
    {"secret-file", OPT_SECRET, "FILE", 0, "What the hosts of the job know and nobody else, up to 4096 bytes (default: none)", 0},
    {"address", OPT_ADDRESS, "ADDRESS", 0, "Own address on the RDMA network", 0},
    {"device", OPT_DEVICE, "NAME", 0, "RDMA device (default: the one that has the address)", 0},
    {"collective", OPT_COLLECTIVE, "all-reduce|reduce|broadcast|reduce-scatter|all-gather|barrier", 0,
     "What the hosts do (default all-reduce); sizes are those of all segments", 0},
    {"root-rank", OPT_ROOT_RANK, "R", 0, "Of a reduce or broadcast (default 0)", 0},
    {"place", OPT_PLACE, "both|out|in", 0, "Results beside what was sent, in its place, or one after the other (default both)",
     0},
    {"check", OPT_CHECK, "0|1", 0, "Compare every element (default 1)", 0},
    {"backends", OPT_BACKENDS, "NAME,..", 0, "aggregator, ring, or both: by size (default: as --way says)", 0},
    {"rings", OPT_RINGS, "N", 0, "Rings of the aggregator at once (default 1)", 0},
    {"ring", OPT_RING, "ID", 0, "RingID (default 0)", 0},
    {"window", OPT_WINDOW, "N", 0, "Messages outstanding (default 2)", 0},
    {"msglen", OPT_MSGLEN, "PACKETS", 0, "Packets of a message (default: 170 KB of them, 170 at most)", 0},
    {"mtu", OPT_MTU, "BYTES", 0, "Path MTU (default: what the ports of all hosts carry; where a device may sum 1024 at most)", 0},
    {"verb", OPT_VERB, "write|write-imm|send", 0, "RDMA operation (default write-imm)", 0},
    {"way", OPT_WAY, "auto|device|hosts", 0, "Who reduces (default auto)", 0},
    {"timeout", OPT_TIMEOUT, "MS", 0, "Without progress until an error (default 10000)", 0},
    {"qp-timeout", OPT_QP_TIMEOUT, "N", 0, "Local ACK Timeout, 4.096 us * 2^N (default 17)", 0},
    {"retries", OPT_RETRIES, "N", 0, "Retry Count (default 7)", 0},
    {"from", OPT_FROM, "BYTES", 0, "Smallest tensor (default 4)", 0},
    {"to", OPT_TO, "BYTES", 0, "Largest; each is twice the one before (default 16777216)", 0},
    {"repeats", OPT_REPEATS, "N", 0, "Of each size (default 20)", 0},
    {"warm-up", OPT_WARM_UP, "N", 0, "And before these, unmeasured (default 5)", 0},
    {"type", OPT_TYPE, "fp32|fp16|bf16|int32", 0, "Elements (default fp32)", 0},
    {"op", OPT_OP, "sum|min|max|avg", 0, "Reduction (default sum)", 0},
    {"in-place", OPT_IN_PLACE, NULL, 0, "The same as --place in", 0},
    {"register", OPT_REGISTER, NULL, 0, "Tensors are registered memory", 0},
    {"unmarked", OPT_UNMARKED, NULL, 0, "Takes results without the device's mark, too; write needs it", 0},
    {"seed", OPT_SEED, "S", 0, "Of the numbers (default 1)", 0},
    {0},
};

/// All of a file. An empty one is no secret.
static size_t read_secret(struct argp_state *state, const char *path, uint8_t *out, size_t most) {
  FILE *f = fopen(path, "rb");
  const size_t got = f != NULL ? fread(out, 1, most, f) : 0;
  if (f == NULL || ferror(f) || got == 0 || fgetc(f) != EOF)
    argp_error(state, "%s: no file of 1 to %zu bytes that can be read", path, most);
  if (f != NULL) fclose(f);
  return got;
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct perf *p = state->input;
  struct perf_order *o = &p->order;
  struct weir_coll_config *k = &o->config;
  switch (key) {
    case OPT_RANK: k->rank = (unsigned)perf_number(state, text, 255); break;
    case OPT_WORKERS: k->workers = (unsigned)perf_number(state, text, PERF_MAX_WORKERS); break;
    case OPT_ROOT: k->root = text; break;
    case OPT_JOB: k->job = perf_number(state, text, UINT64_MAX); break;
    case OPT_SECRET:
      k->secret = p->secret;
      k->secret_bytes = read_secret(state, text, p->secret, sizeof p->secret);
      break;
    case OPT_ADDRESS: k->address = text; break;
    case OPT_DEVICE: k->device = text; break;
    case OPT_RING: k->ring = (uint16_t)perf_number(state, text, UINT16_MAX); break;
    case OPT_WINDOW: k->window = (unsigned)perf_number(state, text, 64); break;
    case OPT_MSGLEN: k->msglen = (unsigned)perf_number(state, text, 16384); break;
    case OPT_MTU: k->mtu = (unsigned)perf_number(state, text, 4096); break;
    case OPT_VERB: k->verb = (enum weir_coll_verb)perf_name(state, text, verbs); break;
    case OPT_WAY: k->way = (enum weir_coll_way)perf_name(state, text, ways); break;
    case OPT_TIMEOUT: k->timeout_ms = (unsigned)perf_number(state, text, 86400000); break;
    case OPT_QP_TIMEOUT: k->qp_timeout = (unsigned)perf_number(state, text, 31); break;
    case OPT_RETRIES: k->retries = (unsigned)perf_number(state, text, 7); break;
    case OPT_FROM: o->from = perf_number(state, text, UINT32_MAX); break;
    case OPT_TO: o->to = perf_number(state, text, UINT32_MAX); break;
    case OPT_REPEATS: o->repeats = (unsigned)perf_number(state, text, 1000000); break;
    case OPT_WARM_UP: o->warm_up = (unsigned)perf_number(state, text, 1000000); break;
    case OPT_TYPE: o->type = (enum weir_coll_type)perf_name(state, text, ina_types); break;
    case OPT_OP: o->op = (enum weir_coll_op)perf_name(state, text, ops); break;
    case OPT_IN_PLACE: o->out_of_place = false; break;
    case OPT_COLLECTIVE: o->collective = (enum perf_collective)perf_name(state, text, collectives); break;
    case OPT_ROOT_RANK: o->root = (unsigned)perf_number(state, text, 255); break;
    case OPT_PLACE: {
      const unsigned place = perf_name(state, text, places);
      o->out_of_place = place != 2;
      o->in_place = place != 1;
      break;
    }
    case OPT_CHECK: o->checked = perf_number(state, text, 1) == 1; break;
    case OPT_BACKENDS: setenv("WEIR_BACKENDS", text, 1); break;   // the library reads it, and says what is wrong with it
    case OPT_RINGS: k->rings = (unsigned)perf_number(state, text, 8); break;
    case OPT_REGISTER: o->registered = true; break;
    case OPT_UNMARKED: k->unmarked = true; break;
    case OPT_SEED: o->seed = perf_number(state, text, UINT64_MAX); break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

// --- what is printed ---

static void print_head(const struct perf *p, struct weir_coll *coll) {
  const struct perf_order *o = &p->order;
  static const char places_head[] = " %-45s %-45s\n";
  printf("# %u hosts, %s reduce%s, %s; %u of each size behind %u, %schecked\n# %s\n", o->config.workers,
         weir_coll_offloaded(coll) ? "the device" : "the hosts", weir_coll_offloaded(coll) ? "s" : "", collectives[o->collective],
         o->repeats, o->warm_up, o->checked ? "" : "not ", weir_coll_chosen(coll));
  printf("#%11s %12s %8s %6s %5s", "", "", "", "", "");
  printf(places_head, o->out_of_place ? "out-of-place" : "in-place", o->out_of_place && o->in_place ? "in-place" : "");
  printf("#%11s %12s %8s %6s %5s", "size", "count", "type", "redop", "root");
  for (unsigned i = 0; i < (unsigned)o->out_of_place + o->in_place; i++)
    printf(" %10s %8s %8s %6s %10s %10s", "time", "algbw", "busbw", "#wrong", "p50", "p99");
  printf("\n#%11s %12s %8s %6s %5s", "(B)", "(elements)", "", "", "");
  for (unsigned i = 0; i < (unsigned)o->out_of_place + o->in_place; i++)
    printf(" %10s %8s %8s %6s %10s %10s", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(us)");
  putchar('\n');
}

static void print_times(struct perf *p, size_t bytes, const struct perf_times *t) {
  const struct perf_order *o = &p->order;
  const double gbps = t->mean > 0 ? (double)bytes / t->mean / 1e3 : 0,
               bus = gbps * perf_bus_share(o->collective, o->config.workers);
  char wrong[24] = "N/A";
  if (o->checked) snprintf(wrong, sizeof wrong, "%zu", t->wrong);
  printf(" %10.1f %8.4f %8.4f %6s %10.1f %10.1f", t->mean, gbps, bus, wrong, t->p50, t->p99);
  p->bus += bus;
  p->lines++;
}

// --- what is done ---

/// Both places of one size. Elements that were wrong, or a negative errno.
static long one_size(struct perf *p, struct perf_work *w, size_t bytes) {
  const struct perf_order *o = &p->order;
  const bool first = o->config.rank == 0;
  const bool rooted = o->collective == PERF_REDUCE || o->collective == PERF_BROADCAST;
  const bool reduces = o->collective != PERF_BROADCAST && o->collective != PERF_ALL_GATHER && o->collective != PERF_BARRIER;
  struct perf_times t, of[2];
  size_t wrong = 0;
  unsigned count = 0;
  for (int in_place = 0; in_place < 2; in_place++) {
    if (in_place == 1 ? !o->in_place : !o->out_of_place) continue;
    const int code = perf_work_do(w, bytes, in_place == 1, &t);
    if (code != 0) return code;
    of[count++] = t;
    wrong += t.wrong;
  }
  if (first) {
    printf("%12zu %12zu %8s %6s %5d", bytes, bytes / weir_coll_element(o->type), type_names[o->type],
           reduces ? ops[o->op] : "none", rooted ? (int)o->root : -1);
    for (unsigned i = 0; i < count; i++) print_times(p, bytes, &of[i]);
    putchar('\n');
  }
  printf("@weir result {\"rank\": %u, \"ring\": %u, \"bytes\": %zu, \"us\": %.1f, \"wrong\": %zu, \"device\": %s}\n",
         o->config.rank, o->config.ring, bytes, of[0].mean, wrong, weir_coll_offloaded(w->coll) ? "true" : "false");
  fflush(stdout);
  return (long)wrong;
}

static long sweep(struct perf *p, struct weir_coll *coll) {
  const struct perf_order *o = &p->order;
  struct perf_work w;
  size_t before = SIZE_MAX;
  long wrong = perf_work_open(&w, o, coll);
  if (wrong == 0 && o->config.rank == 0) print_head(p, coll);
  for (size_t bytes = o->from; wrong >= 0 && bytes <= o->to; bytes = bytes * 2 > bytes ? bytes * 2 : bytes + 1) {
    const size_t size = o->collective == PERF_BARRIER ? 0 : perf_round(o, bytes);
    if (size == before) continue;
    before = size;
    const long more = one_size(p, &w, size);
    wrong = more < 0 ? more : wrong + more;
  }
  if (wrong >= 0 && o->config.rank == 0) {
    if (o->checked) printf("# Out of bounds values : %ld %s\n", wrong, wrong == 0 ? "OK" : "FAILED");
    printf("# Avg bus bandwidth    : %g\n", p->lines > 0 ? p->bus / p->lines : 0);
  }
  perf_work_close(&w);
  return wrong;
}

int main(int argc, char **argv) {
  struct perf p = {.order = {.config = weir_coll_defaults(),
                             .from = 4,
                             .to = 16 << 20,
                             .repeats = 20,
                             .warm_up = 5,
                             .out_of_place = true,
                             .in_place = true,
                             .checked = true,
                             .seed = 1}};
  const struct argp parser = {.options = options,
                              .parser = parse,
                              .doc = "Collectives of RDMA hosts: checks every element, and measures as nccl-tests does."};
  struct weir_coll_config *k = &p.order.config;
  struct weir_coll *coll;
  char error[256];
  k->way = WEIR_COLL_AUTO;
  argp_parse(&parser, argc, argv, 0, NULL, &p);
  if (!weir_coll_reduce_support(p.order.type, p.order.op) || p.order.root >= k->workers) {
    printf("@weir error ring %u: no such reduction or root\n", k->ring);
    return 1;
  }
  int code = weir_coll_init(k, &coll, error, sizeof error);
  if (code != 0) {
    printf("@weir error ring %u: %s (%s)\n", k->ring, error, strerror(-code));
    return 1;
  }
  const long wrong = sweep(&p, coll);
  const char *why = *weir_coll_why(coll) != 0 ? weir_coll_why(coll) : "no memory for tensors, or it cannot be registered";
  if (wrong < 0) printf("@weir error ring %u: %s (%s)\n", k->ring, why, strerror((int)-wrong));
  fflush(stdout);
  code = wrong < 0 ? weir_coll_abort(coll) : weir_coll_close(coll);
  return wrong == 0 && code == 0 ? 0 : 1;
}
