#include "host/meet/bootstrap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/meet/bootstrap_meet.h"
#include "host/meet/tcp.h"
#include "wire/bytes.h"

/// A frame is its kind:8, 0:24, bytes:32, so many bytes, a MAC. A failure's are its errno:32 and a sentence.
enum { DATA = 1, FAILURE = 2, HEAD = 8, CODE = 4, MOST_ERRNO = 4095 };

int bootstrap_blame(struct bootstrap *b, int code, const char *format, ...) {
  va_list arguments;
  if (b->code != 0) return code;
  va_start(arguments, format);
  vsnprintf(b->why, sizeof b->why, format, arguments);
  va_end(arguments);
  b->code = code;
  return code;
}

// --- frames ---

static int send_frame(struct bootstrap *b, unsigned to, uint8_t kind, const void *body, size_t bytes, uint64_t deadline) {
  struct greeting_session *s = &b->sessions[to];
  uint8_t head[HEAD] = {kind}, mac[GREETING_MAC];
  put_be32(head + 4, (uint32_t)bytes);
  greeting_mac(s, b->self.rank != 0, s->sent++, head, sizeof head, body, bytes, mac);
  int code = tcp_send(b->sockets[to], head, sizeof head, deadline);
  if (code == 0) code = tcp_send(b->sockets[to], body, bytes, deadline);
  return code != 0 ? code : tcp_send(b->sockets[to], mac, sizeof mac, deadline);
}

/// What a failed exchange with a rank is called.
static int broken(struct bootstrap *b, unsigned with, int code) {
  if (code == -ETIMEDOUT) return bootstrap_blame(b, code, "rank %u said nothing in time", with);
  if (code == -ECONNRESET) return bootstrap_blame(b, code, "rank %u is gone", with);
  return bootstrap_blame(b, code, "rank %u cannot be reached: %s", with, strerror(-code));
}

/// Rank `from` has failed, and said why. From rank 0 it is told as it was told there.
static int take_failure(struct bootstrap *b, unsigned from, const uint8_t *body, size_t bytes) {
  const uint32_t number = get_be32(body);
  char text[BOOTSTRAP_WHY];
  const size_t len = bytes - CODE < sizeof text - 1 ? bytes - CODE : sizeof text - 1;
  for (size_t i = 0; i < len; i++) text[i] = body[CODE + i] >= ' ' && body[CODE + i] < 127 ? (char)body[CODE + i] : '?';
  text[len] = 0;
  const int code = number > 0 && number <= MOST_ERRNO ? -(int)number : -EPROTO;
  return from == 0 ? bootstrap_blame(b, code, "%s", text) : bootstrap_blame(b, code, "rank %u: %s", from, text);
}

static int receive_frame(struct bootstrap *b, unsigned from, void *data, size_t bytes, uint64_t deadline) {
  struct greeting_session *s = &b->sessions[from];
  uint8_t head[HEAD], told[CODE + BOOTSTRAP_WHY], mac[GREETING_MAC], expected[GREETING_MAC];
  int code = tcp_receive(b->sockets[from], head, sizeof head, deadline);
  if (code != 0) return broken(b, from, code);
  const size_t len = get_be32(head + 4);
  const bool failure = head[0] == FAILURE;
  if (failure ? len < CODE || len > sizeof told : head[0] != DATA || len != bytes)
    return bootstrap_blame(b, -EPROTO, "rank %u sent %zu bytes of kind %u in place of %zu", from, len, head[0], bytes);
  code = tcp_receive(b->sockets[from], failure ? told : data, len, deadline);
  if (code == 0) code = tcp_receive(b->sockets[from], mac, sizeof mac, deadline);
  if (code != 0) return broken(b, from, code);
  greeting_mac(s, b->self.rank == 0, s->received++, head, sizeof head, failure ? told : data, len, expected);
  if (!greeting_same(mac, expected)) return bootstrap_blame(b, -EBADMSG, "what rank %u sent was changed on the way", from);
  return failure ? take_failure(b, from, told, len) : 0;
}

void bootstrap_tell(struct bootstrap *b, int code, const char *why) {
  const uint64_t deadline = clock_monotonic_ms() + BOOTSTRAP_GRACE_MS / 2;
  const size_t len = strlen(why) < BOOTSTRAP_WHY ? strlen(why) : BOOTSTRAP_WHY - 1;
  uint8_t body[CODE + BOOTSTRAP_WHY] = {0};
  put_be32(body, (uint32_t)-code);
  memcpy(body + CODE, why, len);
  for (unsigned r = 0; code != 0 && r < BOOTSTRAP_MOST; r++) {
    if (b->sockets[r] < 0) continue;
    send_frame(b, r, FAILURE, body, CODE + len, deadline);
    // Nothing more is said, and nobody hears twice.
    close(b->sockets[r]);
    b->sockets[r] = -1;
  }
}

// --- meeting ---

void bootstrap_clear(struct bootstrap *b) {
  memset(b, 0, sizeof *b);
  b->traffic_class = b->priority = -1;
  for (unsigned i = 0; i < BOOTSTRAP_MOST; i++) b->sockets[i] = -1;
}

