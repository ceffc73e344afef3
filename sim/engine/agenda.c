#include "sim/engine/agenda.h"

#include <stdbool.h>
#include <stdlib.h>

// A heap of all things; those that are never due are at its bottom.
struct agenda {
  size_t count;
  uint64_t *times;
  size_t *heap;    // numbers of things
  size_t *place;   // of each thing in the heap
};

struct agenda *agenda_new(size_t count) {
  struct agenda *a = calloc(1, sizeof *a);
  if (a == NULL) return NULL;
  a->count = count;
  a->times = malloc(count * sizeof *a->times);
  a->heap = malloc(count * sizeof *a->heap);
  a->place = malloc(count * sizeof *a->place);
  if (a->times == NULL || a->heap == NULL || a->place == NULL) {
    agenda_free(a);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    a->times[i] = UINT64_MAX;
    a->heap[i] = a->place[i] = i;
  }
  return a;
}

void agenda_free(struct agenda *a) {
  if (a == NULL) return;
  free(a->times);
  free(a->heap);
  free(a->place);
  free(a);
}

static bool before(const struct agenda *a, size_t x, size_t y) {
  const size_t i = a->heap[x], j = a->heap[y];
  return a->times[i] < a->times[j] || (a->times[i] == a->times[j] && i < j);
}

static void swap(struct agenda *a, size_t x, size_t y) {
  const size_t i = a->heap[x];
  a->heap[x] = a->heap[y];
  a->heap[y] = i;
  a->place[a->heap[x]] = x;
  a->place[a->heap[y]] = y;
}

void agenda_set(struct agenda *a, size_t index, uint64_t time) {
  a->times[index] = time;
  size_t at = a->place[index];
  while (at > 0 && before(a, at, (at - 1) / 2)) {
    swap(a, at, (at - 1) / 2);
    at = (at - 1) / 2;
  }
  for (;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < a->count; child++)
      if (before(a, child, least)) least = child;
    if (least == at) return;
    swap(a, at, least);
    at = least;
  }
}

uint64_t agenda_first(const struct agenda *a, size_t *index) {
  *index = a->heap[0];
  return a->times[a->heap[0]];
}
