/// Hosts that use the library over a fake libibverbs, each a thread: how they are set up, and that all of them end in time with nothing left open.
#ifndef WEIR_UNIT_HOST_COLL_HOSTS_H
#define WEIR_UNIT_HOST_COLL_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "host/weir/coll.h"
#include "unit/host/net/fake_verbs.h"

enum {
  HOSTS = 3,
  MTU = 256,
  MSGLEN = 4,
  MOST = 4 * MTU * MSGLEN,
  PLENTY_MS = 20000,
  SHORT_MS = 1000,   // of tests that wait for it
  BOUND_MS = 10 * SHORT_MS
};

/// What all hosts do, and how they are set up.
struct plan {
  struct weir_coll_config config;
  unsigned other_mtu;         // of host 1, if it is not that of all
  const char *other_secret;   // likewise
  bool by_memory;             // hosts meet over an all-gather of the test
  size_t count;               // elements
  enum weir_coll_type type;
  enum weir_coll_op op;
  bool in_place, registered;
};

struct host {
  const struct plan *plan;
  unsigned rank;
  char address[16];
  int opened, reduced, again, closed;
  bool offloaded, right;
  char text[256];   // what went wrong
};

/// A plan with the verb, a time-out, and else what all tests have.
struct plan plan_of(enum weir_coll_verb verb, unsigned timeout_ms);

/// All hosts but `missing` (HOSTS: all) reduce twice and close; that they end in time, and that nothing is left open, is asserted here. Returns
/// the bytes that they had registered for others to write to.
size_t run(struct plan *p, const struct fake_options *options, unsigned missing, struct host hosts[HOSTS]);

/// Asserts that all hosts reduced, and so did who should have.
void expect_good(const struct host *hosts, bool offloaded);

#endif
