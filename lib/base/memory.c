#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 64 };

void *need(void *memory) {
  if (memory != NULL) return memory;
  fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
  abort();
}

void *try_room(void *array, size_t *room, size_t count, size_t element) {
  if (count <= *room && array != NULL) return array;
  const size_t doubled = *room <= SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
  const size_t least = doubled > FIRST_ROOM ? doubled : FIRST_ROOM;
  const size_t larger = count > least ? count : least;
  if (larger > PTRDIFF_MAX / element) return NULL;
  void *moved = realloc(array, larger * element);
  if (moved != NULL) *room = larger;
  return moved;
}

void *need_room(void *array, size_t *room, size_t count, size_t element) { return need(try_room(array, room, count, element)); }
