// Matrices in the likeness of the five that NetSparse measures, of any size. Each follows from what its kind is made of (pages of hosts, streets,
// elements); the few numbers that are left are fitted to the published ratios of redundant transfers (Table 1) and destinations among 64
// requests (Table 4), and to nothing else that was published of them. All are for 128 nodes, and by shares of the whole, so that they hold at any size.
#include "sim/gather/matrix.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

static float value_of(struct rng *d) { return (float)rng_from(d, 1, 2000) / 1000 - 1; }

// --- web pages: arabic, uk ---

/// Pages are numbered by host. Half of the links within a host lead to its first pages, the others near by. Links that leave a host are copied from
/// pages before (Kumar et al.), or new: to the host that was linked to last, or to another one, mostly one that somebody has linked to, so
/// that how often hosts are linked to is a power law. In a host the first pages are linked to most.
struct web {
  double outside;    ///< share of links that leave the host
  double copied;     ///< of these, copied from one of the latest
  uint32_t latest;   ///< links that pages copy from
  double partner;    ///< of those that are new, to the host that was linked to last
  double known;      ///< of the others, to a host that somebody has linked to
  double needed;     ///< of what leaves the node, what it has not asked for before, by Table 1; of lists only
};

static const struct web arabic = {
    .outside = 0.0485, .copied = 0.88, .latest = 4, .partner = 0.775, .known = 0.9, .needed = 1 / 28.0};
static const struct web uk = {.outside = 0.030, .copied = 0.20, .latest = 6, .partner = 0.84, .known = 0.9, .needed = 1 / 5.5};

/// First pages of hosts: their sizes are a power law.
struct hosts {
  uint32_t count, *first;   ///< `count` + 1
};

static bool make_hosts(struct hosts *h, uint32_t rows, struct rng *d) {
  enum { HOSTS = 8192 };
  double sizes[HOSTS], sum = 0, before = 0;
  h->count = rows < 4 * HOSTS ? rows / 4 : HOSTS;
  h->first = malloc((h->count + 1) * sizeof *h->first);
  if (h->first == NULL) return false;
  // Pareto with exponent 1.2, the largest about a hundredth of all.
  for (uint32_t i = 0; i < h->count; i++) sum += sizes[i] = fmin(pow(1 - rng_uniform(d), -1 / 1.2), 60);
  for (uint32_t i = 0; i < h->count; before += sizes[i++]) h->first[i] = (uint32_t)(before / sum * rows);
  h->first[h->count] = rows;
  return true;
}

struct web_link {
  uint32_t page, host;
};

struct web_links {
  struct web_link *list;
  size_t count, room;
};

/// A page of a host: how often pages are linked to is a power law, too, whatever their number.
static uint32_t page_of(const struct hosts *h, uint32_t host, struct rng *d) {
  const uint32_t size = h->first[host + 1] - h->first[host];
  const double which = pow(1 - rng_uniform(d), -1.25) - 1;
  return h->first[host] + (which < size ? (uint32_t)which : rng_below(d, size));
}

static struct web_link new_link(const struct web *w, const struct hosts *h, const struct web_links *all, struct rng *d) {
  uint32_t host;
  if (all->count > 0 && rng_uniform(d) < w->partner)
    host = all->list[all->count - 1].host;
  else if (all->count > 0 && rng_uniform(d) < w->known)
    host = all->list[rng_below(d, (unsigned)all->count)].host;
  else
    do host = rng_below(d, h->count);
    while (h->first[host] == h->first[host + 1]);
  return (struct web_link){page_of(h, host, d), host};
}

/// A page of the same host.
static uint32_t inside(const struct hosts *h, uint32_t host, uint32_t page, struct rng *d) {
  enum { FRONT = 8 };
  const uint32_t first = h->first[host], size = h->first[host + 1] - first;
  if (rng_percent(d, 50)) return first + rng_below(d, size < FRONT ? size : FRONT);
  const double u = rng_uniform(d), u2 = u * u, u8 = u2 * u2 * u2 * u2;
  const int64_t far = (int64_t)(u8 * u8 * u8 * u8 * u8 * size / 2) * (rng_percent(d, 50) ? 1 : -1);
  return first + (uint32_t)(((int64_t)(page - first) + far + size) % size);
}

/// An experiment, not a fit: how unevenly the published matrices load their nodes is in neither table. Shares of the stripes (128ths of the rows) are a
/// geometric series with mean 1 and `most` as the largest, in any order.
enum { STRIPES = 128 };

