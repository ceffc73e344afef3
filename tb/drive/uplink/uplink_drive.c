#include "drive/uplink/uplink_drive.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/bits.h"
#include "drive/core.h"
#include "rtl/csr/uplink_csr.h"
#include "structs/uplink_flow_pkg.h"
#include "structs/uplink_pkg.h"
#include "structs/uplink_route_pkg.h"

_Static_assert((int)UPLINK_WAY_DEAD == WayDead && (int)UPLINK_WAY_GAP == WayGap && (int)UPLINK_MOVED == WayMoved, "ways");
_Static_assert((int)UPLINK_ALARMS == FlowAlarm && (int)UPLINK_DROP_STORM == FlowDropStorm, "counters of a port");
_Static_assert((int)UPLINK_UNKNOWN == CommandUnknown && (int)UPLINK_BAD_LEVELS == CommandLevels, "refusals");

/// Where a register is.
#define AT(name) ((unsigned)offsetof(uplink_csr_t, name))

enum { CONN_SETS = 256, CONN_WAYS = 2, ORDER_COUNTERS = 16 };

struct uplink_drive {
  const struct uplink_config *config;
  unsigned ports;
  uplink_drive_out *out;
  void *user;
  struct core core;
  struct device_pin source, port, up, live, tuser;
  struct uplink_device *model;
  uint64_t cut;          ///< frames that a link that went down has cut
  uint64_t mismatches;   ///< that the model does not see
  char text[300];
};

