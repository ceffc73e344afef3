/// What the page is made of; shared by the page*.c files only.
///
/// Pictures are 920 units wide and shrink with the window. Colours come from the classes of page_style.c, never alone: strips lie
/// above or below a line, areas are hatched, everything is named.
#ifndef WEIR_SIM_PAGE_PARTS_H
#define WEIR_SIM_PAGE_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "sim/engine/history.h"
#include "sim/report/page.h"

enum { PAGE_NS = 4, PAGE_WIDTH = 920, PAGE_RIGHT = 904, PAGE_TEXT = 64 };

// --- words and numbers (page_text.c) ---

/// Escaped for HTML, in elements and attributes.
void page_put(FILE *file, const char *text);
/// "1,329"; returns `text`.
const char *page_number(char text[PAGE_TEXT], uint64_t number);
/// Cycles as "588 ns", "12.3 us", "1.20 ms" (with a Greek mu); returns `text`.
const char *page_duration(char text[PAGE_TEXT], uint64_t cycles);
/// "" for 1, else "s".
const char *page_plural(uint64_t number);
/// A step of 1, 2 or 5 times a power of ten that makes at most `most` steps up to `range`; at least `least`.
double page_step(double range, unsigned most, double least);

// --- a page (page.c) ---

/// Everything up to the first section: title, verdict, figures.
void page_begin(FILE *file, const struct page *page);
/// Ends it. 0, or -1 if the file could not be written.
int page_end(FILE *file);

// --- pictures ---

/// Where time runs in a picture: `from` to PAGE_RIGHT is 0 to `span` cycles.
struct page_axis {
  double left;
  uint64_t span;   ///< not 0
};
double page_x(const struct page_axis *axis, uint64_t cycles);
/// Lines upwards from `bottom` to `top`, and if `label` is not NULL numbers below, and what they mean, which takes 36 units.
void page_time_axis(FILE *file, const struct page_axis *axis, double top, double bottom, const char *label);

/// Begins a section: its title says what one sees, `reading` (may be "") how to read it. Ends it.
void page_section(FILE *file, const char *id, const char *title, const char *reading);
void page_section_end(FILE *file);
/// Begins a picture of this height; `about` says in words what is in it.
void page_picture(FILE *file, double height, const char *about);

/// One bar of a list; `class` is one of page_style.c.
struct page_bar {
  const char *name;
  uint64_t value;
  const char *class;
};
/// A table of names, values and bars, of which the longest is the greatest value.
void page_bars(FILE *file, const struct page_bar *list, size_t count);

// --- sections ---

void page_throughput(FILE *file, const struct history_view *view);
void page_latency(FILE *file, const struct history_view *view);
void page_slots(FILE *file, const struct history_view *view);
void page_fates(FILE *file, const uint64_t *fates);
void page_undecided(FILE *file, const struct undecided *undecided);
void page_columns(FILE *file, const struct history_view *view);
/// The style sheet (page_style.c).
void page_style(FILE *file);

#endif