static void make_uneven(double share[STRIPES], double most, struct rng *d) {
  for (unsigned i = 0; i < STRIPES; i++) share[i] = 1;
  if (most <= 1) return;
  double low = 0, high = 1;   // the series' quotient is between them
  for (unsigned step = 0; step < 60; step++) {
    const double quotient = (low + high) / 2;
    if (most * (1 - pow(quotient, STRIPES)) / (1 - quotient) > STRIPES)
      high = quotient;
    else
      low = quotient;
  }
  for (unsigned i = 0; i < STRIPES; i++) share[i] = most * pow(low, i);
  for (unsigned i = STRIPES - 1; i > 0; i--) {
    const unsigned j = rng_below(d, i + 1);
    const double other = share[i];
    share[i] = share[j];
    share[j] = other;
  }
}

/// Another experiment: what makes some load more than others' is not more links, but that of the same number so many are lists of all pages of hosts, one page
/// after the other, which nobody in the node has asked for before.
struct web_list {
  uint32_t page, end;   ///< what comes next of the host that is listed
};

static uint32_t next_listed(struct web_list *l, const struct hosts *h, struct rng *d) {
  while (l->page == l->end) {
    const uint32_t host = rng_below(d, h->count);
    l->page = h->first[host];
    l->end = h->first[host + 1];
  }
  return l->page++;
}

static int generate_web(const struct web *w, const struct matrix_made *made, struct rng *d, struct matrix *m) {
  const uint32_t rows = made->rows, degree = made->degree;
  struct matrix_rows b;
  struct hosts h = {0};
  struct web_list list = {0};
  struct web_links all = {0};   // that have left a host and were not copied, in order
  double share[STRIPES];
  uint32_t host = 0;
  make_uneven(share, made->uneven, d);
  matrix_rows_begin(&b, rows, rows, m);
  bool good = make_hosts(&h, rows, d);
  for (uint32_t row = 0; row < rows && good; row++) {
    while (row >= h.first[host + 1]) host++;
    const uint32_t links = rng_from(d, (degree + 1) / 2, degree + degree / 2);
    const double more = share[(uint64_t)row * STRIPES / rows], same = made->lists && more > 1 ? 1 : more;
    const double outside = w->outside * same, listed = outside * (more / same - 1) * w->needed / (1 - w->needed);
    for (uint32_t i = 0; i < links; i++) {
      const double which = rng_uniform(d);
      if (which >= outside || which < listed) {
        matrix_rows_put(&b, which < listed ? next_listed(&list, &h, d) : inside(&h, host, row, d), value_of(d));
        continue;
      }
      const size_t latest = all.count < w->latest ? all.count : w->latest;
      const bool copied = latest > 0 && rng_uniform(d) < w->copied;
      const struct web_link to = copied ? all.list[all.count - 1 - rng_below(d, (unsigned)latest)] : new_link(w, &h, &all, d);
      matrix_rows_put(&b, to.page, value_of(d));
      if (copied) continue;
      all.list = need_room(all.list, &all.room, all.count + 1, sizeof *all.list);
      all.list[all.count++] = to;
    }
    good = matrix_rows_next(&b);
  }
  free(h.first);
  free(all.list);
  return matrix_rows_end(&b, good);
}

// --- a map: europe ---

/// Crossings on a grid, streets to the east and to the south of each, with two points between. So it is planar. Of some streets a link is missing: dead
/// ends. Neighbourhoods of 4 x 2 crossings are numbered one point after the other. Of a region, neighbourhoods belong to several surveys, as it
/// happens; each survey's are numbered together, and surveys of all regions come in any order.
enum { WIDE = 4, HIGH = 2, POINTS = 5, AREA = WIDE * HIGH * POINTS, SURVEYS = 8 };

struct map_of_streets {
  uint32_t wide, high;   ///< neighbourhoods
  uint32_t *number;      ///< of each neighbourhood
  uint32_t *moved;       ///< of each point, whose number it has; NULL: its own
  uint64_t seed;
};

/// Which link of a street is missing: 0 at its crossing, 2 at the next one; 3: none.
static unsigned missing(const struct map_of_streets *a, uint32_t x, uint32_t y, unsigned south) {
  struct rng d = rng_for(a->seed, ((uint64_t)x << 32 | y) * 2 + south);
  if (rng_uniform(&d) >= 0.35) return 3;
  return rng_uniform(&d) < 0.45 ? 2 : rng_below(&d, 2);
}

/// The number of a point of a crossing: itself, two to the east, two to the south.
static uint32_t point(const struct map_of_streets *a, uint32_t x, uint32_t y, unsigned which) {
  const uint32_t area = a->number[(size_t)(y / HIGH) * a->wide + x / WIDE];
  const uint32_t at = area * AREA + (y % HIGH * WIDE + x % WIDE) * POINTS + which;
  return a->moved != NULL ? a->moved[at] : at;
}

