/// The shortest ways through a fabric.
#ifndef WEIR_SIM_ROUTES_H
#define WEIR_SIM_ROUTES_H

#include "sim/fabric/net/net.h"

/// Where switches send what is for a host of a leaf: ports, over which the way is shortest.
struct routes {
  uint32_t leaves,
      *groups;   ///< of switch s to leaf l: groups[s * leaves + l], a place in `ports`: a count, and behind it so many ports
  uint32_t *ports;
  size_t used, room;
};
/// `cut`: of each cable whether it is not there; NULL: all are. Aborts if out of memory.
void routes_make(struct routes *r, const struct net *net, const bool cut[]);
void routes_free(struct routes *r);

/// Looks for a circle of cables in which each could wait for the next one's buffer, if switches send as the routes say: a cable into a switch waits
/// for those it hands packets to. `only`: cables that count, two places each: sent on by end 0, by end 1; NULL: all. The number of cables in the
/// circle, at most `most`, into `circle` (cable, and in bit 31 which end sends); 0 if there is none.
size_t routes_circle(const struct routes *r, const struct net *net, const bool only[], uint32_t circle[], size_t most);

#endif
