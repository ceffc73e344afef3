/// What a scenario is made from; shared by the traffic_*.c files only.
#ifndef WEIR_HOSTS_TRAFFIC_STATE_H
#define WEIR_HOSTS_TRAFFIC_STATE_H

#include "base/rng.h"
#include "hosts/traffic.h"
#include "wire/roce.h"

/// Room for the longest frame, an oversize one.
enum { TRAFFIC_ROOM = 10240 };

/// The messages all ranks of a ring send. Packets are numbered through, from 0 with the first packet of the first message.
struct traffic_ring {
  const struct model_ring *is;
  unsigned messages, packets;
  uint32_t msgid0;
  uint8_t *kinds;         ///< of each message
  unsigned *starts;       ///< first packet of each message, and `packets` behind the last
  unsigned *message_of;   ///< of each packet
  size_t *lengths;        ///< bytes of tensor of each packet
  bool *released;         ///< of each message: nobody waits for its results any more
};

/// One rank: a connection and how far it is.
struct traffic_sender {
  unsigned ring, rank;
  unsigned ports[2];         ///< of messages with even and odd numbers
  struct roce_build style;   ///< what all its packets have in common
  uint32_t psn0;
  unsigned overlap;       ///< PSNs at a message's end that the next one uses again
  uint64_t seed;          ///< of its tensors
  bool send;              ///< SEND instead of WRITE
  bool eager;             ///< ignores the window
  unsigned odd_message;   ///< it says another type in this one
  unsigned next;          ///< packet to be sent next
  unsigned delivered;     ///< packets sent without a gap; a lost one is at `delivered` while `next` is larger
  unsigned notice;        ///< packets until it goes back to the lost one
  bool *answered;         ///< of each packet: a result came back
  unsigned *answers;      ///< of each message: its packets with results
};

/// What one frame is built from; open to change before it is built.
struct traffic_packet {
  struct roce_build build;
  struct ina_header ina;
  uint8_t payload[TRAFFIC_ROOM];
};

struct traffic_draft {
  struct traffic *t;
  struct rng rng;
  uint64_t seed;
  size_t frame_room;
  unsigned loss, again, noise, burst;   ///< percent of packets; burst: most packets a sender sends in its turn
  bool rude;                            ///< hosts that break the rules are among the others
};

// --- traffic_packets.c ---

/// Draws what is random of a connection: addresses, MACs, encapsulation.
void traffic_style(struct rng *rng, struct roce_build *build);
uint32_t traffic_psn(const struct traffic *t, const struct traffic_sender *s, unsigned index);
/// Packet `index` of a sender.
void traffic_packet_of(const struct traffic *t, const struct traffic_sender *s, unsigned index, struct traffic_packet *out);
/// Fills `len` bytes with elements of `kind`: NaN, infinities, subnormals, ties, and plain numbers.
void traffic_values(struct rng *rng, uint8_t kind, uint8_t *out, size_t len);

// --- traffic_noise.c ---

/// Adds one frame that is no gradient, or a bad one.
void traffic_noise(struct traffic_draft *sc);

// --- traffic.c ---

struct traffic_frame *traffic_add(struct traffic_draft *sc, unsigned port, const uint8_t *data, size_t len);
/// Adds a frame of a sender, which waits as its packet `index` does.
struct traffic_frame *traffic_add_packet(struct traffic_draft *sc, const struct traffic_sender *s, unsigned index,
                                         const uint8_t *data, size_t len);
/// The window lets the sender send its packet `index`, as far as all ranks have sent what they have to.
bool traffic_in_window(const struct traffic *t, const struct traffic_sender *s, unsigned index);

#endif
