// Flows of a capture: each message of an RC connection that somebody recorded is a flow here, from its first packet's time on, between the ranks that the
// connection's addresses stand for, in the order in which they appear.
#include "sim/fabric/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/capture.h"
#include "wire/rc.h"

struct recorded_message {
  struct conn_key key;
  uint64_t start_ps, bytes;
};

// The capture while it is read: addresses by rank, and the message that is under way on each connection.
struct recording {
  struct workload *load;
  uint8_t (*hosts)[16];
  size_t host_count, host_room;
  struct recorded_message *open;
  size_t open_count, open_room;
  uint64_t first_ns, frames, messages;
};

static uint32_t rank_of(struct recording *r, const uint8_t address[16]) {
  for (uint32_t i = 0; i < r->host_count; i++)
    if (memcmp(r->hosts[i], address, 16) == 0) return i;
  r->hosts = need_room(r->hosts, &r->host_room, r->host_count + 1, sizeof *r->hosts);
  memcpy(r->hosts[r->host_count], address, 16);
  return (uint32_t)r->host_count++;
}

static struct recorded_message *message_of(struct recording *r, const struct conn_key *key) {
  for (size_t i = 0; i < r->open_count; i++)
    if (conn_key_equal(&r->open[i].key, key)) return &r->open[i];
  r->open = need_room(r->open, &r->open_room, r->open_count + 1, sizeof *r->open);
  r->open[r->open_count] = (struct recorded_message){.key = *key};
  return &r->open[r->open_count++];
}

static void take(struct recording *r, const struct capture_frame *frame) {
  struct roce_packet p;
  roce_parse(frame->data, frame->len, &p);
  if (p.class != ROCE_CANDIDATE) return;
  struct recorded_message *m = message_of(r, &p.key);
  if (r->frames++ == 0) r->first_ns = frame->ns;
  if (p.starts) *m = (struct recorded_message){.key = p.key, .start_ps = (frame->ns - r->first_ns) * 1000};
  m->bytes += p.tensor + (p.tagged ? INA_BYTES : 0);
  if (!rc_is_last(p.opcode) || m->bytes == 0) return;
  const uint32_t src = rank_of(r, p.key.src), dst = rank_of(r, p.key.dst);
  if (src != dst) flows_put(r->load, src, dst, m->bytes, m->start_ps);
  r->messages++;
  m->bytes = 0;
}

int flows_of_capture(struct workload *l, char *error, size_t size) {
  struct recording r = {.load = l};
  struct file_error wrong;
  struct capture_frame frame;
  struct capture *capture = capture_open(l->options->file, &wrong);
  int more = capture == NULL ? -1 : 1;
  while (more > 0 && (more = capture_next(capture, &frame, &wrong)) > 0) take(&r, &frame);
  if (capture != NULL) capture_close(capture);
  if (more < 0)
    snprintf(error, size, "%s", wrong.text);
  else if (l->flow_count == 0)
    snprintf(error, size, "%s: no whole message of an RC connection", l->options->file);
  else if (r.host_count > l->ranks)
    snprintf(error, size, "%s: messages between %zu addresses, and there are %u ranks", l->options->file, r.host_count, l->ranks);
  free(r.hosts);
  free(r.open);
  return more < 0 || l->flow_count == 0 || r.host_count > l->ranks ? -1 : 0;
}
