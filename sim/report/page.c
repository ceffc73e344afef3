#include "sim/report/page.h"

#include <inttypes.h>

#include "sim/report/page_parts.h"
#include "sim/report/report.h"
#include "wire/fate.h"

// --- figures ---

/// A count as people read it, for a figure: "1,329".
static void page_count(char value[40], uint64_t number) {
  char text[PAGE_TEXT];
  snprintf(value, 40, "%.39s", page_number(text, number));
}

struct page_figure page_counted(const char *id, const char *name, uint64_t number) {
  struct page_figure f = {.id = id, .name = name};
  page_count(f.value, number);
  return f;
}

struct page_figure page_cycles(const char *id, const char *name, uint64_t cycles) {
  struct page_figure f = {.id = id, .name = name};
  char number[PAGE_TEXT];
  snprintf(f.value, sizeof f.value, cycles > 0 ? "%.26s cycles" : "none", page_number(number, cycles));
  return f;
}

struct page_figure page_measured(const char *id, const char *name, const char *format, double value) {
  struct page_figure f = {.id = id, .name = name};
  snprintf(f.value, sizeof f.value, format, value);
  return f;
}

struct page_figure page_time(const struct history *h) {
  struct page_figure f = {.id = "time", .name = "time simulated"};
  char text[PAGE_TEXT];
  snprintf(f.value, sizeof f.value, "%.39s", page_duration(text, history_view(h)->end));
  return f;
}

// --- the verdict ---

void page_failed(char *verdict, size_t size, size_t mismatches) {
  if (mismatches > 0) report_failed_text(verdict, size, mismatches);
}

size_t page_texts(const char *texts[FINDINGS_TEXTS], const struct findings *findings) {
  size_t count = 0;
  while (count < FINDINGS_TEXTS && (texts[count] = findings_text(findings, count)) != NULL) count++;
  return count;
}

// --- what became of the frames ---

static void fate_row(FILE *file, enum fate fate, uint64_t count, uint64_t of, const char *class) {
  char number[PAGE_TEXT];
  const double percent = 100 * (double)count / (double)of;
  fprintf(file, "<tr><td class=\"name\"><code>%s</code></td><td class=\"number\" id=\"fate_%s\">%s</td>", fate_name(fate),
          fate_name(fate), page_number(number, count));
  if (percent < 0.1)
    fputs("<td class=\"number\">&lt;0.1 %</td>", file);
  else
    fprintf(file, "<td class=\"number\">%.*f %%</td>", percent < 10, percent);
  fprintf(file,
          "<td class=\"bar\"><svg viewBox=\"0 0 200 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"%s\" "
          "width=\"%.1f\" height=\"12\"/></svg></td><td>",
          class, percent < 0.75 ? 1.5 : 2 * percent);
  page_put(file, fate_meaning(fate));
  fputs("</td></tr>\n", file);
}

static void fate_rows(FILE *file, const uint64_t *fates, int from, int to, uint64_t of, const char *heading, const char *class) {
  uint64_t all = 0;
  for (int f = from; f < to; f++) all += fates[f];
  if (all == 0) return;
  fprintf(file, "<tr class=\"heading\"><th colspan=\"5\">%s</th></tr>\n", heading);
  for (int f = from; f < to; f++)
    if (fates[f] > 0) fate_row(file, (enum fate)f, fates[f], of, class);
}

void page_fates(FILE *file, const uint64_t *fates) {
  uint64_t all = 0, drops = 0;
  unsigned reasons = 0, reason = 0;
  for (unsigned f = 0; f < FATE_COUNT; f++) {
    all += fates[f];
    if (f < FATE_FIRST_DROP || fates[f] == 0) continue;
    drops += fates[f];
    reasons++;
    reason = f;
  }
  char title[200], number[PAGE_TEXT], of[PAGE_TEXT];
  page_number(number, drops);
  page_number(of, all);
  if (drops == 0)
    snprintf(title, sizeof title, "Drops: none of %s frames", of);
  else if (reasons == 1)
    snprintf(title, sizeof title, "Drops: %s of %s frames, %s of them as %s", number, of, drops == 1 ? "one" : "all",
             fate_name((enum fate)reason));
  else
    snprintf(title, sizeof title, "Drops: %s of %s frames, for %u reasons", number, of, reasons);
  page_section(file, "drops", title,
               "Each frame that came in has exactly one of these fates. A bar is its share of all of them.");
  if (all == 0) fputs("<p class=\"empty\">No frame came in.</p>\n", file);
  if (all > 0) {
    fputs("<div class=\"wide\"><table>\n", file);
    fate_rows(file, fates, FATE_FIRST_DROP, FATE_COUNT, all, "Dropped", "drop");
    fate_rows(file, fates, 0, FATE_FIRST_DROP, all, "Not dropped", "in");
    fputs("</table></div>\n", file);
  }
  page_section_end(file);
}

// --- what could not be decided ---

