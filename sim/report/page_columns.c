// The lives of the slowest columns, and of those that were not over.
#include "sim/report/page_parts.h"

#include <inttypes.h>

enum { LEFT = 290, TOP = 8 };

/// What is drawn of a list of columns.
struct lanes {
  const struct history_view *view;
  struct page_axis axis;
  double lane;   ///< height of one rank's
};

static unsigned ranks_of(const struct history_view *v, const struct history_column *c) {
  const unsigned workers = v->rings[c->ring].workers;
  return workers < HISTORY_RANKS ? workers : HISTORY_RANKS;
}

/// The moment `time`, or the end of the run if it never came.
static uint64_t until(const struct history_view *v, uint64_t time) { return time == HISTORY_NEVER ? v->end : time; }

static const char *column_name(char text[PAGE_TEXT], const struct history_view *v, const struct history_column *c) {
  snprintf(text, PAGE_TEXT, "ring %u, MsgID %" PRIu32 ", offset %u", v->rings[c->ring].id, c->msgid, c->offset);
  return text;
}

/// What the column waited for, in words: its last rank, or those that never came.
static void waited_for(char *text, size_t size, const struct history_view *v, const struct history_column *c) {
  unsigned last = 0, missing = 0;
  uint64_t latest = c->begun, before = c->begun;   // the last packet in its bank, and the last but one
  char list[PAGE_TEXT] = "", time[PAGE_TEXT];
  size_t used = 0;
  for (unsigned r = 0; r < ranks_of(v, c); r++) {
    const uint64_t at = c->shares[r].committed;
    if (at == HISTORY_NEVER) {
      if (missing++ < 6) used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", missing > 1 ? ", " : "", r);
    } else if (at >= latest) {
      before = latest;
      latest = at;
      last = r;
    } else if (at > before) {
      before = at;
    }
  }
  if (missing > 0)
    snprintf(text, size, "waits for rank%s %s%s", page_plural(missing), list, missing > 6 ? ", .." : "");
  else
    snprintf(text, size, "waited %s for rank %u alone", page_duration(time, latest - before), last);
}

static void piece(FILE *file, const struct lanes *l, const struct history_column *c, const char *class, double y, uint64_t from,
                  uint64_t to, unsigned rank, const char *what) {
  const double x = page_x(&l->axis, from - c->begun);
  double width = page_x(&l->axis, to - c->begun) - x;
  char start[PAGE_TEXT], time[PAGE_TEXT];
  if (to <= from) return;
  if (width < 3) width = 3;
  fprintf(file,
          "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>rank %u: %s for %s, from %s "
          "on</title></rect>\n",
          class, x, y + 1, width, l->lane - 2, rank, what, page_duration(time, to - from), page_duration(start, from - c->begun));
}

static void lane(FILE *file, const struct lanes *l, const struct history_column *c, unsigned rank, double y) {
  const struct history_share *s = &c->shares[rank];
  if (l->lane >= 10 || rank % 2 == 0)
    fprintf(file, "<text class=\"tiny end\" x=\"%d\" y=\"%.1f\">%u</text>\n", LEFT - 5, y + l->lane / 2 + 3.5, rank);
  if (s->decided == HISTORY_NEVER) return;
  const uint64_t committed = until(l->view, s->committed), completed = until(l->view, c->completed);
  piece(file, l, c, "wait", y, committed, completed, rank, "waits for other ranks");
  if (c->completed != HISTORY_NEVER) piece(file, l, c, "out", y, completed, until(l->view, s->left), rank, "result on its way");
  piece(file, l, c, "in", y, s->decided, committed, rank, "packet goes into its bank");
  if (s->left == HISTORY_NEVER) return;
  char time[PAGE_TEXT];
  const double x = page_x(&l->axis, s->left - c->begun), middle = y + l->lane / 2;
  fprintf(file,
          "<path class=\"left\" d=\"M%.1f %.1fl-5 -3v6z\"><title>rank %u: first beat of the result out after %s</title></path>\n",
          x + 5, middle, rank, page_duration(time, s->left - c->begun));
}

