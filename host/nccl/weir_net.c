// What NCCL sends from one rank to another, and not through Weir: over TCP, in the order in which it is asked for. NCCL's own networks cannot stand beside a library's CollNet plugin.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/nccl/net.h"

enum { MESSAGES = 32, HEAD = 4, MEGABITS = 10000, MOST_LINKS = 65536 };

/// What a rank that listens tells the one that connects. `socket` is the latter's own: NCCL keeps the handle from one call to the next.
struct net_handle {
  struct sockaddr_in at;
  uint64_t word;   ///< only who has it is let in
  int socket;      ///< + 1; 0: none yet
  uint32_t told;   ///< bytes of `word` that are sent
};
_Static_assert(sizeof(struct net_handle) <= COLLNET_HANDLE, "NCCL hands on so many bytes");

struct net_listener {
  int socket, newcomer;   ///< -1: nobody
  uint64_t word;
  uint8_t said[sizeof(uint64_t)];
  size_t have;
};

struct net_message {
  struct net_link *link;
  uint8_t *data;
  uint8_t head[HEAD];   ///< bytes that follow
  size_t room, moved;   ///< bytes of data; bytes on their way, with the head
  bool used, done;
};

/// One direction of a connection. Messages end in the order of the queue.
struct net_link {
  int socket;
  bool sends, failed;
  struct net_message messages[MESSAGES];
  unsigned next, due;   ///< where the next one goes; the oldest that is not done
};

static collnet_log *net_logger;
#define SAY(...)                                                                                                                 \
  do {                                                                                                                           \
    if (net_logger != NULL) net_logger(COLLNET_WARN, COLLNET_NET, __FILE__, __LINE__, __VA_ARGS__);                              \
  } while (0)

static int init(collnet_log *log) {
  net_logger = log;
  return COLLNET_SUCCESS;
}

static int devices(int *count) {
  *count = 1;
  return COLLNET_SUCCESS;
}

static int properties(int device, struct collnet_properties *out) {
  if (device != 0) return COLLNET_INVALID;
  *out = (struct collnet_properties){.name = "weir-tcp",
                                     .memory = COLLNET_HOST_MEMORY,
                                     .speed_mbps = MEGABITS,
                                     .port = 1,
                                     .most_comms = MOST_LINKS,
                                     .most_receives = 1};
  return COLLNET_SUCCESS;
}

// --- connecting ---

static int close_listener(void *listener) {
  struct net_listener *l = listener;
  if (l->newcomer >= 0) close(l->newcomer);
  close(l->socket);
  free(l);
  return COLLNET_SUCCESS;
}

static int listen_for(int device, void *handle, void **listener) {
  struct net_handle h = {.at = {.sin_family = AF_INET}};
  socklen_t size = sizeof h.at;
  const char *address = getenv("WEIR_TCP_ADDRESS");
  if (address == NULL) address = getenv("WEIR_ADDRESS");
  if (device != 0 || address == NULL || inet_pton(AF_INET, address, &h.at.sin_addr) != 1) {
    SAY("NET/Weir : WEIR_ADDRESS must be this host's own IPv4 address (is: %s)", address != NULL ? address : "not set");
    return COLLNET_INVALID;
  }
  struct net_listener *l = calloc(1, sizeof *l);
  if (l == NULL) return COLLNET_SYSTEM_ERROR;
  l->newcomer = -1;
  l->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (l->socket < 0 || bind(l->socket, (struct sockaddr *)&h.at, sizeof h.at) != 0 || listen(l->socket, SOMAXCONN) != 0 ||
      getsockname(l->socket, (struct sockaddr *)&h.at, &size) != 0 || getrandom(&h.word, sizeof h.word, 0) != sizeof h.word) {
    SAY("NET/Weir : cannot listen at %s: %s", address, strerror(errno));
    if (l->socket >= 0) close(l->socket);
    free(l);
    return COLLNET_SYSTEM_ERROR;
  }
  l->word = h.word;
  memset(handle, 0, COLLNET_HANDLE);
  memcpy(handle, &h, sizeof h);
  *listener = l;
  return COLLNET_SUCCESS;
}