/// An experiment: in one of 16 stripes so many points have the number of another one, anywhere, as those have that somebody added later, that the stripe wants
/// `uneven` times as much as without: a point that is moved is wanted where it was, and wants its neighbours where it is. False if out of memory.
static bool move_points(struct map_of_streets *a, double uneven, struct rng *d) {
  enum { EACH = 16 };
  // What a point wants of other nodes, by Table 1, and nonzeros of a row.
  const double wanted = 127 / 583.0, degree = 2.12;
  const uint32_t points = a->wide * a->high * AREA;
  if (uneven <= 1) return true;
  a->moved = malloc((points + 1) * sizeof *a->moved);
  if (a->moved == NULL) return false;
  for (uint32_t at = 0; at < points; at++) a->moved[at] = at;
  for (uint32_t at = 0; at < points; at++) {
    const bool more = (uint64_t)at * STRIPES / points % EACH == 0;
    if (!more || rng_uniform(d) >= (uneven - 1) * wanted / (1 + degree) || a->moved[at] != at) continue;
    const uint32_t other = rng_below(d, points);
    if (a->moved[other] != other) continue;
    a->moved[at] = other;
    a->moved[other] = at;
  }
  return true;
}

/// Nonzeros of a point of crossing x, y.
static void put_point(const struct map_of_streets *a, struct matrix_rows *b, struct rng *d, uint32_t x, uint32_t y,
                      unsigned which) {
  const uint32_t wide = a->wide * WIDE, high = a->high * HIGH;
  if (which == 0) {
    if (x > 0 && missing(a, x - 1, y, 0) != 2) matrix_rows_put(b, point(a, x - 1, y, 2), value_of(d));
    if (y > 0 && missing(a, x, y - 1, 1) != 2) matrix_rows_put(b, point(a, x, y - 1, 4), value_of(d));
    if (missing(a, x, y, 0) != 0) matrix_rows_put(b, point(a, x, y, 1), value_of(d));
    if (missing(a, x, y, 1) != 0) matrix_rows_put(b, point(a, x, y, 3), value_of(d));
    return;
  }
  const unsigned south = which > 2, first = south ? 3 : 1, gap = missing(a, x, y, south);
  if (which == first) {
    if (gap != 0) matrix_rows_put(b, point(a, x, y, 0), value_of(d));
    if (gap != 1) matrix_rows_put(b, point(a, x, y, first + 1), value_of(d));
    return;
  }
  if (gap != 1) matrix_rows_put(b, point(a, x, y, first), value_of(d));
  if (gap != 2 && (south ? y + 1 < high : x + 1 < wide))
    matrix_rows_put(b, south ? point(a, x, y + 1, 0) : point(a, x + 1, y, 0), value_of(d));
}

/// Numbers neighbourhoods: `place[n]` is where the one with number n is. `near`, an experiment: surveys come in any order within an eighth of the map.
static bool number_them(struct map_of_streets *a, const struct matrix_made *made, uint32_t *place, struct rng *d) {
  enum { MOST = MATRIX_MOST_REGIONS * MATRIX_MOST_REGIONS * SURVEYS };
  const uint32_t count = a->wide * a->high, side = made->regions, surveys = side * side * SURVEYS, eighth = surveys / 8;
  uint32_t order[MOST], starts[MOST] = {0}, at = 0;
  uint16_t *survey = malloc(count * sizeof *survey);
  if (survey == NULL) return false;
  for (uint32_t i = 0; i < surveys; i++) order[i] = i;
  for (uint32_t i = surveys - 1; i > 0; i--) {
    const uint32_t from = made->near ? i / eighth * eighth : 0, j = from + rng_below(d, i - from + 1), other = order[i];
    order[i] = order[j];
    order[j] = other;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t region = i / a->wide * side / a->high * side + i % a->wide * side / a->wide;
    survey[i] = (uint16_t)(region * SURVEYS + rng_below(d, SURVEYS));
    starts[survey[i]]++;
  }
  for (uint32_t i = 0; i < surveys; i++) {
    const uint32_t size = starts[order[i]];
    starts[order[i]] = at;
    at += size;
  }
  for (uint32_t i = 0; i < count; i++) {
    a->number[i] = starts[survey[i]]++;
    place[a->number[i]] = i;
  }
  free(survey);
  return true;
}

