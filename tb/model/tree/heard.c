#include "model/tree/heard.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void put(struct heard_list *l, const uint8_t *data, size_t len, bool first, bool last) {
  struct heard *i = need(malloc(sizeof *i + len));
  *i = (struct heard){.first = first, .last = last, .len = len};
  if (len > 0) memcpy(i->data, data, len);
  if (l->head == NULL) l->tail = &l->head;
  *l->tail = i;
  l->tail = &i->next;
}

void heard_add(struct heard_list *l, const uint8_t *data, size_t len) { put(l, data, len, true, true); }

void heard_drop(struct heard_list *l, struct heard **at) {
  struct heard *i = *at;
  *at = i->next;
  if (i->next == NULL) l->tail = at;
  free(i);
}

void heard_empty(struct heard_list *l) {
  while (l->head != NULL) heard_drop(l, &l->head);
}

/// A packet of a message. False if that is too long.
static bool add(struct heard_list *l, struct heard_part *part, const struct rc_packet *p) {
  if (p->first) part->len = 0;
  if (part->len + p->len > sizeof part->data) return false;
  if (p->len > 0) memcpy(part->data + part->len, p->data, p->len);
  part->len += p->len;
  if (p->last) put(l, part->data, part->len, true, true);
  return true;
}

bool heard_all(struct heard_list *l, struct rc_end *end, struct heard_part *part) {
  struct rc_responder *r = rc_end_responder(end);
  bool good = true;
  for (const struct rc_packet *p; (p = rc_responder_first(r)) != NULL; rc_responder_take(r, 0)) {
    if (part == NULL)
      put(l, p->data, p->len, p->first, p->last);
    else
      good &= add(l, part, p);
  }
  return good;
}
