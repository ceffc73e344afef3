/// Finds the Verilated device of a configuration: a shared library that is built when it is first needed.
#ifndef WEIR_DRIVE_LOAD_H
#define WEIR_DRIVE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "drive/library/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Loads the device of configuration `config`; `*open` is then who opens one, until the program ends. Only one loaded with `waves` can
/// write them: that is a library of its own, NAME-waves.so.
///
/// Libraries are in the folder that the environment variable WEIR_DEVICES names, or else where the program is: in device/ beside it or
/// one folder up (a build), or in ../lib/weir (installed). In a build, a library that is missing, or older than what it is made from,
/// is built by `make` first; a line on stderr says so, and on a terminal how far it is. What has been loaded stays as it is for the
/// rest of the run, whatever becomes of its sources.
/// False, and a line in `error` (size bytes), if there is no such library and it cannot be built.
bool device_load(const char *config, bool waves, device_open_fn **open, char *error, size_t size);

#ifdef __cplusplus
}
#endif
#endif
