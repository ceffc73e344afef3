#include "drive/tree/node_config.h"

#include <string.h>

// Smallest first, as the table has them.
static const struct node_config configs[] = {
#define TREE_CONFIG(name, ...) {#name, __VA_ARGS__, 0},
#include "configs.inc"
#undef TREE_CONFIG
};
static const struct node_config corrected[] = {
#define TREE_ECC_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef TREE_ECC_CONFIG
};
enum { COUNT = sizeof configs / sizeof *configs, CORRECTED = sizeof corrected / sizeof *corrected };

static const struct node_config *smallest(const struct node_config *table, size_t count, unsigned ports) {
  for (size_t i = 0; i < count; i++)
    if (table[i].ports >= ports) return &table[i];
  return NULL;
}

const struct node_config *node_config_for(unsigned ports) { return smallest(configs, COUNT, ports); }
const struct node_config *node_config_corrected(unsigned ports) { return smallest(corrected, CORRECTED, ports); }

const struct node_config *node_config_named(const char *name) {
  for (size_t i = 0; i < COUNT; i++)
    if (strcmp(configs[i].name, name) == 0) return &configs[i];
  return NULL;
}

const struct node_config *node_config_largest(void) { return &configs[COUNT - 1]; }
