#include "drive/gather/gather_nic_rtl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/bits.h"
#include "drive/core.h"
#include "drive/gather/gather_frame.h"
#include "drive/gather/gather_host.h"
#include "drive/gather/gather_nic_books.h"
#include "drive/gather/gather_nic_config.h"
#include "drive/gather/gather_nic_pins.h"
#include "drive/gather/gather_nic_registers.h"
#include "drive/gather/gather_shared.h"
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"

enum {
  LINGER = 256,     // cycles, more than the delay, that the clock goes on after the last beat: what should not be inside leaves
  LONGEST = 1536,   // bytes of a frame that a MAC can keep
  GAP = 20 + 4,     // bytes a frame on a cable that the device does not send
  LOOK_DELAY = 4    // cycles of the filter
};

/// The gather of a unit, from the host's command until the host hears of its end.
struct rtl_unit {
  bool commanded, running;
  uint64_t begins, tells;   // when the command is at the NIC, the end at the host; GATHER_NEVER if not under way
  bool good;
};

struct rtl_nic {
  struct gather_nic_options o;
  const struct gather_nic_config *config;
  struct gather_memory *memory;
  struct gather_nic_calls calls;
  struct core core;
  struct gather_nic_pins pins;
  struct gather_host host;
  struct gather_shared *shared;   // NULL: units share no reads
  struct rtl_unit *units;
  struct gather_fifo waiting[GATHER_CLASSES];   // until they are offered
  unsigned turn;                                // class that was offered last
  uint32_t pauses;                              // classes that it was last told to send no more of
  double cable_free_at;
  uint64_t now, moved;   // cycles of the network: this one, that of the latest movement at any pin
  struct gather_nic_seen seen;
  uint32_t len;   // of the properties that it is set for
  uint16_t generation;
  bool set;
  bool open, used, dead;
  char fault[160];
};

static void fault(struct rtl_nic *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fault(struct rtl_nic *t, const char *format, ...) {
  t->dead = true;
  if (t->fault[0] != '\0') return;   // the first one tells most
  const int used = snprintf(t->fault, sizeof t->fault, "NIC of node %" PRIu32 ", ", t->o.element);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->fault + used, sizeof t->fault - (size_t)used, format, arguments);
  va_end(arguments);
}

static void failed(void *user, uint64_t cycle, const char *where) {
  fault(user, "cycle %" PRIu64 ": assertion failed at %s", cycle, where);
}

/// What the device throws away, and what its units share, in every cycle, also of those in which registers are used.
static void see_thrown(void *watcher) {
  struct rtl_nic *t = watcher;
  char wrong[120];
  if (t->shared != NULL && !gather_shared_see(t->shared, t->pins.merge.at, wrong, sizeof wrong))
    fault(t, "cycle %" PRIu64 ": %s", t->core.cycle, wrong);
  if (!bits_get(t->pins.stopped.at, FIELD(stopped_obs_t, valid))) return;
  const uint64_t class = bits_get(t->pins.stopped.at, FIELD(stopped_obs_t, response));
  t->seen.thrown[class]++;
  t->seen.thrown_prs[class] += bits_get(t->pins.stopped.at, FIELD(stopped_obs_t, count));
}

static uint64_t load64(struct device_pin pin) {
  uint64_t value;
  memcpy(&value, pin.at, sizeof value);
  return value;
}

/// No pin but those of registers moves while these are used: packets of the generation before may still be inside, and ask for memory.
static void hold(struct rtl_nic *t, bool still) {
  const struct gather_nic_pins *s = &t->pins;
  const struct device_pin pins[] = {s->command_valid, s->data_valid,  s->written,   s->bit_valid,
                                    s->read_ready,    s->write_ready, s->look_ready};
  for (unsigned i = 0; i < sizeof pins / sizeof *pins; i++) core_store(pins[i], 0);
  core_store(s->mark_ready, !still);
  core_store(s->done_ready, still ? 0 : (UINT32_C(1) << t->config->units) - 1);
}

/// The partition, the generation and the size of properties are known when a generation's first gather begins.
static void set_up(struct rtl_nic *t) {
  t->len = t->memory->len;
  t->generation = t->memory->generation;
  hold(t, true);
  gather_host_resize(&t->host);
  if (!t->set) gather_nic_set_columns(&t->core, t->config, &t->memory->columns, t->memory->node);
  t->set = true;
  gather_nic_set_generation(&t->core, t->host.stride, t->generation);
  hold(t, false);
}

// --- frames ---

