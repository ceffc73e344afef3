#include "host/coll/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/coll/numbers.h"

static const char *const backends[] = {"aggregator", "tree", "ring"};   // by bit

unsigned environment_backends(const char *text) {
  unsigned set = 0;
  while (true) {
    const size_t len = strcspn(text, ",");
    unsigned b = 0;
    while (b < 3 && (strlen(backends[b]) != len || strncmp(text, backends[b], len) != 0)) b++;
    if (b == 3) return 0;
    set |= 1u << b;
    if (text[len] == 0) return set;
    text += len + 1;
  }
}

int environment_read_tree(struct weir_tree_config *config, char *error, size_t size) {
  const char *text;
  if ((text = getenv("WEIR_DEVICE")) != NULL) config->device = text;
  if ((text = getenv("WEIR_ADDRESS")) != NULL) config->address = text;
  return numbers_read(numbers_tree, config, error, size);
}

int environment_read(struct weir_coll_config *config, char *error, size_t size) {
  static const char *const verbs[] = {"write", "write-imm", "send"};
  const char *text;
  const int code = numbers_read(numbers_coll, config, error, size);
  if (code != 0) return code;
  if ((text = getenv("WEIR_DEVICE")) != NULL) config->device = text;
  if ((text = getenv("WEIR_ADDRESS")) != NULL) config->address = text;
  if ((text = getenv("WEIR_ROOT")) != NULL) config->root = text;
  if ((text = getenv("WEIR_BACKENDS")) != NULL && (config->backends = environment_backends(text)) == 0) {
    snprintf(error, size, "WEIR_BACKENDS=%.40s: aggregator, tree and ring, with commas between them", text);
    return -EINVAL;
  }
  if ((text = getenv("WEIR_VERB")) != NULL) {
    unsigned v = 0;
    while (v < 3 && strcmp(text, verbs[v]) != 0) v++;
    if (v == 3) snprintf(error, size, "WEIR_VERB=%.40s: write, write-imm or send", text);
    if (v == 3) return -EINVAL;
    config->verb = (enum weir_coll_verb)v;
  }
  return 0;
}
