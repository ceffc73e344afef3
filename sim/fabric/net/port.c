#include "sim/fabric/net/port.h"

#include <stdlib.h>

void port_send(struct fabric_port *port, struct world *world, const struct world_packet *packet) {
  if (port->tap.writer != NULL) tap_put(&port->tap, world_now(world), packet);
  port->busy = world_now(world) + port_time(port->ps_per_kib, packet->wire);
  port->counts.packets++;
  port->counts.bytes += packet->wire;
  port->counts.marked += (packet->flags & PACKET_MARKED) != 0;
  if (port->line != NULL) {
    struct port_step *step = port_line_at(port->line, world_now(world));
    step->bytes += packet->wire;
    step->marked += (packet->flags & PACKET_MARKED) != 0;
  }
  if (port->loss > 0 && rng_uniform(&port->rng) < port->loss) {
    port->counts.lost++;
    free(packet->frame);
  } else {
    world_send(world, port->cable, port->busy, packet);
  }
}

void port_paused(struct fabric_port *port, uint64_t now, unsigned class) {
  port->counts.paused_ps += now - port->paused_since[class];
  if (port->line != NULL) port_line_paused(port->line, port->paused_since[class], now);
}

void port_finish(struct fabric_port *port, uint64_t now) {
  for (unsigned class = 0; class < PACKET_CLASSES; class ++)
    if (port->paused[class]) port_paused(port, now, class);
}

void port_tell(struct fabric_port *port, struct world *world, unsigned class, enum packet_kind kind) {
  const uint64_t now = world_now(world);
  const struct world_packet frame = {.kind = (uint8_t)kind, .class = PACKET_URGENT, .tag = class, .wire = PACKET_PAUSE_WIRE};
  port->told[class] = kind == PACKET_PAUSE;
  port->told_at[class] = port->taken[class];
  if (kind == PACKET_PAUSE)
    port->counts.pauses++;
  else
    port->counts.resumes++;
  if (port->cut) return;
  if (port->busy < now) port->busy = now;
  if (port->tap.writer != NULL) tap_put(&port->tap, port->busy, &frame);
  port->busy += port_time(port->ps_per_kib, frame.wire);
  world_send(world, port->cable, port->busy, &frame);
}
