/// The sender's rate under DCQCN (Zhu et al., SIGCOMM'15): cut when a congestion notification comes, raised by time and by bytes without one.
/// Nothing runs: what time has done since the last call is worked out when somebody asks.
#ifndef WEIR_SIM_DCQCN_H
#define WEIR_SIM_DCQCN_H

#include <stdint.h>

struct dcqcn_options {
  double line_gbps;      ///< never faster
  double least_gbps;     ///< never slower
  double step_gbps;      ///< additive increase
  double hyper_gbps;     ///< hyper increase
  double gain;           ///< g of alpha's average
  uint64_t alpha_ps;     ///< alpha decays after so long without a notification
  uint64_t rise_ps;      ///< a step by time
  uint64_t rise_bytes;   ///< a step by bytes
  unsigned fast;         ///< steps of fast recovery
};

struct dcqcn {
  double rate, target, alpha;   ///< Gb/s, Gb/s, 0 to 1
  uint64_t alpha_since, rise_since, bytes;
  unsigned time_steps, byte_steps;
};

/// At line rate.
void dcqcn_begin(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now);
/// A notification has come.
void dcqcn_cut(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now);
/// Bytes have been sent.
void dcqcn_sent(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now, uint32_t bytes);
/// Gb/s, as time has made it.
double dcqcn_rate(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now);

#endif
