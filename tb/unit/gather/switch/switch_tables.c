#include "unit/gather/switch/switch_tables.h"

#include "drive/bits.h"
#include "structs/gather_pkg.h"

void switch_settings(struct dut *d, unsigned delay, unsigned len, unsigned ports, uint64_t mac, uint32_t ip,
                     unsigned pause_limit) {
  uint32_t w[WORDS_OF(switch_settings_t, 1)] = {0};
  bits_put(w, FIELD(switch_settings_t, delay), delay);
  bits_put(w, FIELD(switch_settings_t, pause_limit), pause_limit);
  bits_put(w, FIELD(switch_settings_t, cache__enable), 1);
  bits_put(w, FIELD(switch_settings_t, cache__mode), 2);
  bits_put(w, FIELD(switch_settings_t, cache__len), len);
  bits_put(w, FIELD(switch_settings_t, cache_ports), (UINT64_C(1) << ports) - 1);
  bits_put(w, FIELD(switch_settings_t, own__mac), mac);
  bits_put(w, FIELD(switch_settings_t, own__ip), ip);
  dut_set_words(d, "settings_i", w, WORDS_OF(switch_settings_t, 1));
}

void switch_port(struct dut *d, unsigned node, uint64_t mac, uint32_t ip, unsigned port, bool reads, unsigned pipes) {
  uint32_t w[WORDS_OF(node_write_t, 1)] = {0};
  bits_put(w, FIELD(node_write_t, valid), 1);
  bits_put(w, FIELD(node_write_t, node), node);
  bits_put(w, FIELD(node_write_t, address__mac), mac);
  bits_put(w, FIELD(node_write_t, address__ip), ip);
  bits_put(w, FIELD(node_write_t, out_port), port);
  bits_put(w, FIELD(node_write_t, reads), reads);
  bits_put(w, FIELD(node_write_t, pipes), pipes);
  dut_set_words(d, "node_i", w, WORDS_OF(node_write_t, 1));
  dut_eval(d);
  dut_tick(d);
  bits_put(w, FIELD(node_write_t, valid), 0);
  dut_set_words(d, "node_i", w, WORDS_OF(node_write_t, 1));
}

void switch_node(struct dut *d, unsigned node, uint64_t mac, uint32_t ip, unsigned port) {
  switch_port(d, node, mac, ip, port, true, UINT16_MAX);
}
