// Options that name places of a fabric: cables, hosts, switches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/cli/usage.h"
#include "sim/engine/world/ranks.h"
#include "sim/fabric/fabric_options.h"

// --- faults ---

// "h3" or "s0" as a number of an end. False if there is none of that name.
static bool read_end(const struct net *n, const char *text, size_t len, uint32_t *end) {
  char digits[16] = "";
  uint64_t number;
  if (len < 2 || len > sizeof digits || (text[0] != 'h' && text[0] != 's')) return false;
  memcpy(digits, text + 1, len - 1);
  const uint32_t count = text[0] == 'h' ? n->hosts : n->switches;
  if (!text_whole(digits, 0, count - 1, &number)) return false;
  *end = (uint32_t)number + (text[0] == 's' ? n->hosts : 0);
  return true;
}

static bool find_cable(const struct net *n, uint32_t a, uint32_t b, uint32_t *cable) {
  for (uint32_t p = 0; p < n->port_count[a]; p++) {
    const struct net_cable *c = &n->cables[n->at[a][p]];
    *cable = n->at[a][p];
    if (c->ends[c->ends[0] == a] == b) return true;
  }
  return false;
}

static bool read_us(const char *text, double *us) { return usage_number(text, us) && *us >= 0 && *us <= 1e7; }

// "s0-s4,h1-s0" up to `end`, into a list that the caller frees. False if one is not there.
static bool read_cables(const struct net *n, const char *text, const char *end, uint32_t **list, size_t *count) {
  size_t room = *count;
  for (const char *at = text; at < end;) {
    const size_t len = strcspn(at, ",@"), left = strcspn(at, "-");
    uint32_t a = 0, b = 0, cable = 0;
    if (left >= len || !read_end(n, at, left, &a) || !read_end(n, at + left + 1, len - left - 1, &b) || a == b ||
        !find_cable(n, a, b, &cable))
      return false;
    *list = need_room(*list, &room, *count + 1, sizeof **list);
    (*list)[(*count)++] = cable;
    at += len + (at[len] == ',');
  }
  return *count > 0;
}

static int read_cuts(struct fabric_options *o) {
  const char *when = o->cut == NULL ? NULL : strchr(o->cut, '@');
  double us = 0;
  if (o->cut == NULL) return 0;
  if (when == NULL || !read_us(when + 1, &us) || !read_cables(&o->net, o->cut, when, &o->run.cuts, &o->run.cut_count))
    return fabric_refuse("--cut %s: must be cables that are there, as s0-s4, @, and microseconds", o->cut);
  o->run.cut_ps = (uint64_t)(us * 1e6) + 1;
  o->run.converge_ps = (uint64_t)(o->converge_us * 1e6);
  return 0;
}

static int read_taps(struct fabric_options *o) {
  if ((o->out == NULL) != (o->tap == NULL)) return fabric_refuse("--out, --tap: a capture and its cables go together");
  if (o->tap == NULL) return 0;
  if (ranks_count() > 1) return fabric_refuse("--out %s: one process writes a capture, and there are %u", o->out, ranks_count());
  if (!read_cables(&o->net, o->tap, o->tap + strlen(o->tap), &o->run.taps, &o->run.tap_count))
    return fabric_refuse("--tap %s: must be cables that are there, as s0-s4", o->tap);
  return 0;
}

// "HOST@REST".
static bool read_host(const struct net *n, const char *text, uint32_t *host, const char **rest) {
  const char *at = strchr(text, '@');
  char digits[16] = "";
  uint64_t number;
  if (at == NULL || at - text >= (ptrdiff_t)sizeof digits) return false;
  memcpy(digits, text, (size_t)(at - text));
  if (!text_whole(digits, 0, n->hosts - 1, &number)) return false;
  *host = (uint32_t)number;
  *rest = at + 1;
  return true;
}

// --- devices ---

// "leaf0", "spine1" (the second switch of tier 2), or "s7" as a switch. False if there is none of that name.
static bool read_place(const struct net *n, const char *text, size_t len, uint32_t *number) {
  static const char *const tiers[] = {"leaf", "spine"};
  uint32_t end;
  for (unsigned t = 0; t < 2; t++) {
    const size_t name = strlen(tiers[t]);
    char digits[16] = "";
    uint64_t place;
    if (len <= name || len - name >= sizeof digits || strncmp(text, tiers[t], name) != 0) continue;
    memcpy(digits, text + name, len - name);
    if (!text_whole(digits, 0, n->switches, &place)) return false;
    for (uint32_t s = 0; s < n->switches; s++)
      if (n->tiers[s] == t + 1 && place-- == 0) {
        *number = s;
        return true;
      }
    return false;
  }
  if (!read_end(n, text, len, &end) || end < n->hosts) return false;
  *number = end - n->hosts;
  return true;
}

// "uplink0": the uplink device of the first leaf. False if there is none of that name.
static bool read_uplink(const struct net *n, const char *text, size_t len, uint32_t *number) {
  static const char word[] = "uplink";
  char leaf[24] = "leaf";
  const size_t name = sizeof word - 1;
  if (len <= name || len >= sizeof leaf || strncmp(text, word, name) != 0) return false;
  strncat(leaf, text + name, len - name);
  return read_place(n, leaf, strlen(leaf), number);
}

