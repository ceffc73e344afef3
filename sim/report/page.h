/// One run as one HTML page for people who did not write Weir: no script, nothing from outside, pictures inside as SVG.
#ifndef WEIR_SIM_PAGE_H
#define WEIR_SIM_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/findings.h"
#include "sim/engine/history.h"
#include "sim/engine/undecided.h"

/// A number that a run is summed up with.
struct page_figure {
  const char *id;     ///< of the element that holds it: letters and _
  const char *name;   ///< what people call it
  char value[40];     ///< with its unit
};

/// What the command says about its run; all text is plain, not HTML. Nothing is kept.
struct page {
  const char *title;
  bool good;
  const char *verdict;   ///< one sentence
  const char *setting;   ///< one line: device, rings, hosts
  const char *again;     ///< command that repeats the run
  const char *const *texts;
  size_t text_count;   ///< of the first mismatches
  const struct page_figure *figures;
  size_t figure_count;
  const uint64_t *fates;   ///< FATE_COUNT: what became of the frames in
  const struct undecided *undecided;
};

/// A figure of the page for a count, or for a latency in cycles (0: none was measured).
struct page_figure page_counted(const char *id, const char *name, uint64_t number);
struct page_figure page_cycles(const char *id, const char *name, uint64_t cycles);
/// For what was measured, with `format` of the value.
struct page_figure page_measured(const char *id, const char *name, const char *format, double value)
    __attribute__((format(printf, 3, 0)));
/// The time from the run's beginning to its last event.
struct page_figure page_time(const struct history *history);

/// What the verdict of a run says instead if it had mismatches.
void page_failed(char *verdict, size_t size, size_t mismatches);
/// The texts of findings, for a page; how many there are.
size_t page_texts(const char *texts[FINDINGS_TEXTS], const struct findings *findings);

/// Writes the page of a finished history. 0, or -1 (and errno) if the file could not be written.
int page_write(FILE *file, const struct page *page, const struct history *history);

#endif
