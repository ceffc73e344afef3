/// A measured figure: what it is called, what bounds it, and what it ought to be.
#ifndef WEIR_SIM_FIGURE_H
#define WEIR_SIM_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FIGURE_NAME_BYTES = 48, FIGURE_BOUND_BYTES = 160 };

struct figure {
  char name[FIGURE_NAME_BYTES];
  double value;
  int decimals;   ///< that mean something; the others are not shown and decide nothing
  const char *unit;
  char bound_by[FIGURE_BOUND_BYTES];   ///< what keeps it from being better
  double low, high;                    ///< its target; -INFINITY and INFINITY: none
};

/// True if the figure, as it is shown, is what it ought to be.
bool figure_good(const struct figure *f);
/// A line of the table for people: value, whether the target is met, what bounds it.
void figure_print(FILE *file, const struct figure *f);
/// A row of the file for programs, and the row above all.
void figure_csv(FILE *file, const struct figure *f);
void figure_csv_head(FILE *file);

#endif
