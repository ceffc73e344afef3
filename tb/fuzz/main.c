// Runs a fuzz target on the files given: repeats a finding under gcc and gdb, and stands in where there is no libFuzzer.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

/// The file's bytes, in memory of just their size so that ASan sees a read behind them; NULL if it cannot be read.
static uint8_t *load(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  uint8_t *data = NULL;
  if (fseek(f, 0, SEEK_END) == 0) {
    long end = ftell(f);
    *size = end < 0 ? 0 : (size_t)end;
    rewind(f);
    data = malloc(*size != 0 ? *size : 1);
    if (data != NULL && fread(data, 1, *size, f) != *size) {
      free(data);
      data = NULL;
    }
  }
  fclose(f);
  return data;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FILE..\n", argv[0]);
    return 2;
  }
  for (int i = 1; i < argc; i++) {
    size_t size = 0;
    uint8_t *data = load(argv[i], &size);
    if (data == NULL) {
      fprintf(stderr, "%s: cannot read\n", argv[i]);
      return 2;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
  }
  printf("%d inputs\n", argc - 1);
  return 0;
}
