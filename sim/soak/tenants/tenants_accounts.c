// The end of a run: what the device's registers counted is what came and went, nothing is left in it, and jobs did not hold up who has none.
#include <inttypes.h>

#include "sim/soak/tenants/tenants_state.h"
#include "wire/fate.h"

static uint64_t ports_counter(struct tenants *s, unsigned which) {
  uint64_t sum = 0;
  for (unsigned port = 0; port < s->config->ports; port++) {
    uint64_t value = 0;
    if (drive_counter(bench_registers(s->bench), port, which, &value) != 0) tenants_report(s, "a counter cannot be read");
    sum += value;
  }
  return sum;
}

/// What the device's registers say, whatever the golden model does.
static void check_counters(struct tenants *s) {
  const struct {
    const char *name;
    uint64_t of_ports, of_rings;
  } sums[] = {{"stored", ports_counter(s, FATE_STORED), s->stored},
              {"duplicate", ports_counter(s, FATE_DUPLICATE), s->duplicates},
              // What a port whose link was down did not send was a result or a passed frame.
              {"sent", ports_counter(s, DRIVE_TX_RESULT) + ports_counter(s, DRIVE_TX_PASSED) + ports_counter(s, DRIVE_UNSENT),
               s->given + ports_counter(s, FATE_PASSED)}};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    if (sums[i].of_ports != sums[i].of_rings)
      tenants_report(s, "%s: ports counted %" PRIu64 ", rings %" PRIu64, sums[i].name, sums[i].of_ports, sums[i].of_rings);
  uint64_t fates = 0;
  const uint64_t rx = ports_counter(s, DRIVE_RX);
  for (unsigned f = 0; f < FATE_MEMORY_ERROR; f++) fates += ports_counter(s, f);
  if (s->config->ecc != 0) fates += ports_counter(s, DRIVE_LOST);
  if (rx != fates) tenants_report(s, "%" PRIu64 " frames went in, %" PRIu64 " have a fate", rx, fates);
}

/// Frames of nobody go on during drains and resets. Half of them, because links are down and outputs paused meanwhile; and of few frames some more may
/// come a moment later.
static void check_bystanders(struct tenants *s) {
  const uint64_t sent = TENANTS_BYSTANDERS * s->commanded_ps / TENANTS_BYSTANDER_PS;
  if (s->counts.meanwhile + 2 < sent / 2)
    tenants_report(s, "%" PRIu64 " frames of nobody were sent during drains and resets, only %" PRIu64 " came through", sent,
                   s->counts.meanwhile);
}

void accounts_close(struct tenants *s) {
  check_bystanders(s);
  struct bench_occupancy o;
  if (bench_set_down(s->bench, 0) != 0) tenants_report(s, "the device takes no links that are up");
  if (!bench_settle(s->bench, 100000)) return;
  operator_sweep(s);
  check_counters(s);
  if (bench_occupancy(s->bench, &o) != 0) tenants_report(s, "registers cannot be read");
  if (o.columns != 0 || o.connections != 0 || o.retired != 0 || o.rings != 0 || o.stalls != 0 || o.waits != 0)
    tenants_report(
        s,
        "all jobs are over, but %u columns and %u connections (%u retired) are in use, %u rings enabled, rings %#" PRIx32
        " stall, rings %#" PRIx32 " wait",
        o.columns, o.connections, o.retired, o.rings, o.stalls, o.waits);
}