void page_undecided(FILE *file, const struct undecided *u) {
  struct undecided_row rows[UNDECIDED_KINDS];
  unsigned kinds = 0;
  char title[80] = "Undecided: nothing", number[PAGE_TEXT];
  undecided_rows(u, rows);
  for (size_t i = 0; i < UNDECIDED_KINDS; i++) kinds += rows[i].value > 0;
  if (kinds > 0) snprintf(title, sizeof title, "Undecided: %u kind%s of columns or results", kinds, page_plural(kinds));
  page_section(
      file, "undecided", title,
      "Whether some columns should have had results, or which, cannot always be told from what came in. Where it must be, "
      "the run has failed.");
  if (kinds == 0) fputs("<p class=\"empty\">Everything was decided.</p>\n", file);
  if (kinds > 0) fputs("<div class=\"wide\"><table>\n", file);
  for (size_t i = 0; i < UNDECIDED_KINDS; i++) {
    if (rows[i].value == 0) continue;
    fprintf(file, "<tr><td class=\"name\">%s</td><td class=\"number\" id=\"undecided_%s\">%s</td><td>", rows[i].name, rows[i].id,
            page_number(number, rows[i].value));
    page_put(file, rows[i].meaning);
    fputs("</td></tr>\n", file);
  }
  if (kinds > 0) fputs("</table></div>\n", file);
  page_section_end(file);
}

// --- words ---

static void terms(FILE *file) {
  static const struct {
    const char *term, *meaning;
  } list[] = {
      {"ring, rank",
       "Hosts that reduce a tensor together. Each has a rank and one connection to the next one, through the device."},
      {"message, MsgID, offset", "A piece of the tensor, its number, and the place of a packet in it."},
      {"column", "The packets of all ranks with the same ring, MsgID and offset. Their payloads are added up to one result."},
      {"slot", "The memory for one column in the device. It is given to a new message when a later one shows that all hosts have "
               "the old result."},
      {"result",
       "A rank's own packet with the sum in place of its payload. Every rank gets one; a host that lost it asks again by "
       "repeating its packet."},
      {"accepted, in its bank, complete",
       "A packet is accepted when the device has decided to use it, a little later it is stored in "
       "its rank's memory bank, and with the last rank's packet the column is complete."},
  };
  page_section(file, "terms", "Words", "");
  fputs("<dl class=\"terms\">\n", file);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    fprintf(file, "<dt>%s</dt><dd>%s</dd>\n", list[i].term, list[i].meaning);
  fputs("</dl>\n", file);
  page_section_end(file);
}

static void head(FILE *file, const struct page *p) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
        file);
  page_put(file, p->title);
  fputs("</title>\n", file);
  page_style(file);
  fputs("</head>\n<body>\n", file);
  // The only shape that is used by name.
  fputs("<svg aria-hidden=\"true\" style=\"position: absolute; width: 0; height: 0\"><defs><pattern id=\"hatched\" width=\"6\" "
        "height=\"6\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 "
        "0V6\"/></pattern></defs></svg>\n",
        file);
}

static void summary(FILE *file, const struct page *p) {
  fputs("<header>\n<h1>", file);
  page_put(file, p->title);
  fprintf(file, "</h1>\n<p class=\"verdict %s\" id=\"verdict\">%s ", p->good ? "good" : "bad", p->good ? "\u2713" : "\u2717");
  page_put(file, p->verdict);
  fputs("</p>\n<p class=\"setting\">", file);
  page_put(file, p->setting);
  fputs("</p>\n<p class=\"again\">Made with <code>", file);
  page_put(file, p->again);
  fputs("</code></p>\n", file);
  if (p->text_count > 0) fputs("<ol class=\"mismatches\">\n", file);
  for (size_t i = 0; i < p->text_count; i++) {
    fputs("<li>", file);
    page_put(file, p->texts[i]);
    fputs("</li>\n", file);
  }
  if (p->text_count > 0) fputs("</ol>\n", file);
  fputs("<dl class=\"figures\">\n", file);
  for (size_t i = 0; i < p->figure_count; i++) {
    fputs("<div><dt>", file);
    page_put(file, p->figures[i].name);
    fprintf(file, "</dt><dd id=\"%s\">", p->figures[i].id);
    page_put(file, p->figures[i].value);
    fputs("</dd></div>\n", file);
  }
  fputs("</dl>\n</header>\n", file);
}

void page_begin(FILE *file, const struct page *p) {
  head(file, p);
  summary(file, p);
  fputs("<main>\n", file);
}

int page_end(FILE *file) {
  fputs("</main>\n</body>\n</html>\n", file);
  return fflush(file) == 0 && !ferror(file) ? 0 : -1;
}

int page_write(FILE *file, const struct page *p, const struct history *h) {
  const struct history_view *v = history_view(h);
  page_begin(file, p);
  page_throughput(file, v);
  page_latency(file, v);
  page_slots(file, v);
  page_fates(file, p->fates);
  page_undecided(file, p->undecided);
  page_columns(file, v);
  terms(file);
  return page_end(file);
}
