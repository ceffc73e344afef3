#include "sim/replay/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/engine/fit.h"
#include "sim/replay/rings.h"
#include "wire/feature.h"

/// What is being planned. `notes` grows line by line.
struct plan_work {
  const struct trace *trace;
  const struct survey *survey;
  const struct plan_options *options;
  struct plan *out;
  FILE *notes;
};

static const struct survey_ring *find_seen(const struct survey *survey, uint16_t id) {
  for (size_t i = 0; i < survey->ring_count; i++) {
    if (survey->rings[i].id == id) return &survey->rings[i];
  }
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------- rings

/// The usable rings of the capture; the device learns their connections.
static void take_seen(struct plan_work *w) {
  const struct survey *s = w->survey;
  w->out->rings = need(calloc(s->ring_count + 1, sizeof *w->out->rings));
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
        .window = fit_window(w->options->window),
        .stride = seen->msglen,
    };
  }
}

static void take_conns(struct plan_work *w, const struct named_ring *ring, unsigned index) {
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
static int take_named(struct plan_work *w, struct file_error *error) {
  struct rings named;
  if (rings_load(w->options->rings_file, &named, error) != 0) return -1;
  struct plan *out = w->out;
  size_t conns = 0;
  for (size_t i = 0; i < named.count; i++) conns += named.list[i].conn_count;
  out->rings = need(calloc(named.count + 1, sizeof *out->rings));
  out->conns = need(calloc(conns + 1, sizeof *out->conns));
  for (size_t i = 0; i < named.count; i++) {
    const struct named_ring *ring = &named.list[i];
    out->rings[out->ring_count++] = (struct drive_ring){
        .enable = true,
        .learn = ring->learn,
        .id = ring->id,
        .workers = ring->workers,
        .window = fit_window(ring->window),
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

/// The configuration asked for, or the smallest that fits.
static const struct drive_config *choose(const struct plan_work *w, const struct drive_config *configs, size_t count,
                                         struct file_error *error) {
  const struct plan *plan = w->out;
  uint64_t needs[FIT_NEEDS];
  fit_rings(plan->rings, plan->ring_count, needs);
  needs[FIT_PORTS] = w->trace->ports;
  needs[FIT_CONNS] += plan->conn_count;
  for (size_t i = 0; i < plan->ring_count; i++) {
    const struct survey_ring *seen = find_seen(w->survey, plan->rings[i].id);
    if (seen != NULL && seen->tensor_bytes > needs[FIT_SLOT_BYTES]) needs[FIT_SLOT_BYTES] = seen->tensor_bytes;
  }
  return fit_choose(configs, count, w->options->config, needs, w->trace->path, error);
}

/// What the device is without, and which rings of the capture need it.
static void tell_without(struct plan_work *w) {
  const unsigned without = w->out->config->without;
  char names[200];
  feature_names(without, names, sizeof names);
  fprintf(w->notes, "%s is without %s\n", w->out->config->name, names);
  for (size_t i = 0; i < w->out->ring_count; i++) {
    const struct drive_ring *ring = &w->out->rings[i];
    const struct survey_ring *seen = find_seen(w->survey, ring->id);
    const char *need = NULL;
    for (unsigned code = 0; seen != NULL && code < 16; code++)
      if ((seen->kinds >> code & 1u) != 0 && !feature_reduces(without, (uint8_t)(code >> 2 << 4 | (code & 3))))
        need = "types or operations";
    for (size_t c = 0; c < w->survey->conn_count; c++) {
      const struct survey_conn *conn = &w->survey->conns[c];
      if (conn->has_ring && conn->ring == ring->id && !feature_reads(without, &conn->key, false))
        need = conn->key.v6 ? "IPv6" : "a VLAN";
    }
    if (need != NULL)
      fprintf(w->notes, "ring %u needs %s that the device has not: what does is dropped as bad_header\n", ring->id, need);
  }
}

int plan_make_from(const struct drive_config *configs, size_t config_count, const struct trace *trace,
                   const struct survey *survey, const struct plan_options *options, struct plan *out, struct file_error *error) {
  *out = (struct plan){0};
  const unsigned n = options->window;
  if (options->rings_file == NULL && (n == 0 || n > 32768)) {
    snprintf(error->text, sizeof error->text, "window %u: must be 1 to 32768", n);
    return -1;
  }
  size_t size;
  struct plan_work w = {.trace = trace, .survey = survey, .options = options, .out = out};
  w.notes = need(open_memstream(&out->notes, &size));
  int result = 0;
  if (options->rings_file != NULL)
    result = take_named(&w, error);
  else
    take_seen(&w);
  if (result == 0) {
    out->config = choose(&w, configs, config_count, error);
    if (out->config == NULL) result = -1;
  }
  if (result == 0 && out->config->without != 0) tell_without(&w);
  fclose(w.notes);
  need(out->notes);
  if (result == 0)
    fit_place(out->rings, out->ring_count);
  else
    plan_free(out);
  return result;
}

int plan_make(const struct trace *trace, const struct survey *survey, const struct plan_options *options, struct plan *out,
              struct file_error *error) {
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