/// Height of a column's picture: its lanes, but no less than its three lines of text.
static double height_of(const struct lanes *l, const struct history_column *c) {
  const double lanes = l->lane * ranks_of(l->view, c);
  return (lanes > 46 ? lanes : 46) + 12;
}

static void life(FILE *file, const struct lanes *l, const struct history_column *c, double y) {
  char name[PAGE_TEXT], begun[PAGE_TEXT], took[PAGE_TEXT], why[PAGE_TEXT + 64], repeats[PAGE_TEXT] = "";
  waited_for(why, sizeof why, l->view, c);
  if (c->repeats > 0) snprintf(repeats, sizeof repeats, ", %u repeat%s", c->repeats, page_plural(c->repeats));
  fprintf(file, "<path class=\"grid\" d=\"M0 %.1fH%d\"/>\n", y - 5, PAGE_RIGHT);
  fprintf(file, "<text class=\"bold\" x=\"0\" y=\"%.1f\">%s</text>\n", y + 11, column_name(name, l->view, c));
  fprintf(file, "<text class=\"dim\" x=\"0\" y=\"%.1f\">%s%s, began at %s%s</text>\n", y + 26,
          page_duration(took, until(l->view, c->ended) - c->begun), c->ended == HISTORY_NEVER ? " so far" : " in all",
          page_duration(begun, c->begun), repeats);
  fprintf(file, "<text class=\"dim\" x=\"0\" y=\"%.1f\">%s</text>\n", y + 41, why);
  for (unsigned r = 0; r < ranks_of(l->view, c); r++) lane(file, l, c, r, y + l->lane * r);
  if (c->completed == HISTORY_NEVER) return;
  const double x = page_x(&l->axis, c->completed - c->begun);
  fprintf(file, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"><title>complete after %s</title></path>\n", x, y - 2,
          y + l->lane * ranks_of(l->view, c) + 2, page_duration(took, c->completed - c->begun));
}

static void lives(FILE *file, const struct history_view *v, const struct history_column *list, size_t count) {
  struct lanes l = {.view = v, .axis = {.left = LEFT, .span = 1}, .lane = 12};
  double bottom = TOP;
  for (size_t i = 0; i < count; i++) {
    const uint64_t span = until(v, list[i].ended) - list[i].begun;
    if (span > l.axis.span) l.axis.span = span;
    const double fits = ranks_of(v, &list[i]) <= 6 ? 12 : ranks_of(v, &list[i]) <= 8 ? 10 : 7;
    if (fits < l.lane) l.lane = fits;
  }
  for (size_t i = 0; i < count; i++) bottom += height_of(&l, &list[i]);
  page_picture(file, bottom + 36, "Lives of columns");
  page_time_axis(file, &l.axis, TOP - 5, bottom - 5, "time since the column's first packet was accepted");
  double y = TOP;
  for (size_t i = 0; i < count; i++) {
    life(file, &l, &list[i], y);
    y += height_of(&l, &list[i]);
  }
  fputs("</svg>\n", file);
}

static void legend(FILE *file) {
  static const struct {
    const char *shape, *name;
  } entries[] = {
      {"<rect class=\"in\" x=\"1\" y=\"2\" width=\"24\" height=\"10\"/>", "packet goes into its bank"},
      {"<rect class=\"wait\" x=\"1\" y=\"2\" width=\"24\" height=\"10\"/>", "waits for other ranks"},
      {"<path class=\"mark\" d=\"M13 0V14\"/>", "column complete"},
      {"<rect class=\"out\" x=\"1\" y=\"2\" width=\"24\" height=\"10\"/>", "result on its way"},
      {"<path class=\"left\" d=\"M18 7l-8 -5v10z\"/>", "result leaves"},
  };
  fputs("<ul class=\"legend\">\n", file);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    fprintf(file, "<li><svg viewBox=\"0 0 26 14\" aria-hidden=\"true\">%s</svg>%s</li>\n", entries[i].shape, entries[i].name);
  fputs("</ul>\n", file);
}

