#include "sim/engine/tree/box.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "drive/config.h"

struct leaving {
  struct leaving *next;
  uint64_t due;
  unsigned port;
  size_t len;
  uint8_t data[];
};

struct box {
  struct relay *relay;
  uint64_t delay_ps, now;
  relay_send_fn *send;
  void *user;
  struct leaving *head, **tail;
};

static void later(void *user, unsigned port, const uint8_t *data, size_t len) {
  struct box *b = user;
  struct leaving *l = need(malloc(sizeof *l + len));
  *l = (struct leaving){.due = b->now + b->delay_ps, .port = port, .len = len};
  memcpy(l->data, data, len);
  *b->tail = l;
  b->tail = &l->next;
}

struct box *box_new(const struct relay_config *config, uint64_t delay_ps, relay_send_fn *send, void *user) {
  struct box *b = calloc(1, sizeof *b);
  if (b == NULL) return NULL;
  *b = (struct box){.delay_ps = delay_ps, .send = send, .user = user};
  b->tail = &b->head;
  // No hash keeps a connection out of its table.
  struct relay_config roomy = *config;
  roomy.limits.conns = DRIVE_MOST_CONNS;
  b->relay = relay_new(&roomy, later, b);
  if (b->relay != NULL) return b;
  box_free(b);
  return NULL;
}

static struct leaving *take(struct box *b) {
  struct leaving *l = b->head;
  b->head = l->next;
  if (b->head == NULL) b->tail = &b->head;
  return l;
}

void box_free(struct box *b) {
  if (b == NULL) return;
  while (b->head != NULL) free(take(b));
  relay_free(b->relay);
  free(b);
}

void box_receive(struct box *b, uint64_t now, unsigned port, const uint8_t *frame, size_t len, bool error) {
  b->now = now;
  relay_rx(b->relay, port, frame, len, error);
}

uint64_t box_next(const struct box *b) { return b->head != NULL ? b->head->due : UINT64_MAX; }

void box_step(struct box *b, uint64_t now) {
  while (box_next(b) <= now) {
    struct leaving *l = take(b);
    b->send(b->user, l->port, l->data, l->len);
    free(l);
  }
}

struct relay *box_relay(struct box *b) {
  return b->relay;
}

void box_reboot(struct box *b) {
  while (b->head != NULL) free(take(b));
  relay_flush(b->relay);
}
