// Any bytes, read as a file of flows: what is taken is what the lines say, in decimal; everything else is refused in one line.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "sim/fabric/load/flows_read.h"

enum { RANKS = 12 };

/// Flows, and something of their numbers that depends on each.
struct sum {
  uint64_t count, of_all;
};

static void add(void *sum, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps) {
  struct sum *s = sum;
  fuzz_must(src < RANKS && dst < RANKS && src != dst, "a flow is from one rank to another one");
  fuzz_must(bytes >= 1 && bytes <= UINT64_C(1) << 40, "it has bytes");
  fuzz_must(start_ps <= UINT64_C(10000000000000), "it begins within ten seconds");
  s->count++;
  s->of_all += bytes * (src * RANKS + dst + 1);
}

/// Digits, with blanks around them, up to `*at`.
static uint64_t number(const uint8_t **at, const uint8_t *end) {
  uint64_t value = 0;
  while (*at < end && (**at == ' ' || **at == '\t')) ++*at;
  fuzz_must(*at < end && isdigit(**at), "a number is digits");
  for (; *at < end && isdigit(**at); ++*at) {
    value = value * 10 + (uint64_t)(**at - '0');
    fuzz_must(value <= UINT64_C(1) << 40, "a number is no larger than it may be");
  }
  while (*at < end && (**at == ' ' || **at == '\t')) ++*at;
  return value;
}

/// The same of a file that was taken, read by other means.
static struct sum again(const uint8_t *at, const uint8_t *end) {
  struct sum s = {0};
  while (at < end) {
    const uint8_t *next = memchr(at, '\n', (size_t)(end - at)), *stop = next != NULL ? next : end;
    while (stop > at && stop[-1] == '\r') stop--;
    if (at < stop && *at != '#') {
      const uint64_t src = number(&at, stop);
      fuzz_must(at < stop && *at++ == ',', "a destination follows");
      const uint64_t dst = number(&at, stop);
      fuzz_must(at < stop && *at++ == ',', "bytes follow");
      add(&s, (uint32_t)src, (uint32_t)dst, number(&at, stop), 0);
      fuzz_must(at == stop || *at == ',', "nothing else follows but a time");
    }
    at = next != NULL ? next + 1 : end;
  }
  return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH], error[256] = "";
  const int fd = fuzz_file(data, size, path);
  struct sum taken = {0};
  if (flows_read(path, RANKS, add, &taken, error, sizeof error) == 0) {
    const struct sum wanted = again(data, data + size);
    fuzz_must(taken.count > 0 && taken.count == wanted.count && taken.of_all == wanted.of_all, "flows are those of the lines");
  } else {
    fuzz_must(strncmp(error, path, strlen(path)) == 0, "an error begins with the file's name");
    fuzz_is_text(error);
  }
  close(fd);
  return 0;
}
