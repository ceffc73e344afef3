/// How a device or a network that cannot be is refused.
#ifndef WEIR_SIM_FABRIC_REFUSE_H
#define WEIR_SIM_FABRIC_REFUSE_H

#include <stdbool.h>
#include <stdio.h>

/// Puts the line `text` into `error`, which has `size` bytes, and returns false.
static inline bool refuse(char *error, size_t size, const char *text) {
  snprintf(error, size, "%s", text);
  return false;
}

#endif