/// Over the caller's all-gather: each compares with rank 0.
static int compare(struct bootstrap *b) {
  enum { CARD = 4 + 8 + 4 * GREETING_FIELDS };
  const struct greeting_self *s = &b->self;
  uint8_t mine[CARD] = {0}, all[BOOTSTRAP_MOST * CARD];
  put_be16(mine, GREETING_VERSION);
  put_be16(mine + 2, (uint16_t)s->count);
  put_be64(mine + 4, s->job);
  for (unsigned i = 0; i < s->count; i++) put_be32(mine + 12 + 4 * i, s->fields[i].value);
  const int code = bootstrap_gather(b, mine, sizeof mine, all);
  if (code != 0) return code;
  for (unsigned r = 1; r < s->workers; r++) {
    const uint8_t *it = all + r * CARD;
    if (memcmp(it, all, 4) != 0)
      return bootstrap_blame(b, -EPROTO, "rank %u and rank 0 have different versions of the library", r);
    if (memcmp(it + 4, all + 4, 8) != 0) return bootstrap_blame(b, -EINVAL, "rank %u is of another job than rank 0", r);
    for (unsigned i = 0; i < s->count; i++)
      if (get_be32(it + 12 + 4 * i) != get_be32(all + 12 + 4 * i))
        return bootstrap_blame(b, -EINVAL, "%s is %u at rank %u and %u at rank 0", s->fields[i].name, get_be32(it + 12 + 4 * i),
                               r, get_be32(all + 12 + 4 * i));
  }
  return 0;
}

/// All are here, and each hears of it.
static int say_all_here(struct bootstrap *b) {
  int code = 0;
  for (unsigned r = 1; code == 0 && r < b->self.workers; r++) {
    code = send_frame(b, r, DATA, "", 0, b->deadline + BOOTSTRAP_GRACE_MS / 2);
    if (code != 0) broken(b, r, code);
  }
  return code;
}

int bootstrap_open(struct bootstrap *b, const struct greeting_self *self, const char *root, unsigned timeout_ms) {
  struct addrinfo *at = NULL;
  b->self = *self;
  b->timeout_ms = timeout_ms;
  b->deadline = clock_monotonic_ms() + timeout_ms;
  if (self->workers > BOOTSTRAP_MOST || self->rank >= self->workers || self->count > GREETING_FIELDS)
    return bootstrap_blame(b, -EINVAL, "no such rank");
  if (b->gather != NULL) return compare(b);
  int code = tcp_resolve(root, self->rank == 0, &at);
  if (code != 0) return bootstrap_blame(b, code, "%s: no address and port", root);
  code = self->rank == 0 ? bootstrap_meet(b, at) : bootstrap_join(b, at, root);
  freeaddrinfo(at);
  if (code == 0) code = self->rank == 0 ? say_all_here(b) : receive_frame(b, 0, NULL, 0, b->deadline + BOOTSTRAP_GRACE_MS);
  if (code != 0) bootstrap_tell(b, code, b->why);
  return code;
}

// --- exchanges ---

/// Takes what each has to give, in whatever order it comes: so who fails is heard while others are silent.
static int collect(struct bootstrap *b, size_t bytes, uint8_t *all, uint64_t deadline) {
  int waiting[BOOTSTRAP_MOST], code = 0;
  memcpy(waiting, b->sockets, sizeof waiting);
  for (unsigned left = b->self.workers - 1; code == 0 && left > 0; left--) {
    const int first = tcp_first(waiting, b->self.workers, deadline);
    unsigned r = first >= 0 ? (unsigned)first : 1;
    while (first < 0 && waiting[r] < 0) r++;
    code = first < 0 ? broken(b, r, first) : receive_frame(b, r, all + r * bytes, bytes, deadline);
    waiting[r] = -1;
  }
  return code;
}

static int exchange(struct bootstrap *b, size_t bytes, uint8_t *all) {
  const uint64_t deadline = b->deadline != 0 ? b->deadline : clock_monotonic_ms() + b->timeout_ms;
  const unsigned workers = b->self.workers, rank = b->self.rank;
  int code = 0;
  if (rank != 0) {
    code = send_frame(b, 0, DATA, all + rank * bytes, bytes, deadline);
    // Who ended the job has said why, though what we send finds a closed connection.
    const int said = receive_frame(b, 0, all, bytes * workers, deadline + BOOTSTRAP_GRACE_MS);
    return said != 0 || code == 0 ? said : broken(b, 0, code);
  }
  // Who runs into the same time-out has a moment to say what it waited for.
  code = collect(b, bytes, all, deadline + BOOTSTRAP_GRACE_MS / 2);
  for (unsigned r = 1; code == 0 && r < workers; r++) {
    code = send_frame(b, r, DATA, all, bytes * workers, deadline + BOOTSTRAP_GRACE_MS / 2);
    if (code != 0) broken(b, r, code);
  }
  return code;
}

int bootstrap_heed(struct bootstrap *b) {
  for (unsigned r = 0; b->code == 0 && r < BOOTSTRAP_MOST; r++) {
    if (b->sockets[r] < 0) continue;
    const int next = tcp_peek(b->sockets[r]);
    if (next == FAILURE) receive_frame(b, r, NULL, 0, clock_monotonic_ms() + BOOTSTRAP_GRACE_MS);
    if (next < 0 && next != -EAGAIN) broken(b, r, next);
  }
  if (b->code != 0) bootstrap_tell(b, b->code, b->why);
  return b->code;
}

int bootstrap_gather(struct bootstrap *b, const void *mine, size_t bytes, void *all) {
  int code = b->code;
  if (code != 0) return code;
  if (b->gather != NULL) {
    code = b->gather(b->context, mine, bytes, all);
    return code == 0 ? 0 : bootstrap_blame(b, code < 0 ? code : -EIO, "the program's all-gather failed");
  }
  memcpy((uint8_t *)all + b->self.rank * bytes, mine, bytes);
  code = exchange(b, bytes, all);
  if (code != 0) bootstrap_tell(b, b->code, b->why);
  return code == 0 ? 0 : b->code;
}

void bootstrap_close(struct bootstrap *b) {
  for (unsigned i = 0; i < BOOTSTRAP_MOST; i++)
    if (b->sockets[i] >= 0) close(b->sockets[i]);
}