static void leave(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct rtl_nic *t = user;
  const uint8_t *data;
  size_t size;
  struct gather_header h;
  t->seen.packets_out++;
  const enum gather_fault wrong = gather_parse(frame, len, &data, &size, &h);
  if (wrong != GATHER_GOOD) {
    fault(t, "cycle %" PRIu64 ": frame of %zu bytes: %s", t->core.cycle, len, gather_fault_text(wrong));
    return;
  }
  if (h.dest >= t->memory->columns.nodes || !gather_frame_addressed(frame, t->o.element, h.dest)) {
    fault(t, "cycle %" PRIu64 ": frame for node %" PRIu32 " with addresses that are wrong", t->core.cycle, h.dest);
    return;
  }
  *(h.type == GATHER_READ ? &t->seen.reads_out : &t->seen.responses_out) += h.count;
  const double from = t->cable_free_at > (double)t->now ? t->cable_free_at : (double)t->now;
  t->cable_free_at = from + (double)(len + GAP) * t->o.byte_cycles;
  t->calls.send(t->calls.fabric, t->o.element, port, gather_packet_new(data, size, t->o.element));
}

static enum gather_class class_of(const struct gather_packet *p) {
  struct gather_header h = {0};
  return gather_check(p->data, p->len, &h) == GATHER_GOOD ? gather_class_of(h.type) : GATHER_ASKS;
}

static void receive(void *self, uint64_t now, unsigned port, struct gather_packet *p) {
  struct rtl_nic *t = self;
  (void)port;
  p->at = now;
  gather_fifo_put(&t->waiting[class_of(p)], p);
}

/// The packet that the device takes next, of the classes in turn; no reads while it wants none. NULL: none.
static struct gather_packet *next_in(struct rtl_nic *t) {
  if (core_offered(&t->core, 0)) return NULL;
  for (unsigned i = 0; i < GATHER_CLASSES; i++) {
    t->turn = (t->turn + 1) % GATHER_CLASSES;
    if (t->waiting[t->turn].first == NULL || (t->turn == GATHER_ASKS && core_load(t->pins.pause_reads))) continue;
    return gather_fifo_take(&t->waiting[t->turn]);
  }
  return NULL;
}

/// Classes for which there is no room in front of the cable, as the device has them.
static uint32_t pauses_of(const struct rtl_nic *t) {
  uint32_t pauses = 0;
  for (unsigned c = 0; t->calls.room != NULL && c < GATHER_CLASSES; c++)
    pauses |= (uint32_t)!t->calls.room(t->calls.fabric, t->o.element, 0, (enum gather_class)c) << c;
  return pauses;
}

static void offer(struct rtl_nic *t, struct gather_packet *p) {
  struct gather_header h = {0};
  uint8_t frame[GATHER_MAX_FRAME];
  const bool good = gather_check(p->data, p->len, &h) == GATHER_GOOD && h.dest == t->o.element;
  const size_t len = gather_frame_make(p, (uint32_t)t->seen.packets_in, frame);
  core_offer(&t->core, 0, frame, len, false);
  if (t->calls.taken != NULL) t->calls.taken(t->calls.fabric, t->o.element, 0, class_of(p), p->len);
  t->seen.packets_in++;
  if (good && h.type == GATHER_READ && h.generation != t->generation) t->seen.older_in += h.count;
  if (good) *(h.type == GATHER_READ ? &t->seen.reads_in : &t->seen.responses_in) += h.count;
  free(p);
}

// --- the host's side ---

static void begin(void *self, uint64_t now, uint32_t unit, const uint32_t *idx, size_t count) {
  struct rtl_nic *t = self;
  t->host.lists[unit] = (struct gather_list){idx, count};
  // The command takes one way; the unit fetches the list itself.
  t->units[unit] = (struct rtl_unit){.commanded = true, .begins = now + t->o.write_delay, .tells = GATHER_NEVER};
}

static void show_commands(struct rtl_nic *t) {
  void *commands = t->pins.command.at;
  uint32_t valid = 0;
  for (uint32_t u = 0; u < t->config->units; u++) {
    if (!t->units[u].commanded || t->units[u].begins > t->now) continue;
    valid |= UINT32_C(1) << u;
    const size_t at = u * command_t__BITS;
    bits_put(commands, at + FIELD(command_t, source), GATHER_LIST_OF(u));
    bits_put(commands, at + FIELD(command_t, dest), GATHER_PROPERTIES);
    bits_put(commands, at + FIELD(command_t, count), t->host.lists[u].count);
    bits_put(commands, at + FIELD(command_t, len), t->len);
    bits_put(commands, at + FIELD(command_t, stride), t->host.stride);
  }
  core_store(t->pins.command_valid, valid);
}

