// The network as a picture: tiers above each other, and cables as wide as they were loaded.
#include <stdlib.h>

#include "base/memory.h"
#include "sim/fabric/fabric_report.h"
#include "sim/fabric/fabric_totals.h"
#include "sim/report/page_parts.h"

// Hosts are drawn one by one up to so many; beyond, those of a leaf are one place, and so are switches.
enum { MOST_HOSTS = 128, MOST_SWITCHES = 96, TIER_HEIGHT = 110, TOP = 34, SIDE = 20, WIDEST = 7 };

struct drawing {
  const struct fabric_report *report;
  unsigned tiers;
  bool hosts;
  uint32_t *place, *count;   // of each switch its place in its tier; of each tier how many
};

static double y_of(const struct drawing *m, unsigned tier) { return TOP + (double)(m->tiers - tier) * TIER_HEIGHT; }

static double x_of(uint32_t place, uint32_t count) {
  return SIDE + (PAGE_WIDTH - 2 * SIDE) * ((double)place + 0.5) / (double)(count > 0 ? count : 1);
}

static double x_of_end(const struct drawing *m, uint32_t end) {
  const struct net *n = &m->report->options->net;
  if (end < n->hosts) return x_of(end, n->hosts);
  const uint32_t s = end - n->hosts;
  return x_of(m->place[s], m->count[n->tiers[s]]);
}

static double y_of_end(const struct drawing *m, uint32_t end) {
  const struct net *n = &m->report->options->net;
  return y_of(m, end < n->hosts ? 0 : n->tiers[end - n->hosts]);
}

// What part of the time the busier direction of a cable carried something, 0 to 1, and which end sends there.
static double load_of(const struct drawing *m, const struct net_cable *c, unsigned *from) {
  const struct fabric_result *s = m->report->result;
  const uint64_t time = s->open > 0 ? s->time_ps : s->done_ps;
  uint64_t most = 0;
  for (unsigned e = 0; e < 2; e++) {
    const uint64_t bytes = s->ports[s->first_port[c->ends[e]] + c->ports[e]].bytes;
    if (bytes <= most) continue;
    most = bytes;
    *from = e;
  }
  const double load = time > 0 ? 8e3 * (double)most / c->gbps / (double)time : 0;
  return load < 1 ? load : 1;
}

static void draw_cable(FILE *file, const struct drawing *m, const struct net_cable *c) {
  const struct net *n = &m->report->options->net;
  char a[16], b[16];
  unsigned from = 0;
  const double load = load_of(m, c, &from);
  if (c->ends[0] < n->hosts && !m->hosts) return;
  fprintf(file, "<path class=\"%s\" ", load > 0 ? "way" : "idle");
  if (load > 0) fprintf(file, "stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" ", 0.5 + WIDEST * load, 0.25 + 0.6 * load);
  fprintf(file, "d=\"M%.1f %.1fL%.1f %.1f\"><title>%s to %s: %.1f %% of the time</title></path>\n", x_of_end(m, c->ends[0]),
          y_of_end(m, c->ends[0]), x_of_end(m, c->ends[1]), y_of_end(m, c->ends[1]), net_name(n, c->ends[from], a),
          net_name(n, c->ends[1 - from], b), 100 * load);
}

static void draw_ends(FILE *file, const struct drawing *m) {
  const struct net *n = &m->report->options->net;
  char name[16];
  for (uint32_t h = 0; m->hosts && h < n->hosts; h++) {
    fprintf(file, "<circle class=\"place\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x_of_end(m, h), y_of(m, 0));
    if (n->hosts <= 32)
      fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">h%u</text>\n", x_of_end(m, h), y_of(m, 0) + 18, h);
  }
  for (uint32_t s = 0; s < n->switches; s++) {
    const double x = x_of_end(m, n->hosts + s), y = y_of_end(m, n->hosts + s);
    const bool wide = m->count[n->tiers[s]] <= 24;
    fprintf(file, "<rect class=\"place\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"18\" rx=\"3\"/>\n", x - (wide ? 15 : 4),
            y - 9, wide ? 30 : 8);
    if (wide)
      fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, y + 4, net_name(n, n->hosts + s, name));
  }
}

static void legend(FILE *file) {
  fputs("<ul class=\"legend\">\n", file);
  for (unsigned percent = 0; percent <= 100; percent += 50) {
    fputs("<li><svg viewBox=\"0 0 26 14\" aria-hidden=\"true\">", file);
    if (percent == 0) fputs("<path class=\"idle\" d=\"M1 7H25\"/>", file);
    if (percent > 0)
      fprintf(file, "<path class=\"way\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" d=\"M1 7H25\"/>",
              0.5 + WIDEST * percent / 100.0, 0.25 + 0.6 * percent / 100.0);
    fprintf(file, "</svg>%s</li>\n", percent == 0 ? "never" : percent == 50 ? "half of the time" : "all of the time");
  }
  fputs("</ul>\n", file);
}

void fabric_report_map(FILE *file, const struct fabric_report *r) {
  const struct net *n = &r->options->net;
  struct drawing m = {.report = r, .hosts = n->hosts <= MOST_HOSTS};
  double most = 0;
  char title[160], a[16], b[16];
  const struct net_cable *busiest = n->cables;
  unsigned from = 0, busier = 0;
  for (size_t c = 0; c < n->cable_count; c++) {
    const double load = load_of(&m, &n->cables[c], &from);
    if (load <= most) continue;
    most = load;
    busiest = &n->cables[c];
    busier = from;
  }
  snprintf(title, sizeof title, "Map: the busiest cable, %s to %s, carried something for %.0f %% of the time",
           net_name(n, busiest->ends[busier], a), net_name(n, busiest->ends[1 - busier], b), 100 * most);
  page_section(file, "map", title,
               m.hosts ? "Hosts below, switches above them. A cable is as wide as its busier direction was loaded."
                       : "Switches, without the hosts below. A cable is as wide as its busier direction was loaded.");
  if (n->switches > MOST_SWITCHES) {
    fprintf(file, "<p class=\"empty\">%u switches are too many for a map.</p>\n", n->switches);
    page_section_end(file);
    return;
  }
  for (uint32_t s = 0; s < n->switches; s++)
    if (n->tiers[s] > m.tiers) m.tiers = n->tiers[s];
  m.place = need(calloc(n->switches, sizeof *m.place));
  m.count = need(calloc(m.tiers + 1, sizeof *m.count));
  for (uint32_t s = 0; s < n->switches; s++) m.place[s] = m.count[n->tiers[s]]++;
  legend(file);
  page_picture(file, y_of(&m, m.hosts ? 0 : 1) + 34, "Hosts, switches and cables, with their load");
  for (size_t c = 0; c < n->cable_count; c++) draw_cable(file, &m, &n->cables[c]);
  draw_ends(file, &m);
  fputs("</svg>\n", file);
  page_section_end(file);
  free(m.place);
  free(m.count);
}
