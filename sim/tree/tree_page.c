#include "sim/tree/tree_page.h"

#include <inttypes.h>

#include "sim/report/page_parts.h"

/// A picture with a bar for each of some things: from LEFT, between TOP and ZERO.
enum { LEFT = 72, TOP = 14, ZERO = 154, BELOW = 36 };

static const char *plural(unsigned count) { return count == 1 ? "" : "s"; }

static void put_setting(char *text, size_t size, const struct tree_options *o) {
  const struct tree_net_options *n = &o->run.network;
  const unsigned nodes = o->topology.count, levels = o->topology.levels;
  snprintf(text, size, "%u node%s, %u level%s; %u group%s, %u tree%s; MTU %u, %u credits, lock %s, %g Gb/s; seed %" PRIu64, nodes,
           plural(nodes), levels, plural(levels), n->groups, plural(n->groups), n->pairs, plural(n->pairs), n->mtu, n->credits,
           o->lock, n->gbps, n->seed);
}

static struct page_figure figure(const char *id, const char *name, double value, const char *unit) {
  struct page_figure f = {.id = id, .name = name};
  snprintf(f.value, sizeof f.value, value > 0 ? "%.3f %s" : "none", value, unit);
  return f;
}

// --- sections of one run ---

static void verdicts(FILE *file, const struct tree_report_of *r) {
  const struct tree_result *s = r->result;
  struct page_bar list[2 * TREE_VERDICTS];
  char names[TREE_VERDICTS][64], title[120];
  size_t count = 0;
  unsigned ended = 0;
  for (unsigned v = 0; v < TREE_VERDICTS; v++) {
    ended += s->jobs.verdicts[v];
    if (s->jobs.verdicts[v] > 0)
      list[count++] = (struct page_bar){tree_verdict_name(v), s->jobs.verdicts[v], v == TREE_OK ? "in" : "out"};
  }
  for (unsigned v = 0; v < TREE_VERDICTS; v++) {
    if (s->jobs.wrong[v] == 0) continue;
    snprintf(names[v], sizeof names[v], "in the wrong operation: %s", tree_verdict_name(v));
    list[count++] = (struct page_bar){names[v], s->jobs.wrong[v], "wait"};
  }
  snprintf(title, sizeof title, "Verdicts: %u of %u hosts ended, %u of them well", ended, r->options->topology.hosts,
           s->jobs.verdicts[TREE_OK]);
  page_section(file, "verdicts", title, "Hosts by the verdict of their last operation. Every host that is alive must have one.");
  page_bars(file, list, count);
  page_section_end(file);
}

static void times(FILE *file, const struct tree_report_of *r) {
  const struct tree_result *s = r->result;
  page_section(file, "times", "Times, in nanoseconds",
               "An operation is from the first host's beginning to the last one's end. Nothing may stand still for longer than "
               "a host's patience.");
  const struct page_bar list[] = {{"an operation, mean", (uint64_t)(s->jobs.mean_ps / 1e3), "in"},
                                  {"a lock, at a host, mean", (uint64_t)(s->jobs.lock_ps / 1e3), "in"},
                                  {"longest at a host", s->longest_ps / 1000, "out"},
                                  {"of it nothing moved", s->silence_ps / 1000, "out"}};
  page_bars(file, list, sizeof list / sizeof *list);
  page_section_end(file);
}

/// Bytes that one direction of each cable carried, upwards above the line and downwards below it.
static void cables(FILE *file, const struct tree_report_of *r) {
  const size_t count = r->options->topology.hosts + r->options->topology.count - 1;
  const struct tree_totals *t = &r->result->totals;
  const double width = (PAGE_RIGHT - LEFT) / (double)count, half = (ZERO - TOP) / 2.0;
  const uint64_t most = t->most_up > t->most_down ? t->most_up : t->most_down;
  char title[160], up[PAGE_TEXT], down[PAGE_TEXT];
  snprintf(title, sizeof title, "Cables: %s bytes upwards on the busiest one, %s downwards", page_number(up, t->most_up),
           page_number(down, t->most_down));
  page_section(file, "cables", title,
               "Bytes of messages on each cable, each once: upwards above the line, downwards below it. First the cables of "
               "hosts, then those above nodes.");
  page_picture(file, ZERO + BELOW, "Bytes upwards and downwards on each cable");
  for (size_t c = 0; c < count && most > 0; c++)
    for (int is_up = 0; is_up < 2; is_up++) {
      const double height = half * (double)tree_run_cable(r->run, c, is_up != 0) / (double)most;
      fprintf(file, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", is_up ? "in" : "out",
              LEFT + (double)c * width, is_up ? TOP + half - height : TOP + half, width > 2 ? width - 1 : width, height);
    }
  fprintf(file,
          "<path class=\"zero\" d=\"M%d %.0fH%d\"/><text class=\"dim end\" x=\"66\" y=\"%.0f\">up</text>"
          "<text class=\"dim end\" x=\"66\" y=\"%.0f\">down</text><text class=\"unit mid\" x=\"%d\" y=\"%d\">cable 0 to %zu"
          "</text>\n</svg>\n",
          LEFT, TOP + half, PAGE_RIGHT, TOP + half - 6, TOP + half + 14, (LEFT + PAGE_RIGHT) / 2, ZERO + 16, count - 1);
  page_section_end(file);
}

