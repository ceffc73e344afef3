// The golden model's columns, by (ring, MsgID, offset): which of them are begun or awaited, and how one gives way to another.
#include "model/model_state.h"

struct columns *model_columns_new(const struct model_ring *ring) {
  const size_t each = 2 * (size_t)ring->window, count = each * ring->stride;
  struct columns *all = calloc(ring->stride, sizeof *all);
  struct column *room = calloc(count, sizeof *room);
  struct share *shares = calloc(count * ring->workers, sizeof *shares);
  if (all == NULL || room == NULL || shares == NULL) {
    free(all);
    free(room);
    free(shares);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) room[i].shares = shares + i * ring->workers;
  for (size_t offset = 0; offset < ring->stride; offset++) all[offset].at = room + offset * each;
  return all;
}

void model_columns_free(struct columns *all, const struct model_ring *ring) {
  if (all == NULL) return;
  struct column *room = all[0].at;
  const size_t count = 2 * (size_t)ring->window * ring->stride * ring->workers;
  for (size_t i = 0; i < count; i++) free(room[0].shares[i].tensor);
  free(room[0].shares);
  free(room);
  free(all);
}

struct column *column_turn(const struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct columns *all = &m->columns[ring][offset];
  for (unsigned i = 0; i < all->count; i++)
    if (take_turns(&m->rings[ring], all->at[i].msgid, msgid)) return &all->at[i];
  return NULL;
}

struct column *column_find(const struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  struct column *c = column_turn(m, ring, msgid, offset);
  return c != NULL && c->msgid == msgid ? c : NULL;
}

bool column_make_room(struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  struct column *c = column_turn(m, ring, msgid + m->rings[ring].window, offset);
  if (c == NULL || c->accepted == 0 || c->taken || c->lost || c->over) return true;
  if (c->stored == everyone_of(&m->rings[ring]) || (c->accepted & ~c->stored) != 0) return false;
  c->over = true;
  return true;
}

struct column *column_next(struct model *m, unsigned ring, uint32_t msgid, unsigned offset, struct column *before) {
  struct columns *all = &m->columns[ring][offset];
  struct column *c = before != NULL ? before : &all->at[all->count++];
  // First results that are still due will never leave: its hosts did not keep to their window.
  if (before != NULL && c->stored == everyone_of(&m->rings[ring]) && !c->taken && c->owed != 0) m->given_up++;
  *c = (struct column){.msgid = msgid, .life = ++m->lives, .shares = c->shares};
  return c;
}

void model_lose(struct model *m, unsigned ring, uint32_t turn, unsigned offset) {
  struct column *c = column_turn(m, ring, turn, offset);
  if (c == NULL) c = column_next(m, ring, turn, offset, NULL);
  c->lost = true;
  c->owed = c->stored = 0;
  c->life = ++m->lives;
}

bool model_lost(const struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct column *c = column_turn(m, ring, msgid, offset);
  return c != NULL && c->lost;
}

bool model_lost_some(const struct model *m, unsigned ring) {
  bool some = false;
  for (unsigned offset = 0; offset < m->rings[ring].stride; offset++)
    for (unsigned i = 0; i < m->columns[ring][offset].count; i++) some |= m->columns[ring][offset].at[i].lost;
  return some;
}

void model_columns_flush(struct model *m, unsigned ring) {
  for (unsigned offset = 0; offset < m->rings[ring].stride; offset++) m->columns[ring][offset].count = 0;
}
