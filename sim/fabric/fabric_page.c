// The page of a run: its map, cables and queues over time, and how long flows took.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/fabric/fabric_report.h"
#include "sim/fabric/fabric_totals.h"
#include "sim/report/page_parts.h"

enum { LEFT = 210, NAME = 104, RIGHT = PAGE_RIGHT, ROW = 13, MOST_ROWS = 64, LEVELS = 10, PS_A_CYCLE = 1000 * PAGE_NS };

/// What a picture shows of a step: 0 to 1, and what its row sums up to.
struct shown {
  const char *id, *what, *none, *reading, *class, *unit;
  double (*level)(const struct port_step *step, uint64_t width, double gbps, double most);
  uint64_t (*amount)(const struct port_step *step);
  bool highest;   // a row's figure is its highest step, else the sum of all
};

static double level_load(const struct port_step *s, uint64_t width, double gbps, double most) {
  (void)most;
  return 8e3 * (double)s->bytes / gbps / (double)width;
}
static double level_queue(const struct port_step *s, uint64_t width, double gbps, double most) {
  (void)width;
  (void)gbps;
  return (double)s->deepest / most;
}
static double level_pause(const struct port_step *s, uint64_t width, double gbps, double most) {
  (void)gbps;
  (void)most;
  return (double)s->paused_ps / (double)width;
}
static double level_mark(const struct port_step *s, uint64_t width, double gbps, double most) {
  (void)width;
  (void)gbps;
  return (double)s->marked / most;
}
static double level_drop(const struct port_step *s, uint64_t width, double gbps, double most) {
  (void)width;
  (void)gbps;
  return (double)s->dropped / most;
}
static uint64_t amount_bytes(const struct port_step *s) { return s->bytes; }
static uint64_t amount_queue(const struct port_step *s) { return s->deepest; }
static uint64_t amount_pause(const struct port_step *s) { return s->paused_ps / 1000; }
static uint64_t amount_mark(const struct port_step *s) { return s->marked; }
static uint64_t amount_drop(const struct port_step *s) { return s->dropped; }

static const struct shown pictures[] = {
    {"cables", "Cables", "nothing was sent",
     "A row is a direction of a cable, the busiest first; the stronger its colour, the more of its rate was used.", "heat",
     "bytes", level_load, amount_bytes, false},
    {"queues", "Queues", "none was ever there",
     "A row is what waited in a switch for a cable; the stronger its colour, the longer the queue was at most, over the longest "
     "of all.",
     "hot", "bytes at most", level_queue, amount_queue, true},
    {"pauses", "Pauses", "no cable was stopped",
     "A row is a direction of a cable; the stronger its colour, the longer its receiving end had stopped it (priority flow "
     "control).",
     "hot", "ns stopped", level_pause, amount_pause, false},
    {"marks", "Marks", "no packet was marked",
     "A row is a direction of a cable; the stronger its colour, the more packets were sent with a mark (ECN).", "hot", "packets",
     level_mark, amount_mark, false},
    {"drops", "Drops", "every packet found room",
     "A row is a direction of a cable, at whose end a switch had no room; the stronger its colour, the more packets were "
     "dropped.",
     "hot", "packets", level_drop, amount_drop, false},
};

/// A direction of a cable.
struct heat_row {
  uint64_t amount;
  uint32_t from, to;
  double gbps;
  const struct port_line *line;
};

