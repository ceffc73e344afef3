#include "sim/soak/soak_result.h"

void soak_tenants_add(struct soak_tenants *to, const struct soak_tenants *more) {
  to->jobs += more->jobs;
  to->frames += more->frames;
  to->orderly += more->orderly;
  to->crashed += more->crashed;
  to->evicted += more->evicted;
  to->reset += more->reset;
  to->stalls += more->stalls;
  to->pauses += more->pauses;
  to->unplugged += more->unplugged;
  to->unhindered += more->unhindered;
  to->naps += more->naps;
  to->aged += more->aged;
  to->forced += more->forced;
  to->resets += more->resets;
  to->swept += more->swept;
  to->refused += more->refused;
  to->messages += more->messages;
  to->bystanders += more->bystanders;
  to->meanwhile += more->meanwhile;
  if (more->most_connections > to->most_connections) to->most_connections = more->most_connections;
  if (more->most_retired > to->most_retired) to->most_retired = more->most_retired;
  if (more->most_columns > to->most_columns) to->most_columns = more->most_columns;
}