__attribute__((format(printf, 2, 3))) static void wrong(struct uplink_drive *d, const char *format, ...) {
  if (d->mismatches++ > 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(d->text, sizeof d->text, format, arguments);
  va_end(arguments);
}

// --- what is seen ---

static void frame_out(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct uplink_drive *d = user;
  if ((core_load(d->tuser) >> port & 1) != 0) {
    d->cut++;
    return;
  }
  uplink_device_out(d->model, port, frame, len);
  d->out(d->user, port, frame, len);
}

static void failed(void *user, uint64_t cycle, const char *where) {
  wrong(user, "cycle %" PRIu64 ": an assertion of the device failed: %s", cycle, where);
}

/// Tells the model what the device shows at the end of a cycle.
static void watch(void *user) {
  struct uplink_drive *d = user;
  uplink_device_cycle(d->model, core_load(d->up), core_load(d->live));
  for (unsigned p = 0; p < d->ports; p++) {
    const size_t at = p * port_obs_t__BITS;
    if (bits_get(d->port.at, at + FIELD(port_obs_t, taken))) uplink_device_fate(d->model, p, true);
    if (bits_get(d->port.at, at + FIELD(port_obs_t, dropped))) uplink_device_fate(d->model, p, false);
  }
  for (unsigned s = 0; s < d->ports * UPLINK_QUEUES; s++) {
    const size_t at = s * source_obs_t__BITS;
    const unsigned port = s / UPLINK_QUEUES, queue = s % UPLINK_QUEUES;
    const bool down = port < d->config->down;
    if (bits_get(d->source.at, at + FIELD(source_obs_t, decides))) uplink_device_decides(d->model, port, queue);
    if (!bits_get(d->source.at, at + FIELD(source_obs_t, beat))) continue;
    const unsigned to = (unsigned)bits_get(d->source.at, at + FIELD(source_obs_t, port));
    uplink_device_beat(d->model, port, queue, bits_get(d->source.at, at + FIELD(source_obs_t, begins)),
                       bits_get(d->source.at, at + FIELD(source_obs_t, drops)), down ? to + d->config->down : to,
                       (unsigned)bits_get(d->source.at, at + FIELD(source_obs_t, why)));
  }
}

// --- set up ---

struct uplink_drive *uplink_drive_open(const struct uplink_config *config, uint64_t seed, const char *wave, uplink_drive_out *out,
                                       void *user) {
  struct uplink_drive *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->config = config;
  d->ports = config->down + config->up;
  d->out = out;
  d->user = user;
  // As weir_uplink has them unless it is said otherwise; what the device says is compared.
  const struct uplink_shape shape = {config->down, config->up, config->places, config->overrides, CONN_SETS, CONN_WAYS};
  d->model = uplink_device_new(&shape);
  const struct core_calls calls = {.user = d, .out = frame_out, .failed = failed};
  if (d->model == NULL || !core_open(&d->core, config->name, d->ports, seed, wave, &calls)) {
    uplink_device_free(d->model);
    free(d);
    return NULL;
  }
  d->source = core_pin(&d->core, "obs_source_o", d->ports * UPLINK_QUEUES * source_obs_t__BITS);
  d->port = core_pin(&d->core, "obs_port_o", d->ports * port_obs_t__BITS);
  d->up = core_pin(&d->core, "obs_up_o", config->up);
  d->live = core_pin(&d->core, "obs_live_o", config->up);
  d->tuser = core_pin(&d->core, "m_axis_tuser", d->ports);
  core_watch(&d->core, watch, d);
  core_expect(&d->core, AT(ID), UPLINK_CSR__ID__MAGIC_reset);
  core_expect(&d->core, AT(CAP_SHAPE),
              config->down | config->up << UPLINK_CSR__CAP_SHAPE__UP_bp | UPLINK_QUEUES << UPLINK_CSR__CAP_SHAPE__QUEUES_bp |
                  config->overrides << UPLINK_CSR__CAP_SHAPE__OVERRIDES_bp);
  core_expect(&d->core, AT(CAP_ROOM), config->room | config->places << UPLINK_CSR__CAP_ROOM__PLACES_bp);
  const struct uplink_settings settings = {.with_qp = true, .interval = UPLINK_CSR__INTERVAL__CYCLES_reset};
  uplink_device_set(d->model, &settings);
  while ((core_read(&d->core, AT(COMMAND)) & UPLINK_CSR__COMMAND__CLEARING_bm) != 0) continue;
  // Tables of connections are clear by then, too: they are smaller.
  core_expect(&d->core, AT(CONN_COMMAND), CONN_SETS << UPLINK_CSR__CONN_COMMAND__SETS_bp | UPLINK_CSR__CONN_COMMAND__DONE_bm);
  return d;
}

void uplink_drive_close(struct uplink_drive *d) {
  if (d == NULL) return;
  core_close(&d->core);
  uplink_device_free(d->model);
  free(d);
}

static void set(struct uplink_drive *d, unsigned address, uint32_t value) { core_write(&d->core, address, value); }

/// Gives a command, and says what became of it.
static enum uplink_error command(struct uplink_drive *d, uint32_t value) {
  set(d, AT(COMMAND), value);
  return (enum uplink_error)(core_read(&d->core, AT(COMMAND)) >> UPLINK_CSR__COMMAND__ERROR_bp);
}

struct uplink_pauses uplink_drive_pauses(void) {
  return (struct uplink_pauses){.quanta = UPLINK_CSR__PAUSE__QUANTA_reset,
                                .xoff = UPLINK_CSR__LEVELS__XOFF_reset,
                                .xon = UPLINK_CSR__LEVELS__XON_reset};
}

enum uplink_error uplink_drive_set(struct uplink_drive *d, const struct uplink_settings *settings,
                                   const struct uplink_pauses *pauses) {
  set(d, AT(SEED), settings->seed);
  set(d, AT(WAY), (uint32_t)settings->with_qp | (uint32_t)settings->flowlets << UPLINK_CSR__WAY__FLOWLETS_bp);
  set(d, AT(INTERVAL), settings->interval);
  set(d, AT(PAUSE), pauses->lossless | (uint32_t)pauses->quanta << UPLINK_CSR__PAUSE__QUANTA_bp);
  set(d, AT(LEVELS), pauses->xoff | (uint32_t)pauses->xon << UPLINK_CSR__LEVELS__XON_bp);
  set(d, AT(WATCHDOG), pauses->limit);
  const enum uplink_error error = command(d, UPLINK_CSR__COMMAND__APPLY_bm);
  if (error == UPLINK_DONE) uplink_device_set(d->model, settings);
  return error;
}

enum uplink_error uplink_drive_override(struct uplink_drive *d, unsigned index, const struct uplink_override *e) {
  set(d, AT(OVERRIDE_PREFIX_0), (uint32_t)(e->prefix[0] >> 32));
  set(d, AT(OVERRIDE_PREFIX_1), (uint32_t)e->prefix[0]);
  set(d, AT(OVERRIDE_PREFIX_2), (uint32_t)(e->prefix[1] >> 32));
  set(d, AT(OVERRIDE_PREFIX_3), (uint32_t)e->prefix[1]);
  set(d, AT(OVERRIDE),
      e->sport | (uint32_t)e->length << UPLINK_CSR__OVERRIDE__LENGTH_bp | (uint32_t)e->port << UPLINK_CSR__OVERRIDE__PORT_bp |
          (uint32_t)e->valid << UPLINK_CSR__OVERRIDE__VALID_bp);
  const enum uplink_error error = command(d, UPLINK_CSR__COMMAND__STORE_bm | index << UPLINK_CSR__COMMAND__INDEX_bp);
  if (error == UPLINK_DONE) uplink_device_override(d->model, index, e);
  return error;
}

void uplink_drive_links(struct uplink_drive *d, uint32_t up) { set(d, AT(LINK), up); }

// --- a cycle ---

void uplink_drive_offer(struct uplink_drive *d, unsigned port, const uint8_t *frame, size_t len) {
  uplink_device_in(d->model, port, frame, len);
  core_offer(&d->core, port, frame, len, false);
}

bool uplink_drive_offered(const struct uplink_drive *d, unsigned port) { return core_offered(&d->core, port); }

bool uplink_drive_tick(struct uplink_drive *d, uint32_t ready) {
  core_show(&d->core, ready);
  return core_finish(&d->core, ready);
}

uint64_t uplink_drive_cycles(const struct uplink_drive *d) { return d->core.cycle; }

// --- counters ---

static uint32_t counter(struct uplink_drive *d, unsigned index, unsigned which, uint32_t kind) {
  set(d, AT(COUNTER_SELECT), kind | index << UPLINK_CSR__COUNTER_SELECT__INDEX_bp | which);
  return core_read(&d->core, AT(COUNTER_VALUE));
}

uint32_t uplink_drive_port_count(struct uplink_drive *d, unsigned port, enum uplink_port_counter which) {
  return counter(d, port, which, 0);
}

uint32_t uplink_drive_way_count(struct uplink_drive *d, unsigned port, unsigned queue, unsigned which) {
  return counter(d, port * UPLINK_QUEUES + queue, which, UPLINK_CSR__COUNTER_SELECT__OF_QUEUE_bm);
}

static void same(struct uplink_drive *d, const char *what, uint64_t device, uint64_t expected) {
  if (device != expected) wrong(d, "counters: %s %" PRIu64 ", not %" PRIu64, what, device, expected);
}

void uplink_drive_finish(struct uplink_drive *d) {
  uplink_device_end(d->model);
  const struct uplink_counts *m = uplink_device_counts(d->model);
  uint64_t all[UPLINK_PORT_COUNTERS] = {0}, ways[UPLINK_WAYS + 1] = {0}, decided = 0, let_in = 0, skipped = 0, sent = 0;
  for (unsigned p = 0; p < d->ports; p++) {
    uint64_t own[UPLINK_PORT_COUNTERS];
    for (unsigned c = 0; c < UPLINK_PORT_COUNTERS; c++) {
      own[c] = uplink_drive_port_count(d, p, c);
      all[c] += own[c];
    }
    if (p < d->config->down) let_in += own[UPLINK_RX];
    sent += m->out[p];
    skipped += m->skipped[p];
    // What leaves the queues reaches the MAC, but for what meets a link that is down.
    if (own[UPLINK_DROP_LINK] == 0) same(d, "frames sent by a port", own[UPLINK_TX], m->out[p]);
    if (own[UPLINK_DROP_LINK] == 0) same(d, "frames dropped by a storm", own[UPLINK_DROP_STORM], m->skipped[p]);
  }
  for (unsigned s = 0; s < d->config->down * UPLINK_QUEUES; s++)
    for (unsigned w = 0; w <= UPLINK_WAYS; w++) ways[w] += uplink_drive_way_count(d, s / UPLINK_QUEUES, s % UPLINK_QUEUES, w);
  for (unsigned w = 0; w < UPLINK_WAYS; w++) {
    same(d, uplink_way_names[w], ways[w], m->ways[w]);
    decided += ways[w];
  }
  static const char *const verdicts[UPLINK_ORDER_VERDICTS] = {"next in order", "first of a connection", "behind a gap",
                                                              "repeated", "without a place"};
  for (unsigned v = 0; v < UPLINK_ORDER_VERDICTS; v++) {
    uint64_t order = 0;
    for (unsigned s = 0; s < d->config->down * UPLINK_QUEUES; s++)
      order += counter(d, s, ORDER_COUNTERS + v, UPLINK_CSR__COUNTER_SELECT__OF_QUEUE_bm);
    same(d, verdicts[v], order, m->order[v]);
  }
  same(d, "frames let in", all[UPLINK_RX], m->taken);
  same(d, "frames dropped on their way in", all[UPLINK_DROP_ROOM] + all[UPLINK_DROP_LONG] + all[UPLINK_DROP_BAD], m->no_room);
  same(d, "control frames", all[UPLINK_RX_PAUSE] + all[UPLINK_RX_CONTROL], m->control);
  same(d, "frames whose port died", ways[UPLINK_WAYS], m->lost);
  // Each frame that was let into a down port was decided on, and each frame that was let in is accounted for.
  same(d, "frames decided on", decided, let_in);
  same(d, "frames out of queues", all[UPLINK_TX] + all[UPLINK_DROP_STORM] + ways[UPLINK_NONE] + ways[UPLINK_WAYS],
       all[UPLINK_RX]);
  same(d, "frames sent, cut or dropped", sent + skipped, all[UPLINK_TX] + all[UPLINK_DROP_STORM]);
}

const struct uplink_device *uplink_drive_model(const struct uplink_drive *d) { return d->model; }

const char *uplink_drive_text(const struct uplink_drive *d, uint64_t *mismatches) {
  const char *text = uplink_device_text(d->model);
  *mismatches = uplink_device_counts(d->model)->mismatches + d->mismatches;
  return text != NULL ? text : d->mismatches > 0 ? d->text : NULL;
}
