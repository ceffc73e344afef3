// `weir info`: what is in a capture, as a table for people.
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"
#include "sim/replay/plan.h"
#include "sim/replay/survey.h"
#include "sim/engine/trace.h"

/// Window of rings that are found in a capture, which does not tell it; the default of `weir replay`.
#define WINDOW 2

struct info_options {
  const char *input;
};

static const struct command_option options[] = {
    {.kind = OPTION_INPUT,
     .argument = "capture",
     .required = true,
     .value = "FILE",
     .help = "The capture: pcap or pcapng, gzipped or not; interface number = switch port. One with a single interface is split "
             "into ports "
             "by source MAC",
     .wrong = "/nowhere.pcap",
     OPTION_AT(struct info_options, input)},
    {0},
};

const struct command_line info_command_line = {
    .name = "weir info",
    .purpose = "shows what is in a capture: ports, connections, rings",
    .about = "Also repeated packets, bad ICRCs, and which configurations of the device have room for it.",
    .example = "sim/captures/ring4.in.pcapng.gz",
    .exits = "0, or 2 for bad usage or bad input.",
    .options = options,
};

// --------------------------------------------------------------------------------------------------------- tables

static void print_frames(const struct trace *t, const struct survey *s) {
  printf("%s: %zu frames on %u port%s%s\n", t->path, t->count, t->ports, t->ports == 1 ? "" : "s",
         t->split_by_mac ? " (one interface, split by source MAC)" : "");
  if (t->cut > 0) printf("%zu frames more are left out, because the snap length cut them\n", t->cut);
  printf("\n  port  frames\n");
  for (unsigned p = 0; p < t->ports; p++) printf("  %4u  %6zu\n", p, s->per_port[p]);
  printf("\n  %6zu  RoCEv2\n", s->roce);
  printf("  %6zu    SEND and WRITE data, %zu of them repeated\n", s->candidates, s->copies);
  printf("  %6zu    other RoCEv2 (ACK, READ, ..)\n", s->control);
  printf("  %6zu    bad ICRC\n", s->bad_icrc);
  printf("  %6zu  other frames\n", s->other);
}

static const char *address(const struct conn_key *key, const uint8_t *bytes, char text[INET6_ADDRSTRLEN]) {
  return inet_ntop(key->v6 ? AF_INET6 : AF_INET, bytes, text, INET6_ADDRSTRLEN);
}

/// Characters of the longest address.
static int address_width(const struct survey *s) {
  size_t width = strlen("destination");
  for (size_t i = 0; i < s->conn_count; i++) {
    char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
    const struct conn_key *key = &s->conns[i].key;
    const size_t a = strlen(address(key, key->src, src)), b = strlen(address(key, key->dst, dst));
    if (a > width) width = a;
    if (b > width) width = b;
  }
  return (int)width;
}

/// By ring and rank, those of no ring last.
static int compare_conns(const void *left, const void *right) {
  const struct survey_conn *a = left, *b = right;
  if (a->has_ring != b->has_ring) return a->has_ring ? -1 : 1;
  if (a->ring != b->ring) return a->ring < b->ring ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  if (a->port != b->port) return a->port < b->port ? -1 : 1;
  return (a->key.qpn > b->key.qpn) - (a->key.qpn < b->key.qpn);
}

static void print_conns(const struct survey *s) {
  if (s->conn_count == 0) {
    printf("\nNo connection carries SEND or WRITE data.\n");
    return;
  }
  const int width = address_width(s);
  printf("\nConnections that carry SEND or WRITE data\n");
  printf("  %-*s  %-*s  %8s  %4s  %4s  %5s  %4s  %18s  %7s  %8s\n", width, "source", width, "destination", "QP", "VLAN", "port",
         "ring", "rank", "PSN", "packets", "repeated");
  for (size_t i = 0; i < s->conn_count; i++) {
    const struct survey_conn *c = &s->conns[i];
    char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN], vlan[8] = "-", ring[8] = "-", rank[8] = "-", psns[24];
    if (c->key.vlan != 0) snprintf(vlan, sizeof vlan, "%u", c->key.vlan);
    if (c->has_ring) {
      snprintf(ring, sizeof ring, "%u", c->ring);
      snprintf(rank, sizeof rank, "%u", c->rank);
    }
    snprintf(psns, sizeof psns, "%u..%u", c->psn_first, c->psn_last);
    printf("  %-*s  %-*s  %8u  %4s  %4u  %5s  %4s  %18s  %7zu  %8zu\n", width, address(&c->key, c->key.src, src), width,
           address(&c->key, c->key.dst, dst), c->key.qpn, vlan, c->port, ring, rank, psns, c->packets, c->copies);
  }
}

