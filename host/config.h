/// Configurations whose first member is their size, so that a library takes those of programs compiled with another version of its header.
#ifndef WEIR_HOST_CONFIG_H
#define WEIR_HOST_CONFIG_H

#include <stddef.h>

/// Copies what `given` has into `out`, which has `known` bytes and holds default values. `first`: bytes that version 1 had. 0, or -EINVAL if the size was
/// never set, or the program asks for something that only a newer library knows; `*why` is a sentence then.
int config_read(void *out, size_t known, size_t first, const void *given, const char **why);

#endif