static void packets(FILE *file, const struct tree_report_of *r) {
  const struct tree_totals *t = &r->result->totals;
  char title[160], number[PAGE_TEXT], repeats[PAGE_TEXT];
  snprintf(title, sizeof title, "Packets: %s of data, %s of them repeated", page_number(number, t->packets),
           page_number(repeats, t->repeats));
  page_section(file, "packets", title, "What connections did, and what cables did to them.");
  const struct page_bar list[] = {{"packets of data", t->packets, "in"},
                                  {"repeated", t->repeats, "out"},
                                  {"without a credit", t->limited, "wait"},
                                  {"NAKs", t->naks, "out"},
                                  {"not ready", t->rnrs, "out"},
                                  {"time-outs", t->timeouts, "out"},
                                  {"duplicates", t->duplicates, "wait"},
                                  {"lost by cables", t->lost, "out"},
                                  {"doubled", t->doubled, "wait"},
                                  {"overtaken", t->overtaken, "wait"},
                                  {"damaged", t->damaged, "out"},
                                  {"of somebody else", t->hostile, "out"}};
  page_bars(file, list, sizeof list / sizeof *list);
  page_section_end(file);
}

static void nodes(FILE *file, const struct tree_report_of *r) {
  const struct tree_node_counts *c = &r->result->nodes;
  page_section(file, "nodes", "Nodes, all together", "What their models, or the devices' counters, say.");
  const struct page_bar list[] = {{"low-latency operations", c->operations[0], "in"},
                                  {"streaming operations", c->operations[1], "in"},
                                  {"failed", c->failed, "out"},
                                  {"rows of packets summed", c->columns, "in"},
                                  {"locks taken", c->locks, "in"},
                                  {"given back", c->unlocks, "in"},
                                  {"refused", c->lock_failures, "out"},
                                  {"messages refused", c->refused, "out"},
                                  {"trees torn down", c->teardowns, "out"}};
  page_bars(file, list, sizeof list / sizeof *list);
  page_section_end(file);
}

int tree_page(FILE *file, const struct tree_report_of *r) {
  const struct tree_result *s = r->result;
  const char *texts[FINDINGS_TEXTS];
  const size_t text_count = page_texts(texts, &s->findings);
  char title[160], verdict[120], setting[300];
  snprintf(title, sizeof title, "%u hosts below a tree: %s", r->options->topology.hosts, tree_options_operation(r->options));
  snprintf(verdict, sizeof verdict, "OK: %" PRIu64 " bytes of results are right, bit by bit", s->jobs.compared);
  page_failed(verdict, sizeof verdict, s->findings.count);
  put_setting(setting, sizeof setting, r->options);
  const struct page_figure figures[] = {
      page_counted("operations_figure", "operations", s->jobs.operations),
      page_counted("compared_figure", "bytes compared", s->jobs.compared),
      figure("operation_us_figure", "an operation", s->jobs.mean_ps / 1e6, "us"),
      figure("lock_us_figure", "a lock", s->jobs.lock_ps / 1e6, "us"),
      figure("bandwidth_gbps_figure", "of a vector", tree_report_gbps(r), "Gb/s"),
      page_counted("packets_figure", "packets", s->totals.packets),
      page_counted("repeats_figure", "repeated", s->totals.repeats),
      page_counted("most_up_figure", "bytes up a cable", s->totals.most_up),
      page_counted("most_down_figure", "bytes down", s->totals.most_down),
      page_counted("devices_figure", "devices in RTL", s->devices),
  };
  const struct page page = {.title = title,
                            .good = s->findings.count == 0,
                            .verdict = verdict,
                            .setting = setting,
                            .again = r->again,
                            .texts = texts,
                            .text_count = text_count,
                            .figures = figures,
                            .figure_count = sizeof figures / sizeof *figures};
  page_begin(file, &page);
  verdicts(file, r);
  times(file, r);
  cables(file, r);
  packets(file, r);
  nodes(file, r);
  return page_end(file);
}

