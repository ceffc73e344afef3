#include "sim/live/live_said.h"

#include <string.h>

#include "base/text.h"

/// The first `len` bytes of a text as far as there is room.
static void copy_printable(char *to, size_t room, const char *text, size_t len) {
  const size_t there = strnlen(text, len), copied = there < room ? there : room - 1;
  memcpy(to, text, copied);
  to[copied] = 0;
  text_make_printable(to);
}

static void take_text(struct live_said *s, const char *text, size_t len) { copy_printable(s->text, sizeof s->text, text, len); }

bool live_line_add(struct live_line *line, char c) {
  if (c == '\r') return false;
  if (c != '\n') {
    if (line->used + 1 < sizeof line->text) line->text[line->used++] = c;
    return false;
  }
  line->text[line->used] = 0;
  // What follows a panic explains nothing.
  if (line->used > 0 && strstr(line->last, "panic") == NULL)
    copy_printable(line->last, sizeof line->last, line->text, line->used);
  line->used = 0;
  return true;
}

static bool take_whole(const json_t *object, const char *name, uint64_t most, uint64_t *value) {
  const json_t *v = json_object_get(object, name);
  if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > most) return false;
  *value = (uint64_t)json_integer_value(v);
  return true;
}

static bool take_result(const char *text, struct live_result *r) {
  json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  const json_t *us = json_object_get(o, "us"), *device = json_object_get(o, "device");
  uint64_t ring, bytes, wrong, multicasts = 0;
  // No tensor is as large as this, and sums of so many wrong elements do not overflow.
  const uint64_t most = (uint64_t)1 << 48;
  const bool good = take_whole(o, "ring", UINT16_MAX, &ring) && take_whole(o, "bytes", most, &bytes) &&
                    take_whole(o, "wrong", most, &wrong) && json_is_number(us) && json_number_value(us) >= 0 &&
                    json_is_boolean(device) &&
                    (json_object_get(o, "multicasts") == NULL || take_whole(o, "multicasts", most, &multicasts));
  if (good)
    *r = (struct live_result){.ring = (unsigned)ring,
                              .bytes = bytes,
                              .wrong = wrong,
                              .us = json_number_value(us),
                              .device = json_is_true(device),
                              .multicasts = multicasts};
  json_decref(o);
  return good;
}

static bool take_ends(const char *text, struct live_ends *e) {
  static const char *const names[] = {"low_qpn", "low_psn", "sat_qpn", "sat_psn"};
  json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  uint64_t values[4] = {0};
  bool good = true;
  for (int i = 0; i < 4; i++) good = take_whole(o, names[i], 0xFFFFFF, &values[i]) && good;
  if (good)
    *e = (struct live_ends){.low_qpn = (uint32_t)values[0],
                            .low_psn = (uint32_t)values[1],
                            .sat_qpn = (uint32_t)values[2],
                            .sat_psn = (uint32_t)values[3]};
  json_decref(o);
  return good;
}

/// The driver's counters, each a whole number.
static json_t *take_counters(const char *text) {
  json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *value;
  const char *name;
  uint64_t ignored;
  bool good = json_is_object(o);
  json_object_foreach(o, name, value) good = good && take_whole(o, name, INT64_MAX, &ignored);
  if (good) return o;
  json_decref(o);
  return NULL;
}

/// What stands behind a word at the line's begin and a blank; NULL if it begins with something else.
static const char *behind(const char *line, const char *word) {
  const size_t len = strlen(word);
  return strncmp(line, word, len) == 0 && line[len] == ' ' ? line + len + 1 : NULL;
}

void live_said_read(const char *line, struct live_said *said) {
  *said = (struct live_said){.what = LIVE_SAID_NOTHING};
  const char *text = behind(line, "@weir"), *rest;
  if (text == NULL) return;
  uint64_t code;
  bool good = true;
  if ((rest = behind(text, "up")) != NULL) {
    said->what = LIVE_SAID_UP;
    take_text(said, rest, strcspn(rest, " "));
  } else if ((rest = behind(text, "exit")) != NULL) {
    said->what = LIVE_SAID_EXIT;
    good = text_whole(rest, 0, UINT8_MAX, &code);
    if (good) said->code = (int)code;
  } else if ((rest = behind(text, "result")) != NULL) {
    said->what = LIVE_SAID_RESULT;
    good = take_result(rest, &said->result);
  } else if ((rest = behind(text, "counters")) != NULL) {
    said->what = LIVE_SAID_COUNTERS;
    said->counters = take_counters(rest);
    good = said->counters != NULL;
  } else if ((rest = behind(text, "ends")) != NULL) {
    said->what = LIVE_SAID_ENDS;
    good = take_ends(rest, &said->ends);
  } else if (strcmp(text, "done") == 0) {
    said->what = LIVE_SAID_DONE;
  } else if (behind(text, "passed") != NULL) {
    said->what = LIVE_SAID_PASSED;
  } else if ((rest = behind(text, "allreduce")) != NULL) {
    said->what = LIVE_SAID_ALLREDUCE;
    good = strlen(line) + 1 < LIVE_LINE;   // otherwise its end may be cut off
    take_text(said, rest, SIZE_MAX);
  } else {
    said->what = LIVE_SAID_ERROR;
    take_text(said, text + strcspn(text, " ") + (strchr(text, ' ') != NULL), SIZE_MAX);
  }
  if (good) return;
  said->what = LIVE_SAID_UNREADABLE;
  take_text(said, text, SIZE_MAX);
}
