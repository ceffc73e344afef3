// The network as a picture: tiers above each other, and cables as wide as they were loaded; where there are too many lines for an eye,
// a table of cells.
#include <stdlib.h>

#include "base/memory.h"
#include "sim/fabric/fabric_report.h"
#include "sim/fabric/fabric_totals.h"
#include "sim/report/page_parts.h"

// Hosts are drawn one by one up to so many; beyond, switches alone. So many cables between switches are drawn as lines.
enum {
  MOST_HOSTS = 128,
  MOST_SWITCHES = 256,
  MOST_LINES = 256,
  TIER_HEIGHT = 110,
  TOP = 34,
  SIDE = 20,
  WIDEST = 7,
  CELLS_LEFT = 72
};

struct drawing {
  const struct fabric_report *report;
  unsigned tiers;
  bool hosts;
  double widest;             // of a cable that always carries something
  uint32_t *place, *count;   // of each switch its place in its tier; of each tier how many
};

/// A cable to be drawn: what part of the time its busier direction carried something, 0 to 1, and which end sends there.
struct drawn {
  const struct net_cable *cable;
  double load;
  unsigned from;
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

static struct drawn load_of(const struct fabric_report *report, const struct net_cable *c) {
  const struct fabric_result *s = report->result;
  const uint64_t time = s->open > 0 ? s->time_ps : s->done_ps;
  uint64_t most = 0;
  struct drawn drawn = {.cable = c};
  for (unsigned e = 0; e < 2; e++) {
    const uint64_t bytes = s->ports[s->first_port[c->ends[e]] + c->ports[e]].bytes;
    if (bytes <= most) continue;
    most = bytes;
    drawn.from = e;
  }
  const double load = time > 0 ? 8e3 * (double)most / c->gbps / (double)time : 0;
  drawn.load = load < 1 ? load : 1;
  return drawn;
}

// The busiest last, which is drawn over the others.
static int less_loaded(const void *a, const void *b) {
  const struct drawn *x = a, *y = b;
  if (x->load != y->load) return x->load < y->load ? -1 : 1;
  return (x->cable > y->cable) - (x->cable < y->cable);
}

static void say_load(FILE *file, const struct net *n, const struct drawn *d) {
  char a[16], b[16];
  fprintf(file, "<title>%s to %s: %.1f %% of the time</title>", net_name(n, d->cable->ends[d->from], a),
          net_name(n, d->cable->ends[1 - d->from], b), 100 * d->load);
}

// --- lines ---

static void draw_line(FILE *file, const struct drawing *m, const struct drawn *d) {
  const struct net_cable *c = d->cable;
  if (c->ends[0] < m->report->options->net.hosts && !m->hosts) return;
  fprintf(file, "<path class=\"%s\" ", d->load > 0 ? "way" : "idle");
  if (d->load > 0)
    fprintf(file, "stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" ", 0.5 + m->widest * d->load, 0.25 + 0.6 * d->load);
  fprintf(file, "d=\"M%.1f %.1fL%.1f %.1f\">", x_of_end(m, c->ends[0]), y_of_end(m, c->ends[0]), x_of_end(m, c->ends[1]),
          y_of_end(m, c->ends[1]));
  say_load(file, &m->report->options->net, d);
  fputs("</path>\n", file);
}

static void draw_ends(FILE *file, const struct drawing *m) {
  const struct net *n = &m->report->options->net;
  char name[16];
  for (uint32_t h = 0; m->hosts && h < n->hosts; h++) {
    fprintf(file, "<circle class=\"place\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>h%u</title></circle>\n", x_of_end(m, h),
            y_of(m, 0), h);
    if (n->hosts <= 32)
      fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">h%u</text>\n", x_of_end(m, h), y_of(m, 0) + 18, h);
  }
  for (uint32_t s = 0; s < n->switches; s++) {
    const double x = x_of_end(m, n->hosts + s), y = y_of_end(m, n->hosts + s);
    const bool wide = m->count[n->tiers[s]] <= 24;
    fprintf(file, "<rect class=\"place\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"18\" rx=\"3\"><title>%s</title></rect>\n",
            x - (wide ? 15 : 4), y - 9, wide ? 30 : 8, net_name(n, n->hosts + s, name));
    if (wide)
      fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, y + 4, net_name(n, n->hosts + s, name));
  }
}

static void draw_lines(FILE *file, const struct drawing *m, const struct drawn *drawn) {
  page_picture(file, y_of(m, m->hosts ? 0 : 1) + 34, "Hosts, switches and cables, with their load");
  for (size_t c = 0; c < m->report->options->net.cable_count; c++) draw_line(file, m, &drawn[c]);
  draw_ends(file, m);
  fputs("</svg>\n", file);
}

// --- cells ---

// Whether a cable is between switches of two neighbouring tiers: then its end below.
static bool upward(const struct net *n, const struct net_cable *c, unsigned *below) {
  if (c->ends[0] < n->hosts || c->ends[1] < n->hosts) return false;
  const unsigned a = n->tiers[c->ends[0] - n->hosts], b = n->tiers[c->ends[1] - n->hosts];
  *below = a > b;
  return a + 1 == b || b + 1 == a;
}

