// weir_perf: all-reduces over a ring of hosts, size by size, with every element checked. Columns are those of nccl-tests.
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/perf_common.h"
#include "host/weir/coll.h"
#include "wire/bytes.h"
#include "wire/reduce.h"

enum { MAX_WORKERS = 256, PIECE = 1 << 16 };

struct perf {
  struct weir_coll_config config;
  size_t from, to;   // bytes
  unsigned repeats, warm_up;
  enum weir_coll_type type;
  enum weir_coll_op op;
  bool in_place, registered, quiet;
  uint64_t seed;
  uint8_t secret[4096];
  struct weir_coll *coll;
  uint8_t *send, *receive, *expected;
  uint8_t *rows[MAX_WORKERS];   // PIECE bytes of what each rank sends
};

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
  OPT_SECRET
};

static const struct argp_option options[] = {
    {"rank", OPT_RANK, "R", 0, "This host's rank", 0},
    {"workers", OPT_WORKERS, "H", 0, "Hosts of the ring", 0},
    {"root", OPT_ROOT, "ADDRESS:PORT", 0, "Where rank 0 listens", 0},
    {"job", OPT_JOB, "N", 0, "Number of the job: hosts of another one are turned away (default 0)", 0},
    {"secret-file", OPT_SECRET, "FILE", 0, "What the hosts of the job know and nobody else, up to 4096 bytes (default: none)", 0},
    {"address", OPT_ADDRESS, "ADDRESS", 0, "Own address on the RDMA network", 0},
    {"device", OPT_DEVICE, "NAME", 0, "RDMA device (default: the one that has the address)", 0},
    {"ring", OPT_RING, "ID", 0, "RingID (default 0)", 0},
    {"window", OPT_WINDOW, "N", 0, "Messages outstanding (default 2)", 0},
    {"msglen", OPT_MSGLEN, "PACKETS", 0, "Packets of a message (default 170)", 0},
    {"mtu", OPT_MTU, "BYTES", 0, "Path MTU (default 1024)", 0},
    {"verb", OPT_VERB, "write|write-imm|send", 0, "RDMA operation (default write-imm)", 0},
    {"way", OPT_WAY, "auto|device|hosts", 0, "Who reduces (default auto)", 0},
    {"timeout", OPT_TIMEOUT, "MS", 0, "Without progress until an error (default 10000)", 0},
    {"qp-timeout", OPT_QP_TIMEOUT, "N", 0, "Local ACK Timeout, 4.096 us * 2^N (default 17)", 0},
    {"retries", OPT_RETRIES, "N", 0, "Retry Count (default 7)", 0},
    {"from", OPT_FROM, "BYTES", 0, "Smallest tensor (default 4)", 0},
    {"to", OPT_TO, "BYTES", 0, "Largest; each is twice the one before (default 16777216)", 0},
    {"repeats", OPT_REPEATS, "N", 0, "All-reduces of each size (default 5)", 0},
    {"warm-up", OPT_WARM_UP, "N", 0, "And before these, unmeasured (default 1)", 0},
    {"type", OPT_TYPE, "fp32|fp16|bf16|int32", 0, "Elements (default fp32)", 0},
    {"op", OPT_OP, "sum|min|max", 0, "Reduction (default sum)", 0},
    {"in-place", OPT_IN_PLACE, NULL, 0, "Results replace what was sent", 0},
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
  struct weir_coll_config *k = &p->config;
  switch (key) {
    case OPT_RANK: k->rank = (unsigned)perf_number(state, text, 255); break;
    case OPT_WORKERS: k->workers = (unsigned)perf_number(state, text, MAX_WORKERS); break;
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
    case OPT_FROM: p->from = perf_number(state, text, UINT32_MAX); break;
    case OPT_TO: p->to = perf_number(state, text, UINT32_MAX); break;
    case OPT_REPEATS: p->repeats = (unsigned)perf_number(state, text, 1000000); break;
    case OPT_WARM_UP: p->warm_up = (unsigned)perf_number(state, text, 1000000); break;
    case OPT_TYPE: p->type = (enum weir_coll_type)perf_name(state, text, perf_types); break;
    case OPT_OP: p->op = (enum weir_coll_op)perf_name(state, text, perf_ops); break;
    case OPT_IN_PLACE: p->in_place = true; break;
    case OPT_REGISTER: p->registered = true; break;
    case OPT_UNMARKED: k->unmarked = true; break;
    case OPT_SEED: p->seed = perf_number(state, text, UINT64_MAX); break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

// --- numbers ---

/// What a rank sends: any bits where the device reduces; small whole numbers, whose sums are exact in any order, where the hosts do.
/// `rng` are at the beginning of the tensor, or where a multiple of 8 bytes has ended.
static void fill(const struct perf *p, struct rng *rng, size_t bytes, uint8_t *out) {
  static const uint16_t whole16[2][8] = {{0, 0x3C00, 0x4000, 0x4200, 0x4400, 0xBC00, 0xC000, 0xC200},
                                         {0, 0x3F80, 0x4000, 0x4040, 0x4080, 0xBF80, 0xC000, 0xC040}};
  if (weir_coll_offloaded(p->coll) || p->type == WEIR_COLL_INT32) {
    perf_fill(p->type, rng, bytes, out);
    return;
  }
  const size_t size = weir_coll_element(p->type);
  for (size_t i = 0; i + size <= bytes; i += size) {
    const unsigned which = rng_below(rng, 8);
    const uint16_t half = whole16[p->type == WEIR_COLL_FP16 ? 0 : 1][which];
    if (size == 2) {
      out[i] = (uint8_t)half;
      out[i + 1] = (uint8_t)(half >> 8);
    } else {
      put_le32(out + i, (uint32_t)half << 16);
    }
  }
}

static bool prepare(struct perf *p) {
  const size_t most = p->to > 0 ? p->to : 1;
  p->send = malloc(most);
  p->receive = p->in_place ? p->send : malloc(most);
  p->expected = malloc(most);
  bool good = p->send != NULL && p->receive != NULL && p->expected != NULL;
  for (unsigned r = 0; r < p->config.workers; r++) good = (p->rows[r] = malloc(PIECE)) != NULL && good;
  return good;
}

static void release(struct perf *p) {
  if (p->receive != p->send) free(p->receive);
  free(p->send);
  free(p->expected);
  for (unsigned r = 0; r < p->config.workers; r++) free(p->rows[r]);
}

/// The sum as it should be. The ranks' numbers are made a piece at a time: all together they may be more than there
/// is memory for.
static void expect(struct perf *p, size_t bytes) {
  const uint8_t kind = (uint8_t)((unsigned)p->op << 4 | (unsigned)p->type);
  struct rng rng[MAX_WORKERS];
  for (unsigned r = 0; r < p->config.workers; r++) rng[r] = perf_rng(p->seed, r, bytes);
  for (size_t at = 0; at < bytes; at += PIECE) {
    const size_t len = bytes - at < PIECE ? bytes - at : PIECE;
    for (unsigned r = 0; r < p->config.workers; r++) fill(p, &rng[r], len, p->rows[r]);
    ina_reduce(kind, (const uint8_t *const *)p->rows, p->config.workers, len, p->expected + at);
  }
}

static size_t count_wrong(const struct perf *p, size_t bytes) {
  const size_t size = weir_coll_element(p->type);
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; i += size) wrong += memcmp(p->receive + i, p->expected + i, size) != 0;
  return wrong;
}

// --- all-reduces ---

/// One all-reduce from a common start. Its time, or a negative errno.
static double reduce_once(struct perf *p, size_t bytes, struct weir_coll_memory *memory) {
  struct weir_coll_request *request;
  bool done = false;
  struct rng rng = perf_rng(p->seed, p->config.rank, bytes);
  fill(p, &rng, bytes, p->send);
  if (!p->in_place) memset(p->receive, 0, bytes);
  int code = weir_coll_barrier(p->coll);
  const double start = clock_seconds();
  if (code == 0)
    code =
        weir_coll_iallreduce(p->coll, p->send, p->receive, bytes / weir_coll_element(p->type), p->type, p->op, memory, &request);
  while (code == 0 && !done) code = weir_coll_test(p->coll, request, &done);
  return code == 0 ? (clock_seconds() - start) * 1e6 : code;
}

/// Elements that were wrong, or a negative errno.
static long one_size(struct perf *p, size_t bytes, struct weir_coll_memory *memory) {
  size_t wrong = 0;
  double sum = 0;
  expect(p, bytes);
  for (unsigned i = 0; i < p->warm_up + p->repeats; i++) {
    const double time = reduce_once(p, bytes, memory);
    if (time < 0) return (long)time;
    if (i >= p->warm_up) sum += time;
    wrong += count_wrong(p, bytes);
  }
  const double us = p->repeats > 0 ? sum / p->repeats : 0, gbps = us > 0 ? (double)bytes / us / 1e3 : 0;
  const double share = 2.0 * (p->config.workers - 1) / p->config.workers;
  if (p->config.rank == 0) {
    printf("%12zu %12zu %7s %6s %12.1f %9.4f %9.4f %8zu\n", bytes, bytes / weir_coll_element(p->type), perf_types[p->type],
           perf_ops[p->op], us, gbps, gbps * share, wrong);
  }
  printf("@weir result {\"rank\": %u, \"ring\": %u, \"bytes\": %zu, \"us\": %.1f, \"wrong\": %zu, \"device\": %s}\n",
         p->config.rank, p->config.ring, bytes, us, wrong, weir_coll_offloaded(p->coll) ? "true" : "false");
  fflush(stdout);
  return (long)wrong;
}

static long sweep(struct perf *p) {
  struct weir_coll_memory *memory = NULL;
  const size_t size = weir_coll_element(p->type);
  long wrong = 0;
  if (p->registered && weir_coll_reg_mr(p->coll, p->send, p->to, &memory) != 0) return -ENOMEM;
  if (p->config.rank == 0) {
    printf("# %u hosts, %s reduces\n#%11s %12s %7s %6s %12s %9s %9s %8s\n", p->config.workers,
           weir_coll_offloaded(p->coll) ? "the device" : "the ring of hosts", "size", "count", "type", "redop", "time", "algbw",
           "busbw", "#wrong");
    printf("#%11s %12s %7s %6s %12s %9s %9s %8s\n", "(B)", "(elements)", "", "", "(us)", "(GB/s)", "(GB/s)", "");
  }
  for (size_t bytes = p->from; wrong >= 0 && bytes <= p->to; bytes = bytes * 2 > bytes ? bytes * 2 : bytes + size) {
    const long more = one_size(p, bytes / size * size, memory);
    wrong = more < 0 ? more : wrong + more;
  }
  if (memory != NULL) weir_coll_dereg_mr(p->coll, memory);
  return wrong;
}

int main(int argc, char **argv) {
  struct perf p = {.config = weir_coll_defaults(), .from = 4, .to = 16 << 20, .repeats = 5, .warm_up = 1, .seed = 1};
  const struct argp parser = {.options = options,
                              .parser = parse,
                              .doc = "All-reduces tensors over a ring of RDMA hosts, checks every element, and measures."};
  char error[256];
  p.config.way = WEIR_COLL_AUTO;
  argp_parse(&parser, argc, argv, 0, NULL, &p);
  int code = weir_coll_init(&p.config, &p.coll, error, sizeof error);
  if (code != 0) {
    printf("@weir error ring %u: %s (%s)\n", p.config.ring, error, strerror(-code));
    return 1;
  }
  long wrong = prepare(&p) ? sweep(&p) : -ENOMEM;
  if (wrong < 0) printf("@weir error ring %u: %s (%s)\n", p.config.ring, weir_coll_why(p.coll), strerror((int)-wrong));
  fflush(stdout);
  code = weir_coll_close(p.coll);
  release(&p);
  return wrong == 0 && code == 0 ? 0 : 1;
}
