#include "model/tree/tree_locks.h"

#include <stddef.h>

static struct tree_lock *find(struct tree_locks *l, uint16_t tree) {
  for (unsigned i = 0; i < l->cells; i++)
    if (l->lock[i].used && l->lock[i].tree == tree) return &l->lock[i];
  return NULL;
}

static struct tree_lock *owned(struct tree_locks *l, uint16_t tree, uint16_t group) {
  struct tree_lock *k = find(l, tree);
  return k != NULL && k->group == group ? k : NULL;
}

enum tree_verdict tree_locks_take(struct tree_locks *l, uint16_t tree, uint16_t group, uint32_t sequence, uint32_t count,
                                  struct tree_lock *holder) {
  const struct tree_lock *taken = find(l, tree);
  *holder = taken != NULL ? *taken : l->lock[0];
  if (taken != NULL) return TREE_LOCK_FAILED;
  for (unsigned i = 0; i < l->cells; i++) {
    if (l->lock[i].used) continue;
    l->lock[i] = (struct tree_lock){
        .used = true, .tree = tree, .group = group, .sequence = sequence, .left = count == 0 ? TREE_UNLIMITED : count};
    return TREE_OK;
  }
  return TREE_NO_RESOURCE;
}

bool tree_locks_settle(struct tree_locks *l, uint16_t tree, uint16_t group, uint32_t sequence, bool keep) {
  struct tree_lock *k = owned(l, tree, group);
  // One that is kept already is of an earlier request.
  if (k == NULL || k->kept || k->sequence != sequence) return false;
  k->kept = k->used = keep;
  return true;
}

bool tree_locks_release(struct tree_locks *l, uint16_t tree, uint16_t group) {
  struct tree_lock *k = owned(l, tree, group);
  if (k != NULL) k->used = false;
  return k != NULL;
}

bool tree_locks_drop(struct tree_locks *l, uint16_t tree) {
  struct tree_lock *k = find(l, tree);
  if (k != NULL) k->used = false;
  return k != NULL;
}

bool tree_locks_holds(const struct tree_locks *l, uint16_t tree, uint16_t group) {
  for (unsigned i = 0; i < l->cells; i++) {
    const struct tree_lock *k = &l->lock[i];
    if (k->used && k->kept && k->tree == tree && k->group == group) return true;
  }
  return false;
}

bool tree_locks_count(struct tree_locks *l, uint16_t tree, uint16_t group) {
  struct tree_lock *k = owned(l, tree, group);
  if (k == NULL || k->left == TREE_UNLIMITED || --k->left > 0) return false;
  k->used = false;
  return true;
}
