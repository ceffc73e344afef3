#include "sim/gather/gather_devices.h"

#include <inttypes.h>

#include "drive/gather/gather_nic_config.h"
#include "drive/gather/gather_nic_rtl.h"
#include "drive/gather/gather_tor.h"

/// What plays the ToRs, and the sets of caches if nobody said how many.
static int choose_tors(struct gather_options *o) {
  struct gather_fabric_options *f = &o->run.fabric;
  struct gather_pipe_options pipe = f->pipe;
  char error[200];
  const bool sets_given = pipe.cache_sets != GATHER_AS_DEVICE;
  if (!sets_given) f->pipe.cache_sets = 64;
  if (!o->rtl_switch) return 0;
  if (f->plain_tors) return gather_refuse("--rtl switch: not with --without switch");
  if (!sets_given) pipe.cache_sets = 0;
  o->tor = gather_tor_config(&f->topology, &pipe, error, sizeof error);
  if (o->tor == NULL) return gather_refuse("--rtl switch: %s", error);
  if (!sets_given) f->pipe.cache_sets = o->tor->sets;
  f->tor = gather_tor_rtl;
  return 0;
}

/// What plays the NICs, and the size of all of them, models too, if nobody said it.
static int choose_nics(struct gather_options *o) {
  struct gather_fabric_options *f = &o->run.fabric;
  struct gather_nic_options *n = &f->node.nic;
  char error[200];
  if (o->rtl_nic) {
    if (!n->rig.filter || !n->rig.coalesce || n->concat.alone)
      return gather_refuse("--rtl nic: not with --without filter, coalesce or concat-nic");
    o->nic = gather_nic_config_for(f->topology.nodes, n, error, sizeof error);
    if (o->nic == NULL) return gather_refuse("--rtl nic: %s", error);
    if (f->devices > f->topology.nodes)
      return gather_refuse("--rtl-nics %" PRIu32 ": there are only %" PRIu32 " nodes", f->devices, f->topology.nodes);
    if (f->devices == 0) f->devices = f->topology.nodes;
    f->node.make = gather_nic_rtl;
  } else if (f->devices > 0) {
    return gather_refuse("--rtl-nics: only with --rtl nic or all");
  }
  if (n->units == GATHER_AS_DEVICE) n->units = o->nic != NULL ? o->nic->units : 4;
  if (n->rig.pending == GATHER_AS_DEVICE) n->rig.pending = o->nic != NULL ? o->nic->pending : 256;
  return 0;
}

int gather_choose_devices(struct gather_options *o) {
  if (o->wave != NULL && !o->rtl_switch && !o->rtl_nic) return gather_refuse("--wave: only with --rtl");
  const int code = choose_tors(o);
  return code == 0 ? choose_nics(o) : code;
}

void gather_set_wave(struct gather_options *o, const char *wave) {
  struct gather_fabric_options *f = &o->run.fabric;
  *(o->tor != NULL ? &f->device.wave : &f->node.nic.device.wave) = wave;
}
