// The histogram of latencies.
#include "sim/report/page_parts.h"

#include <inttypes.h>

enum { LEFT = 72, TOP = 40, ZERO = 220, BARS = 60 };

/// How the bins of the history are drawn: bars of `width` cycles from `from` on; what is longer than the last goes into one more.
struct bars {
  uint64_t from, width, counts[BARS + 1], tail, highest;
  size_t count;
};

/// A few very late results must not press all others into one bar.
static uint64_t longest_shown(const struct history_view *v) {
  const uint64_t p99 = history_percentile(v, 99), beyond = (p99 - v->latency_min) / 2 + 20;
  return v->latency_max > p99 + beyond ? p99 + beyond : v->latency_max;
}

static struct bars make_bars(const struct history_view *v) {
  const uint64_t longest = longest_shown(v);
  struct bars b = {0};
  b.width = (uint64_t)page_step((double)(longest - v->latency_min + 1), BARS - 2, 1);
  b.width = (b.width + v->latency_width - 1) / v->latency_width * v->latency_width;
  b.from = v->latency_min / b.width * b.width;
  b.count = (size_t)((longest - b.from) / b.width) + 1;
  for (size_t i = 0; i < HISTORY_LATENCIES; i++) {
    if (v->latencies[i] == 0) continue;
    const uint64_t bar = (i * v->latency_width - b.from) / b.width;
    *(bar < b.count ? &b.counts[bar] : &b.tail) += v->latencies[i];
  }
  for (size_t i = 0; i < b.count; i++)
    if (b.counts[i] > b.highest) b.highest = b.counts[i];
  return b;
}

static void bar(FILE *file, const char *class, double x, double width, double height, const char *span, uint64_t count) {
  char number[PAGE_TEXT];
  if (count == 0) return;
  if (height < 1) height = 1;
  fprintf(file, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: %s result%s</title></rect>\n",
          class, x, ZERO - height, width, height, span, page_number(number, count), page_plural(count));
}

static void counts_axis(FILE *file, uint64_t highest, double scale) {
  const double step = page_step((double)highest, 6, 1);
  for (unsigned i = 0; i * step <= (double)highest; i++) {
    const double y = ZERO - scale * i * step;
    char number[PAGE_TEXT];
    fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick end\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, y,
            PAGE_RIGHT, LEFT - 6, y + 4, page_number(number, (uint64_t)(i * step)));
  }
  fprintf(file, "<text class=\"unit\" x=\"8\" y=\"%d\">results</text>\n", TOP - 14);
}

/// A line at a percentile with its name on the side where there is room.
static void mark(FILE *file, double x, double y, bool before, const char *name, uint64_t cycles) {
  char number[PAGE_TEXT], time[PAGE_TEXT];
  fprintf(file,
          "<path class=\"mark\" d=\"M%.1f %.1fV%d\"/><text class=\"bold%s\" x=\"%.1f\" y=\"%.1f\">%s %s cycles (%s)</text>\n", x,
          y - 9, ZERO, before ? " end" : "", before ? x - 5 : x + 5, y, name, page_number(number, cycles),
          page_duration(time, cycles));
}

static void picture(FILE *file, const struct history_view *v) {
  const struct bars b = make_bars(v);
  // The tail stands apart, as wide as two bars and a gap.
  const double unit = (double)(PAGE_RIGHT - LEFT) / ((double)b.count + (b.tail > 0 ? 4 : 0)),
               scale = (double)(ZERO - TOP) / (double)b.highest;
  const uint64_t p50 = history_percentile(v, 50), p99 = history_percentile(v, 99);
  char span[PAGE_TEXT];
  page_picture(file, ZERO + 40, "Histogram of latencies");
  counts_axis(file, b.highest, scale);
  for (size_t i = 0; i < b.count; i++) {
    const uint64_t from = b.from + i * b.width;
    if (b.width == 1)
      snprintf(span, sizeof span, "%" PRIu64 " cycles", from);
    else
      snprintf(span, sizeof span, "%" PRIu64 " to %" PRIu64 " cycles", from, from + b.width - 1);
    bar(file, "in", LEFT + unit * (double)i, unit - (unit > 6 ? 1 : 0), scale * (double)b.counts[i], span, b.counts[i]);
  }
  const double middle = b.width == 1 ? 0.5 : 0;   // a number is where a bar begins, or in the middle of its own
  const double range = (double)(b.count * b.width), step = page_step(range, 10, 1);
  for (double at = (double)((uint64_t)((double)b.from / step)) * step; at <= (double)b.from + range; at += step) {
    if (at < (double)b.from) continue;
    fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%d\">%.0f</text>\n",
            LEFT + unit * (at - (double)b.from + middle) / (double)b.width, ZERO + 15, at);
  }
  if (b.tail > 0) {
    const double x = LEFT + unit * ((double)b.count + 2);
    snprintf(span, sizeof span, "longer, up to %u cycles", v->latency_max);
    bar(file, "kept", x, 2 * unit, scale * (double)b.tail, span, b.tail);
    fprintf(file, "<text class=\"tick end\" x=\"%d\" y=\"%d\">longer</text>\n", PAGE_RIGHT, ZERO + 15);
  }
  fprintf(file, "<path class=\"zero\" d=\"M%d %dH%d\"/>\n", LEFT, ZERO, PAGE_RIGHT);
  const double cycle = unit / (double)b.width;
  const double x50 = LEFT + cycle * ((double)(p50 - b.from) + 0.5), x99 = LEFT + cycle * ((double)(p99 - b.from) + 0.5);
  mark(file, x50, 14, x50 > PAGE_WIDTH / 2, "p50: half within", p50);
  mark(file, x99, 30, x99 > PAGE_WIDTH / 2, "p99: 99 % within", p99);
  fprintf(file, "<text class=\"unit mid\" x=\"%d\" y=\"%d\">latency, cycles of %d ns</text>\n</svg>\n", (LEFT + PAGE_RIGHT) / 2,
          ZERO + 33, PAGE_NS);
  if (b.tail > 0) {
    char tail[PAGE_TEXT], most[PAGE_TEXT], time[PAGE_TEXT];
    fprintf(file, "<p class=\"note\">%s result%s took longer than the scale shows: up to %s cycles (%s).</p>\n",
            page_number(tail, b.tail), page_plural(b.tail), page_number(most, v->latency_max),
            page_duration(time, v->latency_max));
  }
}

void page_latency(FILE *file, const struct history_view *v) {
  if (v->latency_count == 0) {
    page_section(file, "latency", "Latency: nothing to measure", "");
    fputs("<p class=\"empty\">No column was completed, so no result left the device.</p>\n", file);
    page_section_end(file);
    return;
  }
  char title[200], number[PAGE_TEXT], half[PAGE_TEXT], most[PAGE_TEXT];
  snprintf(title, sizeof title, "Latency: half of %s results left within %s, 99 in 100 within %s",
           page_number(number, v->latency_count), page_duration(half, history_percentile(v, 50)),
           page_duration(most, history_percentile(v, 99)));
  page_section(
      file, "latency", title,
      "From the last beat in of the packet that completes a column to the first beat out of each of its results. The higher "
      "a bar, the more results took so long; results that were repeated for a host are not among them.");
  picture(file, v);
  page_section_end(file);
}
