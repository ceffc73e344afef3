// Reads Matrix Market files. No packaged C library fits: CHOLMOD's reader says neither in which line a file is wrong nor why.
#include "sim/gather/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/stop.h"

/// Lines are 1024 characters at most (the format's own rule), and so is what is read of one.
enum { LINE = 1024 };
/// Rows or columns, at most.
#define MOST (UINT64_C(1) << 28)
/// Memory is taken for each row and column, so a line of sizes that lies must not cost all there is: up to so many there may be in any
/// matrix, in a larger one so many for each entry that the file has.
enum { FREE_SIZE = 1 << 20, SIZE_AN_ENTRY = 16 };

enum field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN, FIELD_COMPLEX };
enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN };
static const char *const formats[] = {"coordinate", "array", NULL};
static const char *const fields[] = {"real", "integer", "pattern", "complex", NULL};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};

struct matrix_reader {
  const char *path;
  gzFile file;
  char line[LINE + 1];
  uint64_t number;   // of the line
  bool array;
  enum field field;
  enum symmetry symmetry;
  uint64_t rows, columns, entries;
  struct matrix_entries got;
  struct file_error *error;
};

/// Says what is wrong, in which line if that is known. False.
static bool fail(const struct matrix_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const struct matrix_reader *r, const char *format, ...) {
  char where[40] = "";
  if (r->number > 0) snprintf(where, sizeof where, "line %" PRIu64, r->number);
  va_list arguments;
  va_start(arguments, format);
  file_error_putv(r->error, r->path, where, format, arguments);
  va_end(arguments);
  return false;
}