static int compare(const void *a, const void *b) {
  const struct heat_row *x = a, *y = b;
  if (x->amount != y->amount) return x->amount > y->amount ? -1 : 1;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

// A port's line is of what it sends; drops are of what comes in there.
static size_t rows_of(const struct fabric_report *r, const struct shown *p, struct heat_row **rows, double *most) {
  const struct net *n = &r->options->net;
  const struct fabric_result *s = r->result;
  size_t count = 0;
  *rows = need(calloc(2 * n->cable_count + 1, sizeof **rows));
  *most = 0;
  for (size_t c = 0; c < 2 * n->cable_count; c++) {
    const struct net_cable *cable = &n->cables[c / 2];
    const uint32_t a = cable->ends[c % 2], b = cable->ends[1 - c % 2];
    const bool in = p->amount == amount_drop;
    struct heat_row row = {.from = in ? b : a,
                           .to = in ? a : b,
                           .gbps = cable->gbps,
                           .line = &s->lines[s->first_port[a] + cable->ports[c % 2]]};
    for (unsigned i = 0; i < PORT_LINE_STEPS; i++) {
      const uint64_t amount = p->amount(&row.line->steps[i]);
      if ((double)amount > *most) *most = (double)amount;
      if (!p->highest)
        row.amount += amount;
      else if (amount > row.amount)
        row.amount = amount;
    }
    if (row.amount > 0) (*rows)[count++] = row;
  }
  qsort(*rows, count, sizeof **rows, compare);
  return count;
}

// Up to the last one in which anything was sent: timers come later.
static unsigned steps_of(const struct fabric_report *r) {
  const struct net *n = &r->options->net;
  const struct fabric_result *s = r->result;
  unsigned last = 0;
  for (uint32_t p = 0; p < s->first_port[n->hosts + n->switches]; p++)
    for (unsigned i = last + 1; i < PORT_LINE_STEPS; i++)
      if (s->lines[p].steps[i].bytes > 0 || s->lines[p].steps[i].paused_ps > 0) last = i;
  return last + 1;
}

// Steps of the same strength are one shape.
static void draw_row(FILE *file, const struct shown *p, const struct heat_row *row, double y, unsigned steps, double most) {
  const double width = (RIGHT - LEFT) / (double)steps;
  for (unsigned i = 0, next; i < steps; i = next) {
    const double level = p->level(&row->line->steps[i], row->line->width, row->gbps, most);
    const unsigned shade = level > 0 ? (unsigned)ceil(fmin(level, 1) * LEVELS) : 0;
    for (next = i + 1; next < steps; next++) {
      const double other = p->level(&row->line->steps[next], row->line->width, row->gbps, most);
      if ((other > 0 ? (unsigned)ceil(fmin(other, 1) * LEVELS) : 0) != shade) break;
    }
    if (shade > 0)
      fprintf(file, "<rect class=\"%s\" fill-opacity=\"%.1f\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\"/>\n", p->class,
              (double)shade / LEVELS, LEFT + i * width, y, (next - i) * width, ROW - 2);
  }
}

static void heat(FILE *file, const struct fabric_report *r, const struct shown *p) {
  struct heat_row *rows;
  double most;
  const size_t count = rows_of(r, p, &rows, &most), drawn = count < MOST_ROWS ? count : MOST_ROWS;
  const struct net *n = &r->options->net;
  char title[200], a[16], b[16], number[PAGE_TEXT];
  if (count == 0)
    snprintf(title, sizeof title, "%s: %s", p->what, p->none);
  else
    snprintf(title, sizeof title, "%s: of %zu, %s to %s has most, %s %s", p->what, count, net_name(n, rows[0].from, a),
             net_name(n, rows[0].to, b), page_number(number, rows[0].amount), p->unit);
  page_section(file, p->id, title, count > 0 ? p->reading : "");
  if (count == 0) fprintf(file, "<p class=\"empty\">%s.</p>\n", p->none);
  if (count > 0) {
    const unsigned steps = steps_of(r);
    const double bottom = 20.0 + ROW * (double)drawn;
    const struct page_axis axis = {.left = LEFT, .span = steps * rows[0].line->width / PS_A_CYCLE + 1};
    page_picture(file, bottom + 38, p->reading);
    fprintf(file, "<text class=\"tick end\" x=\"%d\" y=\"13\">%s</text>\n", LEFT - 6, p->unit);
    for (size_t i = 0; i < drawn; i++) {
      const double y = 20.0 + ROW * (double)i;
      fprintf(file, "<rect class=\"row\" x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%d\"/>\n", LEFT, y, RIGHT - LEFT, ROW - 2);
      draw_row(file, p, &rows[i], y, steps, most);
      fprintf(
          file,
          "<text class=\"tick end\" x=\"%d\" y=\"%.0f\">%s to %s</text><text class=\"tick end\" x=\"%d\" y=\"%.0f\">%s</text>\n",
          NAME, y + 10, net_name(n, rows[i].from, a), net_name(n, rows[i].to, b), LEFT - 6, y + 10,
          page_number(number, rows[i].amount));
    }
    page_time_axis(file, &axis, 20, bottom, "time simulated");
    fputs("</svg>\n", file);
    if (drawn < count) fprintf(file, "<p class=\"note\">%zu more have less.</p>\n", count - drawn);
  }
  page_section_end(file);
  free(rows);
}

// --- how long flows took ---

static int earlier(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void times(FILE *file, const struct fabric_report *r) {
  const struct fabric_result *s = r->result;
  const struct fabric_times t = fabric_times(s);
  const bool flows = load_flows(r->options->run.load.kind);
  enum { TIMES_LEFT = 72, TIMES_TOP = 14, ZERO = 194 };
  char title[160], half[PAGE_TEXT], most[PAGE_TEXT];
  if (t.count == 0)
    snprintf(title, sizeof title, "Times: none was done");
  else
    snprintf(title, sizeof title, "Times: half of %" PRIu64 " %s were done after %s, all after %s", t.count,
             flows ? "flows" : "ranks", page_duration(half, t.half / PS_A_CYCLE), page_duration(most, t.most / PS_A_CYCLE));
  page_section(file, "times", title, t.count > 0 ? "How many were done by which time, of each from its own beginning." : "");
  if (t.count == 0) fputs("<p class=\"empty\">Nothing was done.</p>\n", file);
  if (t.count > 0) {
    uint64_t *sorted = need(malloc(s->time_count * sizeof *sorted));
    size_t count = 0;
    for (size_t i = 0; i < s->time_count; i++)
      if (s->times[i] > 0) sorted[count++] = s->times[i];
    qsort(sorted, count, sizeof *sorted, earlier);
    const struct page_axis axis = {.left = TIMES_LEFT, .span = sorted[count - 1] / PS_A_CYCLE + 1};
    page_picture(file, ZERO + 38, "Share of flows or ranks that are done, over time");
    page_time_axis(file, &axis, TIMES_TOP, ZERO, "time");
    for (unsigned percent = 50; percent <= 100; percent += 50) {
      const double y = ZERO - (ZERO - TIMES_TOP) * percent / 100.0;
      fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick end\" x=\"66\" y=\"%.1f\">%u %%</text>\n",
              TIMES_LEFT, y, PAGE_RIGHT, y + 4, percent);
    }
    fprintf(file, "<path class=\"in\" d=\"M%d %d", TIMES_LEFT, ZERO);
    // No more corners than the picture has room for.
    const size_t step = count / 400 + 1;
    for (size_t i = step - 1; i < count; i += step)
      fprintf(file, "H%.1fV%.1f", page_x(&axis, sorted[i] / PS_A_CYCLE),
              ZERO - (ZERO - TIMES_TOP) * (double)(i + 1) / (double)count);
    fprintf(file, "H%.1fV%dZ\"/><path class=\"zero\" d=\"M%d %dH%d\"/>\n</svg>\n", page_x(&axis, sorted[count - 1] / PS_A_CYCLE),
            ZERO, TIMES_LEFT, ZERO, PAGE_RIGHT);
    free(sorted);
  }
  page_section_end(file);
}

// --- the page ---

int fabric_report_page(FILE *file, const struct fabric_report *r) {
  const struct fabric_options *o = r->options;
  const struct fabric_result *s = r->result;
  struct fabric_way ways[WAYS];
  uint64_t pauses = 0, marked = 0;
  char title[160], verdict[120], setting[400];
  const char *texts[FINDINGS_TEXTS];
  const size_t text_count = page_texts(texts, &s->findings);
  fabric_ways(o, s, ways);
  for (unsigned w = 0; w < WAYS; w++) {
    pauses += ways[w].pauses;
    marked += ways[w].marked;
  }
  const uint32_t hosts = o->net.hosts - o->net.nodes;
  snprintf(title, sizeof title, "%" PRIu32 " hosts, %s of %" PRIu64 " bytes", hosts, fabric_options_load(o), o->run.load.bytes);
  snprintf(verdict, sizeof verdict, "OK: all %zu %s are done, and all packets are accounted for", s->time_count,
           load_flows(o->run.load.kind) ? "flows" : "ranks");
  if (s->open > 0 || s->findings.count > 0)
    snprintf(verdict, sizeof verdict, "FAILED: %" PRIu64 " are not done, %zu mismatches", s->open, s->findings.count);
  snprintf(setting, sizeof setting, "%.200s: %" PRIu32 " switches, %zu cables; %s, seed %" PRIu64, o->shape, o->net.switches,
           o->net.cable_count, fabric_options_routing(o), o->run.seed);
  const struct page_figure figures[] = {
      page_measured("time_figure", "time", "%.1f us", (double)s->done_ps / 1e6),
      page_measured("goodput_figure", o->run.load.kind == LOAD_INCAST ? "goodput, receiver" : "goodput a host", "%.1f Gb/s",
                    fabric_goodput(o, s)),
      page_counted("packets_delivered_figure", "packets delivered", s->hosts.data),
      page_counted("again_figure", "sent again", s->hosts.again),
      page_counted("pauses_figure", "pauses", pauses),
      page_counted("marked_figure", "marked", marked),
      page_counted("dropped_figure", "dropped", s->dropped),
      page_counted("lost_on_cables_figure", "lost on cables", s->lost),
      page_measured("max_mean_ratio_figure", "max-mean ratio", "%.2f", fabric_max_mean(o, s)),
  };
  const struct page page = {.title = title,
                            .good = s->open == 0 && s->findings.count == 0,
                            .verdict = verdict,
                            .setting = setting,
                            .again = r->again,
                            .texts = texts,
                            .text_count = text_count,
                            .figures = figures,
                            .figure_count = sizeof figures / sizeof *figures};
  page_begin(file, &page);
  fabric_report_map(file, r);
  for (size_t p = 0; p < sizeof pictures / sizeof *pictures; p++) heat(file, r, &pictures[p]);
  times(file, r);
  return page_end(file);
}
