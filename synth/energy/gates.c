// Steps a netlist of library cells through recorded inputs, and counts how often each net changes.
//
// A net changes at most once a cycle here: what a gate does while its inputs settle (glitches) is not seen. Written for synth/energy/activity.py,
// which makes the one file and reads the other; both are words of 32 bits in the machine's order, but for the recorded bits.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NETS, INPUTS, FLOPS, CELLS, OUTPUTS, CYCLES, SEGMENT, SETTLED, WORDS };
enum { OUT, COUNT, IN, TABLE = IN + 6, CELL_WORDS = TABLE + 2 };

/// `count` things of `size` bytes from `in`; ends the program if there are not so many.
static void *take(FILE *in, size_t count, size_t size) {
  void *got = calloc(count + 1, size);
  if (got == NULL || fread(got, size, count, in) != count) {
    fprintf(stderr, "gates: the netlist is cut off\n");
    exit(2);
  }
  return got;
}

/// All cells once, in their order: each behind those that drive it.
static void settle(uint8_t *value, const uint32_t *cells, uint32_t count) {
  for (const uint32_t *c = cells; c < cells + (size_t)count * CELL_WORDS; c += CELL_WORDS) {
    uint32_t row = 0;
    for (uint32_t k = 0; k < c[COUNT]; k++) row |= (uint32_t)value[c[IN + k]] << k;
    value[c[OUT]] = c[TABLE + row / 32] >> row % 32 & 1;
  }
}

int main(int argc, char **argv) {
  FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = argc == 3 ? fopen(argv[2], "wb") : NULL;
  if (in == NULL || out == NULL) {
    fprintf(stderr, "usage: gates NETLIST COUNTS\n");
    return 2;
  }
  const uint32_t *size = take(in, WORDS, 4);
  const uint32_t *inputs = take(in, size[INPUTS], 4), *flops = take(in, 2 * (size_t)size[FLOPS], 4);
  const uint32_t *cells = take(in, (size_t)size[CELLS] * CELL_WORDS, 4), *outputs = take(in, size[OUTPUTS], 4);
  const uint32_t *first = take(in, size[FLOPS], 4);
  uint8_t *value = calloc(size[NETS], 1), *before = calloc(size[NETS], 1), *next = calloc(size[FLOPS] + 1, 1);
  uint8_t *last = calloc(size[OUTPUTS] + 1, 1), *moved = calloc(size[OUTPUTS] + 1, 1);
  uint32_t *changes = calloc(size[NETS], 4), wrong[3] = {0};
  if (value == NULL || before == NULL || next == NULL || last == NULL || moved == NULL || changes == NULL) return 2;
  value[1] = 1;
  for (uint32_t n = 0; n < size[FLOPS]; n++) value[flops[2 * n + 1]] = (uint8_t)first[n];
  for (uint32_t cycle = 0; cycle < size[CYCLES]; cycle++) {
    uint8_t *given = take(in, (size[INPUTS] + 7) / 8, 1), *expected = take(in, (size[OUTPUTS] + 7) / 8, 1);
    for (uint32_t n = 0; n < size[INPUTS]; n++) value[inputs[n]] = given[n / 8] >> n % 8 & 1;
    settle(value, cells, size[CELLS]);
    for (uint32_t n = 0; n < size[OUTPUTS]; n++) {
      const uint8_t bit = expected[n / 8] >> n % 8 & 1;
      // An output that has not changed yet may be what a register without a reset holds by chance.
      if (cycle > size[SETTLED]) moved[n] |= bit ^ last[n];
      last[n] = bit;
      if (moved[n] && value[outputs[n]] != bit && wrong[0]++ == 0) wrong[1] = cycle, wrong[2] = n;
    }
    for (uint32_t n = 0; n < size[NETS]; n++) changes[n] += value[n] ^ before[n];
    memcpy(before, value, size[NETS]);
    for (uint32_t n = 0; n < size[FLOPS]; n++) next[n] = value[flops[2 * n]];
    for (uint32_t n = 0; n < size[FLOPS]; n++) value[flops[2 * n + 1]] = next[n];
    free(given), free(expected);
    if ((cycle + 1) % size[SEGMENT] == 0) {
      fwrite(changes, 4, size[NETS], out);
      memset(changes, 0, 4 * (size_t)size[NETS]);
    }
  }
  fwrite(wrong, 4, 3, out);
  return fclose(out) == 0 ? 0 : 2;
}
