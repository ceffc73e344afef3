/// What drive.c needs of a Verilated device: pointers to its pins and a few functions. Private to tb/drive.
///
/// Verilator makes another class for each configuration. drive.cpp is compiled once for each of them and hides it behind this
/// struct, so that all the bench's work is in C and compiled once. Each is a shared library with Verilator's run time inside, and
/// exports `weir_device_open`; load.h finds it.
#ifndef WEIR_DRIVE_DEVICE_H
#define WEIR_DRIVE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One pin or bundle of pins as Verilator keeps it: little-endian, bit 0 first, at least `bits` / 8 bytes.
struct device_pin {
  void *at;
  unsigned bits, bytes;
};

/// A memory whose words are coded (rtl/prim/prim_ram_ecc.sv, prim_frame_fifo_ecc.sv).
struct device_memory {
  uint8_t *at;                  ///< entry 0; the others follow, `bytes` each
  unsigned bytes, bits, ends;   ///< of an entry; the highest bits that are no code but kept five times
  unsigned depth, kind;         ///< entries; mem_e of rtl/aggregate/agg_pkg.sv, or behind those: of a tree node
  const void *first, *last;   ///< of a queue: pointers to its oldest entry and behind its newest one, with a wrap bit. Else NULL
  unsigned pointer_bytes;
};

struct device {
  void *impl;
  /// Pin by name of the top-level port; `at` is NULL if there is none.
  struct device_pin (*pin)(void *impl, const char *name);
  /// Settles the device for its inputs as they are now.
  void (*eval)(void *impl);
  /// Writes all signals to the wave file, if there is one.
  void (*dump)(void *impl, uint64_t time);
  void (*close)(void *impl);
  /// Coded memory `index`. False if there are not so many.
  bool (*memory)(void *impl, size_t index, struct device_memory *out);
  /// Place of the first assertion that failed since the last call, or NULL. Verilator reports through free functions, so this is
  /// one for all devices of a configuration; drive_step asks after each evaluation.
  const char *(*stopped)(void);
};

/// Opens the device of one configuration. `wave` is an FST file or NULL. False if it cannot be written.
typedef bool device_open_fn(struct device *device, uint64_t seed, const char *wave);

/// What `stopped` points to (stop.cpp).
const char *device_stopped(void);

#ifdef __cplusplus
}
#endif
#endif
