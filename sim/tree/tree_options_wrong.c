// Who does what wrong in a run of weir tree, and whether anybody could notice it.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/tree/tree_options.h"

static const char *const mistakes[] = {"",   "group", "other-group", "size", "type",    "op", "early",
                                       "2g", "2g+1",  "twice",       "busy", "no-lock", NULL};

/// The first of "WHAT@HOST,..". Returns what follows it, or NULL if it is none.
static const char *read_first(const struct tree_options *o, const char *text, struct tree_wrong *wrong) {
  char word[24] = "";
  uint64_t host;
  const size_t len = strcspn(text, ",");
  if (len >= sizeof word) return NULL;
  memcpy(word, text, len);
  char *at = strchr(word, '@');
  if (at == NULL) return NULL;
  *at = '\0';
  unsigned what = 1;
  while (mistakes[what] != NULL && strcmp(mistakes[what], word) != 0) what++;
  if (mistakes[what] == NULL || !text_whole(at + 1, 0, o->topology.hosts - 1, &host)) return NULL;
  *wrong = (struct tree_wrong){(unsigned)host, (enum tree_mistake)what};
  if (text[len] == '\0') return text + len;
  return text[len + 1] != '\0' ? text + len + 1 : NULL;
}

static int check_mistake(const struct tree_options *o, const struct tree_wrong *w) {
  const struct tree_jobs_options *j = &o->run.jobs;
  const unsigned group = w->host % o->run.network.groups;
  const bool gives =
      j->operation == TREE_ALL_REDUCE || j->operation == TREE_REDUCE ||
      (j->operation == TREE_BROADCAST && w->host == tree_jobs_special(j, &o->run.network, group, tree_jobs_wrong_part(j)));
  if (w->what == TREE_OTHERS_GROUP && o->run.network.groups == 1)
    return tree_refuse("--wrong %s: other-group is for two groups and more", o->wrong);
  if (w->what == TREE_NO_LOCK && (!j->streams || j->lock != 1 || j->parts > 1))
    return tree_refuse("--wrong %s: no-lock is for streaming trees, with --lock 1, and operations that are whole", o->wrong);
  if (w->what == TREE_BUSY && j->streams && (j->lock != 1 || j->parts > 1))
    return tree_refuse(
        "--wrong %s: in a streaming tree that stays locked what comes early is the next operation; --lock 1 will do, of "
        "operations that are whole",
        o->wrong);
  if (w->what == TREE_ENDS_EARLY && !gives)
    return tree_refuse("--wrong %s: host %u has no vector there that could end early", o->wrong, w->host);
  if ((w->what == TREE_BUSY || w->what == TREE_TWICE) && j->wrong_count > 1)
    return tree_refuse("--wrong %s: %s stands alone: if the first message is denied, too, who is to say of which one he hears?",
                       o->wrong, mistakes[w->what]);
  return 0;
}

int tree_options_check_wrong(struct tree_options *o) {
  struct tree_jobs_options *j = &o->run.jobs;
  const unsigned groups = o->run.network.groups;
  j->wrong_count = 0;
  if (o->wrong == NULL) return 0;
  const char *at = o->wrong;
  do {
    struct tree_wrong *w = &j->wrong[j->wrong_count];
    if (j->wrong_count == TREE_JOBS_WRONG) return tree_refuse("--wrong %s: of at most %d hosts", o->wrong, TREE_JOBS_WRONG);
    at = read_first(o, at, w);
    if (at == NULL)
      return tree_refuse("--wrong %s: must be group, other-group, size, type, op, early, 2g, 2g+1, twice, busy or no-lock, @, "
                         "and a host, 0 to %u; commas "
                         "between several",
                         o->wrong, o->topology.hosts - 1);
    if (w->host % groups != j->wrong[0].host % groups)
      return tree_refuse("--wrong %s: hosts %u and %u are of two groups", o->wrong, j->wrong[0].host, w->host);
    if (tree_jobs_mistake(j, w->host) != TREE_NO_MISTAKE) return tree_refuse("--wrong %s: host %u twice", o->wrong, w->host);
    j->wrong_count++;
  } while (*at != '\0');
  if (j->operations < 2 || (j->operation != TREE_BARRIER && j->size < 8))
    return tree_refuse("--wrong %s: is for vectors, or parts, of 8 bytes and more, and two operations at least", o->wrong);
  if (tree_wiring_members(&o->run.network, 0, j->wrong[0].host % groups) == j->wrong_count)
    return tree_refuse("--wrong %s: nobody else is in that group; who is to see that it is wrong?", o->wrong);
  for (unsigned i = 0; i < j->wrong_count; i++)
    if (check_mistake(o, &j->wrong[i]) != 0) return COMMAND_UNUSABLE;
  return 0;
}
