#include "sim/gather/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"

void matrix_free(struct matrix *m) {
  free(m->first);
  free(m->column);
  free(m->value);
  free(m->imaginary);
  *m = (struct matrix){0};
}

void matrix_entries_free(struct matrix_entries *e) {
  free(e->list);
  *e = (struct matrix_entries){0};
}

bool matrix_add(struct matrix_entries *e, uint32_t row, uint32_t column, float value, float imaginary) {
  struct matrix_entry *list = try_room(e->list, &e->room, e->count + 1, sizeof *list);
  if (list == NULL) return false;
  e->list = list;
  list[e->count++] = (struct matrix_entry){row, column, value, imaginary};
  return true;
}

/// True if work on entries may go on: asked at each, tells now and then whether somebody wants the program to stop.
static bool go_on(size_t entry) { return entry % 65536 != 0 || stop_asked() == 0; }

/// One pass of a stable counting sort, by row or by column: `order` (NULL: as they are) is put into `sorted`. `starts` gets the
/// first place of each of the `keys` rows or columns, and the end. False if out of memory or to stop.
static bool sort_by(const struct matrix_entries *e, bool row, uint32_t keys, const size_t *order, size_t *sorted,
                    size_t *starts) {
  size_t *next = malloc(((size_t)keys + 1) * sizeof *next);
  if (next == NULL) return false;
  memset(starts, 0, ((size_t)keys + 1) * sizeof *starts);
  for (size_t i = 0; i < e->count && go_on(i); i++) starts[(row ? e->list[i].row : e->list[i].column) + 1]++;
  for (uint32_t k = 0; k < keys; k++) starts[k + 1] += starts[k];
  memcpy(next, starts, ((size_t)keys + 1) * sizeof *next);
  size_t done = 0;
  for (; done < e->count && go_on(done); done++) {
    const size_t from = order != NULL ? order[done] : done;
    sorted[next[row ? e->list[from].row : e->list[from].column]++] = from;
  }
  free(next);
  return done == e->count;
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
                    sort_by(e, false, columns, NULL, by_column, starts) && sort_by(e, true, rows, by_column, by_row, m->first);
  size_t placed = 0;
  for (; good && placed < n && go_on(placed); placed++) {
    const struct matrix_entry *entry = &e->list[by_row[placed]];
    m->column[placed] = entry->column;
    m->value[placed] = entry->value;
    if (complex) m->imaginary[placed] = entry->imaginary;
  }
  free(by_column);
  free(by_row);
  free(starts);
  matrix_entries_free(e);
  if (good && placed == n) return 0;
  matrix_free(m);
  return -1;
}

void matrix_rows_begin(struct matrix_rows *b, uint32_t rows, uint32_t columns, struct matrix *m) {
  *b = (struct matrix_rows){.m = m};
  *m = (struct matrix){.columns = columns};
  m->first = calloc((size_t)rows + 1, sizeof *m->first);
  b->bad = m->first == NULL;
}

void matrix_rows_put(struct matrix_rows *b, uint32_t column, float value) {
  struct matrix_sorted *row = try_room(b->row, &b->row_room, b->in_row + 1, sizeof *row);
  if (row == NULL) {
    b->bad = true;
    return;
  }
  b->row = row;
  row[b->in_row] = (struct matrix_sorted){column, b->in_row, value};
  b->in_row++;
}

/// By column; those of one column as they came.
static int by_column(const void *a, const void *b) {
  const struct matrix_sorted *p = a, *q = b;
  const uint64_t x = (uint64_t)p->column << 32 | p->order, y = (uint64_t)q->column << 32 | q->order;
  return x < y ? -1 : x > y;
}

/// The same by insertion, for what most rows have.
static void sort_few(struct matrix_sorted *row, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    const struct matrix_sorted one = row[i];
    uint32_t at = i;
    for (; at > 0 && row[at - 1].column > one.column; at--) row[at] = row[at - 1];
    row[at] = one;
  }
}

/// Room for the row that is done.
static bool make_room(struct matrix_rows *b) {
  struct matrix *m = b->m;
  uint32_t *column = try_room(m->column, &b->column_room, m->count + b->in_row + 1, sizeof *column);
  if (column != NULL) m->column = column;
  float *value = try_room(m->value, &b->value_room, m->count + b->in_row + 1, sizeof *value);
  if (value != NULL) m->value = value;
  return column != NULL && value != NULL;
}

bool matrix_rows_next(struct matrix_rows *b) {
  struct matrix *m = b->m;
  if (b->bad || !make_room(b) || !go_on(m->rows)) return false;
  enum { FEW = 64 };
  bool sorted = true;
  for (uint32_t i = 1; i < b->in_row; i++) sorted = sorted && b->row[i - 1].column <= b->row[i].column;
  if (!sorted && b->in_row <= FEW)
    sort_few(b->row, b->in_row);
  else if (!sorted)
    qsort(b->row, b->in_row, sizeof *b->row, by_column);
  for (uint32_t i = 0; i < b->in_row; i++) {
    m->column[m->count] = b->row[i].column;
    m->value[m->count++] = b->row[i].value;
  }
  m->first[++m->rows] = m->count;
  b->in_row = 0;
  return true;
}

int matrix_rows_end(struct matrix_rows *b, bool good) {
  free(b->row);
  if (good && !b->bad) return 0;
  matrix_free(b->m);
  return -1;
}
