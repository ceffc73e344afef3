/// Processes that share a world: one alone, or those that MPI has started. Which of the two is decided when the program is linked.
#ifndef WEIR_SIM_RANKS_H
#define WEIR_SIM_RANKS_H

#include <stddef.h>
#include <stdint.h>

/// Joins the others; `argc`, `argv` as main has them. Call it first, and once.
void ranks_begin(int *argc, char ***argv);
/// Leaves them, before the program ends. All have to: one that ends otherwise ends the others.
void ranks_end(void);
unsigned ranks_count(void);
unsigned ranks_own(void);

/// The least of all processes' values.
uint64_t ranks_least(uint64_t value);
/// Puts the sum over all processes in place of each of `count` values.
void ranks_sum(uint64_t *values, size_t count);
/// The same with the greatest.
void ranks_most(uint64_t *values, size_t count);
/// Sends `bytes[r]` bytes at `out[r]` to process r, for each r but oneself, and receives what they send: `in[r]`, `in_bytes[r]`, valid
/// until the next call.
void ranks_exchange(const void *const out[], const size_t bytes[], const void *in[], size_t in_bytes[]);

#endif
