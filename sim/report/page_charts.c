// Throughput of the ports and contents of the slots, over time.
#include "sim/report/page_parts.h"

#include <inttypes.h>

#define LEFT 72.0
#define TIME_LABEL "time since the first frame could go in"
/// Bits of a byte over nanoseconds of a cycle: Gb/s of one byte a cycle.
#define GBPS (8.0 / PAGE_NS)
/// What a port's 64 bytes a cycle carry at most.
#define PORT_GBPS 128.0

static struct page_axis time_axis(const struct history_view *v) {
  return (struct page_axis){.left = LEFT, .span = v->end > 0 ? v->end : 1};
}

/// Cycles of bucket `i` that belong to the run.
static uint64_t cycles_of(const struct history_view *v, size_t i) {
  const uint64_t from = i * v->bucket_width, to = from + v->bucket_width;
  return (to < v->end ? to : v->end) - from;
}

// --- an outline in steps ---

/// A path with one step a bucket; steps of the same height are one.
struct outline {
  FILE *file;
  const struct page_axis *axis;
  double y;
};

static struct outline outline_begin(FILE *file, const struct page_axis *axis, const char *class, double y) {
  fprintf(file, "<path class=\"%s\" d=\"M%.1f %.1f", class, axis->left, y);
  return (struct outline){file, axis, y};
}

/// From `cycle` on the outline is at `y`.
static void outline_to(struct outline *o, uint64_t cycle, double y) {
  if (o->y - y < 0.05 && y - o->y < 0.05) return;
  fprintf(o->file, "H%.1fV%.1f", page_x(o->axis, cycle), y);
  o->y = y;
}

static void outline_end(struct outline *o, const char *rest) { fprintf(o->file, "H%d%s\"/>\n", PAGE_RIGHT, rest); }

// --- throughput ---

/// Gb/s of a port in bucket `i`.
static double rate(const struct history_view *v, size_t i, unsigned port, bool in) {
  const struct history_bucket *b = &v->buckets[i];
  return (double)(in ? b->in[port] : b->out[port]) * GBPS / (double)cycles_of(v, i);
}

static double highest_rate(const struct history_view *v, bool in) {
  double highest = 0;
  for (size_t i = 0; i < v->bucket_count; i++)
    for (unsigned p = 0; p < v->config->ports; p++)
      if (rate(v, i, p, in) > highest) highest = rate(v, i, p, in);
  return highest;
}

/// The round number at the end of the axis.
static double limit_for(double highest) {
  if (highest > 100) return PORT_GBPS;
  const double step = page_step(highest, 1, 0);
  return step > 0 ? step : 1;
}

static void half_strip(FILE *file, const struct history_view *v, const struct page_axis *axis, unsigned port, bool in,
                       double zero, double scale) {
  struct outline o = outline_begin(file, axis, in ? "in" : "out", zero);
  for (size_t i = 0; i < v->bucket_count; i++)
    outline_to(&o, i * v->bucket_width, zero + (in ? -scale : scale) * rate(v, i, port, in));
  outline_to(&o, v->end, zero);
  outline_end(&o, "Z");
}

static void traffic(FILE *file, const char *what, const struct history_traffic *t, uint64_t end) {
  char count[PAGE_TEXT];
  fprintf(file, "%s %s frame%s, mean %.3g Gb/s", what, page_number(count, t->frames), page_plural(t->frames),
          (double)t->bytes * GBPS / (double)end);
}

static void strip(FILE *file, const struct history_view *v, unsigned port, double half, double limit, bool last) {
  const struct page_axis axis = time_axis(v);
  const double top = 20, zero = top + half, bottom = zero + half;
  char about[PAGE_TEXT];
  snprintf(about, sizeof about, "Throughput of port %u over time", port);
  page_picture(file, bottom + (last ? 38 : 4), about);
  fprintf(file, "<text x=\"%g\" y=\"14\"><tspan class=\"bold\">Port %u</tspan> \u00A0 ", LEFT, port);
  traffic(file, "in:", &v->in[port], axis.span);
  fputs(" \u00A0 ", file);
  traffic(file, "out:", &v->out[port], axis.span);
  fputs("</text>\n", file);
  page_time_axis(file, &axis, top, bottom, last ? TIME_LABEL : NULL);
  fprintf(file, "<path class=\"grid\" d=\"M%g %gH%dM%g %gH%d\"/>\n", LEFT, top, PAGE_RIGHT, LEFT, bottom, PAGE_RIGHT);
  half_strip(file, v, &axis, port, true, zero, half / limit);
  half_strip(file, v, &axis, port, false, zero, half / limit);
  fprintf(file, "<path class=\"zero\" d=\"M%g %gH%d\"/>\n", LEFT, zero, PAGE_RIGHT);
  fprintf(file,
          "<text class=\"tick end\" x=\"66\" y=\"%g\">%g Gb/s</text><text class=\"tick end\" x=\"66\" y=\"%g\">%g Gb/s</text>\n",
          top + 9, limit, bottom, limit);
  fprintf(
      file,
      "<text class=\"dim end\" x=\"66\" y=\"%g\">in \u25B2</text><text class=\"dim end\" x=\"66\" y=\"%g\">out \u25BC</text>\n",
      zero - 3, zero + 11);
  fputs("</svg>\n", file);
}

/// Ports that saw no frame, in words.
static void silent_ports(FILE *file, const struct history_view *v, unsigned silent) {
  if (silent == 0) return;
  fprintf(file, "<p class=\"note\">No frame went through port%s", page_plural(silent));
  unsigned left = silent;
  for (unsigned p = 0; p < v->config->ports; p++) {
    if (v->in[p].frames + v->out[p].frames > 0) continue;
    fprintf(file, "%s%u", left == silent ? " " : left == 1 ? " and " : ", ", p);
    left--;
  }
  fputs(".</p>\n", file);
}

