#include "host/coll/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO(member) offsetof(struct weir_coll_config, member), sizeof((struct weir_coll_config *)NULL)->member

/// A variable that is a whole number, and the member that it goes to.
static const struct number {
  const char *name;
  size_t at, bytes;
  uint64_t most;
} numbers[] = {
    {"WEIR_JOB", TO(job), UINT64_MAX},
    {"WEIR_PORT", TO(port), 255},
    {"WEIR_GID_INDEX", TO(gid_index), 255},
    {"WEIR_TRAFFIC_CLASS", TO(traffic_class), 255},
    {"WEIR_SERVICE_LEVEL", TO(service_level), 7},
    {"WEIR_RING", TO(ring), UINT16_MAX},
    {"WEIR_RINGS", TO(rings), 8},
    {"WEIR_WINDOW", TO(window), 64},
    {"WEIR_MSGLEN", TO(msglen), 16384},
    {"WEIR_MTU", TO(mtu), 4096},
    {"WEIR_TIMEOUT_MS", TO(timeout_ms), INT_MAX},
    {"WEIR_QP_TIMEOUT", TO(qp_timeout), 31},
    {"WEIR_RETRIES", TO(retries), 7},
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

int environment_read(struct weir_coll_config *config, char *error, size_t size) {
  static const char *const verbs[] = {"write", "write-imm", "send"};
  const char *text;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const struct number *n = &numbers[i];
    uint64_t value;
    if ((text = getenv(n->name)) == NULL) continue;
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
