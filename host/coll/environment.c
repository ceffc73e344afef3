#include "host/coll/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(struct_of, member) offsetof(struct struct_of, member), sizeof((struct struct_of *)NULL)->member
#define TO(member) MEMBER(weir_coll_config, member)
#define TREE(member) MEMBER(weir_tree_config, member)

/// A variable that is a whole number, and the member that it goes to.
struct number {
  const char *name;
  size_t at, bytes;
  uint64_t most;
};

static const struct number coll_numbers[] = {
    {"WEIR_JOB", TO(job), UINT64_MAX},
    {"WEIR_PORT", TO(port), 255},
    {"WEIR_GID_INDEX", TO(gid_index), 255},
    {"WEIR_TRAFFIC_CLASS", TO(traffic_class), 255},
    {"WEIR_SERVICE_LEVEL", TO(service_level), 7},
    {"WEIR_CONTROL_TRAFFIC_CLASS", TO(control_traffic_class), 255},
    {"WEIR_CONTROL_SERVICE_LEVEL", TO(control_service_level), 7},
    {"WEIR_RING", TO(ring), UINT16_MAX},
    {"WEIR_RINGS", TO(rings), 8},
    {"WEIR_WINDOW", TO(window), 64},
    {"WEIR_MSGLEN", TO(msglen), 16384},
    {"WEIR_MTU", TO(mtu), 4096},
    {"WEIR_TIMEOUT_MS", TO(timeout_ms), INT_MAX},
    {"WEIR_QP_TIMEOUT", TO(qp_timeout), 31},
    {"WEIR_RETRIES", TO(retries), 7},
};

static const struct number tree_numbers[] = {
    {"WEIR_PORT", TREE(port), 255},
    {"WEIR_GID_INDEX", TREE(gid_index), 255},
    {"WEIR_TRAFFIC_CLASS", TREE(traffic_class), 255},
    {"WEIR_SERVICE_LEVEL", TREE(service_level), 7},
    {"WEIR_CONTROL_TRAFFIC_CLASS", TREE(control_traffic_class), 255},
    {"WEIR_CONTROL_SERVICE_LEVEL", TREE(control_service_level), 7},
    {"WEIR_MTU", TREE(mtu), 4096},
    {"WEIR_TIMEOUT_MS", TREE(timeout_ms), INT_MAX},
    {"WEIR_QP_TIMEOUT", TREE(qp_timeout), 31},
    {"WEIR_RETRIES", TREE(retries), 7},
    {"WEIR_MULTICAST", TREE(multicast), 1},
};

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

static bool read_number(const char *text, uint64_t most, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *text >= '0' && *text <= '9' && *end == 0 && *value <= most;
}

/// Whatever the environment has of some numbers. 0, or -EINVAL and one line.
static int read_numbers(const struct number *numbers, size_t count, void *config, char *error, size_t size) {
  for (const struct number *n = numbers; n < numbers + count; n++) {
    const char *text = getenv(n->name);
    uint64_t value;
    if (text == NULL) continue;
    if (!read_number(text, n->most, &value)) {
      snprintf(error, size, "%s=%.40s: no number up to %" PRIu64, n->name, text, n->most);
      return -EINVAL;
    }
    // Whatever its size, in the machine's own order of bytes.
    const uint32_t word = (uint32_t)value;
    const uint16_t half = (uint16_t)value;
    memcpy((unsigned char *)config + n->at,
           n->bytes == 8   ? (const void *)&value
           : n->bytes == 4 ? (const void *)&word
                           : &half,
           n->bytes);
  }
  return 0;
}

int environment_read_tree(struct weir_tree_config *config, char *error, size_t size) {
  const char *text;
  if ((text = getenv("WEIR_DEVICE")) != NULL) config->device = text;
  if ((text = getenv("WEIR_ADDRESS")) != NULL) config->address = text;
  return read_numbers(tree_numbers, sizeof tree_numbers / sizeof *tree_numbers, config, error, size);
}

int environment_read(struct weir_coll_config *config, char *error, size_t size) {
  static const char *const verbs[] = {"write", "write-imm", "send"};
  const char *text;
  const int code = read_numbers(coll_numbers, sizeof coll_numbers / sizeof *coll_numbers, config, error, size);
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
