#include "formal/protocol/classes/model.h"

#include <stdio.h>

/// What a packet is. TURNED: a read that hit and is a response now, still where the read was.
enum { NOTHING, READ, RESPONSE, TURNED };
/// Places of a packet of way `w`, from node `w` to the other one. Each has room for one packet of each class, or for one.
enum { IN, UP_PIPE, SPINE, DOWN_PIPE, OUT, PLACES };
enum { WAYS = 2, CLASSES = 2 };
enum { STEP_ASK, STEP_MOVE, STEP_TURN, STEP_TAKE, STEP_ANSWER };

struct classes_state {
  uint8_t at[WAYS][PLACES][CLASSES];
  uint8_t asked[WAYS], got[WAYS];
};

const char *const classes_pipes_names[] = {"apart", "turns", "one", NULL};
const char *const classes_hits_names[] = {"room", "wait", "none", NULL};

static unsigned class_of(const struct classes_rules *r, unsigned what) { return r->classes == 2 && what != READ; }

/// Whether a place is free for a packet. The pipe of node `n`'s switch is UP_PIPE of way `n` and DOWN_PIPE of the other way.
static bool is_free(const struct classes_rules *r, const struct classes_state *s, unsigned way, unsigned place, unsigned what) {
  const unsigned class = class_of(r, what);
  if (s->at[way][place][class] != NOTHING) return false;
  if (place != UP_PIPE && place != DOWN_PIPE) return true;
  const uint8_t *own = s->at[way][place], *other = s->at[1 - way][place == UP_PIPE ? DOWN_PIPE : UP_PIPE];
  if (r->pipes == PIPES_TURNS) return other[class] == NOTHING;
  return r->pipes == PIPES_APART || (own[1 - class] == NOTHING && other[0] == NOTHING && other[1] == NOTHING);
}

static void emit(struct steps *out, const struct classes_state *s, unsigned kind, unsigned way, unsigned place, unsigned what) {
  step(out, s, (uint32_t)(kind << 8 | way << 6 | place << 3 | what), false);
}

/// A packet goes from one place to another, perhaps as something else.
static void move(const struct classes_rules *r, const struct classes_state *s, unsigned kind, unsigned way, unsigned place,
                 unsigned to_way, unsigned to, unsigned becomes, unsigned class, struct steps *out) {
  if (!is_free(r, s, to_way, to, becomes)) return;
  struct classes_state next = *s;
  next.at[way][place][class] = NOTHING;
  next.at[to_way][to][class_of(r, becomes)] = (uint8_t)becomes;
  emit(out, &next, kind, way, place, s->at[way][place][class]);
}

/// What a packet in a switch's pipe can do. Its response, if it turns around, goes back on the other way.
static void leave_pipe(const struct classes_rules *r, const struct classes_state *s, unsigned way, unsigned place, unsigned class,
                       struct steps *out) {
  const unsigned what = s->at[way][place][class], back = place == UP_PIPE ? OUT : SPINE;
  if (what == TURNED) {
    move(r, s, STEP_MOVE, way, place, 1 - way, back, RESPONSE, class, out);
    return;
  }
  move(r, s, STEP_MOVE, way, place, way, place + 1, what, class, out);
  if (what == READ && r->hits == HITS_ROOM) move(r, s, STEP_TURN, way, place, 1 - way, back, RESPONSE, class, out);
  if (what == READ && r->hits == HITS_WAIT && (r->classes == 1 || s->at[way][place][1] == NOTHING)) {
    struct classes_state next = *s;
    next.at[way][place][class] = NOTHING;
    next.at[way][place][class_of(r, TURNED)] = TURNED;
    emit(out, &next, STEP_TURN, way, place, READ);
  }
}

/// Node 1 - way takes what has come: a response always, a read if its response can leave.
static void take(const struct classes_rules *r, const struct classes_state *s, unsigned way, unsigned class, struct steps *out) {
  if (s->at[way][OUT][class] == READ) {
    move(r, s, STEP_ANSWER, way, OUT, 1 - way, IN, RESPONSE, class, out);
    return;
  }
  struct classes_state next = *s;
  next.at[way][OUT][class] = NOTHING;
  next.got[1 - way]++;
  emit(out, &next, STEP_TAKE, way, OUT, RESPONSE);
}

static void successors(const void *config, const void *state, struct steps *out) {
  const struct classes_rules *r = config;
  const struct classes_state *s = state;
  for (unsigned w = 0; w < WAYS; w++) {
    if (s->asked[w] < r->reads && is_free(r, s, w, IN, READ)) {
      struct classes_state next = *s;
      next.asked[w]++;
      next.at[w][IN][0] = READ;
      emit(out, &next, STEP_ASK, w, IN, READ);
    }
    for (unsigned p = 0; p < PLACES; p++) {
      for (unsigned c = 0; c < r->classes; c++) {
        if (s->at[w][p][c] == NOTHING) continue;
        if (p == OUT)
          take(r, s, w, c, out);
        else if (p == UP_PIPE || p == DOWN_PIPE)
          leave_pipe(r, s, w, p, c, out);
        else
          move(r, s, STEP_MOVE, w, p, w, p + 1, s->at[w][p][c], c, out);
      }
    }
  }
}

static void initial(const void *config, void *state) {
  (void)config;
  (void)state;
}

static bool complete(const void *config, const void *state) {
  const struct classes_rules *r = config;
  const struct classes_state *s = state;
  return s->got[0] == r->reads && s->got[1] == r->reads;
}

struct rule_model classes_model(const struct classes_rules *rules) {
  struct rule_model m = {.config = rules, .initial = initial, .complete = complete, .successors = successors};
  for (unsigned w = 0; w < WAYS; w++) {
    for (unsigned p = 0; p < PLACES; p++)
      for (unsigned c = 0; c < rules->classes; c++) layout_add(&m.layout, offsetof(struct classes_state, at[w][p][c]), TURNED);
    layout_add(&m.layout, offsetof(struct classes_state, asked[w]), rules->reads);
    layout_add(&m.layout, offsetof(struct classes_state, got[w]), rules->reads);
  }
  return m;
}

void classes_words(uint32_t label, char *text, size_t size) {
  static const char *const places[] = {"in front of its switch", "going up in it", "in the spine",
                                       "coming down in the other switch", "at the other node"};
  static const char *const whats[] = {"", "read", "response", "response of a read that hit"};
  static const char *const kinds[] = {"is sent", "goes on from", "hits and turns around", "is taken", "is answered"};
  const unsigned kind = label >> 8, way = label >> 6 & 1, place = label >> 3 & 7, what = label & 7;
  snprintf(text, size, "a %s of node %u %s%s%s", whats[what], what == READ ? way : 1 - way, kinds[kind],
           kind == STEP_MOVE || kind == STEP_TURN ? ": " : "", kind == STEP_MOVE || kind == STEP_TURN ? places[place] : "");
}
