// Words, numbers and axes of the page.
#include "sim/report/page_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void page_put(FILE *file, const char *text) {
  for (; *text != 0; text++) {
    switch (*text) {
      case '<': fputs("&lt;", file); break;
      case '>': fputs("&gt;", file); break;
      case '&': fputs("&amp;", file); break;
      case '"': fputs("&quot;", file); break;
      default:
        // What a file name may hold and a page may not.
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
          fputc('?', file);
        else
          fputc(*text, file);
    }
  }
}

const char *page_number(char text[PAGE_TEXT], uint64_t number) {
  char digits[24];
  const size_t count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
  char *to = text;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && (count - i) % 3 == 0) *to++ = ',';
    *to++ = digits[i];
  }
  *to = 0;
  return text;
}

/// The unit in which a time span is told, and how many nanoseconds it has.
static double unit_of(uint64_t cycles, const char **name) {
  static const char *const names[] = {"ns", "\u00B5s", "ms", "s"};
  double ns = (double)cycles * PAGE_NS, unit = 1;
  size_t i = 0;
  for (; i < 3 && ns / unit >= 999.5; i++) unit *= 1000;
  *name = names[i];
  return unit;
}

const char *page_duration(char text[PAGE_TEXT], uint64_t cycles) {
  const char *name;
  const double number = (double)cycles * PAGE_NS / unit_of(cycles, &name);
  const int decimals = name[0] == 'n' || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  snprintf(text, PAGE_TEXT, "%.*f %s", decimals, number, name);
  return text;
}

const char *page_plural(uint64_t number) { return number == 1 ? "" : "s"; }

double page_step(double range, unsigned most, double least) {
  if (!(range > 0)) return least;
  double power = pow(10, floor(log10(range / most)));
  static const double steps[] = {1, 2, 5, 10, 20};
  size_t i = 0;
  while (i < 4 && (range / (steps[i] * power) > most * (1 + 1e-9) || steps[i] * power < least)) i++;
  return steps[i] * power < least ? least : steps[i] * power;
}

double page_x(const struct page_axis *a, uint64_t cycles) {
  return a->left + (PAGE_RIGHT - a->left) * (double)cycles / (double)a->span;
}

void page_time_axis(FILE *file, const struct page_axis *a, double top, double bottom, const char *label) {
  const char *name;
  const double unit = unit_of(a->span, &name), range = (double)a->span * PAGE_NS / unit, step = page_step(range, 8, 0);
  for (unsigned i = 0; i * step <= range * (1 + 1e-9); i++) {
    const double x = a->left + (PAGE_RIGHT - a->left) * i * step / range;
    fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, top, bottom);
    if (label != NULL) fprintf(file, "<text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">%g</text>\n", x, bottom + 15, i * step);
  }
  if (label == NULL) return;
  fprintf(file, "<text class=\"unit mid\" x=\"%.1f\" y=\"%.1f\">%s, %s</text>\n", (a->left + PAGE_RIGHT) / 2, bottom + 31, label,
          name);
}

void page_section(FILE *file, const char *id, const char *title, const char *reading) {
  fprintf(file, "<section id=\"%s\">\n<h2>", id);
  page_put(file, title);
  fputs("</h2>\n", file);
  if (*reading == 0) return;
  fputs("<p class=\"reading\">", file);
  page_put(file, reading);
  fputs("</p>\n", file);
}

void page_section_end(FILE *file) { fputs("</section>\n", file); }

void page_picture(FILE *file, double height, const char *about) {
  fprintf(file, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"", PAGE_WIDTH, height);
  page_put(file, about);
  fputs("\">\n", file);
}

void page_bars(FILE *file, const struct page_bar *list, size_t count) {
  uint64_t most = 1;
  for (size_t i = 0; i < count; i++)
    if (list[i].value > most) most = list[i].value;
  fputs("<div class=\"wide\"><table>\n", file);
  for (size_t i = 0; i < count; i++) {
    char number[PAGE_TEXT];
    fputs("<tr><td class=\"name\">", file);
    page_put(file, list[i].name);
    fprintf(file,
            "</td><td class=\"number\">%s</td><td class=\"bar\"><svg viewBox=\"0 0 200 12\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"%s\" width=\"%.1f\" height=\"12\"/></svg></td></tr>\n",
            page_number(number, list[i].value), list[i].class, 200 * (double)list[i].value / (double)most);
  }
  fputs("</table></div>\n", file);
}
