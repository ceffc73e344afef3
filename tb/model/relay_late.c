// What a device that takes time may send and the golden relay, which takes none, does not: a result whose headers come while it waits to leave.
#include "model/relay_state.h"

#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"

void relay_tell_late(struct relay *r, relay_send_fn *late, void *user) {
  r->late = late;
  r->late_user = user;
}

static void unlink_at(struct relay_late **at) {
  struct relay_late *gone = *at;
  *at = gone->next;
  free(gone);
}

void relay_late_forget(struct relay *r) {
  while (r->waiting != NULL) unlink_at(&r->waiting);
}

/// The row of the connection from elsewhere, which ends at the first worker; NULL if there is none yet.
static const struct row *row_from_elsewhere(const struct relay *r, unsigned ring) {
  for (size_t i = 0; i < r->row_count; i++)
    if (r->rows[i].templates != NULL && r->rows[i].is.ring == ring && r->rows[i].receiver == 0) return &r->rows[i];
  return NULL;
}

void relay_late_result(struct relay *r, const struct relay_column *c) {
  const struct relay_ring *ring = &r->rings[c->ring];
  const struct row *row = row_from_elsewhere(r, c->ring);
  if (r->late == NULL || !ring->leaf || ring->ring.workers == ring->total) return;
  if (!model_complete(r->model, c->ring, c->ina.msgid, c->offset)) return;
  // One of each column, and of the messages that connections remember.
  for (struct relay_late **at = &r->waiting; *at != NULL;) {
    const struct relay_column *other = &(*at)->column;
    const bool same = other->ina.msgid == c->ina.msgid && other->offset == c->offset;
    const bool old = older(other->ina.msgid, c->ina.msgid - 2 * ring->ring.window + 1);
    if (other->ring == c->ring && (same || old))
      unlink_at(at);
    else
      at = &(*at)->next;
  }
  if (row != NULL && relay_result(r, row, c) != 0) return;
  struct relay_late *kept = need(malloc(sizeof *kept + c->len));
  *kept = (struct relay_late){.next = r->waiting, .column = *c};
  if (c->len != 0) memcpy(kept->tensor, c->tensor, c->len);
  kept->column.tensor = kept->tensor;
  r->waiting = kept;
}

void relay_late_note(struct relay *r, const struct row *row, uint32_t msgid) {
  for (struct relay_late **at = &r->waiting; *at != NULL;) {
    const struct relay_column *c = &(*at)->column;
    const bool due = c->ring == row->is.ring && c->ina.msgid == msgid && row->receiver == 0;
    const size_t len = due ? relay_result(r, row, c) : 0;
    if (len == 0) {
      at = &(*at)->next;
      continue;
    }
    r->late(r->late_user, row->port, r->out, len);
    unlink_at(at);
  }
}
