// Any bytes, read as a file that names a tree of switches, and as one on the command line: what is taken is a tree.
#include <string.h>

#include "fuzz/fuzz.h"
#include "sim/engine/tree/topology.h"

static void check(const struct topology *t) {
  unsigned hosts = 0, levels = 0;
  fuzz_must(t->count >= 1 && t->count <= RACKS_MAX_NODES, "a tree has no more switches than it may");
  for (unsigned n = 0; n < t->count; n++) {
    const struct topology_node *node = &t->nodes[n];
    fuzz_must((n == 0) == (node->parent == TOPOLOGY_NOBODY), "the root alone has no parent");
    fuzz_must(n == 0 || node->parent < n, "parents come before their children");
    fuzz_must(n == 0 || topology_child(t, node->parent, node->child) == n, "a switch is its parent's child");
    fuzz_must(node->children >= 1 && node->children <= RACKS_MAX_CHILDREN, "a switch has no more children than it may");
    fuzz_must(node->depth < t->levels, "no switch is below the lowest leaf");
    const unsigned ports = node->radix > 0 ? node->radix : RACKS_MAX_CHILDREN + 1;
    for (unsigned i = 0; i < node->children; i++) {
      fuzz_must(node->at[i] < ports - (n > 0), "a child is at a port of its own switch, and not at the parent's");
      fuzz_must(topology_at(node, node->at[i]) == i, "a port has one child");
    }
    if (node->depth + 1 > levels) levels = node->depth + 1;
    if (!node->leaf) continue;
    fuzz_must(node->first_host == hosts && node->hosts == node->children, "hosts are numbered from the left");
    for (unsigned h = 0; h < node->hosts; h++) fuzz_must(topology_leaf(t, hosts + h) == n, "a host is below its leaf");
    hosts += node->hosts;
  }
  fuzz_must(hosts == t->hosts && hosts >= 2 && hosts <= RACKS_MAX_HOSTS && levels == t->levels, "all are counted");
  fuzz_must(t->nodes[0].hosts == hosts, "all hosts are below the root");
}

static void read_one(const char *text) {
  struct topology t;
  char error[256] = "";
  const struct topology_limits limits = {RACKS_MAX_NODES, RACKS_MAX_HOSTS, RACKS_MAX_CHILDREN, RACKS_MAX_CHILDREN + 1};
  if (topology_read(&t, text, &limits, error, sizeof error) == 0)
    check(&t);
  else
    fuzz_is_text(error);
}

static bool is_tree(const char *text) {
  return text[0] == '{' || strncmp(text, "leaf-spine:", 11) == 0 || strncmp(text, "fat-tree:", 9) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_file_or_text(data, size, read_one, is_tree);
  return 0;
}
