#include "wire/feature.h"

#include <stdio.h>

const char *feature_name(enum feature feature) {
  static const char *const names[FEATURE_COUNT] = {
      [FEATURE_ICRC_CHECK] = "icrc_check",
      [FEATURE_IPV6] = "ipv6",
      [FEATURE_VLAN] = "vlan",
      [FEATURE_FP32] = "fp32",
      [FEATURE_FP16] = "fp16",
      [FEATURE_BF16] = "bf16",
      [FEATURE_INT32] = "int32",
      [FEATURE_MIN_MAX] = "min_max",
      [FEATURE_LEARNING] = "learning",
      [FEATURE_WIDE_COUNTERS] = "wide_counters",
      [FEATURE_OBSERVATION] = "observation",
  };
  return (unsigned)feature < FEATURE_COUNT ? names[feature] : "?";
}

bool feature_reduces(unsigned without, uint8_t kind) {
  static const enum feature types[] = {
      [INA_FP32] = FEATURE_FP32, [INA_FP16] = FEATURE_FP16, [INA_BF16] = FEATURE_BF16, [INA_INT32] = FEATURE_INT32};
  if (ina_element_size(kind) == 0 || feature_lacks(without, types[kind & 15])) return false;
  return kind >> 4 == INA_SUM || !feature_lacks(without, FEATURE_MIN_MAX);
}

bool feature_reads(unsigned without, const struct conn_key *key, bool tagged) {
  return !(key->v6 && feature_lacks(without, FEATURE_IPV6)) &&
         !((tagged || key->vlan != 0) && feature_lacks(without, FEATURE_VLAN));
}

void feature_names(unsigned without, char *text, unsigned size) {
  unsigned used = 0;
  text[0] = '\0';
  for (unsigned f = 0; f < FEATURE_COUNT && used < size; f++)
    if (feature_lacks(without, (enum feature)f))
      used += (unsigned)snprintf(text + used, size - used, "%s%s", used != 0 ? ", " : "", feature_name((enum feature)f));
}