static int read_devices(struct fabric_options *o) {
  const char *rtl = o->rtl != NULL ? o->rtl : "none";
  if (o->rtl == NULL && o->kind != LOAD_GATHER) return 0;
  bool *uplink = need(calloc(o->net.switches, sizeof *uplink));
  unsigned uplinks = 0, others = 0;
  o->rtl_uplink = uplink;
  o->run.rtl = o->rtl_at = need(calloc(o->net.switches, sizeof *o->rtl_at));
  o->run.rtl_host = o->rtl_host = need(calloc(o->net.hosts, sizeof *o->rtl_host));
  for (const char *at = rtl; *at != 0 && strcmp(rtl, "none") != 0;) {
    const size_t len = strcspn(at, ",");
    uint32_t s = 0;
    if (read_uplink(&o->net, at, len, &s)) {
      uplink[s] = true;
      uplinks++;
    } else if (read_place(&o->net, at, len, &s)) {
      o->rtl_at[s] = true;
      others++;
    } else if (o->kind == LOAD_GATHER && read_end(&o->net, at, len, &s) && s < o->net.hosts) {
      o->rtl_host[s] = true;
      others++;
    } else {
      return fabric_refuse("--rtl %s: must be none, or places that are there, as leaf0, spine0, s5 or uplink0%s", rtl,
                           o->kind == LOAD_GATHER ? ", or h3" : "");
    }
    at += len + (at[len] == ',');
  }
  if (uplinks > 0 && !o->uplink) return fabric_refuse("--rtl %s: uplink devices are only there with --uplink", rtl);
  if (o->kind == LOAD_GATHER && (uplinks > 0 || o->uplink || o->cut != NULL))
    return fabric_refuse(
        "--load gather: switches of racks choose their uplinks themselves, and know one way; without --uplink and --cut");
  if (o->cut != NULL && o->kind != LOAD_NODES && (others > 0 || uplinks != 1))
    return fabric_refuse("--rtl %s: not with --cut, but for one uplink device alone: devices know one way", rtl);
  if (uplinks > 0) o->run.rtl_uplink = uplink;
  if (uplinks > 0 && others == 0) return 0;
  if (o->kind != LOAD_NETREDUCE && o->kind != LOAD_NODES && o->kind != LOAD_GATHER)
    return fabric_refuse("--rtl %s: only uplink devices are there without --load netreduce, nodes or gather", rtl);
  if (o->kind != LOAD_NETREDUCE && (o->run.nic.channels > 0 || o->run.nic.qps > 1 || o->prepare_us > 0 || o->run.nic.dcqcn))
    return fabric_refuse(
        "--rtl %s: devices in hosts' places have no such connections; without --channels, --qps, --prepare and --dcqcn", rtl);
  o->run.devices = true;
  return 0;
}

// --- more faults ---

// "FROM:TO", microseconds, as picoseconds that are not 0.
static bool read_times(const char *text, uint64_t *from, uint64_t *to) {
  char begin[32] = "";
  double a, b;
  const char *colon = strchr(text, ':');
  if (colon == NULL || colon - text >= (ptrdiff_t)sizeof begin) return false;
  memcpy(begin, text, (size_t)(colon - text));
  if (!read_us(begin, &a) || !read_us(colon + 1, &b) || a >= b) return false;
  *from = (uint64_t)(a * 1e6) + 1;
  *to = (uint64_t)(b * 1e6) + 1;
  return true;
}

static int read_reboot(struct fabric_options *o) {
  const char *at = o->reboot != NULL ? strchr(o->reboot, '@') : NULL;
  o->run.off_switch = NET_NOWHERE;
  if (o->reboot == NULL) return 0;
  if (o->rtl != NULL && (o->kind != LOAD_NODES || o->run.rtl_uplink != NULL))
    return fabric_refuse("--reboot %s: not with --rtl; `weir ring --reboot` has devices that are", o->reboot);
  if (at == NULL || !read_place(&o->net, o->reboot, (size_t)(at - o->reboot), &o->run.off_switch) ||
      !read_times(at + 1, &o->run.off_from, &o->run.off_to))
    return fabric_refuse("--reboot %s: must be a switch that is there, @, and microseconds from:to", o->reboot);
  return 0;
}

static int read_faults(struct fabric_options *o) {
  struct fabric_run_options *r = &o->run;
  const char *rest;
  double from;
  r->dead_host = r->storm_host = NET_NOWHERE;
  if (o->dead != NULL) {
    if (!read_host(&o->net, o->dead, &r->dead_host, &rest) || !read_us(rest, &from))
      return fabric_refuse("--kill-host %s: must be 0 to %u, @, and microseconds", o->dead, o->net.hosts - 1);
    r->dead_ps = (uint64_t)(from * 1e6);
  }
  if (o->storm == NULL) return read_cuts(o);
  if (!read_host(&o->net, o->storm, &r->storm_host, &rest) || !read_times(rest, &r->storm_from, &r->storm_to))
    return fabric_refuse("--storm %s: must be 0 to %u, @, and microseconds from:to", o->storm, o->net.hosts - 1);
  return read_cuts(o);
}

int fabric_options_places(struct fabric_options *o) {
  int code = read_devices(o);
  if (code == 0) code = read_reboot(o);
  if (code == 0) code = read_faults(o);
  return code == 0 ? read_taps(o) : code;
}