/// Types and operations of a ring, "FP32 sum, INT32 max".
static const char *kind_names(uint16_t kinds, char *text, size_t size) {
  static const char *const types[] = {"FP32", "FP16", "BF16", "INT32"}, *const ops[] = {"sum", "min", "max"};
  size_t used = 0;
  text[0] = 0;
  for (unsigned i = 0; i < 12 && used < size; i++) {
    if (!(kinds >> i & 1)) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s %s", used > 0 ? ", " : "", types[i & 3], ops[i >> 2]);
  }
  return text;
}

static void print_rings(const struct survey *s) {
  if (s->ring_count == 0) {
    printf("\nNo ring: no packet has a valid INA header.\n");
    return;
  }
  printf("\nRings\n");
  printf("  %5s  %7s  %6s  %5s  %8s  %21s  %12s  %s\n", "ring", "workers", "MsgLen", "conns", "messages", "MsgID", "tensor bytes",
         "elements");
  for (size_t i = 0; i < s->ring_count; i++) {
    const struct survey_ring *r = &s->rings[i];
    char kinds[160], msgids[32];
    snprintf(msgids, sizeof msgids, "%u..%u", r->msgid_first, r->msgid_last);
    printf("  %5u  %7u  %6u  %5zu  %8zu  %21s  %12zu  %s\n", r->id, r->workers, r->msglen, r->connections, r->messages, msgids,
           r->tensor_bytes, kind_names(r->kinds, kinds, sizeof kinds));
    if (!r->usable) printf("         cannot be used: %s\n", r->note);
  }
  printf("  MsgLen in packets, the longest; tensor bytes of a packet, the most.\n");
  printf("  The window is not in a capture: replay takes %u messages, or what --window says.\n", WINDOW);
}

/// Says of each configuration whether it has room for all usable rings.
static void print_configs(const struct trace *trace, const struct survey *s) {
  size_t count;
  const struct drive_config *configs = drive_configs(&count);
  struct trace nameless = *trace;   // the file need not be named in each line
  nameless.path = NULL;
  printf("\nConfigurations\n");
  for (size_t i = 0; i < count; i++) {
    const struct plan_options options = {.config = configs[i].name, .window = WINDOW};
    struct plan plan;
    struct file_error error;
    if (plan_make(&nameless, s, &options, &plan, &error) != 0) {
      printf("  %s\n", error.text);
      continue;
    }
    printf("  %s fits\n", configs[i].name);
    plan_free(&plan);
  }
}

static void print_replay(const char *path) {
  printf("\nTo replay it:  ");
  usage_put_word(stdout, program_invocation_name);
  printf(" replay ");
  usage_put_word(stdout, path);
  putchar('\n');
}

int info_command(int argc, char **argv) {
  struct info_options o = {0};
  const int code = options_parse(&info_command_line, argc, argv, &o);
  if (code != 0) return code;
  struct trace trace;
  struct file_error error;
  if (trace_load(o.input, 0, &trace, &error) != 0) return usage_refuse("weir info", "%s", error.text);
  struct survey survey;
  survey_make(&trace, &survey);
  if (survey.conn_count > 0) qsort(survey.conns, survey.conn_count, sizeof *survey.conns, compare_conns);
  print_frames(&trace, &survey);
  print_conns(&survey);
  print_rings(&survey);
  print_configs(&trace, &survey);
  print_replay(o.input);
  survey_free(&survey);
  trace_free(&trace);
  return 0;
}
