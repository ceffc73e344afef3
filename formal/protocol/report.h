/// What a search found, on stdout.
#ifndef WEIR_PROTOCOL_REPORT_H
#define WEIR_PROTOCOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/search/search.h"

/// Writes a step in words; `context` as report_traces got it.
typedef void report_words(const void *context, uint32_t label, char *text, size_t size);

/// States, steps and events, in words or as the columns that table.py reads; without an end of line.
void report_numbers(const struct search *s, bool csv, double seconds);
/// The shortest ways to a wrong step, which `wrong` names, and to a stuck state; nothing of what was not found.
void report_traces(const struct search *s, const char *wrong, report_words *words, const void *context);

/// Searches all states of `model`, at most `most`, and writes both; one line on stderr if there are more. Returns the program's exit code: 0 no step is wrong
/// and no state stuck, 1 otherwise, 2 more states.
int report_search(const struct rule_model *model, uint32_t most, bool csv, report_words *words, const void *context);

#endif
