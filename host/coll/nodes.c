#include "host/coll/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/tree/give_up.h"
#include "wire/tree.h"

enum { ORDERS = 16 };

struct nodes {
  struct weir_tree *tree;
  struct backend_order orders[ORDERS];   ///< a queue
  unsigned oldest, pending;
  bool begun;   ///< the oldest is
  uint64_t started, finished;
  struct failure failure;
};

struct nodes *nodes_open(struct weir_tree *tree) {
  struct nodes *n = calloc(1, sizeof *n);
  if (n != NULL) n->tree = tree;
  return n;
}

void nodes_close(struct nodes *n) {
  // Who closes with an operation under way gives up. Its memory may still be written to until the tree has ended it.
  if (n->begun) {
    tree_give_up(n->tree);
    weir_tree_req_wait(n->tree);
  }
  free(n);
}

int nodes_errno(enum weir_tree_verdict verdict) {
  switch (verdict) {
    case WEIR_TREE_OK: return 0;
    case WEIR_TREE_LOCK_FAILED: return -EBUSY;
    case WEIR_TREE_DENIED: return -EINVAL;
    case WEIR_TREE_NO_RESOURCE: return -ENOBUFS;
    case WEIR_TREE_NO_TREE: return -ENODEV;
    case WEIR_TREE_TIME_OUT: return -ETIMEDOUT;
    case WEIR_TREE_LOST: return -EHOSTUNREACH;
  }
  return -EPROTO;
}

static int start(void *self, const struct backend_order *order, uint64_t now_ns, struct backend_ticket *ticket) {
  struct nodes *n = self;
  (void)now_ns;
  if (n->failure.code != 0) return n->failure.code;
  if (n->pending == ORDERS) return -EAGAIN;
  *ticket = (struct backend_ticket){.numbers[0] = n->started};
  if (order->bytes == 0) return 0;
  n->orders[(n->oldest + n->pending++) % ORDERS] = *order;
  ticket->numbers[0] = ++n->started;
  return 0;
}

static bool done(const void *self, const struct backend_ticket *t) {
  return ((const struct nodes *)self)->finished >= t->numbers[0];
}

static int begin(struct nodes *n) {
  const struct backend_order *o = &n->orders[n->oldest];
  const enum weir_coll_type type = (enum weir_coll_type)(o->kind & 0xF);
  const struct weir_tree_vector v = {.send = o->send,
                                     .receive = o->receive,
                                     .count = o->bytes / weir_coll_element(type),
                                     .type = type,
                                     .op = (enum weir_coll_op)(o->kind >> 4)};
  switch (o->what) {
    case BACKEND_REDUCE: return weir_tree_do_reduce_nb(n->tree, &v);
    case BACKEND_BROADCAST: return weir_tree_do_bcast_nb(n->tree, &v);
    default: return weir_tree_do_allreduce_nb(n->tree, &v);
  }
}

/// What the network said, as a failure.
static int take_verdict(struct nodes *n, const struct weir_tree_status *s) {
  if (s->verdict == WEIR_TREE_OK) return 0;
  const char *text = weir_tree_verdict_text(s->verdict);
  if (s->node == TREE_A_HOST) return failure_set(&n->failure, nodes_errno(s->verdict), "the tree: %s, which a host found", text);
  return failure_set(&n->failure, nodes_errno(s->verdict), "the tree: %s, which node %u found at port %u", text, s->node,
                     s->port);
}

static int progress(void *self, uint64_t now_ns) {
  struct nodes *n = self;
  struct weir_tree_status status;
  (void)now_ns;
  while (n->failure.code == 0 && n->pending > 0) {
    const int code = n->begun ? 0 : begin(n);
    if (code != 0) return failure_set(&n->failure, code, "the tree does not begin an operation: %s", strerror(-code));
    n->begun = true;
    if (!weir_tree_req_test(n->tree, &status)) return 0;
    n->begun = false;
    n->oldest = (n->oldest + 1) % ORDERS;
    n->pending--;
    n->finished++;
    if (take_verdict(n, &status) != 0) n->finished--;
  }
  return n->failure.code;
}

/// An operation that is done has been acknowledged.
static bool settled(const void *self) { return ((const struct nodes *)self)->pending == 0; }

static const char *why(const void *self, const char **detail) {
  const struct nodes *n = self;
  *detail = weir_tree_why(n->tree);
  return n->failure.text;
}

static void close_it(void *self) { nodes_close(self); }

struct backend nodes_backend(struct nodes *n) {
  return (struct backend){.self = n,
                          .bit = WEIR_COLL_TREE,
                          .name = "tree",
                          .natives = 1u << BACKEND_ALL_REDUCE | 1u << BACKEND_REDUCE | 1u << BACKEND_BROADCAST,
                          .most_bytes = TREE_MOST,
                          .start = start,
                          .done = done,
                          .progress = progress,
                          .settled = settled,
                          .why = why,
                          .close = close_it};
}
