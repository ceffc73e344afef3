#include "host/bootstrap.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/// Waits until a socket can be read (or written). 0, or -ETIMEDOUT.
static int await(int socket, short events, uint64_t deadline) {
  for (;;) {
    const uint64_t now = clock_monotonic_ms();
    if (now >= deadline) return -ETIMEDOUT;
    struct pollfd p = {.fd = socket, .events = events};
    const int count = poll(&p, 1, (int)(deadline - now));
    if (count > 0) return 0;
    if (count < 0 && errno != EINTR) return -errno;
  }
}

/// Moves all bytes, one way or the other. 0, or a negative errno; -ECONNRESET if the peer is gone.
static int transfer(int socket, void *data, size_t bytes, bool sends, uint64_t deadline) {
  for (size_t done = 0; done < bytes;) {
    const int waited = await(socket, sends ? POLLOUT : POLLIN, deadline);
    if (waited != 0) return waited;
    char *at = (char *)data + done;
    const ssize_t n = sends ? send(socket, at, bytes - done, MSG_NOSIGNAL) : recv(socket, at, bytes - done, 0);
    if (n == 0 && !sends) return -ECONNRESET;
    if (n < 0 && errno != EAGAIN && errno != EINTR) return -errno;
    if (n > 0) done += (size_t)n;
  }
  return 0;
}

static int resolve(const char *root, bool passive, struct addrinfo **out) {
  char host[256];
  const char *colon = strrchr(root, ':');
  if (colon == NULL || (size_t)(colon - root) >= sizeof host) return -EINVAL;
  size_t len = (size_t)(colon - root);
  if (len >= 2 && root[0] == '[' && root[len - 1] == ']') {
    root++;
    len -= 2;
  }
  memcpy(host, root, len);
  host[len] = 0;
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0};
  return getaddrinfo(host, colon + 1, &hints, out) == 0 ? 0 : -EINVAL;
}

static void prepare(int socket) {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
}

/// Takes one host that says its rank.
static int take_rank(struct bootstrap *b, int socket, uint64_t deadline) {
  uint8_t rank[2] = {0};
  prepare(socket);
  const int code = transfer(socket, rank, sizeof rank, false, deadline);
  const unsigned number = (unsigned)rank[0] << 8 | rank[1];
  if (code != 0 || number == 0 || number >= b->workers || b->sockets[number] >= 0) {
    close(socket);
    return code == 0 ? -EPROTO : code;
  }
  b->sockets[number] = socket;
  return 0;
}

static int gather_hosts(struct bootstrap *b, const struct addrinfo *at, uint64_t deadline) {
  const int yes = 1, listener = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -errno;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  int code = bind(listener, at->ai_addr, at->ai_addrlen) == 0 && listen(listener, (int)b->workers) == 0 ? 0 : -errno;
  for (unsigned count = 1; code == 0 && count < b->workers; count++) {
    code = await(listener, POLLIN, deadline);
    if (code != 0) break;
    const int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    code = peer < 0 ? -errno : take_rank(b, peer, deadline);
  }
  close(listener);
  return code;
}

/// Rank 0 may be later than we are: tries until it is there.
static int join(struct bootstrap *b, const struct addrinfo *at, uint64_t deadline) {
  uint8_t rank[2] = {(uint8_t)(b->rank >> 8), (uint8_t)b->rank};
  for (;;) {
    const int s = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return -errno;
    int failed = connect(s, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (failed == EINPROGRESS && await(s, POLLOUT, deadline) == 0) {
      socklen_t size = sizeof failed;
      getsockopt(s, SOL_SOCKET, SO_ERROR, &failed, &size);
    }
    if (failed == 0) {
      prepare(s);
      b->sockets[0] = s;
      return transfer(s, rank, sizeof rank, true, deadline);
    }
    close(s);
    if (clock_monotonic_ms() >= deadline) return -ETIMEDOUT;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
}

int bootstrap_open(struct bootstrap *b, unsigned rank, unsigned workers, const char *root, unsigned timeout_ms) {
  struct addrinfo *at = NULL;
  *b = (struct bootstrap){.rank = rank, .workers = workers, .timeout_ms = timeout_ms};
  for (unsigned i = 0; i < BOOTSTRAP_MOST; i++) b->sockets[i] = -1;
  if (workers > BOOTSTRAP_MOST || rank >= workers) return -EINVAL;
  int code = resolve(root, rank == 0, &at);
  const uint64_t deadline = clock_monotonic_ms() + timeout_ms;
  if (code == 0) code = rank == 0 ? gather_hosts(b, at, deadline) : join(b, at, deadline);
  if (at != NULL) freeaddrinfo(at);
  return code;
}

int bootstrap_gather(struct bootstrap *b, const void *mine, size_t bytes, void *all) {
  const uint64_t deadline = clock_monotonic_ms() + b->timeout_ms;
  uint8_t *out = all;
  int code = 0;
  memcpy(out + b->rank * bytes, mine, bytes);
  if (b->rank != 0) {
    code = transfer(b->sockets[0], out + b->rank * bytes, bytes, true, deadline);
    return code != 0 ? code : transfer(b->sockets[0], out, bytes * b->workers, false, deadline);
  }
  for (unsigned r = 1; code == 0 && r < b->workers; r++) code = transfer(b->sockets[r], out + r * bytes, bytes, false, deadline);
  for (unsigned r = 1; code == 0 && r < b->workers; r++) code = transfer(b->sockets[r], out, bytes * b->workers, true, deadline);
  return code;
}

void bootstrap_close(struct bootstrap *b) {
  for (unsigned i = 0; i < BOOTSTRAP_MOST; i++)
    if (b->sockets[i] >= 0) close(b->sockets[i]);
}