// --- several sizes ---

static void bandwidth(FILE *file, const struct tree_sweep *s) {
  const double width = (PAGE_RIGHT - LEFT) / (double)s->count, rate = s->options->run.network.gbps;
  double most = 0;
  for (size_t i = 0; i < s->count; i++)
    if (s->points[i].gbps > most) most = s->points[i].gbps;
  char title[120];
  snprintf(title, sizeof title, "Bandwidth: up to %.3g of %g Gb/s", most, rate);
  page_section(file, "bandwidth", title,
               "Bytes of a vector over the time of an operation; the highest bar would be a cable's rate.");
  page_picture(file, ZERO + BELOW, "Bandwidth by size of the vector");
  fprintf(file, "<text class=\"tick end\" x=\"66\" y=\"%d\">%g Gb/s</text><path class=\"grid\" d=\"M%d %dH%d\"/>\n", TOP + 4,
          rate, LEFT, TOP, PAGE_RIGHT);
  for (size_t i = 0; i < s->count; i++) {
    const double height = (ZERO - TOP) * s->points[i].gbps / rate, x = LEFT + (double)i * width;
    fprintf(file,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%" PRIu32
            " bytes: %.3f Gb/s</title></rect>\n",
            s->points[i].streams ? "in" : "out", x, ZERO - height, width - 2, height, s->points[i].size, s->points[i].gbps);
  }
  fprintf(file,
          "<path class=\"zero\" d=\"M%d %dH%d\"/><text class=\"unit mid\" x=\"%d\" y=\"%d\">%" PRIu32 " to %" PRIu32
          " bytes</text>\n</svg>\n",
          LEFT, ZERO, PAGE_RIGHT, (LEFT + PAGE_RIGHT) / 2, ZERO + 20, s->points[0].size, s->points[s->count - 1].size);
  page_section_end(file);
}

static void sizes(FILE *file, const struct tree_sweep *s) {
  page_section(file, "sizes", "Sizes", "Each is a run of its own. A lock is the mean time of one at a host.");
  fputs("<div class=\"wide\"><table>\n<tr><th class=\"number\">bytes</th><th>tree</th><th class=\"number\">operation, us</th>"
        "<th class=\"number\">lock, us</th><th class=\"number\">Gb/s</th></tr>\n",
        file);
  for (size_t i = 0; i < s->count; i++) {
    const struct tree_point *p = &s->points[i];
    char number[PAGE_TEXT];
    fprintf(file,
            "<tr><td class=\"number\">%s</td><td>%s</td><td class=\"number\">%.3f</td><td class=\"number\">%.3f</td>"
            "<td class=\"number\">%.3f</td></tr>\n",
            page_number(number, p->size), p->streams ? "streaming" : "low-latency", p->operation_us, p->lock_us, p->gbps);
  }
  fputs("</table></div>\n", file);
  page_section_end(file);
}

int tree_page_sweep(FILE *file, const struct tree_sweep *s) {
  char title[160], verdict[120], setting[300];
  snprintf(title, sizeof title, "%u hosts below a tree: %s by size", s->options->topology.hosts,
           tree_options_operation(s->options));
  snprintf(verdict, sizeof verdict, "OK: results of %zu sizes are right, bit by bit", s->count);
  page_failed(verdict, sizeof verdict, s->mismatches);
  put_setting(setting, sizeof setting, s->options);
  const struct page_figure figures[] = {page_counted("sizes_figure", "sizes", s->count)};
  const struct page page = {.title = title,
                            .good = s->mismatches == 0,
                            .verdict = verdict,
                            .setting = setting,
                            .again = s->again,
                            .figures = figures,
                            .figure_count = 1};
  page_begin(file, &page);
  bandwidth(file, s);
  sizes(file, s);
  return page_end(file);
}
