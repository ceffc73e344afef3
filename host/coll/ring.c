#include "host/coll/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/coll/wiring.h"
#include "host/plain.h"
#include "host/weir/coll.h"

struct ring {
  struct verbs *verbs;
  struct plain plain;
};

int ring_open(const struct engine_config *engine, const struct verbs_config *verbs, struct bootstrap *hosts, struct ring **out,
              char *error, size_t size) {
  struct verbs_config v = *verbs;
  struct engine_config e = *engine;
  int code;
  struct ring *r = *out = calloc(1, sizeof *r);
  snprintf(error, size, "out of memory");
  if (r == NULL) return -ENOMEM;
  v.operation = VERBS_SEND;
  r->verbs = wiring_connect(hosts, &v, &code, error, size);
  if (r->verbs == NULL) return code;
  e.transport = verbs_transport(r->verbs);
  e.shape.trailer = 0;
  e.marks = false;
  code = plain_init(&r->plain, &e);
  if (code != 0) snprintf(error, size, "no such ring");
  return code;
}

void ring_close(struct ring *r) {
  if (r == NULL) return;
  verbs_close(r->verbs);
  plain_free(&r->plain);
  free(r);
}

static int start(void *self, const struct backend_order *order, uint64_t now_ns, struct backend_ticket *ticket) {
  struct ring *r = self;
  const struct engine_request request = {.send = order->send,
                                         .receive = order->receive,
                                         .bytes = order->bytes,
                                         .kind = order->kind,
                                         .part = order->what == BACKEND_REDUCE_SCATTER ? ENGINE_SCATTER
                                                 : order->what == BACKEND_ALL_GATHER   ? ENGINE_GATHER
                                                                                       : ENGINE_WHOLE};
  *ticket = (struct backend_ticket){0};   // what is sent is copied
  return plain_start(&r->plain, &request, now_ns, &ticket->numbers[0]);
}

static bool done(const void *self, const struct backend_ticket *t) {
  return plain_done(&((const struct ring *)self)->plain, t->numbers[0]);
}

static int progress(void *self, uint64_t now_ns) { return plain_progress(&((struct ring *)self)->plain, now_ns); }

static bool settled(const void *self) {
  const struct plain *p = &((const struct ring *)self)->plain;
  return p->acknowledged >= p->sent;
}

static const char *why(const void *self, const char **detail) {
  const struct ring *r = self;
  *detail = verbs_why(r->verbs);
  return r->plain.failure.text;
}

static void close_it(void *self) { ring_close(self); }

struct backend ring_backend(struct ring *r) {
  return (struct backend){.self = r,
                          .bit = WEIR_COLL_RING,
                          .name = "ring of hosts",
                          .natives = 1u << BACKEND_ALL_REDUCE | 1u << BACKEND_REDUCE_SCATTER | 1u << BACKEND_ALL_GATHER,
                          .most_bytes = SIZE_MAX / 4,
                          .start = start,
                          .done = done,
                          .progress = progress,
                          .settled = settled,
                          .why = why,
                          .close = close_it};
}
