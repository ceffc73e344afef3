#include "sim/cli/figure.h"

#include <math.h>
#include <stdlib.h>

enum { TEXT_BYTES = 32, TARGET_BYTES = 80 };

static const char *value_text(const struct figure *f, char text[TEXT_BYTES]) {
  snprintf(text, TEXT_BYTES, "%.*f", f->decimals, f->value);
  return text;
}

bool figure_good(const struct figure *f) {
  char text[TEXT_BYTES];
  const double shown = strtod(value_text(f, text), NULL);
  return shown >= f->low && shown <= f->high;
}

static const char *target_text(const struct figure *f, char text[TARGET_BYTES]) {
  text[0] = 0;
  if (f->low > -INFINITY && f->high < INFINITY) {
    snprintf(text, TARGET_BYTES, "%.*f to %.*f", f->decimals, f->low, f->decimals, f->high);
  } else if (f->low > -INFINITY) {
    snprintf(text, TARGET_BYTES, "at least %.*f", f->decimals, f->low);
  } else if (f->high < INFINITY) {
    snprintf(text, TARGET_BYTES, "at most %.*f", f->decimals, f->high);
  }
  return text;
}

void figure_print(FILE *file, const struct figure *f) {
  char value[TEXT_BYTES], target[TARGET_BYTES];
  const char *verdict = target_text(f, target)[0] == 0 ? "" : figure_good(f) ? "ok" : "MISS";
  fprintf(file, "%-34s %10s %-8s %-4s %-14s %s\n", f->name, value_text(f, value), f->unit, verdict, target, f->bound_by);
}

void figure_csv_head(FILE *file) { fprintf(file, "name,value,unit,bound_by\n"); }

void figure_csv(FILE *file, const struct figure *f) {
  char value[TEXT_BYTES];
  // Texts are the program's own, without quotes.
  fprintf(file, "%s,%s,%s,\"%s\"\n", f->name, value_text(f, value), f->unit, f->bound_by);
}
