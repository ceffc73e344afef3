#include "sim/fabric/host/dcqcn.h"

void dcqcn_begin(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now) {
  *d = (struct dcqcn){.rate = o->line_gbps, .target = o->line_gbps, .alpha = 1, .alpha_since = now, .rise_since = now};
}

// One step upwards: fast recovery halves the way to the target, then the target rises, faster when time and bytes both say so.
static void rise(struct dcqcn *d, const struct dcqcn_options *o) {
  const unsigned least = d->time_steps < d->byte_steps ? d->time_steps : d->byte_steps;
  const unsigned most = d->time_steps < d->byte_steps ? d->byte_steps : d->time_steps;
  if (most > o->fast) d->target += least > o->fast ? o->hyper_gbps : o->step_gbps;
  if (d->target > o->line_gbps) d->target = o->line_gbps;
  d->rate = (d->rate + d->target) / 2;
}

static void pass_time(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now) {
  for (; now - d->alpha_since >= o->alpha_ps && d->alpha > 1e-9; d->alpha_since += o->alpha_ps) d->alpha *= 1 - o->gain;
  if (now - d->alpha_since >= o->alpha_ps) d->alpha_since = now;
  for (; now - d->rise_since >= o->rise_ps && d->rate < o->line_gbps * (1 - 1e-9); d->rise_since += o->rise_ps) {
    d->time_steps++;
    rise(d, o);
  }
  if (now - d->rise_since >= o->rise_ps) d->rise_since = now;
}

void dcqcn_cut(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now) {
  pass_time(d, o, now);
  d->target = d->rate;
  d->rate *= 1 - d->alpha / 2;
  if (d->rate < o->least_gbps) d->rate = o->least_gbps;
  d->alpha = (1 - o->gain) * d->alpha + o->gain;
  d->alpha_since = d->rise_since = now;
  d->bytes = 0;
  d->time_steps = d->byte_steps = 0;
}

void dcqcn_sent(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now, uint32_t bytes) {
  pass_time(d, o, now);
  for (d->bytes += bytes; d->bytes >= o->rise_bytes; d->bytes -= o->rise_bytes) {
    d->byte_steps++;
    rise(d, o);
  }
}

double dcqcn_rate(struct dcqcn *d, const struct dcqcn_options *o, uint64_t now) {
  pass_time(d, o, now);
  return d->rate;
}