static void cell(FILE *file, uint64_t time, uint64_t since) {
  char text[PAGE_TEXT];
  fprintf(file, "<td class=\"number\">%s</td>", time == HISTORY_NEVER ? "never" : page_duration(text, time - since));
}

/// When the device accepted a packet, by the clock of the waves: to the nanosecond, so that it is found there.
static void clock_cell(FILE *file, const struct history_share *s) {
  char text[PAGE_TEXT];
  fprintf(file, "<td class=\"number\">%s%s</td>", s->clock == HISTORY_NEVER ? "never" : page_number(text, s->clock * PAGE_NS),
          s->clock == HISTORY_NEVER ? "" : " ns");
}

static void numbers(FILE *file, const struct history_view *v, const struct history_column *list, size_t count) {
  char name[PAGE_TEXT];
  fputs("<details><summary>The same in numbers</summary>\n<div class=\"wide\"><table>\n<tr><th>column</th><th "
        "class=\"number\">rank</th>"
        "<th class=\"number\">accepted</th><th class=\"number\">in its bank</th><th class=\"number\">column complete</th>"
        "<th class=\"number\">result leaves</th><th class=\"number\">accepted, in waves</th></tr>\n",
        file);
  for (size_t i = 0; i < count; i++) {
    const struct history_column *c = &list[i];
    for (unsigned r = 0; r < ranks_of(v, c); r++) {
      fprintf(file, "<tr><td>%s</td><td class=\"number\">%u</td>", r == 0 ? column_name(name, v, c) : "", r);
      cell(file, c->shares[r].decided, c->begun);
      cell(file, c->shares[r].committed, c->begun);
      cell(file, c->completed, c->begun);
      cell(file, c->shares[r].left, c->begun);
      clock_cell(file, &c->shares[r]);
      fputs("</tr>\n", file);
    }
  }
  fputs("</table></div></details>\n", file);
}

static void slowest(FILE *file, const struct history_view *v) {
  char title[200], reading[400], took[PAGE_TEXT], number[PAGE_TEXT];
  snprintf(title, sizeof title, "Slowest columns: up to %s from a column's first packet to its last result",
           page_duration(took, v->slowest[0].ended - v->slowest[0].begun));
  snprintf(
      reading, sizeof reading,
      "The %zu slowest of %s columns. A lane is a rank, a bar what happens to its packet: pale bars wait for another rank, so "
      "the lane that begins last is the one that made the others wait.",
      v->slowest_count, page_number(number, v->ended));
  page_section(file, "columns", title, reading);
  legend(file);
  lives(file, v, v->slowest, v->slowest_count);
  numbers(file, v, v->slowest, v->slowest_count);
}

void page_columns(FILE *file, const struct history_view *v) {
  if (v->slowest_count > 0) {
    slowest(file, v);
  } else {
    page_section(file, "columns", "Columns: none got all its results", "");
    if (v->waiting_all == 0) fputs("<p class=\"empty\">No packet was stored in a column.</p>\n", file);
  }
  if (v->waiting_all > 0) {
    char number[PAGE_TEXT];
    fprintf(file, "<h3>Not over at the end: %s column%s", page_number(number, v->waiting_all), page_plural(v->waiting_all));
    if (v->waiting_all > v->waiting_count) fprintf(file, ", of which the %zu oldest", v->waiting_count);
    fputs("</h3>\n", file);
    if (v->slowest_count == 0) legend(file);
    lives(file, v, v->waiting, v->waiting_count);
    numbers(file, v, v->waiting, v->waiting_count);
  }
  page_section_end(file);
}
