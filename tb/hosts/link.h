/// One direction of a cable with what may go wrong on it: frames are serialised at a rate, arrive after a delay, and may be lost,
/// doubled, overtaken, or damaged. Times are picoseconds of the simulation.
#ifndef WEIR_HOSTS_LINK_H
#define WEIR_HOSTS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Probabilities a frame. Damage flips one to three bits; in half of the cases the MAC behind sees it (FCS), in the others it
/// happened where no FCS guards the bits, and only the ICRC can tell.
struct link_faults {
  double loss, dup, reorder, damage;
};

/// Bytes that a frame takes on a cable beside its own, as buffers hold it: preamble, FCS, gap.
enum { LINK_OVERHEAD = 24 };

struct link_config {
  double gbps;         ///< 0: no time at all
  uint64_t delay_ps;   ///< from the end of a frame at this end to the same at the other
  uint64_t
      grain_ps;   ///< how seldom the sender looks: a frame that waited begins when the one before has left, up to so long ago
  struct link_faults faults;
  uint64_t seed;
};

struct link_counts {
  uint64_t frames, bytes;   ///< sent; bytes without FCS
  uint64_t lost, doubled, overtaken, damaged;
};

struct link;

/// NULL if out of memory. The caller frees it.
struct link *link_new(const struct link_config *config);
void link_free(struct link *l);
/// From now on.
void link_set_delay(struct link *l, uint64_t delay_ps);
void link_set_faults(struct link *l, const struct link_faults *faults);

/// True if a frame may begin at `now`.
bool link_idle(const struct link *l, uint64_t now);
/// When the frame under way has left this end.
uint64_t link_idle_at(const struct link *l);
/// A frame of `len` bytes (without FCS, copied) begins; the link must be idle.
void link_send(struct link *l, uint64_t now, const uint8_t *frame, size_t len);

enum { LINK_COPIES = 2, LINK_WRONG_BITS = 3 };
/// How a frame arrives.
struct link_copy {
  uint64_t due;
  unsigned wrong_bits;
  uint32_t wrong[LINK_WRONG_BITS];   ///< which: of byte 0 bit 0 is 0
  bool bad_fcs;
};
/// The same for a frame that the caller carries to the other end himself: how many copies of it arrive, none if it is lost, and how.
unsigned link_begin(struct link *l, uint64_t now, size_t len, struct link_copy copies[LINK_COPIES]);
/// Flips what is wrong in a copy.
void link_damage(const struct link_copy *copy, uint8_t *frame);

/// A frame as it arrives. `bad_fcs`: the MAC sees that it is damaged.
struct link_frame {
  size_t len;
  bool bad_fcs;
  uint8_t *data;
};
/// When the next frame is here, or UINT64_MAX.
uint64_t link_due(const struct link *l);
/// Takes the next frame, if it is here at `now`. `data` is valid until the next call for this link.
bool link_receive(struct link *l, uint64_t now, struct link_frame *frame);

/// True if `match` is true of a frame that is under way.
bool link_holds(const struct link *l, bool (*match)(const void *user, const uint8_t *frame, size_t len), const void *user);

struct link_counts link_counts(const struct link *l);

#endif
