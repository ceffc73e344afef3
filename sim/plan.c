#include "sim/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/rings.h"

/// What is being planned. `notes` grows line by line.
struct work {
  const struct trace *trace;
  const struct survey *survey;
  const struct plan_options *options;
  struct plan *out;
  FILE *notes;
};

/// What a device must have at least, in the order of `parameters`.
enum need { PORTS, RANKS, SLOT_BYTES, SLOTS, RINGS, CONNS, WINDOW, NEEDS };

/// Parameters of rtl/top/weir_aggregator.sv, and how far they can be raised.
static const struct {
  const char *name;
  size_t offset;   // in struct drive_config
  uint64_t most;
} parameters[NEEDS] = {
    [PORTS] = {"NumPorts", offsetof(struct drive_config, ports), 16},
    [RANKS] = {"NumRanks", offsetof(struct drive_config, ranks), 16},
    [SLOT_BYTES] = {"SlotBytes", offsetof(struct drive_config, slot_bytes), 8192},
    [SLOTS] = {"NumSlots", offsetof(struct drive_config, slots), 16384},
    [RINGS] = {"NumRings", offsetof(struct drive_config, rings), 32},
    [CONNS] = {"NumConns", offsetof(struct drive_config, conns), 256},
    [WINDOW] = {"MaxWindow", offsetof(struct drive_config, max_window), 64},
};

static void *need_memory(void *memory) {
  if (memory == NULL) {
    fprintf(stderr, "weir: out of memory\n");
    abort();
  }
  return memory;
}

static uint64_t slots_of(const struct drive_ring *ring) { return UINT64_C(2) * ring->window * ring->stride; }

