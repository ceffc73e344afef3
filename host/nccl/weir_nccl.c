// libnccl-net-weir.so: NCCL's all-reduces, reduce-scatters and all-gathers through Weir, as a CollNet plugin (NCCL_NET_PLUGIN=weir NCCL_COLLNET_ENABLE=1). Memory of hosts alone: GPUs'
// memory goes by way of it.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/nccl/collnet.h"
#include "host/weir/coll.h"

enum { NAME = 64, GIGABITS_100 = 100000 };

/// What a rank tells the others when it listens: where it would wait for them as rank 0, and a number for the job.
struct handle {
  char root[NAME];
  uint64_t job;
};
_Static_assert(sizeof(struct handle) <= COLLNET_HANDLE, "NCCL hands on so many bytes");

struct comm {
  struct weir_coll *coll;
  size_t ranks;
};

struct request {
  struct comm *comm;
  struct weir_coll_request *weir;   // NULL: it is done
  int bytes;
};

static collnet_log *logger;
#define SAY(level, ...)                                                                                                          \
  do {                                                                                                                           \
    if (logger != NULL) logger(level, COLLNET_NET, __FILE__, __LINE__, __VA_ARGS__);                                             \
  } while (0)

/// An errno as NCCL says it.
static int result_of(int code) {
  if (code == 0) return COLLNET_SUCCESS;
  if (code == -EINVAL || code == -EAGAIN || code == -EMSGSIZE) return COLLNET_INVALID;
  return code == -ENOMEM || code == -ENODEV ? COLLNET_SYSTEM_ERROR : COLLNET_REMOTE_ERROR;
}

static int init(collnet_log *log) {
  logger = log;
  SAY(COLLNET_INFO, "NET/Weir : libweir-coll %u", weir_coll_version());
  return COLLNET_SUCCESS;
}

static int devices(int *count) {
  *count = 1;
  return COLLNET_SUCCESS;
}

static int properties(int device, struct collnet_properties *out) {
  if (device != 0) return COLLNET_INVALID;
  *out = (struct collnet_properties){
      .name = "weir", .memory = COLLNET_HOST_MEMORY, .speed_mbps = GIGABITS_100, .port = 1, .most_comms = 1, .most_receives = 1};
  return COLLNET_SUCCESS;
}

// --- connecting ---

