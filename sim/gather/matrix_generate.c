// Matrices in the shapes of those that NetSparse measures (Table 6), of any size.
#include "sim/gather/matrix.h"

#include "base/rng.h"
#include "base/stop.h"

const char *const matrix_kind_names[MATRIX_KINDS + 1] = {[MATRIX_POWER_LAW] = "power-law",
                                                         [MATRIX_ROAD] = "road",
                                                         [MATRIX_BANDED] = "banded",
                                                         [MATRIX_BLOCK] = "block",
                                                         [MATRIX_HOT] = "hot",
                                                         [MATRIX_ARABIC] = "arabic",
                                                         [MATRIX_EUROPE] = "europe",
                                                         [MATRIX_QUEEN] = "queen",
                                                         [MATRIX_STOKES] = "stokes",
                                                         [MATRIX_UK] = "uk",
                                                         [MATRIX_KINDS] = NULL};

uint32_t matrix_degree(enum matrix_kind kind) {
  static const uint32_t degrees[MATRIX_KINDS] = {
      [MATRIX_POWER_LAW] = 28, [MATRIX_ROAD] = 2,   [MATRIX_BANDED] = 76, [MATRIX_BLOCK] = 31,  [MATRIX_HOT] = 8,
      [MATRIX_ARABIC] = 28,    [MATRIX_EUROPE] = 2, [MATRIX_QUEEN] = 79,  [MATRIX_STOKES] = 31, [MATRIX_UK] = 16};
  return degrees[kind];
}

uint32_t matrix_panel(enum matrix_kind kind) { return kind == MATRIX_QUEEN ? 1024 : kind == MATRIX_STOKES ? 16 : 1; }

/// `at` plus a distance of at most `reach` to either side, turned back into the matrix where it leaves it.
static uint32_t near(struct rng *d, uint32_t rows, uint64_t at, uint32_t reach) {
  const int64_t far = (int64_t)at + (int64_t)rng_below(d, 2 * reach + 1) - reach, n = rows;
  return (uint32_t)((far % n + n) % n);
}

/// A column that two numbers lead to.
static uint32_t scattered(uint32_t rows, uint64_t a, uint64_t b) {
  struct rng d = rng_for(a, b);
  return rng_below(&d, rows);
}

/// Rows of a site, of about a thousandth of the web each, link to pages near by, to a few pages that the site prefers, and now
/// and then to pages that everybody knows. Of these, each is half as wanted as the one before, or so.
static uint32_t choose_page(struct rng *d, uint32_t rows, uint32_t row) {
  enum { SITES = 1024, PREFERRED = 12, FAMOUS = 64 };
  const unsigned where = rng_below(d, 100);
  const double u = rng_uniform(d);
  if (where < 75) return near(d, rows, row, rows / 4096 + 1);
  if (where < 97) return scattered(rows, (uint64_t)row * SITES / rows, (uint64_t)(u * u * u * u * PREFERRED));
  return scattered(rows, SITES, (uint64_t)(u * u * u * FAMOUS));
}

/// Blocks of rows, of which each is coupled with columns near by and with two blocks of columns anywhere.
static uint32_t choose_in_block(struct rng *d, uint32_t rows, uint32_t row) {
  enum { BLOCKS = 512 };
  const uint32_t size = rows / BLOCKS + 1, which = rng_below(d, 4);
  if (which < 2) return near(d, rows, row, size / 4 + 1);
  return near(d, rows, scattered(rows, row / size, which), size / 2);
}

static uint32_t choose(enum matrix_kind kind, struct rng *d, uint32_t rows, uint32_t row) {
  switch (kind) {
    case MATRIX_POWER_LAW: return choose_page(d, rows, row);
    case MATRIX_ROAD:
      // Numbers say little about where a place is: one road in twenty-five leads far across the map.
      return near(d, rows, row, rng_below(d, 25) == 0 ? rows / 3 + 1 : rows / 4096 + 1);
    case MATRIX_BANDED: return near(d, rows, row, rows / 80 + 1);
    case MATRIX_BLOCK: return choose_in_block(d, rows, row);
    default: return rng_below(d, rows / 64 + 1);
  }
}

int matrix_generate(const struct matrix_made *made, struct matrix *m) {
  if (made->kind >= MATRIX_ARABIC) return matrix_generate_published(made, m);
  const uint32_t rows = made->rows, degree = made->degree;
  struct matrix_rows b;
  struct rng d = rng_for(made->seed, (uint64_t)made->kind);
  bool good = true;
  matrix_rows_begin(&b, rows, rows, m);
  for (uint32_t row = 0; row < rows && good; row++) {
    const uint32_t nonzeros = rng_from(&d, (degree + 1) / 2, degree + degree / 2);
    for (uint32_t i = 0; i < nonzeros; i++) {
      const float value = (float)rng_from(&d, 1, 2000) / 1000 - 1;
      matrix_rows_put(&b, choose(made->kind, &d, rows, row), value);
    }
    good = matrix_rows_next(&b);
  }
  return matrix_rows_end(&b, good);
}
