#include "host/perf_common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/bytes.h"

uint64_t perf_number(struct argp_state *state, const char *text, uint64_t most) {
  char *end;
  errno = 0;
  const uint64_t value = strtoull(text, &end, 10);
  if (errno != 0 || *text < '0' || *text > '9' || *end != 0 || value > most)
    argp_error(state, "%s: no number up to %llu", text, (unsigned long long)most);
  return value;
}

unsigned perf_name(struct argp_state *state, const char *text, const char *const *names) {
  unsigned i = 0;
  while (names[i] != NULL && strcmp(names[i], text) != 0) i++;
  if (names[i] == NULL) argp_error(state, "%s: no such name", text);
  return i;
}

struct rng perf_rng(uint64_t seed, unsigned host, size_t bytes) {
  return rng_for(seed, (uint64_t)host << 40 | bytes);
}

void perf_fill(enum weir_coll_type type, struct rng *rng, size_t bytes, uint8_t *out) {
  rng_fill(rng, out, bytes);
  for (size_t i = 0; type == WEIR_COLL_FP32 && i + 4 <= bytes; i += 8)
    put_le32(out + i, (get_le32(out + i) & 0x807FFFFF) | (126 + (get_le32(out + i) >> 29)) << 23);
}