// A row is a switch, a column one of the tier above it.
static void draw_cells(FILE *file, const struct drawing *m, const struct drawn *drawn, unsigned tier) {
  const struct net *n = &m->report->options->net;
  const uint32_t rows = m->count[tier], columns = m->count[tier + 1];
  const double height = rows > 64 ? 7 : 12, width = (PAGE_RIGHT - CELLS_LEFT) / (double)columns;
  char name[16];
  page_picture(file, TOP + rows * height + 8, "Load of cables between two tiers of switches");
  for (uint32_t s = 0; s < n->switches; s++) {
    const uint32_t place = m->place[s];
    if (n->tiers[s] == tier && (height >= 12 || place % 2 == 0))
      fprintf(file, "<text class=\"tick end\" x=\"%d\" y=\"%.1f\">%s</text>\n", CELLS_LEFT - 6, TOP + (place + 1) * height - 2,
              net_name(n, n->hosts + s, name));
    if (n->tiers[s] == tier + 1 && place % (columns / 24 + 1) == 0)
      fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>\n", CELLS_LEFT + place * width, TOP - 6,
              net_name(n, n->hosts + s, name));
  }
  for (size_t c = 0; c < n->cable_count; c++) {
    const struct drawn *d = &drawn[c];
    unsigned below;
    if (!upward(n, d->cable, &below) || n->tiers[d->cable->ends[below] - n->hosts] != tier) continue;
    const double x = CELLS_LEFT + m->place[d->cable->ends[1 - below] - n->hosts] * width,
                 y = TOP + m->place[d->cable->ends[below] - n->hosts] * height;
    for (unsigned over = 0; over < 2; over++) {
      if (over == 1 && d->load == 0) break;
      fprintf(file, "<rect class=\"%s\" fill-opacity=\"%.2f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
              over ? "heat" : "row", over ? d->load : 1, x, y, width - 1, height - 1);
      say_load(file, n, d);
      fputs("</rect>\n", file);
    }
  }
  fputs("</svg>\n", file);
}

// --- both ---

static void legend(FILE *file, const struct drawing *m, bool cells) {
  fputs("<ul class=\"legend\">\n", file);
  for (unsigned percent = 0; percent <= 100; percent += 50) {
    fputs("<li><svg viewBox=\"0 0 26 14\" aria-hidden=\"true\">", file);
    if (cells)
      fprintf(file, "<rect class=\"%s\" fill-opacity=\"%.2f\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>",
              percent > 0 ? "heat" : "row", percent > 0 ? percent / 100.0 : 1);
    else if (percent == 0)
      fputs("<path class=\"idle\" d=\"M1 7H25\"/>", file);
    else
      fprintf(file, "<path class=\"way\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" d=\"M1 7H25\"/>",
              0.5 + m->widest * percent / 100.0, 0.25 + 0.6 * percent / 100.0);
    fprintf(file, "</svg>%s</li>\n", percent == 0 ? "never" : percent == 50 ? "half of the time" : "all of the time");
  }
  fputs("</ul>\n", file);
}

void fabric_report_map(FILE *file, const struct fabric_report *r) {
  const struct net *n = &r->options->net;
  struct drawing m = {.report = r, .hosts = n->hosts <= MOST_HOSTS, .widest = WIDEST};
  char title[160], a[16], b[16];
  struct drawn *drawn = need(calloc(n->cable_count, sizeof *drawn));
  size_t lines = 0, upwards = 0;
  for (size_t c = 0; c < n->cable_count; c++) {
    unsigned below;
    drawn[c] = load_of(r, &n->cables[c]);
    lines += n->cables[c].ends[0] >= n->hosts && n->cables[c].ends[1] >= n->hosts;
    upwards += upward(n, &n->cables[c], &below);
  }
  qsort(drawn, n->cable_count, sizeof *drawn, less_loaded);
  const struct drawn *busiest = &drawn[n->cable_count - 1];
  const bool cells = lines > MOST_LINES && upwards == lines;
  // Neighbours have room for half of it between them.
  if (m.hosts && n->hosts > 0 && x_of(1, n->hosts) - x_of(0, n->hosts) < 2 * WIDEST)
    m.widest = (x_of(1, n->hosts) - x_of(0, n->hosts)) / 2;
  snprintf(title, sizeof title, "Map: the busiest cable, %s to %s, carried something for %.0f %% of the time",
           net_name(n, busiest->cable->ends[busiest->from], a), net_name(n, busiest->cable->ends[1 - busiest->from], b),
           100 * busiest->load);
  page_section(file, "map", title,
               cells     ? "A row is a switch, a column one of the tier above; a cell is their cable, as strong as its busier "
                           "direction was loaded."
               : m.hosts ? "Hosts below, switches above them. A cable is as wide as its busier direction was loaded."
                         : "Switches, without the hosts below. A cable is as wide as its busier direction was loaded.");
  if (n->switches > MOST_SWITCHES || (lines > MOST_LINES && !cells)) {
    fprintf(file, "<p class=\"empty\">%u switches with %zu cables between them are too many for a map.</p>\n", n->switches,
            lines);
    page_section_end(file);
    free(drawn);
    return;
  }
  for (uint32_t s = 0; s < n->switches; s++)
    if (n->tiers[s] > m.tiers) m.tiers = n->tiers[s];
  m.place = need(calloc(n->switches, sizeof *m.place));
  m.count = need(calloc(m.tiers + 1, sizeof *m.count));
  for (uint32_t s = 0; s < n->switches; s++) m.place[s] = m.count[n->tiers[s]]++;
  legend(file, &m, cells);
  if (!cells) draw_lines(file, &m, drawn);
  for (unsigned tier = 1; cells && tier < m.tiers; tier++) draw_cells(file, &m, drawn, tier);
  page_section_end(file);
  free(drawn);
  free(m.place);
  free(m.count);
}