/// Commands that the device takes, and gathers that it ends. True if there is one.
static bool take_commands(struct rtl_nic *t) {
  const uint32_t taken = core_load(t->pins.command_valid) & core_load(t->pins.command_ready);
  const uint32_t ends = core_load(t->pins.done_valid), bad = core_load(t->pins.done_failed);
  for (uint32_t u = 0; u < t->config->units; u++) {
    struct rtl_unit *unit = &t->units[u];
    if (taken >> u & 1) *unit = (struct rtl_unit){.running = true, .tells = GATHER_NEVER};
    if ((ends >> u & 1) == 0) continue;
    if (!unit->running) fault(t, "cycle %" PRIu64 ": unit %" PRIu32 " ends what it was not told to do", t->core.cycle, u);
    *unit = (struct rtl_unit){.tells = t->now + t->o.write_delay, .good = (bad >> u & 1) == 0};
    *(unit->good ? &t->seen.done : &t->seen.failures) += 1;
  }
  return (taken | ends) != 0;
}

static void tell_host(struct rtl_nic *t) {
  for (uint32_t u = 0; u < t->config->units; u++) {
    if (t->units[u].tells > t->now) continue;
    t->units[u].tells = GATHER_NEVER;
    t->calls.ended(t->calls.host, t->now, u, t->units[u].good);
  }
}

/// Shows an answer, if there is one in this cycle.
static bool show_answer(struct gather_answers *a, uint64_t now, struct device_pin valid, struct device_pin data, size_t bytes) {
  const struct gather_answer *next = gather_answers_next(a, now);
  core_store(valid, next != NULL);
  if (next == NULL) return false;
  if (bytes > 0) memcpy(data.at, next->data, bytes);
  gather_answers_pass(a);
  return true;
}

static bool show_host(struct rtl_nic *t) {
  struct gather_host *h = &t->host;
  const struct gather_nic_pins *s = &t->pins;
  const bool read = show_answer(&h->reads, t->now, s->data_valid, s->data, GATHER_LINE);
  const bool written = show_answer(&h->writes, t->now, s->written, s->written, 0);
  const bool looked = show_answer(&h->looks, t->now, s->bit_valid, s->bit, 1);
  core_store(s->read_ready, gather_answers_ready(&h->reads));
  core_store(s->write_ready, gather_answers_ready(&h->writes));
  core_store(s->look_ready, gather_answers_ready(&h->looks));
  return read || written || looked;
}

/// Takes the device's requests. True if there is one.
static bool take_requests(struct rtl_nic *t) {
  struct gather_host *h = &t->host;
  const struct gather_nic_pins *s = &t->pins;
  const bool read = core_load(s->read_valid) && core_load(s->read_ready);
  const bool write = core_load(s->write_valid) && core_load(s->write_ready);
  const bool look = core_load(s->look_valid) && core_load(s->look_ready);
  const bool mark = core_load(s->mark_valid) != 0;
  if (read) gather_host_read(h, t->now, load64(s->read_addr), core_load(s->read_bytes));
  if (write) gather_host_write(h, t->now, load64(s->write_addr), core_load(s->write_bytes), s->write_data.at);
  if (look) gather_host_look(h, t->now, load64(s->look_idx));
  if (mark) gather_host_mark(h, load64(s->mark_idx));
  if (h->fault[0] != '\0') fault(t, "cycle %" PRIu64 ": %s", t->core.cycle, h->fault);
  return read || write || look || mark;
}

// --- a cycle ---

static void step(void *self, uint64_t now) {
  struct rtl_nic *t = self;
  t->now = now;
  if (t->dead) return;
  if (!t->set || t->len != t->memory->len || t->generation != t->memory->generation) set_up(t);
  tell_host(t);
  struct gather_packet *packet = next_in(t);
  if (packet != NULL) {
    offer(t, packet);
    t->moved = now;
  }
  const uint32_t paused = pauses_of(t);
  core_store(t->pins.pause, paused);
  if (paused != t->pauses) t->moved = now;
  t->pauses = paused;
  const uint32_t ready = t->cable_free_at <= (double)now + LONGEST * t->o.byte_cycles;
  show_commands(t);
  const bool answered = show_host(t);
  core_show(&t->core, ready);
  const bool commands = take_commands(t), requests = take_requests(t);
  const bool beats = core_finish(&t->core, ready);
  t->seen.paused += core_load(t->pins.pause_reads);
  if (answered || commands || requests || beats || !ready) t->moved = now;
  t->used = true;
}

