// The page of a gather: traffic beside the baselines, PRs a packet, what each node received.
#include "sim/gather/gather_report.h"

#include <inttypes.h>

#include "sim/report/page_parts.h"

static void traffic(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  const struct gather_ratios x = gather_report_ratios(r);
  char title[200];
  snprintf(title, sizeof title, "Traffic: %.3g times less than to send all to all, %.3g times less than a packet each",
           x.less_than_su, x.less_than_sa);
  page_section(file, "traffic", title, "Bytes on all cables, each cable counted. Without headers where all is sent to all.");
  const struct page_bar list[] = {{"this run, properties", s->fabric.bytes - s->fabric.header_bytes, "in"},
                                  {"this run, headers", s->fabric.header_bytes, "out"},
                                  {"all properties to all nodes", s->bytes_su, "wait"},
                                  {"a read and a response for each nonzero", s->bytes_sa, "wait"}};
  page_bars(file, list, sizeof list / sizeof *list);
  page_section_end(file);
}

static void requests(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  char title[200];
  snprintf(title, sizeof title, "Requests: %.1f %% of what nonzeros want is never asked for",
           100 * gather_report_ratios(r).filter_rate);
  page_section(file, "requests", title, "What became of each nonzero whose property another node has.");
  const struct page_bar list[] = {{"filtered: it is here already", s->rig.filtered, "in"},
                                  {"coalesced: it was asked for already", s->rig.coalesced, "in"},
                                  {"sent", s->rig.sent, "out"},
                                  {"of these, answered by a switch", s->fabric.tors.cache.hits, "wait"}};
  page_bars(file, list, sizeof list / sizeof *list);
  page_section_end(file);
}

/// Columns for 1, 2, 3, .. PRs a packet.
static void packets(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  enum { LEFT = 72, TOP = 14, ZERO = 174 };
  const double width = (PAGE_RIGHT - LEFT) / (double)GATHER_PACKED;
  uint64_t most = 1;
  unsigned last = 1;
  char title[160], number[PAGE_TEXT];
  for (unsigned n = 1; n <= GATHER_PACKED; n++) {
    if (s->packed[n] > most) most = s->packed[n];
    if (s->packed[n] > 0) last = n;
  }
  snprintf(title, sizeof title, "Packets: %.2f PRs each in the mean, %u at most", gather_report_ratios(r).prs_per_packet, last);
  page_section(file, "packets", title, "How many packets that nodes received held one PR, two, three and so on.");
  page_picture(file, ZERO + 36, "Packets by number of PRs");
  fprintf(file, "<text class=\"tick end\" x=\"66\" y=\"%d\">%s</text><path class=\"grid\" d=\"M%d %dH%d\"/>\n", TOP + 4,
          page_number(number, most), LEFT, TOP, PAGE_RIGHT);
  for (unsigned n = 1; n <= GATHER_PACKED; n++) {
    const double height = (ZERO - TOP) * (double)s->packed[n] / (double)most, x = LEFT + (n - 1) * width;
    if (s->packed[n] > 0)
      fprintf(file, "<rect class=\"in\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x, ZERO - height, width - 1,
              height);
    if (n % 10 == 0) fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%d\">%u</text>\n", x + width / 2, ZERO + 14, n);
  }
  fprintf(file,
          "<path class=\"zero\" d=\"M%d %dH%d\"/><text class=\"unit mid\" x=\"%d\" y=\"%d\">PRs in a packet</text>\n</svg>\n",
          LEFT, ZERO, PAGE_RIGHT, (LEFT + PAGE_RIGHT) / 2, ZERO + 30);
  page_section_end(file);
}

