#include "host/coll/numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/coll/backend.h"
#include "host/weir/coll.h"
#include "host/weir/tree.h"

#define OF(type, name) #name, offsetof(struct type, name), sizeof((struct type *)NULL)->name
#define TO(name) OF(weir_coll_config, name)
#define TREE(name) OF(weir_tree_config, name)

const struct number numbers_coll[] = {
    {NULL, TO(workers), 2, 256},
    {"WEIR_JOB", TO(job), 0, UINT64_MAX},
    {"WEIR_PORT", TO(port), 1, 255},
    {"WEIR_GID_INDEX", TO(gid_index), -1, 255},
    {"WEIR_TRAFFIC_CLASS", TO(traffic_class), 0, 255},
    {"WEIR_SERVICE_LEVEL", TO(service_level), 0, 7},
    {"WEIR_CONTROL_TRAFFIC_CLASS", TO(control_traffic_class), -1, 255},
    {"WEIR_CONTROL_SERVICE_LEVEL", TO(control_service_level), -1, 7},
    {"WEIR_RING", TO(ring), 0, UINT16_MAX},
    {"WEIR_RINGS", TO(rings), 1, BACKEND_LANES},
    {"WEIR_WINDOW", TO(window), 1, 64},
    {"WEIR_MSGLEN", TO(msglen), 0, 16384},
    {"WEIR_MTU", TO(mtu), 0, 4096},
    {"WEIR_TIMEOUT_MS", TO(timeout_ms), 1, INT_MAX},
    {"WEIR_QP_TIMEOUT", TO(qp_timeout), 0, 31},
    {"WEIR_RETRIES", TO(retries), 0, 7},
    {NULL, TO(verb), 0, WEIR_COLL_SEND},
    {NULL, TO(way), 0, WEIR_COLL_HOSTS},
    {NULL, TO(backends), 0, WEIR_COLL_AGGREGATOR | WEIR_COLL_TREE | WEIR_COLL_RING},
    {NULL, NULL, 0, 0, 0, 0},
};

const struct number numbers_tree[] = {
    {"WEIR_PORT", TREE(port), 1, 255},
    {"WEIR_GID_INDEX", TREE(gid_index), -1, 255},
    {"WEIR_TRAFFIC_CLASS", TREE(traffic_class), 0, 255},
    {"WEIR_SERVICE_LEVEL", TREE(service_level), 0, 7},
    {"WEIR_CONTROL_TRAFFIC_CLASS", TREE(control_traffic_class), -1, 255},
    {"WEIR_CONTROL_SERVICE_LEVEL", TREE(control_service_level), -1, 7},
    {"WEIR_MTU", TREE(mtu), 0, 4096},
    {"WEIR_TIMEOUT_MS", TREE(timeout_ms), 1, INT_MAX},
    {"WEIR_QP_TIMEOUT", TREE(qp_timeout), 0, 31},
    {"WEIR_RETRIES", TREE(retries), 0, 7},
    {"WEIR_MULTICAST", TREE(multicast), 0, 1},
    {NULL, TREE(tries), 1, UINT_MAX},
    {NULL, NULL, 0, 0, 0, 0},
};

/// In the machine's own order of bytes.
static uint64_t get(const struct number *n, const void *config) {
  const unsigned char *at = (const unsigned char *)config + n->at;
  uint16_t half;
  uint32_t word;
  uint64_t all;
  memcpy(&half, at, sizeof half);
  if (n->bytes == sizeof half) return half;
  memcpy(&word, at, sizeof word);
  if (n->bytes == sizeof word) return n->least < 0 ? (uint64_t)(int32_t)word : word;
  memcpy(&all, at, sizeof all);
  return all;
}

static void set(const struct number *n, void *config, uint64_t value) {
  unsigned char *at = (unsigned char *)config + n->at;
  const uint16_t half = (uint16_t)value;
  const uint32_t word = (uint32_t)value;
  memcpy(at, n->bytes == sizeof half ? (const void *)&half : n->bytes == sizeof word ? (const void *)&word : &value, n->bytes);
}

int numbers_read(const struct number *numbers, void *config, char *error, size_t size) {
  for (const struct number *n = numbers; n->member != NULL; n++) {
    const char *text = n->variable != NULL ? getenv(n->variable) : NULL;
    char *end;
    if (text == NULL) continue;
    errno = 0;
    const uint64_t value = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != 0 || value > n->most) {
      snprintf(error, size, "%s=%.40s: no number up to %" PRIu64, n->variable, text, n->most);
      return -EINVAL;
    }
    set(n, config, value);
  }
  return 0;
}

static bool is_mtu(const struct number *n) { return strcmp(n->member, "mtu") == 0; }

static bool sound(const struct number *n, uint64_t value) {
  if (is_mtu(n) && value != 0 && (value < 256 || (value & (value - 1)) != 0)) return false;
  return n->least < 0 ? (int64_t)value >= n->least && (int64_t)value <= (int64_t)n->most
                      : value >= (uint64_t)n->least && value <= n->most;
}

int numbers_check(const struct number *numbers, const void *config, char *error, size_t size) {
  for (const struct number *n = numbers; n->member != NULL; n++) {
    const uint64_t value = get(n, config);
    if (sound(n, value)) continue;
    const int used = snprintf(error, size, "no sound configuration: %s is %" PRId64 ", and must be ", n->member, (int64_t)value);
    if (used < 0 || (size_t)used >= size) return -EINVAL;
    if (is_mtu(n))
      snprintf(error + used, size - (size_t)used, "0, 256, 512, 1024, 2048 or 4096");
    else
      snprintf(error + used, size - (size_t)used, "%d to %" PRIu64, n->least, n->most);
    return -EINVAL;
  }
  return 0;
}