static const struct survey_ring *find_seen(const struct survey *survey, uint16_t id) {
  for (size_t i = 0; i < survey->ring_count; i++) {
    if (survey->rings[i].id == id) return &survey->rings[i];
  }
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------- rings

/// The usable rings of the capture; the device learns their connections.
static void take_seen(struct work *w) {
  const struct survey *s = w->survey;
  w->out->rings = need_memory(calloc(s->ring_count + 1, sizeof *w->out->rings));
  for (size_t i = 0; i < s->ring_count; i++) {
    const struct survey_ring *seen = &s->rings[i];
    if (!seen->usable) {
      fprintf(w->notes, "ring %u is left alone: %s\n", seen->id, seen->note);
      continue;
    }
    w->out->rings[w->out->ring_count++] = (struct drive_ring){
        .enable = true,
        .learn = true,
        .id = seen->id,
        .workers = seen->workers,
        .window = w->options->window,
        .stride = seen->msglen,
    };
  }
}

static void take_conns(struct work *w, const struct named_ring *ring, unsigned index) {
  struct plan *out = w->out;
  for (size_t i = 0; i < ring->conn_count; i++) {
    out->conns[out->conn_count++] = (struct plan_conn){ring->conns[i].key, index, ring->conns[i].rank};
  }
  if (!ring->learn && ring->conn_count < ring->workers) {
    fprintf(w->notes, "ring %u cannot complete a column: %s names %zu of its %u connections\n", ring->id, w->options->rings_file,
            ring->conn_count, ring->workers);
  }
}

/// The rings of the user's file, and notes about those of the capture that it does not name.
static int take_named(struct work *w, struct capture_error *error) {
  struct rings named;
  if (rings_load(w->options->rings_file, &named, error) != 0) return -1;
  struct plan *out = w->out;
  size_t conns = 0;
  for (size_t i = 0; i < named.count; i++) conns += named.list[i].conn_count;
  out->rings = need_memory(calloc(named.count + 1, sizeof *out->rings));
  out->conns = need_memory(calloc(conns + 1, sizeof *out->conns));
  for (size_t i = 0; i < named.count; i++) {
    const struct named_ring *ring = &named.list[i];
    out->rings[out->ring_count++] = (struct drive_ring){
        .enable = true,
        .learn = ring->learn,
        .id = ring->id,
        .workers = ring->workers,
        .window = ring->window,
        .stride = ring->msglen,
    };
    take_conns(w, ring, (unsigned)i);
  }
  for (size_t i = 0; i < w->survey->ring_count; i++) {
    const uint16_t id = w->survey->rings[i].id;
    size_t k = 0;
    while (k < out->ring_count && out->rings[k].id != id) k++;
    if (k == out->ring_count) fprintf(w->notes, "ring %u is left alone: %s does not name it\n", id, w->options->rings_file);
  }
  rings_free(&named);
  return 0;
}

// -------------------------------------------------------------------------------------------------- configurations

static void find_needs(const struct work *w, uint64_t needs[NEEDS]) {
  const struct plan *plan = w->out;
  memset(needs, 0, NEEDS * sizeof *needs);
  needs[PORTS] = w->trace->ports;
  needs[RINGS] = plan->ring_count;
  needs[CONNS] = plan->conn_count;
  for (size_t i = 0; i < plan->ring_count; i++) {
    const struct drive_ring *ring = &plan->rings[i];
    const struct survey_ring *seen = find_seen(w->survey, ring->id);
    needs[SLOTS] += slots_of(ring);
    if (ring->learn) needs[CONNS] += ring->workers;
    if (ring->workers > needs[RANKS]) needs[RANKS] = ring->workers;
    if (ring->window > needs[WINDOW]) needs[WINDOW] = ring->window;
    if (seen != NULL && seen->tensor_bytes > needs[SLOT_BYTES]) needs[SLOT_BYTES] = seen->tensor_bytes;
  }
}

static unsigned has(const struct drive_config *config, size_t parameter) {
  unsigned value;
  memcpy(&value, (const char *)config + parameters[parameter].offset, sizeof value);
  return value;
}

static bool fits(const struct drive_config *config, const uint64_t needs[NEEDS]) {
  for (size_t i = 0; i < NEEDS; i++) {
    if (needs[i] > has(config, i)) return false;
  }
  return true;
}

/// Fills `error` with "FILE: text", or with the text alone; of a long path as much of the end as there is room for.
static void put_error(struct capture_error *error, const char *path, const char *text) {
  const size_t len = path != NULL ? strlen(path) : 0, others = strlen(text) + sizeof "...: ";
  const size_t most = others < sizeof error->text ? sizeof error->text - others : 0;
  const bool cut = len > most;
  snprintf(error->text, sizeof error->text, "%s%s%s%s", cut ? "..." : "", len > 0 ? path + (cut ? len - most : 0) : "",
           len > 0 ? ": " : "", text);
}

/// Says what of `config` to raise, and to what.
static void tell_needs(const struct work *w, const struct drive_config *config, const uint64_t needs[NEEDS],
                       struct capture_error *error) {
  char text[sizeof error->text - 8] = "";   // leaves room for what put_error adds
  size_t used = (size_t)snprintf(text, sizeof text, "%s is too small, raise in rtl/top/configs.csv", config->name);
  const char *between = ": ";
  for (size_t i = 0; i < NEEDS && used < sizeof text; i++) {
    if (needs[i] <= has(config, i)) continue;
    uint64_t value = needs[i];
    if (i == SLOT_BYTES) {
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
  put_error(error, w->trace->path, text);
}

static int unknown_config(const char *name, const struct drive_config *configs, size_t count, struct capture_error *error) {
  size_t used = (size_t)snprintf(error->text, sizeof error->text, "no configuration \"%.60s\"; there are", name);
  for (size_t i = 0; i < count && used < sizeof error->text; i++) {
    used += (size_t)snprintf(error->text + used, sizeof error->text - used, "%s %s", i ? "," : "", configs[i].name);
  }
  return -1;
}

/// The configuration asked for, or the smallest that fits.
static int choose(struct work *w, const struct drive_config *configs, size_t count, struct capture_error *error) {
  uint64_t needs[NEEDS];
  find_needs(w, needs);
  const char *name = w->options->config;
  for (size_t i = 0; i < count; i++) {
    if (name != NULL && strcmp(name, configs[i].name) != 0) continue;
    w->out->config = &configs[i];   // if none fits, the largest one is what the message is about
    if (fits(&configs[i], needs)) return 0;
  }
  if (w->out->config == NULL) return unknown_config(name != NULL ? name : "", configs, count, error);
  tell_needs(w, w->out->config, needs, error);
  return -1;
}

/// One region behind the other. They fit the configuration, so they fit an unsigned number.
static void place(struct plan *plan) {
  unsigned base = 0;
  for (size_t i = 0; i < plan->ring_count; i++) {
    plan->rings[i].base = base;
    base += (unsigned)slots_of(&plan->rings[i]);
  }
}

int plan_make_from(const struct drive_config *configs, size_t config_count, const struct trace *trace,
                   const struct survey *survey, const struct plan_options *options, struct plan *out,
                   struct capture_error *error) {
  *out = (struct plan){0};
  const unsigned n = options->window;
  if (options->rings_file == NULL && (n == 0 || n > 32768 || (n & (n - 1)) != 0)) {
    snprintf(error->text, sizeof error->text, "window %u: must be a power of two, 1 to 32768", n);
    return -1;
  }
  size_t size;
  struct work w = {.trace = trace, .survey = survey, .options = options, .out = out};
  w.notes = need_memory(open_memstream(&out->notes, &size));
  int result = 0;
  if (options->rings_file != NULL)
    result = take_named(&w, error);
  else
    take_seen(&w);
  fclose(w.notes);
  need_memory(out->notes);
  if (result == 0) result = choose(&w, configs, config_count, error);
  if (result == 0)
    place(out);
  else
    plan_free(out);
  return result;
}

int plan_make(const struct trace *trace, const struct survey *survey, const struct plan_options *options, struct plan *out,
              struct capture_error *error) {
  size_t count;
  const struct drive_config *configs = drive_configs(&count);
  return plan_make_from(configs, count, trace, survey, options, out, error);
}

void plan_free(struct plan *plan) {
  free(plan->rings);
  free(plan->conns);
  free(plan->notes);
  *plan = (struct plan){0};
}