/// A port that nobody has at the moment.
static int free_port(const char *address) {
  struct sockaddr_in at = {.sin_family = AF_INET};
  socklen_t size = sizeof at;
  const int s = inet_pton(AF_INET, address, &at.sin_addr) == 1 ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  const bool good =
      s >= 0 && bind(s, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(s, (struct sockaddr *)&at, &size) == 0;
  if (s >= 0) close(s);
  return good ? ntohs(at.sin_port) : -1;
}

static int listen_for(int device, void *handle, void **listener) {
  struct handle h = {0};
  const char *address = getenv("WEIR_TCP_ADDRESS");
  if (address == NULL) address = getenv("WEIR_ADDRESS");
  const int port = device == 0 && address != NULL ? free_port(address) : -1;
  if (port < 0) {
    SAY(COLLNET_WARN, "NET/Weir : WEIR_ADDRESS must be this host's own IPv4 address (is: %s)",
        address != NULL ? address : "not set");
    return COLLNET_INVALID;
  }
  snprintf(h.root, sizeof h.root, "%s:%d", address, port);
  if (getrandom(&h.job, sizeof h.job, 0) != sizeof h.job) return COLLNET_SYSTEM_ERROR;
  memset(handle, 0, COLLNET_HANDLE);
  memcpy(handle, &h, sizeof h);
  *listener = malloc(1);   // NCCL wants something that is not NULL
  return *listener != NULL ? COLLNET_SUCCESS : COLLNET_SYSTEM_ERROR;
}

static int close_listener(void *listener) {
  free(listener);
  return COLLNET_SUCCESS;
}

static int connect_all(void *handles[], int ranks, int rank, void *listener, void **out) {
  struct weir_coll_config config = weir_coll_defaults();
  struct handle first;
  char error[256];
  (void)listener;
  struct comm *comm = calloc(1, sizeof *comm);
  if (comm == NULL) return COLLNET_SYSTEM_ERROR;
  memcpy(&first, handles[0], sizeof first);
  first.root[NAME - 1] = 0;
  config.root = first.root;
  config.job = first.job;
  config.rank = (unsigned)rank;
  config.workers = (unsigned)ranks;
  comm->ranks = (size_t)ranks;
  const int code = weir_coll_init(&config, &comm->coll, error, sizeof error);
  if (code == 0) {
    SAY(COLLNET_INFO, "NET/Weir : rank %d of %d: %s", rank, ranks, weir_coll_chosen(comm->coll));
    *out = comm;
    return COLLNET_SUCCESS;
  }
  SAY(COLLNET_WARN, "NET/Weir : rank %d of %d: %s", rank, ranks, error);
  free(comm);
  return result_of(code);
}

static int close_comm(void *comm) {
  const int code = weir_coll_close(((struct comm *)comm)->coll);
  free(comm);
  return result_of(code);
}

// --- memory ---

static int register_memory(void *comm, void *data, size_t bytes, int kind, void **memory) {
  if (kind != COLLNET_HOST_MEMORY) return COLLNET_INVALID;
  return result_of(weir_coll_reg_mr(((struct comm *)comm)->coll, data, bytes, (struct weir_coll_memory **)memory));
}

static int register_dma_buf(void *comm, void *data, size_t bytes, int kind, uint64_t offset, int fd, void **memory) {
  (void)comm, (void)data, (void)bytes, (void)kind, (void)offset, (void)fd, (void)memory;
  return COLLNET_INVALID;   // memory of GPUs alone has them
}

static int deregister(void *comm, void *memory) { return result_of(weir_coll_dereg_mr(((struct comm *)comm)->coll, memory)); }

// --- operations ---

/// False if Weir has no such type or operation.
static bool translate(int type, int op, enum weir_coll_type *t, enum weir_coll_op *o) {
  switch (type) {
    case COLLNET_INT32: *t = WEIR_COLL_INT32; break;
    case COLLNET_FP16: *t = WEIR_COLL_FP16; break;
    case COLLNET_FP32: *t = WEIR_COLL_FP32; break;
    case COLLNET_BF16: *t = WEIR_COLL_BF16; break;
    default: return false;
  }
  switch (op) {
    case COLLNET_SUM: *o = WEIR_COLL_SUM; break;
    case COLLNET_MAX: *o = WEIR_COLL_MAX; break;
    case COLLNET_MIN: *o = WEIR_COLL_MIN; break;
    case COLLNET_AVERAGE: *o = WEIR_COLL_AVERAGE; break;
    default: return false;
  }
  return weir_coll_reduce_support(*t, *o);
}

static int reduce_support(int type, int op, int *supported) {
  enum weir_coll_type t;
  enum weir_coll_op o;
  *supported = translate(type, op, &t, &o);
  return COLLNET_SUCCESS;
}

/// The request of an operation that was begun with `code`.
static int begun(struct comm *comm, int code, struct weir_coll_request *weir, size_t bytes, void **out) {
  struct request *r = code == 0 ? malloc(sizeof *r) : NULL;
  // NCCL asks again for what there is no room for now.
  if (code == -EAGAIN) *out = NULL;
  if (code == -EAGAIN) return COLLNET_SUCCESS;
  if (code != 0) SAY(COLLNET_WARN, "NET/Weir : %s (%s)", weir_coll_why(comm->coll), strerror(-code));
  if (code != 0 || r == NULL) return code != 0 ? result_of(code) : COLLNET_SYSTEM_ERROR;
  *r = (struct request){.comm = comm, .weir = weir, .bytes = (int)bytes};
  *out = r;
  return COLLNET_SUCCESS;
}

static int all_reduce(void *comm, void *send, void *receive, int count, int type, int op, void *send_memory, void *receive_memory,
                      void **request) {
  struct comm *c = comm;
  struct weir_coll_request *weir = NULL;
  enum weir_coll_type t;
  enum weir_coll_op o;
  (void)receive_memory;
  if (count < 0 || !translate(type, op, &t, &o)) return COLLNET_INVALID;
  const int code = weir_coll_iallreduce(c->coll, send, receive, (size_t)count, t, o, send_memory, &weir);
  return begun(c, code, weir, (size_t)count * weir_coll_element(t), request);
}

/// Weir has whole tensors in one piece: a window of one, or several pieces, is refused.
static bool whole(const struct comm *c, int parts, const struct collnet_part *part, size_t per_rank, size_t offset,
                  size_t bytes) {
  const bool fits = parts == 1 && offset == 0 && bytes == per_rank * c->ranks && part->bytes == bytes;
  if (!fits)
    SAY(COLLNET_WARN, "NET/Weir : %d pieces, a window of %zu bytes at %zu: only a whole tensor in one piece", parts, bytes,
        offset);
  return fits;
}

static int all_gather(void *comm, void *send, int parts, struct collnet_part *receive, size_t bytes_per_rank,
                      size_t window_offset, size_t window_bytes, void *send_memory, void **request) {
  struct comm *c = comm;
  struct weir_coll_request *weir = NULL;
  (void)send_memory;
  if (!whole(c, parts, receive, bytes_per_rank, window_offset, window_bytes)) return COLLNET_INVALID;
  const int code = weir_coll_iall_gather(c->coll, send, receive->address, bytes_per_rank, &weir);
  return begun(c, code, weir, window_bytes, request);
}

static int reduce_scatter(void *comm, int parts, struct collnet_part *send, void *receive, size_t bytes_per_rank,
                          size_t window_offset, size_t window_bytes, int type, int op, void *receive_memory, void **request) {
  struct comm *c = comm;
  struct weir_coll_request *weir = NULL;
  enum weir_coll_type t;
  enum weir_coll_op o;
  (void)receive_memory;
  if (!translate(type, op, &t, &o) || !whole(c, parts, send, bytes_per_rank, window_offset, window_bytes)) return COLLNET_INVALID;
  const int code = weir_coll_ireduce_scatter(c->coll, send->address, receive, bytes_per_rank / weir_coll_element(t), t, o,
                                             send->memory, &weir);
  return begun(c, code, weir, bytes_per_rank, request);
}

/// What a host received it sees.
static int flush(void *comm, void *data, int bytes, void *memory, void **request) {
  (void)data, (void)memory;
  return begun(comm, 0, NULL, (size_t)bytes, request);
}

static int test(void *request, int *done, int *bytes) {
  struct request *r = request;
  bool over = r->weir == NULL;
  const int code = over ? 0 : weir_coll_test(r->comm->coll, r->weir, &over);
  *done = over;
  if (over && bytes != NULL) *bytes = r->bytes;
  if (code != 0) SAY(COLLNET_WARN, "NET/Weir : %s (%s)", weir_coll_why(r->comm->coll), strerror(-code));
  if (over || code != 0) free(r);
  return result_of(code);
}

// NCCL looks for this name.
extern const struct collnet_plugin ncclCollNetPlugin_v8;
__attribute__((visibility("default"))) const struct collnet_plugin ncclCollNetPlugin_v8 = {
    .name = "Weir",
    .init = init,
    .devices = devices,
    .properties = properties,
    .listen = listen_for,
    .connect = connect_all,
    .reduce_support = reduce_support,
    .register_memory = register_memory,
    .register_dma_buf = register_dma_buf,
    .deregister = deregister,
    .all_reduce = all_reduce,
    .all_gather = all_gather,
    .reduce_scatter = reduce_scatter,
    .flush = flush,
    .test = test,
    .close = close_comm,
    .close_listener = close_listener,
};
