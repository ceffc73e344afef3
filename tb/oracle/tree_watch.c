#include "oracle/tree_watch.h"

#include "oracle/witness_read.h"

enum { INA_HEADER = 16 };

static struct tree_watch_flow *flow_of(struct tree_watch *w, uint32_t qp, uint32_t psn) {
  for (size_t i = 0; i < w->count; i++)
    if (w->flows[i].qp == qp) return &w->flows[i];
  if (w->count == TREE_WATCH_FLOWS) return NULL;
  w->flows[w->count] = (struct tree_watch_flow){.qp = qp, .psn = (psn - 1) & 0xFFFFFF};
  return &w->flows[w->count++];
}

void tree_watch_see(struct tree_watch *w, const uint8_t *frame, size_t len) {
  struct witness_reading r;
  witness_read(frame, len, &r);
  if (r.sort != WITNESS_DATA) {
    if (r.sort == WITNESS_OTHER)
      w->others++;
    else
      w->unread++;
    return;
  }
  struct tree_watch_flow *f = flow_of(w, r.conn.qp, r.psn);
  if (f == NULL || r.malformed) {
    w->unread++;
    return;
  }
  const uint32_t ahead = (r.psn - f->psn) & 0xFFFFFF;
  if (ahead == 0 || ahead >= 0x800000) {
    f->repeats++;
    return;
  }
  f->gaps += ahead > 1;
  f->psn = r.psn;
  f->packets++;
  f->messages += r.opens;
  f->bytes += r.tensor + (r.tagged ? INA_HEADER : 0);
}
