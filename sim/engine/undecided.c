#include "sim/engine/undecided.h"

#include <inttypes.h>

void undecided_add(struct undecided *sum, const struct undecided *more) {
  struct witness_counts *to = &sum->witness;
  const struct witness_counts *from = &more->witness;
  sum->given_up += more->given_up;
  to->results += from->results;
  to->passed += from->passed;
  to->told += from->told;
  to->complete += from->complete;
  for (int e = 0; e < WITNESS_EXCUSES; e++) to->excused[e] += from->excused[e];
  to->untried += from->untried;
  to->incomplete += from->incomplete;
}

void undecided_rows(const struct undecided *u, struct undecided_row rows[UNDECIDED_KINDS]) {
  static const char *const meanings[WITNESS_EXCUSES] = {
      [WITNESS_CONTRADICTION] = "columns without results: packets of them disagree in type or length",
      [WITNESS_PORTS] = "columns without results: a connection used several ports, or two claimed one rank",
      [WITNESS_GAP] = "columns without results: behind one that lacks packets",
      [WITNESS_WINDOW] = "columns without results: messages out of the window; is it the hosts'?"};
  for (int e = 0; e < WITNESS_EXCUSES; e++) {
    const char *name = witness_excuse_name((enum witness_excuse)e);
    rows[e] = (struct undecided_row){.id = name, .value = u->witness.excused[e], .meaning = meanings[e]};
    snprintf(rows[e].name, sizeof rows[e].name, "excused: %s", name);
  }
  rows[WITNESS_EXCUSES] = (struct undecided_row){"given_up", "given up", u->given_up,
                                                 "columns: a newer message took their slot first; is --window the hosts'?"};
  rows[WITNESS_EXCUSES + 1] = (struct undecided_row){"untried", "sums not tried", u->witness.untried,
                                                     "results: packets of one rank contradict each other in too many ways"};
  rows[WITNESS_EXCUSES + 2] =
      (struct undecided_row){"incomplete", "incomplete", u->witness.incomplete, "columns: of some rank no packet came in"};
}

void undecided_print(FILE *file, const struct undecided *u) {
  struct undecided_row rows[UNDECIDED_KINDS];
  undecided_rows(u, rows);
  for (size_t i = 0; i < UNDECIDED_KINDS; i++)
    if (rows[i].value > 0) fprintf(file, "%-22s %12" PRIu64 "  %s\n", rows[i].name, rows[i].value, rows[i].meaning);
}

json_t *undecided_json(const struct undecided *u) {
  json_t *excused = json_object();
  for (int e = 0; e < WITNESS_EXCUSES; e++)
    json_object_set_new(excused, witness_excuse_name((enum witness_excuse)e), json_integer((json_int_t)u->witness.excused[e]));
  return json_pack("{s:I, s:o, s:I, s:I}", "given_up", (json_int_t)u->given_up, "excused", excused, "untried",
                   (json_int_t)u->witness.untried, "incomplete", (json_int_t)u->witness.incomplete);
}

bool undecided_fails(const struct undecided *u, enum undecided_input input, char *text, size_t size) {
  const struct witness_counts *w = &u->witness;
  const size_t excused = witness_excused(w);
  if (input == UNDECIDED_SOUND && (excused > 0 || u->given_up > 0 || w->untried > 0 || w->incomplete > 0)) {
    snprintf(text, size,
             "undecided, though nothing went wrong: %zu columns excused, %" PRIu64
             " given up, %zu incomplete, %zu sums not tried",
             excused, u->given_up, w->incomplete, w->untried);
    return true;
  }
  // Of these nothing in what came in tells.
  const size_t explained = excused - w->excused[WITNESS_WINDOW];
  if (input == UNDECIDED_RECORDED && (w->excused[WITNESS_WINDOW] > 0 || u->given_up > explained)) {
    snprintf(text, size,
             "%zu columns had packets of all ranks and gave no results, %" PRIu64
             " of them complete in the device: messages out of the window; is it the hosts'?",
             w->excused[WITNESS_WINDOW], u->given_up);
    return true;
  }
  return false;
}