void page_throughput(FILE *file, const struct history_view *v) {
  unsigned silent = 0, last = 0;
  for (unsigned p = 0; p < v->config->ports; p++) {
    if (v->in[p].frames + v->out[p].frames == 0)
      silent++;
    else
      last = p;
  }
  if (silent == v->config->ports) {
    page_section(file, "throughput", "No frame went in or out", "");
    page_section_end(file);
    return;
  }
  char title[160], reading[400], step[PAGE_TEXT];
  const double in = highest_rate(v, true), out = highest_rate(v, false), limit = limit_for(in > out ? in : out);
  snprintf(title, sizeof title, "Throughput: ports take in up to %.3g Gb/s and send out up to %.3g Gb/s", in, out);
  snprintf(reading, sizeof reading,
           "A strip is a port: what went into the device rises above its middle line, what left the device hangs below it. "
           "Each step is the mean over %s, of whole frames without preamble and FCS; a port carries %g Gb/s at most.",
           page_duration(step, v->bucket_width), PORT_GBPS);
  page_section(file, "throughput", title, reading);
  double half = 240.0 / (v->config->ports - silent);
  if (half > 60) half = 60;
  if (half < 28) half = 28;
  for (unsigned p = 0; p < v->config->ports; p++)
    if (v->in[p].frames + v->out[p].frames > 0) strip(file, v, p, half, limit, p == last);
  silent_ports(file, v, silent);
  page_section_end(file);
}

// --- slots ---

static void legend(FILE *file) {
  static const struct {
    const char *shape, *name;
  } entries[] = {
      {"<rect class=\"in\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>", "unfinished columns, mean"},
      {"<rect class=\"kept\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>", "complete columns, mean"},
      {"<path class=\"peak\" d=\"M1 12V4H13V9H25\"/>", "most unfinished columns at a time"},
      {"<path class=\"limit\" d=\"M1 7H25\"/>", "slots of the rings"},
  };
  fputs("<ul class=\"legend\">\n", file);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    fprintf(file, "<li><svg viewBox=\"0 0 26 14\" aria-hidden=\"true\">%s</svg>%s</li>\n", entries[i].shape, entries[i].name);
  fputs("</ul>\n", file);
}

/// The area between the `under` and the `over` of each bucket, in slots: over what is below it, or from the ground.
static void area(FILE *file, const struct history_view *v, const struct page_axis *axis, bool complete, double zero,
                 double scale) {
  struct outline o = outline_begin(file, axis, complete ? "kept" : "in", zero);
  for (size_t i = 0; i < v->bucket_count; i++) {
    const struct history_bucket *b = &v->buckets[i];
    const uint64_t slots = b->unfinished + (complete ? b->complete : 0);
    outline_to(&o, i * v->bucket_width, zero - scale * (double)slots / (double)cycles_of(v, i));
  }
  outline_to(&o, v->end, zero);
  outline_end(&o, "Z");
}

static void slots_picture(FILE *file, const struct history_view *v) {
  const struct page_axis axis = time_axis(v);
  const double top = 14, zero = 194, range = (double)v->slots, scale = (zero - top) / range, step = page_step(range, 5, 1);
  page_picture(file, zero + 38, "Slots in use over time");
  page_time_axis(file, &axis, top, zero, TIME_LABEL);
  for (unsigned i = 0; zero - scale * i * step > top + 14; i++) {
    const double y = zero - scale * i * step;
    fprintf(file, "<path class=\"grid\" d=\"M%g %.1fH%d\"/><text class=\"tick end\" x=\"66\" y=\"%.1f\">%g</text>\n", LEFT, y,
            PAGE_RIGHT, y + 4, i * step);
  }
  fprintf(file, "<text class=\"tick end\" x=\"66\" y=\"%g\">%zu slot%s</text>\n", top + 4, v->slots, page_plural(v->slots));
  area(file, v, &axis, true, zero, scale);   // the lower part is painted over
  area(file, v, &axis, false, zero, scale);
  struct outline o = outline_begin(file, &axis, "peak", zero);
  for (size_t i = 0; i < v->bucket_count; i++) outline_to(&o, i * v->bucket_width, zero - scale * v->buckets[i].peak);
  outline_end(&o, "");
  fprintf(file, "<path class=\"limit\" d=\"M%g %gH%d\"/><path class=\"zero\" d=\"M%g %gH%d\"/>\n</svg>\n", LEFT, top, PAGE_RIGHT,
          LEFT, zero, PAGE_RIGHT);
}

void page_slots(FILE *file, const struct history_view *v) {
  if (v->ring_count == 0) {
    page_section(file, "slots", "Slots: none is used", "");
    fputs("<p class=\"empty\">No ring is set up, so the device forwards every frame and keeps nothing.</p>\n", file);
    page_section_end(file);
    return;
  }
  char title[160], reading[500], step[PAGE_TEXT];
  uint32_t peak = 0;
  for (size_t i = 0; i < v->bucket_count; i++)
    if (v->buckets[i].peak > peak) peak = v->buckets[i].peak;
  snprintf(title, sizeof title, "Slots: at most %u of %zu held an unfinished column at a time", peak, v->slots);
  snprintf(
      reading, sizeof reading,
      "A slot holds one column. Below, those that still wait for packets of some ranks; stacked on them, complete ones, kept "
      "in case a host asks for its result again. Each step covers %s. Rings may use %zu of the device's %u slots.",
      page_duration(step, v->bucket_width), v->slots, v->config->slots);
  page_section(file, "slots", title, reading);
  legend(file);
  slots_picture(file, v);
  page_section_end(file);
}
