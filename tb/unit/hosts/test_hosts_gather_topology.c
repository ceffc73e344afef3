// Grids of switches: links lead both ways, and a response takes its read's way back through the pipes that its read went through.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hosts/gather/gather_topology.h"

static const struct gather_topology grids[] = {{.nodes = 128, .racks = 32, .shape = GATHER_HYPERX},
                                               {.nodes = 128, .racks = 32, .shape = GATHER_DRAGONFLY},
                                               {.nodes = 192, .racks = 32, .shape = GATHER_HYPERX}};
enum { GRIDS = sizeof grids / sizeof *grids };

/// NetSparse 9.6: 4 x 4 x 2 switches with four links to each of seven neighbours; 4 groups of 8 with four links from each switch to other groups.
static void links_are_the_published_ones(void **state) {
  (void)state;
  static const unsigned published[GRIDS] = {28, 3 * 7 + 4, 28};
  for (size_t g = 0; g < GRIDS; g++) {
    for (uint32_t rack = 0; rack < 32; rack++) {
      unsigned connected = 0;
      for (unsigned port = 0; port < gather_tor_ports(&grids[g]); port++) {
        uint32_t peer, back;
        unsigned peer_port, back_port;
        if (!gather_grid_peer(&grids[g], rack, port, &peer, &peer_port)) continue;
        connected++;
        assert_true(peer < 32 && peer != rack && port >= gather_rack_size(&grids[g]));
        assert_true(gather_grid_peer(&grids[g], peer, peer_port, &back, &back_port));
        assert_true(back == rack && back_port == port);
      }
      assert_int_equal(connected, published[g]);
    }
  }
}

/// Follows a packet from a switch to a node. Returns how many switches it comes to, and which, and the pipes by which it leaves and enters them.
static unsigned follow(const struct gather_topology *t, enum gather_type type, uint32_t from, uint32_t dest, uint32_t racks[8],
                       unsigned out[8], unsigned in[8]) {
  unsigned count = 0, port_in = 0;
  for (uint32_t rack = from;;) {
    racks[count] = rack;
    in[count] = port_in / GATHER_PIPE_PORTS;
    const unsigned port = gather_tor_port(t, type, rack, dest, 0);
    out[count++] = port / GATHER_PIPE_PORTS;
    assert_true(count < 8);
    if (port < gather_rack_size(t)) {
      assert_int_equal(rack, gather_rack_of(t, dest));
      assert_int_equal(port, dest % gather_rack_size(t));
      return count;
    }
    assert_true(gather_grid_peer(t, rack, port, &rack, &port_in));
  }
}

static void the_way_back_is_the_way_there(void **state) {
  (void)state;
  for (size_t g = 0; g < GRIDS; g++) {
    const struct gather_topology *t = &grids[g];
    for (uint32_t a = 0; a < t->nodes; a += 3) {
      for (uint32_t h = 0; h < t->nodes; h++) {
        uint32_t there[8], back[8];
        unsigned out[8], in[8], back_out[8], back_in[8];
        if (gather_rack_of(t, a) == gather_rack_of(t, h)) continue;
        const unsigned n = follow(t, GATHER_READ, gather_rack_of(t, a), h, there, out, in);
        assert_int_equal(n + 1, gather_hops(t, a, h));
        assert_int_equal(follow(t, GATHER_RESPONSE, gather_rack_of(t, h), a, back, back_out, back_in), n);
        for (unsigned i = 0; i < n; i++) {
          assert_int_equal(there[i], back[n - 1 - i]);
          // A read looks in the pipe by which it leaves, where its response came in.
          if (i + 1 < n) assert_int_equal(out[i], back_in[n - 1 - i]);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_are_the_published_ones),
      cmocka_unit_test(the_way_back_is_the_way_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