static uint64_t next(const void *self) {
  const struct rtl_nic *t = self;
  if (t->dead) return GATHER_NEVER;
  // A watchdog needs the clock. Without one, what is silent for so long waits for the network.
  bool inside = pauses_of(t) != t->pauses;
  // What the network stops is thrown away when it has waited for too long.
  inside |= t->pauses != 0 && t->now - t->moved <= t->o.concat.delay + t->o.pause_limit + LINGER;
  inside |= t->used && t->now - t->moved <= t->o.concat.delay + LINGER;
  inside |= t->host.reads.count + t->host.writes.count + t->host.looks.count > 0 || core_offered(&t->core, 0);
  uint64_t at = GATHER_NEVER;
  for (unsigned c = 0; c < GATHER_CLASSES; c++)
    if (t->waiting[c].first != NULL && t->waiting[c].first->at < at) at = t->waiting[c].first->at;
  for (uint32_t u = 0; u < t->config->units; u++) {
    const struct rtl_unit *unit = &t->units[u];
    inside |= unit->running && t->o.rig.watchdog > 0;
    if (unit->commanded && unit->begins < at) at = unit->begins;
    if (unit->tells < at) at = unit->tells;
  }
  return inside ? t->now + 1 : at;
}

// --- at the end ---

static struct gather_nic_counts counts(void *self) {
  struct rtl_nic *t = self;
  t->seen.doubled = t->host.doubled;
  struct gather_nic_counts c = gather_nic_books_counts(&t->core, t->config->units, &t->seen);
  c.most_waiting = t->waiting[0].most > t->waiting[1].most ? t->waiting[0].most : t->waiting[1].most;
  return c;
}

static const char *first_fault(void *self) {
  struct rtl_nic *t = self;
  char wrong[120];
  if (!t->dead && !gather_nic_books_agree(&t->core, t->config->units, &t->seen, t->shared, wrong, sizeof wrong))
    fault(t, "%s", wrong);
  return t->dead ? t->fault : NULL;
}

// --- building ---

static void nic_free(void *self) {
  struct rtl_nic *t = self;
  if (t->open) core_close(&t->core);
  for (unsigned c = 0; c < GATHER_CLASSES; c++) gather_fifo_empty(&t->waiting[c]);
  gather_host_free(&t->host);
  gather_shared_free(t->shared);
  free(t->units);
  free(t);
}

static bool allocate(struct rtl_nic *t) {
  char error[200];
  const struct core_calls calls = {.user = t, .out = leave, .failed = failed};
  t->config = gather_nic_config_for(t->o.concat.nodes, &t->o, error, sizeof error);
  if (t->config == NULL) return false;
  t->units = calloc(t->config->units, sizeof *t->units);
  // A port of the host takes a request a cycle: as many are under way as its answer takes.
  const uint64_t longest = t->o.read_delay > t->o.write_delay ? t->o.read_delay : t->o.write_delay;
  if (t->units == NULL || !gather_host_init(&t->host, t->memory, t->config->units, (size_t)longest + LOOK_DELAY + 1))
    return false;
  if (t->o.merge > 0 && (t->shared = gather_shared_new(t->o.merge, t->config->units)) == NULL) return false;
  // Not the state of a switch that has the same seed.
  t->open = core_open(&t->core, t->config->name, 1, t->o.device.seed + UINT64_C(0x10000) + t->o.element,
                      t->o.element == 0 ? t->o.device.wave : NULL, &calls);
  return t->open;
}

bool gather_nic_rtl(const struct gather_nic_options *options, struct gather_memory *memory, const struct gather_nic_calls *calls,
                    struct gather_nic *out) {
  struct rtl_nic *t = calloc(1, sizeof *t);
  if (t == NULL) return false;
  *t = (struct rtl_nic){.o = *options, .memory = memory, .calls = *calls};
  if (!allocate(t)) {
    nic_free(t);
    return false;
  }
  t->pins = gather_nic_pins_find(&t->core, t->config->units);
  core_watch(&t->core, see_thrown, t);
  t->host.read_delay = options->read_delay > LOOK_DELAY ? options->read_delay : LOOK_DELAY;
  t->host.write_delay = options->write_delay > LOOK_DELAY ? options->write_delay : LOOK_DELAY;
  t->host.look_delay = LOOK_DELAY;
  for (uint32_t u = 0; u < t->config->units; u++) t->units[u].tells = GATHER_NEVER;
  gather_nic_set_own(&t->core, t->config, &t->o);
  hold(t, false);
  *out =
      (struct gather_nic){.element = {.self = t, .receive = receive, .next = next, .step = step, .keeps = true, .watches = true},
                          .free = nic_free,
                          .begin = begin,
                          .fault = first_fault,
                          .counts = counts};
  return true;
}
