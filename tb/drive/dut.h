/// One Verilated module behind C, for unit tests: ports by name, a clock, nothing else.
///
/// A test program is linked with exactly one module, named in the `// DUT:` line at its head. Any misuse (unknown port, value
/// too wide) and any assertion that fails inside the module fails the running cmocka test at once.
#ifndef WEIR_DRIVE_DUT_H
#define WEIR_DRIVE_DUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dut;

/// A new instance: all inputs zero, state random (seed in the environment variable WEIR_SEED, else 1). The caller frees it.
struct dut *dut_new(void);
/// Frees an instance; NULL is allowed.
void dut_free(struct dut *d);

/// Sets an input of up to 64 bits. Unpacked arrays are reached as "name[i]". Does not settle logic: see dut_eval.
void dut_set(struct dut *d, const char *port, uint64_t value);
/// Reads a port of up to 64 bits.
uint64_t dut_get(struct dut *d, const char *port);
/// Sets a port of any width from `words` 32-bit words, least significant first; missing words are zero.
void dut_set_words(struct dut *d, const char *port, const uint32_t *w, size_t words);
/// Reads a port of any width into `words` 32-bit words, least significant first; words behind the port are zero.
void dut_get_words(struct dut *d, const char *port, uint32_t *w, size_t words);
/// Whether there is such a port.
bool dut_has(const struct dut *d, const char *port);
/// Width of a port in bits.
size_t dut_width(struct dut *d, const char *port);

/// Settles combinational logic after inputs changed.
void dut_eval(struct dut *d);
/// Rising and falling edge of clk_i. Inputs set before are what the rising edge sees.
void dut_tick(struct dut *d);
/// rst_ni low for four ticks, then high; other inputs stay as they are.
void dut_reset(struct dut *d);
/// Ticks so far.
uint64_t dut_cycle(const struct dut *d);

#ifdef __cplusplus
}
#endif
#endif
