#include "drive/tree/node_config.h"

#include <string.h>

// Smallest first, as the table has them.
static const struct node_config configs[] = {
#define TREE_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef TREE_CONFIG
};
enum { COUNT = sizeof configs / sizeof *configs };

const struct node_config *node_config_for(unsigned ports) {
  for (size_t i = 0; i < COUNT; i++)
    if (configs[i].ports >= ports) return &configs[i];
  return NULL;
}

const struct node_config *node_config_named(const char *name) {
  for (size_t i = 0; i < COUNT; i++)
    if (strcmp(configs[i].name, name) == 0) return &configs[i];
  return NULL;
}

const struct node_config *node_config_largest(void) { return &configs[COUNT - 1]; }