/// A link of a connected socket; NULL if there is no memory.
static struct net_link *link_of(int socket, bool sends) {
  const int yes = 1;
  struct net_link *l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  l->socket = socket;
  l->sends = sends;
  for (unsigned i = 0; i < MESSAGES; i++) l->messages[i].link = l;
  return l;
}

/// Goes on with a connection: 1 if rank `h` was called has been told the word, 0 if not yet, or a negative errno.
static int reach(struct net_handle *h) {
  if (h->socket == 0) {
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return -errno;
    h->socket = s + 1;
    if (connect(s, (struct sockaddr *)&h->at, sizeof h->at) != 0 && errno != EINPROGRESS) return -errno;
  }
  struct pollfd p = {.fd = h->socket - 1, .events = POLLOUT};
  int failed = 0;
  socklen_t size = sizeof failed;
  if (poll(&p, 1, 0) <= 0) return 0;
  if (getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed != 0) return failed != 0 ? -failed : -errno;
  const ssize_t n = send(p.fd, (const char *)&h->word + h->told, sizeof h->word - h->told, MSG_NOSIGNAL);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  h->told += (uint32_t)n;
  return h->told == sizeof h->word;
}

static int connect_to(int device, void *handle, void **comm, void **device_comm) {
  struct net_handle h;
  (void)device, (void)device_comm;
  *comm = NULL;
  memcpy(&h, handle, sizeof h);
  const int code = reach(&h);
  if (code == 1) *comm = link_of(h.socket - 1, true);
  if (code < 0 || (code == 1 && *comm == NULL)) {
    SAY("NET/Weir : a rank cannot be reached: %s", strerror(code < 0 ? -code : ENOMEM));
    if (h.socket > 0) close(h.socket - 1);
    return COLLNET_REMOTE_ERROR;
  }
  memcpy(handle, &h, sizeof h);
  return COLLNET_SUCCESS;
}

