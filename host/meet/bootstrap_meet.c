#include "host/meet/bootstrap_meet.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/meet/tcp.h"

enum { PENDING = 64, RETRY_NS = 50000000 };

/// Who has connected and not yet said who he is.
struct newcomer {
  int socket;
  uint64_t since;
  size_t have;
  uint8_t challenge[GREETING_CHALLENGE], hello[GREETING_HELLO];
};

struct meeting {
  struct bootstrap *hosts;
  int listeners[TCP_LISTENERS], listening;
  struct newcomer pending[PENDING];
  unsigned count, here;   ///< newcomers; hosts that have come, with rank 0
};

static bool draw(uint8_t out[GREETING_NONCE]) { return getrandom(out, GREETING_NONCE, 0) == GREETING_NONCE; }

// --- rank 0 ---

static void drop(struct meeting *m, unsigned i) {
  close(m->pending[i].socket);
  m->pending[i] = m->pending[--m->count];
  m->hosts->dropped++;
}

/// One more newcomer. Where there is no room the one that has been silent longest goes: hosts say hello at once.
static void let_in(struct meeting *m, int listener) {
  const int s = tcp_accept(listener);
  uint8_t drawn[GREETING_NONCE];
  unsigned oldest = 0;
  if (s < 0) return;
  tcp_mark(s, m->hosts->traffic_class, m->hosts->priority);
  for (unsigned i = 1; i < m->count; i++)
    if (m->pending[i].since < m->pending[oldest].since) oldest = i;
  if (m->count == PENDING) drop(m, oldest);
  struct newcomer *n = &m->pending[m->count++];
  *n = (struct newcomer){.socket = s, .since = clock_monotonic_ns()};
  const bool drawn_well = draw(drawn);
  if (drawn_well) greeting_challenge(n->challenge, drawn);
  // 24 bytes fit into the buffer of any new connection.
  if (!drawn_well || send(s, n->challenge, sizeof n->challenge, MSG_NOSIGNAL) != sizeof n->challenge) drop(m, m->count - 1);
}

/// A whole hello is here. 0, or the error that ends the job.
static int hear(struct meeting *m, unsigned i) {
  struct bootstrap *b = m->hosts;
  struct newcomer *n = &m->pending[i];
  struct greeting_peer peer;
  uint8_t answer[GREETING_VERDICT];
  enum greeting_verdict verdict = greeting_read(&b->self, n->challenge, n->hello, &peer);
  if (verdict == GREETING_WELCOME && b->sockets[peer.rank] >= 0) verdict = GREETING_TAKEN;
  greeting_answer(&b->self, verdict, &peer, answer);
  const bool sent = verdict != GREETING_STRANGER && send(n->socket, answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
  if (verdict == GREETING_WELCOME && sent) {
    b->sockets[peer.rank] = n->socket;
    greeting_begin(&b->self, n->challenge, peer.drawn, peer.rank, &b->sessions[peer.rank]);
    m->pending[i] = m->pending[--m->count];
    m->here++;
    return 0;
  }
  drop(m, i);
  if (verdict != GREETING_OTHER_FIELD) return 0;
  const struct greeting_field *f = &b->self.fields[peer.field];
  return bootstrap_blame(b, -EINVAL, "%s is %u at rank %u and %u at rank 0", f->name, peer.value, peer.rank, f->value);
}

static int listen_to(struct meeting *m, unsigned i) {
  struct newcomer *n = &m->pending[i];
  const ssize_t got = recv(n->socket, n->hello + n->have, sizeof n->hello - n->have, 0);
  if (got > 0 && (n->have += (size_t)got) == sizeof n->hello) return hear(m, i);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) drop(m, i);
  return 0;
}

/// Who is missing, and what else came.
static int not_all(const struct meeting *m) {
  struct bootstrap *b = m->hosts;
  unsigned missing = 1;
  char others[64] = "";
  while (b->sockets[missing] >= 0) missing++;
  if (b->dropped > 0)
    snprintf(others, sizeof others, "; %u other connection%s came, of no host of this job", b->dropped,
             b->dropped == 1 ? "" : "s");
  return bootstrap_blame(b, -ETIMEDOUT, "not all hosts of the ring came: %u of %u are here, rank %u is not%s", m->here,
                         b->self.workers, missing, others);
}

static int left(struct bootstrap *b) {
  for (unsigned r = 1; r < b->self.workers; r++)
    if (b->sockets[r] >= 0 && tcp_gone(b->sockets[r]))
      return bootstrap_blame(b, -ECONNRESET, "rank %u came and has left again", r);
  return 0;
}

