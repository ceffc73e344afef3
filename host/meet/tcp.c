#include "host/meet/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/// Waits until a socket can be read (or written). 0, or -ETIMEDOUT.
static int await(int socket, short events, uint64_t deadline) {
  for (;;) {
    const uint64_t now = clock_monotonic_ms();
    if (now >= deadline) return -ETIMEDOUT;
    struct pollfd p = {.fd = socket, .events = events};
    const int count = poll(&p, 1, deadline - now > INT_MAX ? INT_MAX : (int)(deadline - now));
    if (count > 0) return 0;
    if (count < 0 && errno != EINTR) return -errno;
  }
}

int tcp_send(int socket, const void *data, size_t bytes, uint64_t deadline) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = send(socket, (const char *)data + done, bytes - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return errno == EPIPE ? -ECONNRESET : -errno;
    const int waited = n < 0 ? await(socket, POLLOUT, deadline) : 0;
    if (waited != 0) return waited;
    if (n > 0) done += (size_t)n;
  }
  return 0;
}

int tcp_receive(int socket, void *data, size_t bytes, uint64_t deadline) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = recv(socket, (char *)data + done, bytes - done, 0);
    if (n == 0) return -ECONNRESET;
    if (n < 0 && errno != EAGAIN && errno != EINTR) return -errno;
    const int waited = n < 0 ? await(socket, POLLIN, deadline) : 0;
    if (waited != 0) return waited;
    if (n > 0) done += (size_t)n;
  }
  return 0;
}

int tcp_first(const int *sockets, unsigned count, uint64_t deadline) {
  enum { MOST = 256 };
  struct pollfd at[MOST];
  for (unsigned i = 0; i < count && i < MOST; i++) at[i] = (struct pollfd){.fd = sockets[i], .events = POLLIN};
  for (;;) {
    const uint64_t now = clock_monotonic_ms();
    if (now >= deadline) return -ETIMEDOUT;
    // poll passes over what is negative.
    if (poll(at, count, deadline - now > INT_MAX ? INT_MAX : (int)(deadline - now)) < 0 && errno != EINTR) return -errno;
    for (unsigned i = 0; i < count; i++)
      if (at[i].revents != 0) return (int)i;
  }
}

int tcp_peek(int socket, void *data, size_t bytes) {
  const ssize_t n = recv(socket, data, bytes, MSG_PEEK | MSG_DONTWAIT);
  if (n > 0) return (int)n;
  return n == 0 ? -ECONNRESET : errno == EINTR ? -EAGAIN : -errno;
}

bool tcp_gone(int socket) {
  struct pollfd p = {.fd = socket, .events = POLLRDHUP};
  return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

int tcp_resolve(const char *root, bool passive, struct addrinfo **out) {
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

static void set_up(int socket) {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void tcp_mark(int socket, int traffic_class, int priority) {
  // Of the two families the socket's own takes it.
  if (traffic_class >= 0) {
    setsockopt(socket, IPPROTO_IP, IP_TOS, &traffic_class, sizeof traffic_class);
    setsockopt(socket, IPPROTO_IPV6, IPV6_TCLASS, &traffic_class, sizeof traffic_class);
  }
  if (priority >= 0) setsockopt(socket, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority);
}

int tcp_listen(const struct addrinfo *at, int listeners[TCP_LISTENERS]) {
  int count = 0, code = -EADDRNOTAVAIL;
  for (; at != NULL && count < TCP_LISTENERS; at = at->ai_next) {
    const int yes = 1, s = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) continue;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    // Both families of one name may have the port.
    if (at->ai_family == AF_INET6) setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (bind(s, at->ai_addr, at->ai_addrlen) == 0 && listen(s, SOMAXCONN) == 0) {
      listeners[count++] = s;
    } else {
      code = -errno;
      close(s);
    }
  }
  return count > 0 ? count : code;
}

int tcp_accept(int listener) {
  const int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (s < 0) return -errno;
  set_up(s);
  return s;
}

int tcp_connect(const struct addrinfo *at, uint64_t deadline) {
  const int s = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0) return -errno;
  int failed = connect(s, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
  if (failed == EINPROGRESS && (failed = -await(s, POLLOUT, deadline)) == 0) {
    socklen_t size = sizeof failed;
    getsockopt(s, SOL_SOCKET, SO_ERROR, &failed, &size);
  }
  if (failed == 0) {
    set_up(s);
    return s;
  }
  close(s);
  return -failed;
}