/// Who connects must say the word first; whoever else it is is dropped.
static int accept_one(void *listener, void **comm, void **device_comm) {
  struct net_listener *l = listener;
  (void)device_comm;
  *comm = NULL;
  if (l->newcomer < 0) {
    l->newcomer = accept4(l->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    l->have = 0;
  }
  if (l->newcomer < 0) return COLLNET_SUCCESS;
  const ssize_t n = recv(l->newcomer, l->said + l->have, sizeof l->said - l->have, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return COLLNET_SUCCESS;
  if (n > 0) l->have += (size_t)n;
  if (n > 0 && l->have < sizeof l->said) return COLLNET_SUCCESS;
  if (n > 0 && memcmp(l->said, &l->word, sizeof l->word) == 0) {
    *comm = link_of(l->newcomer, false);
    if (*comm == NULL) return COLLNET_SYSTEM_ERROR;
  } else {
    close(l->newcomer);
  }
  l->newcomer = -1;
  return COLLNET_SUCCESS;
}

static int close_link(void *comm) {
  struct net_link *l = comm;
  close(l->socket);
  free(l);
  return COLLNET_SUCCESS;
}

// --- memory ---

static int register_memory(void *comm, void *data, size_t bytes, int kind, void **memory) {
  (void)data, (void)bytes;
  *memory = comm;   // NCCL wants something that is not NULL
  return kind == COLLNET_HOST_MEMORY ? COLLNET_SUCCESS : COLLNET_INVALID;
}

static int register_dma_buf(void *comm, void *data, size_t bytes, int kind, uint64_t offset, int fd, void **memory) {
  (void)comm, (void)data, (void)bytes, (void)kind, (void)offset, (void)fd, (void)memory;
  return COLLNET_INVALID;   // memory of GPUs alone has them
}

static int deregister(void *comm, void *memory) {
  (void)comm, (void)memory;
  return COLLNET_SUCCESS;
}

// --- messages ---

/// Queues a message. NCCL asks again for what there is no room for now: `*request` is NULL then.
static void queue(struct net_link *l, void *data, int bytes, void **request) {
  struct net_message *m = &l->messages[l->next];
  *request = NULL;
  if (m->used) return;
  *m = (struct net_message){.link = l, .data = data, .room = (size_t)bytes, .used = true};
  for (unsigned i = 0; l->sends && i < HEAD; i++) m->head[i] = (uint8_t)((uint32_t)bytes >> 8 * i);
  l->next = (l->next + 1) % MESSAGES;
  *request = m;
}

static int send_to(void *comm, void *data, int bytes, int tag, void *memory, void **request) {
  (void)tag, (void)memory;
  if (bytes < 0) return COLLNET_INVALID;
  queue(comm, data, bytes, request);
  return COLLNET_SUCCESS;
}

static int receive_from(void *comm, int count, void **data, int *bytes, int *tags, void **memories, void **request) {
  (void)tags, (void)memories;
  if (count != 1 || bytes[0] < 0) return COLLNET_INVALID;
  queue(comm, data[0], bytes[0], request);
  return COLLNET_SUCCESS;
}

static size_t announced(const struct net_message *m) {
  uint32_t bytes = 0;
  for (unsigned i = 0; i < HEAD; i++) bytes |= (uint32_t)m->head[i] << 8 * i;
  return bytes;
}

/// Moves what can be moved of a message, its head and then its data: 1 if it is done, 0 if not, or a negative errno.
static int move(struct net_message *m) {
  const struct net_link *l = m->link;
  for (;;) {
    const size_t bytes = l->sends || m->moved >= HEAD ? announced(m) : 0, left = HEAD + bytes - m->moved;
    if (m->moved >= HEAD && bytes > m->room) return -EMSGSIZE;
    if (m->moved >= HEAD && left == 0) return 1;
    uint8_t *at = m->moved < HEAD ? m->head + m->moved : m->data + m->moved - HEAD;
    const size_t most = m->moved < HEAD ? HEAD - m->moved : left;
    const ssize_t n = l->sends ? send(l->socket, at, most, MSG_NOSIGNAL) : recv(l->socket, at, most, 0);
    if (n == 0) return -ECONNRESET;
    if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    m->moved += (size_t)n;
  }
}

/// All that is due, in order, as far as the connection takes it.
static int go_on(struct net_link *l) {
  while (!l->failed && l->messages[l->due].used && !l->messages[l->due].done) {
    const int code = move(&l->messages[l->due]);
    if (code == 0) return COLLNET_SUCCESS;
    l->failed = code < 0;
    if (l->failed) SAY("NET/Weir : a connection between two ranks failed: %s", strerror(-code));
    l->messages[l->due].done = true;
    if (!l->failed) l->due = (l->due + 1) % MESSAGES;
  }
  return l->failed ? COLLNET_REMOTE_ERROR : COLLNET_SUCCESS;
}

static int test(void *request, int *done, int *bytes) {
  struct net_message *m = request;
  *done = 0;
  const int result = m->done && !m->link->failed ? COLLNET_SUCCESS : go_on(m->link);
  if (result != COLLNET_SUCCESS || !m->done) return result;
  *done = 1;
  if (bytes != NULL) *bytes = (int)announced(m);
  m->used = false;
  return COLLNET_SUCCESS;
}

/// What a host received it sees; memory of GPUs there is none.
static int flush(void *comm, int count, void **data, int *bytes, void **memories, void **request) {
  (void)comm, (void)count, (void)data, (void)bytes, (void)memories;
  *request = NULL;
  return COLLNET_SUCCESS;
}

// NCCL looks for this name.
extern const struct net_plugin ncclNetPlugin_v8;
__attribute__((visibility("default"))) const struct net_plugin ncclNetPlugin_v8 = {
    .name = "Weir",
    .init = init,
    .devices = devices,
    .properties = properties,
    .listen = listen_for,
    .connect = connect_to,
    .accept = accept_one,
    .register_memory = register_memory,
    .register_dma_buf = register_dma_buf,
    .deregister = deregister,
    .send = send_to,
    .receive = receive_from,
    .flush = flush,
    .test = test,
    .close_send = close_link,
    .close_receive = close_link,
    .close_listener = close_listener,
};
