// Matrix Market files, good and bad, and matrices that are made up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/gather/matrix.h"

/// A file in memory: one on a disc is put there anew each time that it is cut and closed, thousands of times here.
static char path[40];

static void put(const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

/// Reads `text` as a file; it must be good.
static struct matrix good(const char *text) {
  struct matrix m;
  struct file_error error = {""};
  put(text);
  if (matrix_read(path, &m, &error) != 0) fail_msg("%s", error.text);
  return m;
}

/// The value at a place; 0 if there is none.
static float at(const struct matrix *m, uint32_t row, uint32_t column, bool imaginary) {
  for (size_t i = m->first[row]; i < m->first[row + 1]; i++)
    if (m->column[i] == column) return imaginary ? m->imaginary[i] : m->value[i];
  return 0;
}

/// Rows, columns and entries, and that rows are in order.
static void shape(const struct matrix *m, uint32_t rows, uint32_t columns, size_t count) {
  assert_true(m->rows == rows && m->columns == columns && m->count == count);
  assert_true(m->first[0] == 0 && m->first[rows] == count);
  for (uint32_t r = 0; r < rows; r++) {
    for (size_t i = m->first[r]; i < m->first[r + 1]; i++) {
      assert_true(m->column[i] < columns);
      if (i > m->first[r]) assert_true(m->column[i] >= m->column[i - 1]);
    }
  }
}

static void all_kinds_of_files(void **state) {
  (void)state;
  struct matrix m =
      good("%%MatrixMarket matrix coordinate real general\n% comment\n\n3 4 3\n3 1 1.5\n1 4 -2e1\n\n%later\n1 2 .25\n");
  shape(&m, 3, 4, 3);
  assert_true(at(&m, 2, 0, false) == 1.5f && at(&m, 0, 3, false) == -20 && at(&m, 0, 1, false) == .25f && m.imaginary == NULL);
  matrix_free(&m);
  m = good("%%MatrixMarket MATRIX Coordinate Pattern Symmetric\r\n3 3 3\r\n1 1\r\n3 1\r\n3 2\r\n");
  shape(&m, 3, 3, 5);
  assert_true(at(&m, 0, 2, false) == 1 && at(&m, 2, 0, false) == 1 && at(&m, 0, 0, false) == 1);
  matrix_free(&m);
  m = good("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 7\n3 1 -4");   // no newline at the end
  shape(&m, 3, 3, 4);
  assert_true(at(&m, 1, 0, false) == 7 && at(&m, 0, 1, false) == -7 && at(&m, 0, 2, false) == 4);
  matrix_free(&m);
  m = good("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n");
  shape(&m, 2, 2, 3);
  assert_true(at(&m, 0, 1, false) == 3 && at(&m, 0, 1, true) == -4 && at(&m, 1, 0, true) == 4);
  matrix_free(&m);
  m = good("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n");   // down the columns; the 0 is left out
  shape(&m, 2, 3, 5);
  assert_true(at(&m, 1, 0, false) == 2 && at(&m, 0, 1, false) == 3 && at(&m, 1, 2, false) == 6);
  matrix_free(&m);
  m = good("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
  shape(&m, 3, 3, 9);
  assert_true(at(&m, 2, 1, false) == 5 && at(&m, 1, 2, false) == 5 && at(&m, 2, 0, false) == 3 && at(&m, 2, 2, false) == 6);
  matrix_free(&m);
  m = good("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n");
  shape(&m, 3, 3, 6);
  assert_true(at(&m, 1, 0, false) == 1 && at(&m, 2, 0, false) == 2 && at(&m, 2, 1, false) == 3 && at(&m, 1, 2, false) == -3);
  matrix_free(&m);
  // Entries named twice stay two, in the order of the file; stored zeros are entries.
  m = good("%%MatrixMarket matrix coordinate real general\n1 2 3\n1 1 5\n1 1 6\n1 2 0\n");
  shape(&m, 1, 2, 3);
  assert_true(m.value[0] == 5 && m.value[1] == 6);
  matrix_free(&m);
  m = good("%%MatrixMarket matrix coordinate real general\n5 5 0\n");
  shape(&m, 5, 5, 0);
  matrix_free(&m);
}

static void compressed_files(void **state) {
  (void)state;
  static const char text[] = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n";
  struct matrix m;
  struct file_error error;
  gzFile f = gzopen(path, "wb");
  gzwrite(f, text, sizeof text - 1);
  gzclose(f);
  assert_int_equal(matrix_read(path, &m, &error), 0);
  shape(&m, 2, 2, 1);
  matrix_free(&m);
  assert_int_equal(truncate(path, 40), 0);
  assert_int_equal(matrix_read(path, &m, &error), -1);
  if (strstr(error.text, "cut off") == NULL) fail_msg("%s", error.text);
}

#define HEAD "%%MatrixMarket matrix coordinate real general\n"

static void bad_files_are_explained(void **state) {
  (void)state;
  static const struct {
    const char *text, *where, *what;
  } rows[] = {
      {"", "line 1", "empty"},
      {"1 1 1\n", "line 1", "%%MatrixMarket"},
      {"%%MatrixMarket vector coordinate real general\n", "line 1", "object 'vector'"},
      {"%%MatrixMarket matrix sparse real general\n", "line 1", "coordinate, array"},
      {"%%MatrixMarket matrix coordinate double general\n", "line 1", "real, integer, pattern, complex"},
      {"%%MatrixMarket matrix coordinate real triangular\n", "line 1", "general, symmetric"},
      {"%%MatrixMarket matrix coordinate real\n", "line 1", "symmetry ''"},
      {"%%MatrixMarket matrix coordinate real general x\n", "line 1", "five words"},
      {"%%MatrixMarket matrix array pattern general\n", "line 1", "array cannot be a pattern"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "line 1", "skew"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1", "only a complex"},
      {HEAD "% only a comment\n", "line 3", "ends before the line of sizes"},
      {HEAD "3 3\n", "line 2", "three whole numbers"},
      {HEAD "3 3 -1\n", "line 2", "three whole numbers"},
      {HEAD "3 3 1 1\n", "line 2", "three whole numbers"},
      {HEAD "3 99999999999 1\n", "line 2", "at most 268435456"},
      {HEAD "0 3 0\n", "line 2", "without rows"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n", "line 2", "square"},
      {HEAD "3 3 1\nx 1 1\n", "line 3", "row and column"},
      {HEAD "3 3 1\n0 1 1\n", "line 3", "row 0 is not within 1 to 3"},
      {HEAD "3 3 1\n4 1 1\n", "line 3", "row 4"},
      {HEAD "%\n3 3 1\n\n1 5 1\n", "line 5", "column 5 is not within 1 to 3"},
      {HEAD "3 3 1\n1 1\n", "line 3", "is missing"},
      {HEAD "3 3 1\n1 1 one\n", "line 3", "no decimal number"},
      {HEAD "3 3 1\n1 1 1x\n", "line 3", "no decimal number"},
      {HEAD "3 3 1\n1 1 nan\n", "line 3", "no decimal number"},
      {HEAD "3 3 1\n1 1 -inf\n", "line 3", "no decimal number"},
      {HEAD "3 3 1\n1 1 0x1p3\n", "line 3", "no decimal number"},
      {HEAD "3 3 1\n1 1 1e999\n", "line 3", "too large for single precision"},
      {HEAD "268435456 268435456 1\n1 1 1\n", "", "268435456 rows and 268435456 columns for 1 entries"},
      {HEAD "3 3 1\n1 1 1 2\n", "line 3", "more than one entry"},
      {HEAD "3 3 2\n1 1 1\n", "line 4", "after 1 of 2 entries"},
      {HEAD "3 3 1\n1 1 1\n2 2 2\n", "line 4", "more entries than the 1"},
      {HEAD "3 3 18446744073709551615\n1 1 1\n", "line 4", "after 1 of 18446744073709551615"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "line 3", "whole number"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.5\n", "line 3", "imaginary"},
      {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", "line 3", "more than one entry"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 2 1\n", "line 3", "above the diagonal"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n", "line 3", "on the diagonal"},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "line 6", "after 3 of 4"},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n5\n", "line 7", "more entries than the 4"},
      {"%%MatrixMarket matrix array real general\n2 2\n1 2\n", "line 3", "more than one entry"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct matrix m;
    struct file_error error = {""};
    put(rows[i].text);
    assert_int_equal(matrix_read(path, &m, &error), -1);
    if (strstr(error.text, path) == NULL || strstr(error.text, rows[i].where) == NULL || strstr(error.text, rows[i].what) == NULL)
      fail_msg("file %zu: '%s' says neither '%s' nor '%s'", i, error.text, rows[i].where, rows[i].what);
    assert_null(strchr(error.text, '\n'));
  }
  struct matrix m;
  struct file_error error;
  assert_int_equal(matrix_read("/nowhere/at/all.mtx", &m, &error), -1);
  assert_string_equal(error.text, "/nowhere/at/all.mtx: cannot be opened: No such file or directory");
  assert_int_equal(matrix_read("/tmp", &m, &error), -1);
  char line[2000];
  memset(line, 'x', sizeof line);
  line[sizeof line - 1] = 0;
  put(line);
  assert_int_equal(matrix_read(path, &m, &error), -1);
  assert_non_null(strstr(error.text, "longer than 1024"));
}

static void a_line_does_not_end_with_nul(void **state) {
  (void)state;
  static const char text[] = HEAD "3 3 1\n1 1 1\0 and more\n";
  struct matrix m;
  struct file_error error;
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, sizeof text - 1, f), sizeof text - 1);
  fclose(f);
  assert_int_equal(matrix_read(path, &m, &error), -1);
  assert_non_null(strstr(error.text, "line 3: a NUL character"));
}

/// Rows without an entry are ordinary; a few million of them for one entry are a damaged line of sizes.
static void large_and_almost_empty(void **state) {
  (void)state;
  struct matrix m = good(HEAD "1048576 1048576 1\n1048576 1 2\n");
  shape(&m, 1 << 20, 1 << 20, 1);
  matrix_free(&m);
  struct file_error error;
  put(HEAD "1048577 1 1\n1 1 2\n");
  assert_int_equal(matrix_read(path, &m, &error), -1);
  assert_non_null(strstr(error.text, "there may be 16 an entry"));
}

/// Files with bytes changed, taken out and put in: each is read or explained in one line of text.
static void broken_at_random(void **state) {
  (void)state;
  static const char *const files[] = {
      "%%MatrixMarket matrix coordinate real general\n% text\n3 4 3\n3 1 1.5\n1 4 -2e1\n1 2 .25\n",
      "%%MatrixMarket matrix coordinate complex hermitian\n4 4 3\n1 1 1 0\n2 1 3 4\n4 2 1 1\n",
      "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
  };
  static const char bytes[] = " \n\t%-+.e0123456789x\xFF\x01";
  struct rng d = {1};
  size_t good_ones = 0, bad_ones = 0;
  for (unsigned i = 0; i < 6000; i++) {
    char text[200];
    size_t len = strlen(files[i % 3]);
    memcpy(text, files[i % 3], len);
    for (unsigned n = rng_from(&d, 1, 3); n > 0; n--) {
      // Mostly behind the first line, where there is more to say.
      const size_t at = rng_below(&d, 8) == 0 ? rng_below(&d, (unsigned)len) : 46 + rng_below(&d, (unsigned)len - 46);
      const unsigned how = rng_below(&d, 3);
      if (how == 0) memmove(text + at, text + at + 1, --len - at);
      if (how == 1) memmove(text + at + 1, text + at, len++ - at);
      if (how > 0) text[at] = bytes[rng_below(&d, sizeof bytes)];
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(text, 1, len, f);
    fclose(f);
    struct matrix m;
    struct file_error error = {""};
    if (matrix_read(path, &m, &error) == 0) {
      good_ones++;
      shape(&m, m.rows, m.columns, m.count);
      matrix_free(&m);
      continue;
    }
    bad_ones++;
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
    for (const char *c = error.text; *c != 0; c++) assert_in_range(*c, ' ', '~');
  }
  assert_true(good_ones > 500 && bad_ones > 500);
}

static void made_up_ones(void **state) {
  (void)state;
  for (int kind = 0; kind < MATRIX_KINDS; kind++) {
    struct matrix a, b, c;
    struct matrix_made made = {
        .kind = (enum matrix_kind)kind, .rows = 3000, .degree = 10, .uneven = 1, .regions = MATRIX_REGIONS, .seed = 5};
    assert_int_equal(matrix_generate(&made, &a), 0);
    assert_int_equal(matrix_generate(&made, &b), 0);
    made.seed = 6;
    assert_int_equal(matrix_generate(&made, &c), 0);
    shape(&a, 3000, 3000, a.count);
    // Those of finite elements and streets have what their geometry has, whatever the seed.
    const bool elements = kind == MATRIX_QUEEN || kind == MATRIX_STOKES;
    if (!elements && kind != MATRIX_EUROPE) assert_in_range(a.count, 29000, 31000);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.column, b.column, a.count * sizeof *a.column);
    assert_memory_equal(a.value, b.value, a.count * sizeof *a.value);
    assert_true(kind == MATRIX_QUEEN || a.count != c.count || memcmp(a.column, c.column, a.count * sizeof *a.column) != 0);
    assert_true(a.count != c.count || memcmp(a.value, c.value, a.count * sizeof *a.value) != 0);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&c);
  }
}

/// Whether row `row` has a nonzero in a column.
static bool has(const struct matrix *m, uint32_t row, uint32_t column) {
  for (size_t i = m->first[row]; i < m->first[row + 1]; i++)
    if (m->column[i] == column) return true;
  return false;
}

/// Streets lead both ways and meshes couple both ways, whatever numbers points have; crossings have at most four streets, a vertex' three unknowns up to 27
/// neighbours.
static void geometry_is_symmetric(void **state) {
  (void)state;
  static const struct {
    enum matrix_kind kind;
    size_t most, least_of_most;   // nonzeros of a row
    double uneven;
    uint32_t regions;
    bool near;
  } cases[] = {{MATRIX_EUROPE, 4, 4, 1, MATRIX_REGIONS, false},
               {MATRIX_EUROPE, 4, 4, 8, MATRIX_REGIONS, false},
               {MATRIX_EUROPE, 4, 4, 1, MATRIX_REGIONS, true},
               {MATRIX_EUROPE, 4, 4, 1, MATRIX_MOST_REGIONS, false},
               {MATRIX_QUEEN, 81, 81, 1, MATRIX_REGIONS, false}};
  size_t counts[5] = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct matrix m;
    size_t most = 0;
    const struct matrix_made made = {cases[i].kind, 20000, 2, cases[i].uneven, false, cases[i].regions, cases[i].near, 1};
    assert_int_equal(matrix_generate(&made, &m), 0);
    counts[i] = m.count;
    for (uint32_t row = 0; row < m.rows; row++) {
      if (m.first[row + 1] - m.first[row] > most) most = m.first[row + 1] - m.first[row];
      for (size_t j = m.first[row]; j < m.first[row + 1]; j++) {
        assert_true(m.column[j] < m.rows && has(&m, m.column[j], row));
        assert_true(j == m.first[row] || m.column[j - 1] < m.column[j]);
      }
    }
    assert_in_range(most, cases[i].least_of_most, cases[i].most);
    matrix_free(&m);
  }
  // It is the same map.
  assert_true(counts[1] == counts[0] && counts[2] == counts[0] && counts[3] == counts[0]);
}

/// Of the 128th of the rows that has most, as a multiple of the mean: nonzeros that lead far away, and different columns that they name.
struct most_of_others {
  double nonzeros, columns;
};

static struct most_of_others most_of_others(enum matrix_kind kind, double uneven, bool lists) {
  enum { STRIPES = 128, ROWS = STRIPES * 4000 };
  const struct matrix_made made = {kind, ROWS, matrix_degree(kind), uneven, lists, MATRIX_REGIONS, false, 3};
  struct matrix m;
  size_t all[2] = {0}, most[2] = {0};
  uint8_t *seen = calloc(ROWS, 1);   // the last stripe that named it, and one
  assert_non_null(seen);
  assert_int_equal(matrix_generate(&made, &m), 0);
  for (unsigned stripe = 0; stripe < STRIPES; stripe++) {
    size_t own[2] = {0};
    const uint32_t first = stripe * (ROWS / STRIPES), end = first + ROWS / STRIPES;
    for (size_t i = m.first[first]; i < m.first[end]; i++) {
      if (m.column[i] + ROWS / 16 >= first && m.column[i] < end + ROWS / 16) continue;
      own[0]++;
      own[1] += seen[m.column[i]] != stripe + 1;
      seen[m.column[i]] = (uint8_t)(stripe + 1);
    }
    for (unsigned what = 0; what < 2; what++) {
      all[what] += own[what];
      if (own[what] > most[what]) most[what] = own[what];
    }
  }
  matrix_free(&m);
  free(seen);
  return (struct most_of_others){(double)most[0] * STRIPES / (double)all[0], (double)most[1] * STRIPES / (double)all[1]};
}

/// Who wants more has more links, or as many with names that come once; a map's stripes want more because points are out of their order.
static void uneven_ones(void **state) {
  (void)state;
  const struct most_of_others even = most_of_others(MATRIX_UK, 1, false), uneven = most_of_others(MATRIX_UK, 4, false);
  const struct most_of_others lists = most_of_others(MATRIX_UK, 4, true), map = most_of_others(MATRIX_EUROPE, 3, false);
  assert_true(even.nonzeros < 1.7 && most_of_others(MATRIX_EUROPE, 1, false).columns < 1.4);
  assert_true(uneven.nonzeros > 3.2 && uneven.nonzeros < 4.8);
  assert_true(lists.nonzeros < 2.3 && lists.columns > 2.8 && lists.columns < 4.8);
  assert_true(map.columns > 2.2 && map.columns < 3.3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_kinds_of_files),
      cmocka_unit_test(compressed_files),
      cmocka_unit_test(bad_files_are_explained),
      cmocka_unit_test(a_line_does_not_end_with_nul),
      cmocka_unit_test(large_and_almost_empty),
      cmocka_unit_test(broken_at_random),
      cmocka_unit_test(made_up_ones),
      cmocka_unit_test(geometry_is_symmetric),
      cmocka_unit_test(uneven_ones),
  };
  const int fd = memfd_create("matrix", 0);
  if (fd < 0) return 1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
