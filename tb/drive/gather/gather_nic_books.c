#include "drive/gather/gather_nic_books.h"

#include <inttypes.h>
#include <stdio.h>

#include "drive/gather/gather_nic_registers.h"

static uint64_t port(struct core *core, enum gather_nic_counter which) { return gather_nic_port_count(core, which); }

/// A counter, of all units.
static uint64_t unit_sum(struct core *core, unsigned units, enum gather_unit_counter which) {
  uint64_t sum = 0;
  for (unsigned u = 0; u < units; u++) sum += gather_nic_unit_count(core, u, which);
  return sum;
}

struct gather_nic_counts gather_nic_books_counts(struct core *core, unsigned units, const struct gather_nic_seen *seen) {
  struct gather_nic_counts c = {
      .rig = {.local = unit_sum(core, units, GATHER_UNIT_LOCAL),
              .filtered = unit_sum(core, units, GATHER_UNIT_FILTERED),
              .coalesced = unit_sum(core, units, GATHER_UNIT_COALESCED),
              .sent = unit_sum(core, units, GATHER_UNIT_REQUESTED),
              .busy = unit_sum(core, units, GATHER_UNIT_FETCHED),
              .stalls_pending = unit_sum(core, units, GATHER_UNIT_WAITS_TABLE),
              .stalls_tx = unit_sum(core, units, GATHER_UNIT_WAITS_FILTER) + unit_sum(core, units, GATHER_UNIT_WAITS_TAKEN),
              .written = unit_sum(core, units, GATHER_UNIT_CAME),
              .late = unit_sum(core, units, GATHER_UNIT_LATE),
              .doubled = seen->doubled,
              .failures = seen->failures,
              .done = seen->done},
      .concat = {.prs = seen->reads_out + seen->responses_out + seen->thrown_prs[0] + seen->thrown_prs[1],
                 .full = port(core, GATHER_NIC_FULL),
                 .expired = port(core, GATHER_NIC_EXPIRED),
                 .other_len = port(core, GATHER_NIC_OTHER_LEN),
                 .pool_flushes = port(core, GATHER_NIC_EARLY),
                 .waits_pool = port(core, GATHER_NIC_WAITS_STORAGE),
                 .latest = port(core, GATHER_NIC_LATEST)},
      .served = port(core, GATHER_NIC_SERVED),
      .merged = port(core, GATHER_NIC_MERGED),
      .copied = port(core, GATHER_NIC_COPIED),
      .older = port(core, GATHER_NIC_NOT_SERVED),
      .strays = port(core, GATHER_NIC_RX) - port(core, GATHER_NIC_TAKEN) + port(core, GATHER_NIC_NO_UNIT),
      .paused = seen->paused,
      .thrown = port(core, GATHER_NIC_THROWN_READS) + port(core, GATHER_NIC_THROWN_RESPONSES),
      .clocked = core->cycle};
  c.concat.packets = c.concat.full + c.concat.expired + c.concat.other_len + c.concat.pool_flushes;
  // A copy that its unit still waits for is written behind the response that it is of.
  c.rig.doubled = c.rig.doubled > c.copied ? c.rig.doubled - c.copied : 0;
  // What a gather had fetched when its time was over was neither asked for nor found.
  c.rig.wanted = seen->failures == 0 ? c.rig.busy - c.rig.local : c.rig.filtered + c.rig.coalesced + c.rig.sent;
  return c;
}

/// Counts of one thing, by the device and by the bench. Writes the first two that differ down.
struct comparison {
  char *wrong;
  size_t size;
  bool differ;
};

static void compare(struct comparison *c, const char *name, uint64_t device, uint64_t bench) {
  if (c->differ || device == bench) return;
  snprintf(c->wrong, c->size, "%s: %" PRIu64 " by the device, %" PRIu64 " by the bench", name, device, bench);
  c->differ = true;
}

bool gather_nic_books_agree(struct core *core, unsigned units, const struct gather_nic_seen *seen,
                            const struct gather_shared *shared, char *wrong, size_t size) {
  const struct gather_nic_counts c = gather_nic_books_counts(core, units, seen);
  struct comparison books = {.wrong = wrong, .size = size};
  compare(&books, "frames received", port(core, GATHER_NIC_RX), seen->packets_in);
  compare(&books, "frames sent", port(core, GATHER_NIC_SENT), seen->packets_out);
  compare(&books, "packets closed", c.concat.packets, seen->packets_out + c.thrown);
  compare(&books, "frames of reads thrown away", port(core, GATHER_NIC_THROWN_READS), seen->thrown[GATHER_ASKS]);
  compare(&books, "frames of responses thrown away", port(core, GATHER_NIC_THROWN_RESPONSES), seen->thrown[GATHER_BRINGS]);
  compare(&books, "reads asked for", c.rig.sent, seen->reads_out + seen->thrown_prs[GATHER_ASKS] + c.merged);
  compare(&books, "reads served or not", c.served + c.older, seen->reads_in);
  if (c.older < seen->older_in) compare(&books, "reads of another generation", c.older, seen->older_in);
  compare(&books, "reads answered", seen->responses_out + seen->thrown_prs[GATHER_BRINGS], c.served);
  // The bench sends no reads while it is asked to send none.
  compare(&books, "reads without room", port(core, GATHER_NIC_NO_ROOM), 0);
  compare(&books, "responses", c.rig.written + c.rig.late + port(core, GATHER_NIC_NO_UNIT), seen->responses_in + c.copied);
  if (shared == NULL) compare(&books, "reads shared", c.merged + c.copied, 0);
  if (shared != NULL) compare(&books, "reads shared", c.merged, gather_shared_merged(shared));
  if (shared != NULL) compare(&books, "copies of responses", c.copied, gather_shared_copied(shared));
  return !books.differ;
}
