// Any bytes, read as a file that names a fabric, and as one on the command line: what is taken is a network in which all hosts are connected.
#include <string.h>

#include "fuzz/fuzz.h"
#include "sim/fabric/net/net.h"

static const struct net_speeds speeds = {.inner = 100, .host = 100, .leaf = 100, .spine = 100, .delay_ps = {1000, 1000, 1000}};

static void check(const struct net *n) {
  const uint32_t ends = n->hosts + n->switches;
  fuzz_must(n->hosts >= 1 && n->hosts <= NET_MAX_HOSTS && n->switches >= 1 && n->switches <= NET_MAX_SWITCHES &&
                n->cable_count >= 1 && n->cable_count <= NET_MAX_CABLES,
            "a network is no larger than it may be");
  size_t ports = 0;
  for (uint32_t e = 0; e < ends; e++) {
    ports += n->port_count[e];
    for (uint32_t p = 0; p < n->port_count[e]; p++) {
      const struct net_cable *c = &n->cables[n->at[e][p]];
      fuzz_must((c->ends[0] == e && c->ports[0] == p) || (c->ends[1] == e && c->ports[1] == p), "a port has its cable");
    }
  }
  fuzz_must(ports == 2 * n->cable_count, "a cable has two ends");
  for (size_t c = 0; c < n->cable_count; c++) {
    fuzz_must(n->cables[c].gbps > 0 && n->cables[c].delay_ps > 0, "a cable has a rate, and takes time");
    fuzz_must(n->cables[c].ends[0] < ends && n->cables[c].ends[1] < ends, "a cable's ends are there");
  }
  for (uint32_t h = 0; h < n->hosts; h++)
    fuzz_must(n->port_count[h] == 1 && n->leaf[h] < n->switches && n->slice[h] < n->port_count[n->hosts + n->leaf[h]],
              "a host is at one switch");
}

static void read_one(const char *text) {
  struct net net;
  char error[256] = "";
  if (net_read(&net, text, &speeds, error, sizeof error) == 0)
    check(&net);
  else
    fuzz_is_text(error);
  net_free(&net);
}

// The text of a large network makes one of that size.
static bool is_small(const char *text) {
  return text[strspn(text, " \n\t")] == '{' ||
         ((strncmp(text, "clos:", 5) == 0 || strncmp(text, "machines:", 9) == 0) && strlen(text) < 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_file_or_text(data, size, read_one, is_small);
  return 0;
}
