/// Sparse matrices: read from Matrix Market files, or made up in the shapes that matter to a gather. A signal that asks to stop
/// (base/stop.h) ends both, as a failure.
#ifndef WEIR_SIM_MATRIX_H
#define WEIR_SIM_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// By rows; in a row by ascending column. Entries that a file names twice are there twice, in its order.
struct matrix {
  uint32_t rows, columns;
  size_t count;       ///< nonzeros: all entries that are stored, also those whose value is 0
  size_t *first;      ///< of each row, and the end: rows + 1
  uint32_t *column;   ///< of each nonzero
  float *value;
  float *imaginary;   ///< NULL unless complex
};

/// Reads a Matrix Market file, plain or gzipped: coordinate or array; real, integer, pattern (values 1) or complex; general,
/// symmetric, skew-symmetric or hermitian (the other triangle is filled in). Zeros of an array are left out. Values are rounded
/// to single precision. 0, or -1 and `error`; `m` is to be freed only after 0.
int matrix_read(const char *path, struct matrix *m, struct file_error *error);

enum matrix_kind {
  MATRIX_POWER_LAW,   ///< mostly neighbours, and few columns far away, wanted often: web pages
  MATRIX_ROAD,        ///< few nonzeros a row, hardly one column twice: a map
  MATRIX_BANDED,      ///< a dense band around the diagonal: a mesh
  MATRIX_BLOCK,       ///< dense blocks here and there: coupled equations
  MATRIX_HOT,         ///< everybody needs the first columns only: all ask one node
  // In the likeness of those that NetSparse measures (Table 6), fitted to its Tables 1 and 4 for 128 nodes (matrix_published.c).
  MATRIX_ARABIC,   ///< web pages by host, links copied from pages before
  MATRIX_EUROPE,   ///< a planar map of streets, numbered as surveyors came by
  MATRIX_QUEEN,    ///< finite elements in three dimensions, three unknowns a node
  MATRIX_STOKES,   ///< the same with four fields that are numbered one after the other
  MATRIX_UK,       ///< as arabic
  MATRIX_KINDS
};
/// Their names on the command line, and NULL.
extern const char *const matrix_kind_names[MATRIX_KINDS + 1];
/// Nonzeros of a row, about, that a kind has if nobody asks for another number.
uint32_t matrix_degree(enum matrix_kind kind);
/// Rows of a panel in which a node reads its nonzeros, by column within; 1: row by row. Fitted with the published ones, whose order is not published.
uint32_t matrix_panel(enum matrix_kind kind);
/// Regions along a side of a map in the likeness of the published one, and the most that there can be.
enum { MATRIX_REGIONS = 6, MATRIX_MOST_REGIONS = 32 };

/// A square matrix that is made up.
struct matrix_made {
  enum matrix_kind kind;
  uint32_t rows;
  uint32_t degree;   ///< nonzeros of a row, about; those of finite elements and of maps have what their geometry has
  /// Experiments with those in the likeness of published ones, none of them a fit. 1, or how many times the mean what the 128th of the rows that has most
  /// wants of others is; in webs and in the map.
  double uneven;
  bool lists;         ///< in webs who wants more has no more links, but lists of other hosts' pages, each named once
  uint32_t regions;   ///< along a side of the map, 1 to MATRIX_MOST_REGIONS; MATRIX_REGIONS unless it is an experiment
  bool near;          ///< in the map surveys of neighbouring regions have neighbouring numbers, within an eighth of the map
  uint64_t seed;
};
/// Makes it. `uneven` is 1 and `lists` and `near` are false but for the kinds that they are of, which alone look at `regions`. 0, or -1 if out of memory or to stop.
int matrix_generate(const struct matrix_made *made, struct matrix *m);

/// A matrix that is made row by row. Shared by matrix*.c only.
struct matrix_rows {
  struct matrix *m;
  size_t column_room, value_room, row_room, sort_room;
  struct matrix_sorted {
    uint32_t column, order;
    float value;
  } * row;   ///< the one that is being made
  uint32_t in_row;
  bool bad;   ///< out of memory
};
/// Begins with row 0 of an empty matrix.
void matrix_rows_begin(struct matrix_rows *b, uint32_t rows, uint32_t columns, struct matrix *m);
/// Another nonzero of this row.
void matrix_rows_put(struct matrix_rows *b, uint32_t column, float value);
/// The row is done. False if out of memory or to stop.
bool matrix_rows_next(struct matrix_rows *b);
/// All rows are done, if `good`. 0, or -1 and nothing is kept.
int matrix_rows_end(struct matrix_rows *b, bool good);
/// The published kinds, as matrix_generate.
int matrix_generate_published(const struct matrix_made *made, struct matrix *m);

/// Entries in any order, on their way into a matrix. Shared by matrix*.c only.
struct matrix_entries {
  size_t count, room;
  struct matrix_entry {
    uint32_t row, column;
    float value, imaginary;
  } * list;
};
/// False if out of memory.
bool matrix_add(struct matrix_entries *e, uint32_t row, uint32_t column, float value, float imaginary);
/// Orders the entries into a matrix and frees them, whatever comes of it. `imaginary` of the entries is kept if `complex`. 0, or
/// -1 if out of memory or to stop.
int matrix_order(struct matrix_entries *e, uint32_t rows, uint32_t columns, bool complex, struct matrix *m);
void matrix_entries_free(struct matrix_entries *e);

void matrix_free(struct matrix *m);

#endif
