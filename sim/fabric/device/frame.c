#include "sim/fabric/device/frame.h"

#include "hosts/link.h"

struct world_packet fabric_frame(const uint8_t *bytes, size_t len) {
  return (struct world_packet){.kind = PACKET_BYTES,
                               .class = PACKET_BULK,
                               .wire = (uint16_t)(len + LINK_OVERHEAD),
                               .frame = world_frame_new(bytes, len)};
}
