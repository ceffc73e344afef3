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

/// A frame is its kind:8, 0:24, bytes:32, so many bytes, a MAC. A failure's are its errno:32 and a sentence, those of a wait, which rank 0 takes, its number:64 and words.
enum { DATA = 1, FAILURE = 2, WAIT = 3, HEAD = 8, CODE = 4, NUMBER = 8, TOLD = CODE + BOOTSTRAP_WHY, MOST_ERRNO = 4095 };

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

/// Words of another host, as text.
static void read_words(char *text, size_t size, const uint8_t *words, size_t bytes) {
  const size_t len = bytes < size - 1 ? bytes : size - 1;
  for (size_t i = 0; i < len; i++) text[i] = words[i] >= ' ' && words[i] < 127 ? (char)words[i] : '?';
  text[len] = 0;
}

/// Rank `from` has failed, and said why. From rank 0 it is told as it was told there.
static int take_failure(struct bootstrap *b, unsigned from, const uint8_t *body, size_t bytes) {
  const uint32_t number = get_be32(body);
  char text[BOOTSTRAP_WHY];
  read_words(text, sizeof text, body + CODE, bytes - CODE);
  const int code = number > 0 && number <= MOST_ERRNO ? -(int)number : -EPROTO;
  return from == 0 ? bootstrap_blame(b, code, "%s", text) : bootstrap_blame(b, code, "rank %u: %s", from, text);
}

/// Rank `from` waits. Whoever waits for the same number must do the same.
static int take_wait(struct bootstrap *b, unsigned from, const uint8_t *body, size_t bytes) {
  struct bootstrap_wait *w = &b->waits[from];
  w->told = true;
  w->number = get_be64(body);
  read_words(w->text, sizeof w->text, body + NUMBER, bytes - NUMBER);
  for (unsigned r = 0; r < b->self.workers; r++) {
    const struct bootstrap_wait *other = &b->waits[r];
    if (!other->told || other->number != w->number || strcmp(other->text, w->text) == 0) continue;
    const unsigned first = r < from ? r : from, second = r < from ? from : r;
    return bootstrap_blame(b, -EINVAL, "rank %u does %s, and rank %u %s", first, b->waits[first].text, second,
                           b->waits[second].text);
  }
  return 0;
}

/// What kind of frame may have so many bytes, where `bytes` of data are due.
static bool fits(const struct bootstrap *b, uint8_t kind, size_t len, size_t bytes) {
  switch (kind) {
    case DATA: return len == bytes;
    case FAILURE: return len >= CODE && len <= TOLD;
    case WAIT: return b->self.rank == 0 && len >= NUMBER && len < NUMBER + BOOTSTRAP_WORDS;
    default: return false;
  }
}

static int receive_frame(struct bootstrap *b, unsigned from, void *data, size_t bytes, uint64_t deadline) {
  struct greeting_session *s = &b->sessions[from];
  uint8_t head[HEAD], told[TOLD], mac[GREETING_MAC], expected[GREETING_MAC];
  int code = tcp_receive(b->sockets[from], head, sizeof head, deadline);
  if (code != 0) return broken(b, from, code);
  const size_t len = get_be32(head + 4);
  uint8_t *body = head[0] == DATA ? data : told;
  if (!fits(b, head[0], len, bytes))
    return bootstrap_blame(b, -EPROTO, "rank %u sent %zu bytes of kind %u in place of %zu", from, len, head[0], bytes);
  code = tcp_receive(b->sockets[from], body, len, deadline);
  if (code == 0) code = tcp_receive(b->sockets[from], mac, sizeof mac, deadline);
  if (code != 0) return broken(b, from, code);
  greeting_mac(s, b->self.rank == 0, s->received++, head, sizeof head, body, len, expected);
  if (!greeting_same(mac, expected)) return bootstrap_blame(b, -EBADMSG, "what rank %u sent was changed on the way", from);
  switch (head[0]) {
    case FAILURE: return take_failure(b, from, told, len);
    case WAIT: return take_wait(b, from, told, len);
    default: return 0;
  }
}

void bootstrap_tell(struct bootstrap *b, int code, const char *why) {
  const uint64_t deadline = clock_monotonic_ms() + BOOTSTRAP_GRACE_MS / 2;
  const size_t len = strlen(why) < BOOTSTRAP_WHY ? strlen(why) : BOOTSTRAP_WHY - 1;
  uint8_t body[TOLD] = {0};
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

void bootstrap_wait(struct bootstrap *b, uint64_t number, const char *text) {
  const size_t len = strlen(text) < BOOTSTRAP_WORDS ? strlen(text) : BOOTSTRAP_WORDS - 1;
  uint8_t body[NUMBER + BOOTSTRAP_WORDS];
  put_be64(body, number);
  memcpy(body + NUMBER, text, len);
  if (b->gather != NULL || b->code != 0) return;
  if (b->self.rank == 0)
    take_wait(b, 0, body, NUMBER + len);
  else if (b->sockets[0] >= 0)   // if it cannot be sent, that is heard of otherwise
    send_frame(b, 0, WAIT, body, NUMBER + len, clock_monotonic_ms() + BOOTSTRAP_GRACE_MS / 2);
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
  for (unsigned left = b->self.workers - 1; code == 0 && left > 0;) {
    const int first = tcp_first(waiting, b->self.workers, deadline);
    unsigned r = first >= 0 ? (unsigned)first : 1;
    while (first < 0 && waiting[r] < 0) r++;
    // Who says what it waits for gives what is due behind that.
    uint8_t kind = DATA;
    const bool later = first >= 0 && tcp_peek(b->sockets[r], &kind, 1) == 1 && kind == WAIT;
    code = first < 0 ? broken(b, r, first) : receive_frame(b, r, all + r * bytes, bytes, deadline);
    if (later) continue;
    waiting[r] = -1;
    left--;
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
  // Who is gone is why others have failed, so that is said, whatever they say of it.
  for (unsigned r = 0; b->code == 0 && r < BOOTSTRAP_MOST; r++) {
    uint8_t next;
    const int came = b->sockets[r] < 0 ? 0 : tcp_peek(b->sockets[r], &next, sizeof next);
    if (came < 0 && came != -EAGAIN) broken(b, r, came);
  }
  for (unsigned r = 0; b->code == 0 && r < BOOTSTRAP_MOST; r++) {
    if (b->sockets[r] < 0) continue;
    uint8_t next[HEAD + TOLD + GREETING_MAC];
    const int came = tcp_peek(b->sockets[r], next, sizeof next);
    // A network may lose part of a frame for seconds: of a wait all must have come. Who fails ends the job, and is given a moment.
    const bool waits = came >= HEAD && next[0] == WAIT && (size_t)came >= HEAD + get_be32(next + 4) + GREETING_MAC;
    if (waits || (came > 0 && next[0] == FAILURE)) receive_frame(b, r, NULL, 0, clock_monotonic_ms() + BOOTSTRAP_GRACE_MS);
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
