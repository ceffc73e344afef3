#include "sim/engine/world/ranks.h"

void ranks_begin(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
}

void ranks_end(void) {}
unsigned ranks_count(void) { return 1; }
unsigned ranks_own(void) { return 0; }
uint64_t ranks_least(uint64_t value) { return value; }

void ranks_sum(uint64_t *values, size_t count) {
  (void)values;
  (void)count;
}

void ranks_most(uint64_t *values, size_t count) {
  (void)values;
  (void)count;
}

void ranks_exchange(const void *const out[], const size_t bytes[], const void *in[], size_t in_bytes[]) {
  (void)out;
  (void)bytes;
  (void)in;
  (void)in_bytes;
}