/// One look at all sockets, of at most a quarter of a second, so that who leaves is noticed.
static int look(struct meeting *m) {
  enum { SOME_MS = 250 };
  struct pollfd at[TCP_LISTENERS + PENDING];
  const uint64_t now = clock_monotonic_ms(), deadline = m->hosts->deadline;
  const unsigned count = m->count;
  unsigned n = 0;
  if (now >= deadline) return not_all(m);
  for (int i = 0; i < m->listening; i++) at[n++] = (struct pollfd){.fd = m->listeners[i], .events = POLLIN};
  for (unsigned i = 0; i < count; i++) at[n++] = (struct pollfd){.fd = m->pending[i].socket, .events = POLLIN};
  if (poll(at, n, deadline - now < SOME_MS ? (int)(deadline - now) : SOME_MS) < 0 && errno != EINTR)
    return bootstrap_blame(m->hosts, -errno, "cannot wait for hosts: %s", strerror(errno));
  int code = left(m->hosts);
  // From the last on: whoever goes is replaced by one that was looked at.
  for (unsigned i = count; code == 0 && i-- > 0;)
    if (at[(unsigned)m->listening + i].revents != 0) code = listen_to(m, i);
  for (int i = 0; code == 0 && i < m->listening; i++)
    if (at[i].revents != 0) let_in(m, m->listeners[i]);
  return code;
}

int bootstrap_meet(struct bootstrap *b, const struct addrinfo *at) {
  struct meeting m = {.hosts = b, .here = 1};
  m.listening = tcp_listen(at, m.listeners);
  int code = 0;
  if (m.listening < 0) return bootstrap_blame(b, m.listening, "rank 0 cannot listen: %s", strerror(-m.listening));
  while (code == 0 && m.here < b->self.workers) code = look(&m);
  for (int i = 0; i < m.listening; i++) close(m.listeners[i]);
  while (m.count > 0) drop(&m, m.count - 1);
  return code;
}

// --- the others ---

/// What rank 0 said, for our user. A verdict of rank 0 is final.
static int refused(struct bootstrap *b, enum greeting_verdict verdict, unsigned field, uint32_t value) {
  const struct greeting_self *s = &b->self;
  switch (verdict) {
    case GREETING_SECRET: return bootstrap_blame(b, -EACCES, "rank 0 has another secret");
    case GREETING_OTHER_VERSION: return bootstrap_blame(b, -EPROTO, "rank 0 has another version of the library");
    case GREETING_OTHER_JOB: return bootstrap_blame(b, -EINVAL, "rank 0 is of another job than %llu", (unsigned long long)s->job);
    case GREETING_TAKEN: return bootstrap_blame(b, -EADDRINUSE, "another host is rank %u", s->rank);
    case GREETING_OTHER_FIELD:
      return bootstrap_blame(b, -EINVAL, "%s is %u at rank %u and %u at rank 0", s->fields[field].name, s->fields[field].value,
                             s->rank, value);
    default: return bootstrap_blame(b, -EINVAL, "rank 0 has no room for rank %u", s->rank);
  }
}

/// Says hello on a connection. 0: rank 0 has welcomed us. Otherwise an error; b->code tells whether it is final, `why` says what it was if it is not.
static int greet(struct bootstrap *b, int s, uint64_t limit, const char **why) {
  uint8_t challenge[GREETING_CHALLENGE], drawn[GREETING_NONCE], hello[GREETING_HELLO], verdict[GREETING_VERDICT];
  unsigned version, field;
  uint32_t value;
  *why = "who listens there says nothing";
  int code = tcp_receive(s, challenge, sizeof challenge, limit);
  if (code != 0) return code;
  *why = "who listens there is no rank 0 of this library";
  if (!greeting_challenged(challenge, &version) && version == 0) return -EPROTO;
  if (version != GREETING_VERSION) return refused(b, GREETING_OTHER_VERSION, 0, 0);
  if (!draw(drawn)) return -EIO;
  greeting_hello(&b->self, challenge, drawn, hello);
  *why = "who listens there has not answered";
  code = tcp_send(s, hello, sizeof hello, limit);
  if (code == 0) code = tcp_receive(s, verdict, sizeof verdict, limit);
  if (code != 0) return code;
  const enum greeting_verdict said = greeting_heard(&b->self, hello, verdict, &field, &value);
  *why = "who listens there does not know the secret";
  if (said == GREETING_STRANGER) return -EACCES;
  if (said != GREETING_WELCOME) return refused(b, said, field, value);
  greeting_begin(&b->self, challenge, drawn, b->self.rank, &b->sessions[0]);
  return 0;
}

int bootstrap_join(struct bootstrap *b, const struct addrinfo *at, const char *root) {
  unsigned addresses = 0;
  char last[BOOTSTRAP_WHY] = "nothing was tried";
  for (const struct addrinfo *a = at; a != NULL; a = a->ai_next) addresses++;
  for (;;) {
    for (const struct addrinfo *a = at; a != NULL; a = a->ai_next) {
      const uint64_t now = clock_monotonic_ms(), share = now + b->timeout_ms / (2 * addresses) + 1;
      if (now >= b->deadline)
        return bootstrap_blame(b, -ETIMEDOUT, "not all hosts of the ring came: rank 0 at %s: %s", root, last);
      const uint64_t limit = share < b->deadline ? share : b->deadline;
      const char *why = NULL;
      const int s = tcp_connect(a, limit);
      if (s >= 0) tcp_mark(s, b->traffic_class, b->priority);
      const int code = s < 0 ? s : greet(b, s, limit, &why);
      if (code == 0) {
        b->sockets[0] = s;
        return 0;
      }
      if (s >= 0) close(s);
      if (b->code != 0) return b->code;
      snprintf(last, sizeof last, "%s", why != NULL ? why : strerror(-code));
    }
    nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
  }
}
