#include "sim/engine/fit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// Parameters of rtl/top/weir_aggregator.sv, and how far they can be raised.
static const struct {
  const char *name;
  size_t offset;   // in struct drive_config
  uint64_t most;
} parameters[FIT_NEEDS] = {
    [FIT_PORTS] = {"NumPorts", offsetof(struct drive_config, ports), 16},
    [FIT_RANKS] = {"NumRanks", offsetof(struct drive_config, ranks), 16},
    [FIT_SLOT_BYTES] = {"SlotBytes", offsetof(struct drive_config, slot_bytes), 8192},
    [FIT_SLOTS] = {"NumSlots", offsetof(struct drive_config, slots), 16384},
    [FIT_RINGS] = {"NumRings", offsetof(struct drive_config, rings), 32},
    [FIT_CONNS] = {"NumConns", offsetof(struct drive_config, conns), DRIVE_MOST_CONNS},
    [FIT_WINDOW] = {"MaxWindow", offsetof(struct drive_config, max_window), 64},
};

static uint64_t slots_of(const struct drive_ring *ring) { return UINT64_C(2) * ring->window * ring->stride; }

static unsigned has(const struct drive_config *config, size_t parameter) {
  unsigned value;
  memcpy(&value, (const char *)config + parameters[parameter].offset, sizeof value);
  return value;
}

static bool fits(const struct drive_config *config, const uint64_t needs[FIT_NEEDS]) {
  for (size_t i = 0; i < FIT_NEEDS; i++) {
    if (needs[i] > has(config, i)) return false;
  }
  return true;
}

/// Says what of `config` to raise, and to what.
static void tell_needs(const char *file, const struct drive_config *config, const uint64_t needs[FIT_NEEDS],
                       struct file_error *error) {
  char text[sizeof error->text] = "";
  size_t used = (size_t)snprintf(text, sizeof text, "%s is too small, raise in rtl/top/configs.csv", config->name);
  const char *between = ": ";
  for (size_t i = 0; i < FIT_NEEDS && used < sizeof text; i++) {
    if (needs[i] <= has(config, i)) continue;
    uint64_t value = needs[i];
    if (i == FIT_SLOT_BYTES) {
      value = has(config, i);   // a power of two stays one
      while (value < needs[i]) value *= 2;
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u to %llu", between, parameters[i].name, has(config, i),
                             (unsigned long long)value);
    if (value > parameters[i].most && used < sizeof text) {
      used += (size_t)snprintf(text + used, sizeof text - used, " (limit %llu)", (unsigned long long)parameters[i].most);
    }
    between = ", ";
  }
  file_error_put(error, file, NULL, "%s", text);
}

static void unknown_config(const char *name, const struct drive_config *configs, size_t count, struct file_error *error) {
  size_t used = (size_t)snprintf(error->text, sizeof error->text, "no configuration \"%.60s\"; there are", name);
  for (size_t i = 0; i < count && used < sizeof error->text; i++) {
    used += (size_t)snprintf(error->text + used, sizeof error->text - used, "%s %s", i ? "," : "", configs[i].name);
  }
}

unsigned fit_window(unsigned window) {
  unsigned fits = 1;
  while (fits < window) fits *= 2;
  return fits;
}

void fit_rings(const struct drive_ring *rings, size_t count, uint64_t needs[FIT_NEEDS]) {
  memset(needs, 0, FIT_NEEDS * sizeof *needs);
  needs[FIT_RINGS] = count;
  for (size_t i = 0; i < count; i++) {
    const struct drive_ring *ring = &rings[i];
    needs[FIT_SLOTS] += slots_of(ring);
    if (ring->learn) needs[FIT_CONNS] += ring->workers;
    if (ring->workers > needs[FIT_RANKS]) needs[FIT_RANKS] = ring->workers;
    if (ring->window > needs[FIT_WINDOW]) needs[FIT_WINDOW] = ring->window;
  }
}

const struct drive_config *fit_choose(const struct drive_config *configs, size_t count, const char *name,
                                      const uint64_t needs[FIT_NEEDS], const char *file, struct file_error *error) {
  const struct drive_config *largest = NULL;   // is what the message is about
  const struct drive_config *const named = name != NULL ? drive_config_named(name) : NULL;
  // A device for a tree, or another one that is not among these, serves where it is named.
  if (named != NULL) {
    configs = named;
    count = 1;
  }
  for (size_t i = 0; i < count; i++) {
    if (name != NULL && strcmp(name, configs[i].name) != 0) continue;
    largest = &configs[i];
    if (fits(largest, needs)) return largest;
  }
  if (largest == NULL)
    unknown_config(name != NULL ? name : "", configs, count, error);
  else
    tell_needs(file, largest, needs, error);
  return NULL;
}

void fit_place(struct drive_ring *rings, size_t count) {
  unsigned base = 0;
  for (size_t i = 0; i < count; i++) {
    rings[i].base = base;
    base += (unsigned)slots_of(&rings[i]);
  }
}