/// Says why the file cannot be read on, if that is so. A file that is cut off gives its last bytes without complaint.
static bool broken(const struct matrix_reader *r) {
  int code;
  const char *text = gzerror(r->file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return false;
  if (code == Z_ERRNO) text = strerror(errno);
  if (code == Z_BUF_ERROR) text = "the gzip file is cut off";
  fail(r, "cannot be read: %s", text);
  return true;
}

/// The next line, without its end. 1, 0 at the end of the file, -1 after fail, also if somebody wants the program to stop.
static int next_line(struct matrix_reader *r) {
  if (stop_asked() != 0) {
    fail(r, "interrupted");
    return -1;
  }
  r->number++;
  size_t len = 0;
  int c;
  while ((c = gzgetc(r->file)) != -1 && c != '\n') {
    if (c == 0 || len == LINE) {
      if (c == 0) fail(r, "a NUL character, which no text has");
      if (c != 0) fail(r, "longer than %d characters", LINE);
      return -1;
    }
    r->line[len++] = (char)c;
  }
  if (c == -1 && broken(r)) return -1;
  if (c == -1 && len == 0) return 0;
  r->line[len] = 0;
  while (len > 0 && isspace((unsigned char)r->line[len - 1])) r->line[--len] = 0;
  return 1;
}

/// The next line that is neither empty nor a comment.
static int next_content(struct matrix_reader *r) {
  int got;
  do got = next_line(r);
  while (got == 1 && (r->line[strspn(r->line, " \t")] == 0 || r->line[0] == '%'));
  return got;
}

// --- the head ---

/// Index of a word in a list; -1 and a line of error if it is not in it.
static int which(const struct matrix_reader *r, const char *word, const char *const *list, const char *what) {
  for (int i = 0; list[i] != NULL; i++)
    if (word != NULL && strcasecmp(word, list[i]) == 0) return i;
  char all[64] = "";
  for (int i = 0; list[i] != NULL; i++) snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", list[i]);
  fail(r, "%s '%.20s' is none of %s", what, word != NULL ? word : "", all);
  return -1;
}

static bool read_banner(struct matrix_reader *r) {
  const int got = next_line(r);
  if (got < 0) return false;
  if (got == 0) return fail(r, "empty");
  char *rest, *word = strtok_r(r->line, " \t", &rest);
  if (word == NULL || strcasecmp(word, "%%MatrixMarket") != 0)
    return fail(r, "no Matrix Market file: does not begin with %%%%MatrixMarket");
  word = strtok_r(NULL, " \t", &rest);
  if (word == NULL || strcasecmp(word, "matrix") != 0) return fail(r, "object '%.20s' is not matrix", word != NULL ? word : "");
  const int format = which(r, strtok_r(NULL, " \t", &rest), formats, "format");
  if (format < 0) return false;
  const int field = which(r, strtok_r(NULL, " \t", &rest), fields, "field");
  if (field < 0) return false;
  const int symmetry = which(r, strtok_r(NULL, " \t", &rest), symmetries, "symmetry");
  if (symmetry < 0) return false;
  if (strtok_r(NULL, " \t", &rest) != NULL) return fail(r, "more than five words");
  r->array = format == 1;
  r->field = (enum field)field;
  r->symmetry = (enum symmetry)symmetry;
  if (r->array && field == FIELD_PATTERN) return fail(r, "an array cannot be a pattern");
  if (symmetry == SKEW && field == FIELD_PATTERN) return fail(r, "a pattern cannot be skew-symmetric");
  if (symmetry == HERMITIAN && field != FIELD_COMPLEX) return fail(r, "only a complex matrix can be hermitian");
  return true;
}

/// A whole number at `*at`, up to `most`; moves behind it.
static bool whole(char **at, uint64_t most, uint64_t *value) {
  char *text = *at + strspn(*at, " \t");
  if (!isdigit((unsigned char)*text)) return false;
  errno = 0;
  *value = strtoull(text, at, 10);
  return errno == 0 && *value <= most && (**at == 0 || **at == ' ' || **at == '\t');
}

static bool at_end(const char *at) { return at[strspn(at, " \t")] == 0; }

static bool read_size(struct matrix_reader *r) {
  const int got = next_content(r);
  if (got < 0) return false;
  if (got == 0) return fail(r, "the file ends before the line of sizes");
  char *at = r->line;
  if (!whole(&at, MOST, &r->rows) || !whole(&at, MOST, &r->columns) || (!r->array && !whole(&at, UINT64_MAX, &r->entries)) ||
      !at_end(at))
    return fail(r, "the sizes must be %s whole numbers, rows and columns at most %" PRIu64, r->array ? "two" : "three", MOST);
  if (r->rows == 0 || r->columns == 0) return fail(r, "a matrix without rows or columns");
  if (r->symmetry != GENERAL && r->rows != r->columns) return fail(r, "a %s matrix must be square", symmetries[r->symmetry]);
  return true;
}

// --- entries ---

/// Keeps an entry and, in a matrix with a symmetry, its mirror.
static bool keep(struct matrix_reader *r, uint32_t row, uint32_t column, float value, float imaginary) {
  if (!matrix_add(&r->got, row, column, value, imaginary)) return fail(r, "out of memory");
  if (r->symmetry == GENERAL || row == column) return true;
  const bool negative = r->symmetry == SKEW;
  if (matrix_add(&r->got, column, row, negative ? -value : value, negative || r->symmetry == HERMITIAN ? -imaginary : imaginary))
    return true;
  return fail(r, "out of memory");
}

/// A decimal number that is finite in single precision. strtof also takes what no file of the format has: nan, inf, hexadecimal.
static bool number(char **at, float *value) {
  char *text = *at + strspn(*at, " \t");
  const size_t len = strcspn(text, " \t");
  *value = strtof(text, at);
  return len > 0 && *at == text + len && strspn(text, "0123456789.eE+-") == len && isfinite(*value);
}

/// The value of an entry from `at` on.
static bool read_value(const struct matrix_reader *r, char *at, float *value, float *imaginary) {
  uint64_t ignored;
  *value = 1;
  *imaginary = 0;
  if (r->field == FIELD_INTEGER) {
    char *digits = at + strspn(at, " \t");
    if (*digits == '-' || *digits == '+') digits++;
    if (!whole(&digits, UINT64_MAX, &ignored)) return fail(r, "the value is no whole number");
  }
  if (r->field != FIELD_PATTERN && !number(&at, value))
    return fail(r, "the value is missing, no decimal number, or too large for single precision");
  if (r->field == FIELD_COMPLEX && !number(&at, imaginary))
    return fail(r, "the imaginary part is missing, no decimal number, or too large for single precision");
  if (!at_end(at)) return fail(r, "more than one entry's worth: '%.20s'", at + strspn(at, " \t"));
  return true;
}

static bool read_coordinate(struct matrix_reader *r) {
  uint64_t row, column;
  float value, imaginary;
  char *at = r->line;
  if (!whole(&at, UINT64_MAX, &row) || !whole(&at, UINT64_MAX, &column))
    return fail(r, "an entry must begin with row and column");
  if (row < 1 || row > r->rows) return fail(r, "row %" PRIu64 " is not within 1 to %" PRIu64, row, r->rows);
  if (column < 1 || column > r->columns) return fail(r, "column %" PRIu64 " is not within 1 to %" PRIu64, column, r->columns);
  if (r->symmetry != GENERAL && column > row)
    return fail(r, "entry (%" PRIu64 ", %" PRIu64 ") is above the diagonal of a %s matrix", row, column, symmetries[r->symmetry]);
  if (r->symmetry == SKEW && column == row) return fail(r, "an entry on the diagonal of a skew-symmetric matrix");
  return read_value(r, at, &value, &imaginary) && keep(r, (uint32_t)row - 1, (uint32_t)column - 1, value, imaginary);
}

/// The place of the next entry of an array: down the columns, with a symmetry from the diagonal on.
static void next_place(const struct matrix_reader *r, uint64_t *row, uint64_t *column) {
  if (++*row < r->rows) return;
  ++*column;
  *row = r->symmetry == GENERAL ? 0 : r->symmetry == SKEW ? *column + 1 : *column;
}

static bool read_entries(struct matrix_reader *r) {
  uint64_t row = r->symmetry == SKEW ? 1 : 0, column = 0, n = 0;
  if (r->array) {
    const uint64_t below = r->rows * (r->rows - 1) / 2;
    r->entries = r->symmetry == GENERAL ? r->rows * r->columns : r->symmetry == SKEW ? below : below + r->rows;
  }
  int got;
  while ((got = next_content(r)) == 1) {
    if (n++ == r->entries) return fail(r, "more entries than the %" PRIu64 " of the line of sizes", r->entries);
    if (!r->array) {
      if (!read_coordinate(r)) return false;
      continue;
    }
    float value, imaginary;
    if (!read_value(r, r->line, &value, &imaginary)) return false;
    if ((value != 0 || imaginary != 0) && !keep(r, (uint32_t)row, (uint32_t)column, value, imaginary)) return false;
    next_place(r, &row, &column);
  }
  if (got < 0) return false;
  if (n < r->entries) return fail(r, "the file ends after %" PRIu64 " of %" PRIu64 " entries", n, r->entries);
  const uint64_t largest = r->rows > r->columns ? r->rows : r->columns;
  r->number = 0;
  if (largest > FREE_SIZE && largest / SIZE_AN_ENTRY > n)
    return fail(r, "%" PRIu64 " rows and %" PRIu64 " columns for %" PRIu64 " entries: above %d there may be %d an entry", r->rows,
                r->columns, n, FREE_SIZE, SIZE_AN_ENTRY);
  return true;
}

int matrix_read(const char *path, struct matrix *m, struct file_error *error) {
  struct matrix_reader r = {.path = path, .error = error};
  errno = 0;
  r.file = gzopen(path, "rb");
  if (r.file == NULL) {
    fail(&r, "cannot be opened: %s", errno != 0 ? strerror(errno) : "out of memory");
    return -1;
  }
  const bool good = read_banner(&r) && read_size(&r) && read_entries(&r);
  gzclose(r.file);
  if (!good) {
    matrix_entries_free(&r.got);
    return -1;
  }
  if (matrix_order(&r.got, (uint32_t)r.rows, (uint32_t)r.columns, r.field == FIELD_COMPLEX, m) == 0) return 0;
  r.number = 0;
  fail(&r, "out of memory");
  return -1;
}
