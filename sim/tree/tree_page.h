/// The page of `weir tree --report`.
#ifndef WEIR_SIM_TREE_PAGE_H
#define WEIR_SIM_TREE_PAGE_H

#include <stdio.h>

#include "sim/tree/tree_sweep.h"

/// Of one run. 0, or -1 with errno.
int tree_page(FILE *file, const struct tree_report_of *r);
/// Of several sizes.
int tree_page_sweep(FILE *file, const struct tree_sweep *s);

#endif
