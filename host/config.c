#include "host/config.h"

#include <errno.h>
#include <string.h>

int config_read(void *out, size_t known, size_t first, const void *given, const char **why) {
  size_t size;
  memcpy(&size, given, sizeof size);
  *why = "the size of the configuration is not set";
  if (size < first || size > 64 * known) return -EINVAL;
  *why = "the configuration is of a newer version than the library, and uses what that added";
  for (size_t i = known; i < size; i++)
    if (((const unsigned char *)given)[i] != 0) return -EINVAL;
  memcpy(out, given, size < known ? size : known);
  memcpy(out, &known, sizeof known);
  return 0;
}