static int generate_map(const struct matrix_made *made, struct rng *d, struct matrix *m) {
  const uint32_t rows = made->rows;
  struct matrix_rows b;
  struct map_of_streets a = {.seed = made->seed, .wide = (uint32_t)sqrt((double)rows / AREA)};
  a.high = rows / AREA / (a.wide > 0 ? a.wide : 1);
  const uint32_t count = a.wide * a.high;
  uint32_t *place = malloc((count + 1) * sizeof *place);
  a.number = malloc((count + 1) * sizeof *a.number);
  matrix_rows_begin(&b, rows, rows, m);
  bool good = place != NULL && a.number != NULL && number_them(&a, made, place, d) && move_points(&a, made->uneven, d);
  for (uint32_t row = 0; row < rows && good; row++) {
    if (row / AREA < count) {
      const uint32_t own = a.moved != NULL ? a.moved[row] : row;   // they have changed places in pairs
      const uint32_t at = place[own / AREA], in = own % AREA / POINTS;
      put_point(&a, &b, d, at % a.wide * WIDE + in % WIDE, at / a.wide * HIGH + in / WIDE, own % POINTS);
    } else {
      // What is no whole neighbourhood is a road along the edge.
      if (row > count * AREA) matrix_rows_put(&b, row - 1, value_of(d));
      if (row + 1 < rows) matrix_rows_put(&b, row + 1, value_of(d));
    }
    good = matrix_rows_next(&b);
  }
  free(place);
  free(a.moved);
  free(a.number);
  return matrix_rows_end(&b, good);
}

// --- finite elements: queen, stokes ---

/// A mesh of bricks, numbered along x, then y, then z.
struct mesh {
  uint32_t x, y, z;
};

static struct mesh mesh_of(uint32_t vertices, uint32_t planes) {
  struct mesh s = {.x = (uint32_t)sqrt((double)vertices / planes)};
  if (s.x == 0) s.x = 1;
  s.y = s.x;
  s.z = vertices / (s.x * s.y);
  return s;
}

/// The neighbour of a vertex that is -1, 0 or 1 further in each direction; UINT32_MAX: it is not in the mesh.
static uint32_t beside(const struct mesh *s, uint32_t v, int x, int y, int z) {
  const uint32_t at_x = v % s->x + (uint32_t)x, at_y = v / s->x % s->y + (uint32_t)y, at_z = v / s->x / s->y + (uint32_t)z;
  return at_x < s->x && at_y < s->y && at_z < s->z ? (at_z * s->y + at_y) * s->x + at_x : UINT32_MAX;
}

/// A vertex has three unknowns, each coupled with all of the 27 vertices of its eight elements. 150 planes: a node needs a plane from either side.
static void put_elastic(struct matrix_rows *b, struct rng *d, const struct mesh *s, uint32_t row) {
  for (int i = 0; i < 27; i++) {
    const uint32_t v = beside(s, row / 3, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    for (uint32_t u = 0; v != UINT32_MAX && u < 3; u++) matrix_rows_put(b, 3 * v + u, value_of(d));
  }
}

/// Three velocities and a pressure, field by field. Within its field an unknown is coupled with its faces' neighbours and most of its edges'; with
/// each other field, with most of the vertex and its faces' neighbours there.
static void put_flow(struct matrix_rows *b, struct rng *d, const struct mesh *s, uint32_t field, uint32_t row) {
  const uint32_t own = row / field;
  for (uint32_t f = 0; f < 4; f++) {
    for (int i = 0; i < 27; i++) {
      const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1, off = abs(x) + abs(y) + abs(z);
      if (off > (f == own ? 2 : 1)) continue;
      const double there = f == own ? (off < 2 ? 1 : 0.58) : 0.85;
      if (rng_uniform(d) >= there) continue;
      const uint32_t v = beside(s, row % field, x, y, z);
      if (v != UINT32_MAX) matrix_rows_put(b, f * field + v, value_of(d));
    }
  }
}

static int generate_elements(enum matrix_kind kind, uint32_t rows, struct rng *d, struct matrix *m) {
  struct matrix_rows b;
  const uint32_t fields = kind == MATRIX_QUEEN ? 3 : 4;
  const struct mesh s = mesh_of(rows / fields, kind == MATRIX_QUEEN ? 151 : 290);
  const uint32_t vertices = s.x * s.y * s.z;
  bool good = true;
  matrix_rows_begin(&b, rows, rows, m);
  for (uint32_t row = 0; row < rows && good; row++) {
    if (row >= vertices * fields)
      matrix_rows_put(&b, row, value_of(d));   // fixed: what is no whole plane
    else if (kind == MATRIX_QUEEN)
      put_elastic(&b, d, &s, row);
    else
      put_flow(&b, d, &s, vertices, row);
    good = matrix_rows_next(&b);
  }
  return matrix_rows_end(&b, good);
}

int matrix_generate_published(const struct matrix_made *made, struct matrix *m) {
  struct rng d = rng_for(made->seed, (uint64_t)made->kind);
  switch (made->kind) {
    case MATRIX_ARABIC: return generate_web(&arabic, made, &d, m);
    case MATRIX_UK: return generate_web(&uk, made, &d, m);
    case MATRIX_EUROPE: return generate_map(made, &d, m);
    default: return generate_elements(made->kind, made->rows, &d, m);
  }
}
