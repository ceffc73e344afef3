#include "sim/gather/matrix.h"

#include <stdlib.h>
#include <string.h>

void matrix_free(struct matrix *m) {
  free(m->first);
  free(m->column);
  free(m->value);
  free(m->imaginary);
  *m = (struct matrix){0};
}

void matrix_entries_free(struct matrix_entries *e) {
  free(e->row);
  free(e->column);
  free(e->value);
  free(e->imaginary);
  *e = (struct matrix_entries){0};
}

static bool grow(void **array, size_t room) {
  void *more = realloc(*array, room * 4);   // all of them have elements of 4 bytes
  if (more != NULL) *array = more;
  return more != NULL;
}

bool matrix_add(struct matrix_entries *e, uint32_t row, uint32_t column, float value, float imaginary) {
  if (e->count == e->room) {
    const size_t room = e->room * 2 + 1024;
    if (!grow((void **)&e->row, room) || !grow((void **)&e->column, room) || !grow((void **)&e->value, room) ||
        !grow((void **)&e->imaginary, room)) {
      return false;
    }
    e->room = room;
  }
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count] = value;
  e->imaginary[e->count++] = imaginary;
  return true;
}

/// One pass of a stable counting sort: `order` (NULL: as they are) is put into `sorted` by `key`. `starts` gets the first place
/// of each key, and the end.
static bool sort_by(const uint32_t *key, uint32_t keys, size_t count, const size_t *order, size_t *sorted, size_t *starts) {
  size_t *next = malloc(((size_t)keys + 1) * sizeof *next);
  if (next == NULL) return false;
  memset(starts, 0, ((size_t)keys + 1) * sizeof *starts);
  for (size_t i = 0; i < count; i++) starts[key[i] + 1]++;
  for (uint32_t k = 0; k < keys; k++) starts[k + 1] += starts[k];
  memcpy(next, starts, ((size_t)keys + 1) * sizeof *next);
  for (size_t i = 0; i < count; i++) {
    const size_t from = order != NULL ? order[i] : i;
    sorted[next[key[from]]++] = from;
  }
  free(next);
  return true;
}

int matrix_order(struct matrix_entries *e, uint32_t rows, uint32_t columns, bool complex, struct matrix *m) {
  const size_t n = e->count, some = n > 0 ? n : 1;
  *m = (struct matrix){.rows = rows, .columns = columns, .count = n};
  size_t *by_column = malloc(some * sizeof *by_column), *by_row = malloc(some * sizeof *by_row);
  size_t *starts = malloc(((size_t)columns + 1) * sizeof *starts);
  m->first = malloc(((size_t)rows + 1) * sizeof *m->first);
  m->column = malloc(some * sizeof *m->column);
  m->value = malloc(some * sizeof *m->value);
  if (complex) m->imaginary = malloc(some * sizeof *m->imaginary);
  const bool good = by_column != NULL && by_row != NULL && starts != NULL && m->first != NULL && m->column != NULL &&
                    m->value != NULL && (!complex || m->imaginary != NULL) &&
                    sort_by(e->column, columns, n, NULL, by_column, starts) &&
                    sort_by(e->row, rows, n, by_column, by_row, m->first);
  for (size_t i = 0; good && i < n; i++) {
    m->column[i] = e->column[by_row[i]];
    m->value[i] = e->value[by_row[i]];
    if (complex) m->imaginary[i] = e->imaginary[by_row[i]];
  }
  free(by_column);
  free(by_row);
  free(starts);
  matrix_entries_free(e);
  if (!good) matrix_free(m);
  return good ? 0 : -1;
}
