// Any bytes, read as a Matrix Market file: what is taken is a matrix in order, of finite numbers; everything else is refused in one line.
#include <math.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "sim/gather/matrix.h"

static void check(const struct matrix *m) {
  fuzz_must(m->first[0] == 0 && m->first[m->rows] == m->count, "rows are all entries");
  for (uint32_t row = 0; row < m->rows; row++) {
    fuzz_must(m->first[row] <= m->first[row + 1], "rows follow each other");
    for (size_t i = m->first[row]; i < m->first[row + 1]; i++) {
      fuzz_must(m->column[i] < m->columns, "a column is one of the matrix");
      fuzz_must(i == m->first[row] || m->column[i - 1] <= m->column[i], "columns ascend");
      fuzz_must(isfinite(m->value[i]) && (m->imaginary == NULL || isfinite(m->imaginary[i])), "values are numbers");
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  const int fd = fuzz_file(data, size, path);
  struct matrix m;
  struct file_error error = {""};
  if (matrix_read(path, &m, &error) == 0) {
    check(&m);
    matrix_free(&m);
  } else {
    fuzz_is_error(error.text, path);
  }
  close(fd);
  return 0;
}
