// Matrices in the shapes of those that NetSparse measures (Table 6), of any size.
#include "sim/matrix.h"

#include "hosts/dice.h"

static const char *const names[] = {[MATRIX_POWER_LAW] = "power-law", [MATRIX_ROAD] = "road", [MATRIX_BANDED] = "banded",
                                    [MATRIX_BLOCK] = "block",         [MATRIX_HOT] = "hot",   [MATRIX_KINDS] = NULL};

const char *const *matrix_kind_names(void) { return names; }

/// 0 or more and less than 1.
static double chance(struct dice *d) { return (double)(dice_next(d) >> 11) / 9007199254740992.0; }

/// `at` plus a distance of at most `reach` to either side, turned back into the matrix where it leaves it.
static uint32_t near(struct dice *d, uint32_t rows, uint64_t at, uint32_t reach) {
  const int64_t far = (int64_t)at + (int64_t)dice_below(d, 2 * reach + 1) - reach, n = rows;
  return (uint32_t)((far % n + n) % n);
}

/// The nth most wanted column: spread over all, so that no node has all of them.
static uint32_t spread(uint32_t rows, uint64_t n) { return (uint32_t)(n * UINT64_C(2654435761) % rows); }

static uint32_t choose(enum matrix_kind kind, struct dice *d, uint32_t rows, uint32_t row) {
  double u;
  switch (kind) {
    case MATRIX_POWER_LAW:
      // Half of the links stay near; of the others, a column's share falls with its rank.
      if (dice_below(d, 2)) return near(d, rows, row, rows / 256 + 1);
      u = chance(d);
      return spread(rows, (uint64_t)(u * u * u * u * rows));
    case MATRIX_ROAD:
      // Numbers of places say little about where they are: neighbours are anywhere within an eighth of the map.
      return near(d, rows, row, rows / 8 + 1);
    case MATRIX_HOT: return dice_below(d, rows / 64 + 1);
    case MATRIX_BANDED: return near(d, rows, row, rows / 24 + 1);
    default: return near(d, rows, row + (uint64_t)dice_below(d, 3) * (rows / 3), rows / 96 + 1);
  }
}

int matrix_generate(enum matrix_kind kind, uint32_t rows, uint32_t degree, uint64_t seed, struct matrix *m) {
  struct matrix_entries e = {0};
  struct dice d = dice_for(seed, (uint64_t)kind);
  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t nonzeros = dice_from(&d, (degree + 1) / 2, degree + degree / 2);
    for (uint32_t i = 0; i < nonzeros; i++) {
      const float value = (float)dice_from(&d, 1, 2000) / 1000 - 1;
      if (matrix_add(&e, row, choose(kind, &d, rows, row), value, 0)) continue;
      matrix_entries_free(&e);
      return -1;
    }
  }
  return matrix_order(&e, rows, rows, false, m);
}