static void nodes(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  const uint32_t count = r->options->run.fabric.topology.nodes;
  enum { LEFT = 72, TOP = 14, ZERO = 154 };
  const double width = (PAGE_RIGHT - LEFT) / (double)count;
  uint64_t sum = 0;
  char title[160], number[PAGE_TEXT];
  for (uint32_t n = 0; n < count; n++) sum += s->received[n];
  const double mean = (double)sum / count;
  snprintf(title, sizeof title, "Nodes: the one that received most received %.2f times the mean",
           mean > 0 ? (double)s->tail_bytes / mean : 0);
  page_section(file, "nodes", title, "Bytes that each node received. The tail node decides when all are done.");
  page_picture(file, ZERO + 36, "Bytes received by each node");
  fprintf(file, "<text class=\"tick end\" x=\"66\" y=\"%d\">%s</text><path class=\"grid\" d=\"M%d %dH%d\"/>\n", TOP + 4,
          page_number(number, s->tail_bytes), LEFT, TOP, PAGE_RIGHT);
  for (uint32_t n = 0; n < count && s->tail_bytes > 0; n++) {
    const double height = (ZERO - TOP) * (double)s->received[n] / (double)s->tail_bytes;
    fprintf(file, "<rect class=\"in\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", LEFT + n * width, ZERO - height,
            width > 2 ? width - 1 : width, height);
  }
  fprintf(file,
          "<path class=\"zero\" d=\"M%d %dH%d\"/><text class=\"unit mid\" x=\"%d\" y=\"%d\">node 0 to %" PRIu32
          "</text>\n</svg>\n",
          LEFT, ZERO, PAGE_RIGHT, (LEFT + PAGE_RIGHT) / 2, ZERO + 30, count - 1);
  page_section_end(file);
}

int gather_report_page(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  const struct gather_ratios x = gather_report_ratios(r);
  const struct gather_run_options *o = &r->options->run;
  char title[200], verdict[120], setting[300];
  const char *texts[FINDINGS_TEXTS];
  const size_t text_count = page_texts(texts, &s->mismatches);
  snprintf(title, sizeof title, "%" PRIu32 " nodes gather for a product with %.100s", o->fabric.topology.nodes,
           r->options->file != NULL ? r->options->file : matrix_kind_names[r->options->made.kind]);
  snprintf(verdict, sizeof verdict, "OK: %" PRIu64 " elements of the product are right, bit by bit", s->compared);
  page_failed(verdict, sizeof verdict, s->mismatches.count);
  snprintf(setting, sizeof setting,
           "%" PRIu32 " rows, %" PRIu32 " columns, %zu nonzeros; K %" PRIu32 ", batch %zu; %" PRIu32
           " racks, %s; %s queues, delays %" PRIu64 " and %" PRIu64 " cycles, cache of %" PRIu32 " sets a pipe",
           r->matrix->rows, r->matrix->columns, r->matrix->count, o->k, o->batch, o->fabric.topology.racks,
           gather_options_rtl(r->options), o->fabric.pipe.concat.virtual_queues ? "virtual" : "static",
           o->fabric.node.nic.concat.delay, o->fabric.pipe.concat.delay, o->fabric.plain_tors ? 0 : o->fabric.pipe.cache_sets);
  const struct page_figure figures[] = {
      page_counted("prs_wanted_figure", "PRs wanted", s->wanted),
      page_counted("prs_sent_figure", "PRs sent", s->rig.sent),
      page_counted("packets_figure", "packets", s->fabric.packets),
      page_measured("prs_per_packet_figure", "PRs a packet", "%.2f", x.prs_per_packet),
      page_measured("hit_rate_figure", "cache hits", "%.1f %%", 100 * x.hit_rate),
      page_measured("header_share_figure", "headers", "%.1f %%", 100 * x.header_share),
      page_counted("bytes_on_links_figure", "bytes on cables", s->fabric.bytes),
      page_counted("cycles_figure", "cycles", s->cycles),
      page_counted("watchdog_failures_figure", "operations failed", s->rig.failures),
  };
  const struct page page = {.title = title,
                            .good = s->mismatches.count == 0,
                            .verdict = verdict,
                            .setting = setting,
                            .again = r->again,
                            .texts = texts,
                            .text_count = text_count,
                            .figures = figures,
                            .figure_count = sizeof figures / sizeof *figures};
  page_begin(file, &page);
  traffic(file, r);
  requests(file, r);
  packets(file, r);
  nodes(file, r);
  return page_end(file);
}
