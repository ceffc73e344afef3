// The page of a run: words where there is nothing to draw, escaped text, many ports and ranks, times in readable units.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/report/page.h"
#include "sim/report/page_parts.h"
#include "wire/fate.h"

static const struct drive_config config = {
    .name = "some", .ports = 16, .ranks = 16, .slot_bytes = 256, .slots = 64, .rings = 4, .conns = 64, .max_window = 4};

static struct history *history_of(const struct drive_ring *rings, size_t count) {
  struct history *h = history_new();
  assert_non_null(h);
  assert_true(history_set_up(h, &config, rings, count));
  return h;
}

/// The page of a history with `fates`, which is finished by this. The caller frees it.
static char *page_with(struct history *h, const char *title, const uint64_t *fates, const struct undecided *undecided) {
  const struct page_figure figures[] = {page_counted("frames_in", "frames in", 1234567), page_cycles("p50", "p50", 0),
                                        page_cycles("p99", "p99", 1200), page_time(h)};
  const char *texts[] = {"port <2>: \"&\""};
  const struct page page = {.title = title,
                            .verdict = "FAILED: 1 mismatch",
                            .setting = "a setting",
                            .again = "weir 'a&b'",
                            .texts = texts,
                            .text_count = 1,
                            .figures = figures,
                            .figure_count = sizeof figures / sizeof *figures,
                            .fates = fates,
                            .undecided = undecided};
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  history_finish(h);
  assert_int_equal(page_write(f, &page, h), 0);
  fclose(f);
  return text;
}

static char *page_of(struct history *h, const char *title, const uint64_t *fates) {
  return page_with(h, title, fates, &(struct undecided){0});
}

/// What could not be drawn must not be in a picture.
static void is_sound(const char *page) {
  const char *const bad[] = {"=\"nan", "=\"-nan", "=\"inf",    "Hnan",       "Vnan",  "Hinf",
                             "Vinf",   "H-",      "width=\"-", "height=\"-", " -nan", " nan"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (strstr(page, bad[i]) != NULL) fail_msg("the page holds '%s'", bad[i]);
}

static size_t count_of(const char *page, const char *what) {
  size_t count = 0;
  for (; (page = strstr(page, what)) != NULL; page += strlen(what)) count++;
  return count;
}

#define HAS(page, text)                                                                                                          \
  if (strstr(page, text) == NULL) fail_msg("the page does not say: %s", text)

static void words_where_nothing_can_be_drawn(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  struct history *h = history_of(NULL, 0);
  char *page = page_of(h, "empty", fates);
  is_sound(page);
  HAS(page, "No frame went in or out");
  HAS(page, "Latency: nothing to measure");
  HAS(page, "No ring is set up");
  HAS(page, "No frame came in.");
  HAS(page, "No packet was stored in a column.");
  HAS(page, "<dd id=\"frames_in\">1,234,567</dd>");
  HAS(page, "<dd id=\"p50\">none</dd>");
  HAS(page, "<dd id=\"p99\">1,200 cycles</dd>");
  free(page);
  history_free(h);
}

static void a_full_disk_is_noticed(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  const struct page page = {
      .title = "", .verdict = "", .setting = "", .again = "", .fates = fates, .undecided = &(struct undecided){0}};
  struct history *h = history_of(NULL, 0);
  FILE *f = fopen("/dev/full", "w");
  assert_non_null(f);
  setvbuf(f, NULL, _IONBF, 0);
  assert_int_equal(page_write(f, &page, h), -1);
  fclose(f);
  history_free(h);
}

static void what_is_undecided_is_told(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  struct history *h = history_of(NULL, 0);
  char *page = page_of(h, "decided", fates);
  HAS(page, "<h2>Undecided: nothing</h2>");
  HAS(page, "<p class=\"empty\">Everything was decided.</p>");
  free(page);
  history_free(h);
  const struct undecided some = {.given_up = 1234, .witness.excused[WITNESS_GAP] = 2, .witness.untried = 3};
  h = history_of(NULL, 0);
  page = page_with(h, "undecided", fates, &some);
  is_sound(page);
  HAS(page, "<h2>Undecided: 3 kinds of columns or results</h2>");
  HAS(page, "<td class=\"name\">excused: gap</td><td class=\"number\" id=\"undecided_gap\">2</td>");
  HAS(page, "<td class=\"name\">given up</td><td class=\"number\" id=\"undecided_given_up\">1,234</td>");
  HAS(page, "<td class=\"name\">sums not tried</td><td class=\"number\" id=\"undecided_untried\">3</td>");
  assert_int_equal(count_of(page, "id=\"undecided_"), 3);
  assert_null(strstr(page, "Everything was decided"));
  free(page);
  history_free(h);
}

/// A ring is set up, but no frame comes.
static void no_frame(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  const struct drive_ring ring = {.id = 5, .workers = 2, .window = 1, .stride = 1};
  struct history *h = history_of(&ring, 1);
  char *page = page_of(h, "nothing", fates);
  is_sound(page);
  HAS(page, "Slots: at most 0 of 2 held an unfinished column at a time");
  free(page);
  history_free(h);
}

static void one_frame_is_enough(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {[FATE_BAD_ICRC] = 1};
  struct history *h = history_of(NULL, 0);
  history_in(h, 3, 64, 0, 0);
  char *page = page_of(h, "one", fates);
  is_sound(page);
  HAS(page, "Port 3</tspan>");
  HAS(page, "Drops: 1 of 1 frames, one of them as bad_icrc");
  HAS(page, fate_meaning(FATE_BAD_ICRC));
  HAS(page, "No frame went through ports 0, 1, 2, 4, 5");
  HAS(page, "14 and 15.");
  free(page);
  history_free(h);
}

static void text_is_escaped(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  struct history *h = history_of(NULL, 0);
  char *page = page_of(h, "<b>\"a\"&\n", fates);
  HAS(page, "<title>&lt;b&gt;&quot;a&quot;&amp;?</title>");
  HAS(page, "<h1>&lt;b&gt;&quot;a&quot;&amp;?</h1>");
  HAS(page, "<li>port &lt;2&gt;: &quot;&amp;&quot;</li>");
  HAS(page, "weir 'a&amp;b'");
  assert_null(strstr(page, "<b>"));
  free(page);
  history_free(h);
}

/// One port at full speed for half of the time, one column that is complete for half of it.
static void outlines_are_where_they_should(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  const struct drive_ring ring = {.id = 5, .workers = 2, .window = 1, .stride = 2};
  struct history *h = history_of(&ring, 1);
  struct scoreboard_event e = {.kind = SCOREBOARD_DECIDE, .fate = FATE_STORED};
  history_state(h, &e, 0);
  e = (struct scoreboard_event){.kind = SCOREBOARD_COMMIT, .fate = FATE_STORED, .completes = true};
  history_in(h, 0, 1024, 0, 15);
  history_state(h, &e, 16);
  history_out(h, 0, 1024, 16, 31);
  char *page = page_of(h, "outlines", fates);
  HAS(page, "ports take in up to 128 Gb/s and send out up to 128 Gb/s");
  HAS(page, "<path class=\"in\" d=\"M72.0 80.0H72.0V20.0H488.0V80.0H904Z\"/>");
  HAS(page, "<path class=\"out\" d=\"M72.0 80.0H488.0V140.0H904.0V80.0H904Z\"/>");
  HAS(page, "Slots: at most 1 of 4 held");
  HAS(page, "<path class=\"kept\" d=\"M72.0 194.0H72.0V149.0H904.0V194.0H904Z\"/>");
  HAS(page, "<path class=\"in\" d=\"M72.0 194.0H72.0V149.0H488.0V194.0H904Z\"/>");
  HAS(page, "<path class=\"peak\" d=\"M72.0 194.0H72.0V149.0H488.0V194.0H904\"/>");
  free(page);
  history_free(h);
}

static void the_life_of_a_column(void **state) {
  (void)state;
  const uint64_t fates[FATE_COUNT] = {0};
  const struct drive_ring ring = {.id = 5, .workers = 3, .window = 1, .stride = 2};
  struct history *h = history_of(&ring, 1);
  const uint64_t decided[] = {250, 300, 1250}, committed[] = {270, 320, 1270}, left[] = {1350, 1350, 1400};
  for (unsigned r = 0; r < 3; r++) {
    struct scoreboard_event e = {.kind = SCOREBOARD_DECIDE, .msgid = 7, .offset = 1, .rank = r, .fate = FATE_STORED};
    history_state(h, &e, decided[r]);
    e.kind = SCOREBOARD_COMMIT;
    e.completes = r == 2;
    history_state(h, &e, committed[r]);
  }
  for (unsigned r = 0; r < 3; r++) history_result(h, 0, 7, 1, r, left[r], 150);
  char *page = page_of(h, "life", fates);
  is_sound(page);
  HAS(page, "Slowest columns: up to 4.60 \u00B5s from");
  HAS(page, ">ring 5, MsgID 7, offset 1</text>");
  HAS(page, ">4.60 \u00B5s in all, began at 1.00 \u00B5s</text>");
  HAS(page, ">waited 3.80 \u00B5s for rank 2 alone</text>");
  HAS(page, "rank 0: packet goes into its bank for 80 ns, from 0 ns on");
  HAS(page, "rank 1: waits for other ranks for 3.80 \u00B5s, from 280 ns on");
  HAS(page, "rank 2: packet goes into its bank for 80 ns, from 4.00 \u00B5s on");
  HAS(page, "rank 2: result on its way for 520 ns, from 4.08 \u00B5s on");
  HAS(page, "complete after 4.08 \u00B5s");
  HAS(page, "rank 2: first beat of the result out after 4.60 \u00B5s");
  // The last result leaves at the right end of the picture.
  assert_int_equal(count_of(page, "<path class=\"left\" d=\"M909.0 "), 1);
  assert_int_equal(count_of(page, "<path class=\"left\" d=\"M882.3 "), 2);
  free(page);
  history_free(h);
}

/// 16 ports, 16 ranks, every reason for a drop, results that are very late.
static void as_much_as_there_can_be(void **state) {
  (void)state;
  const struct drive_ring ring = {.id = 5, .workers = 16, .window = 1, .stride = 8};
  struct history *h = history_of(&ring, 1);
  struct rng rng = rng_for(1, 1);
  uint64_t now = 0, fates[FATE_COUNT];
  for (unsigned f = 0; f < FATE_COUNT; f++) fates[f] = 1u << f;
  for (uint32_t i = 0; i < 800; i++) {
    struct scoreboard_event e = {.kind = SCOREBOARD_DECIDE, .msgid = i / 8 - 50, .offset = i % 8, .fate = FATE_STORED};
    for (e.rank = 0; e.rank < 16; e.rank++) {
      e.kind = SCOREBOARD_DECIDE;
      history_state(h, &e, now += rng_below(&rng, 100));
      if (i >= 790 && e.rank == 9) continue;
      e.kind = SCOREBOARD_COMMIT;
      e.completes = e.rank == 15 && i < 790;
      history_state(h, &e, now += rng_below(&rng, 10));
      history_in(h, e.rank, 1100, now, now + 17);
    }
    for (unsigned rank = 0; rank < 16 && i < 790; rank++) {
      history_result(h, 0, e.msgid, e.offset, rank, now += 5, rng_percent(&rng, 1) ? 1000000 : 100 + rng_below(&rng, 80));
      history_out(h, rank, 1100, now, now + 17);
    }
  }
  char *page = page_of(h, "much", fates);
  is_sound(page);
  assert_int_equal(count_of(page, "Throughput of port "), 16);
  assert_int_equal(count_of(page, "aria-label=\"Lives of columns\""), 2);
  assert_int_equal(count_of(page, "<text class=\"bold\" x=\"0\""), HISTORY_SLOWEST + HISTORY_WAITING);
  HAS(page, "Not over at the end: 10 columns, of which the 5 oldest");
  HAS(page, "waits for rank 9<");
  HAS(page, "results took longer than the scale shows: up to 1,000,000 cycles (4.00 ms)");
  for (unsigned f = 0; f < FATE_COUNT; f++) HAS(page, fate_meaning((enum fate)f));
  assert_true(strlen(page) < 400000);
  free(page);
  history_free(h);
}

static void times_have_three_digits_and_a_unit(void **state) {
  (void)state;
  const struct {
    uint64_t cycles;
    const char *text;
  } times[] = {{0, "0 ns"},
               {147, "588 ns"},
               {249, "996 ns"},
               {250, "1.00 \u00B5s"},
               {2499, "10.0 \u00B5s"},
               {3070, "12.3 \u00B5s"},
               {30700, "123 \u00B5s"},
               {249999, "1.00 ms"},
               {100000000, "400 ms"},
               {UINT64_C(2500000000), "10.0 s"}};
  char text[PAGE_TEXT];
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    assert_string_equal(page_duration(text, times[i].cycles), times[i].text);
  assert_string_equal(page_number(text, 0), "0");
  assert_string_equal(page_number(text, 999), "999");
  assert_string_equal(page_number(text, 1000), "1,000");
  assert_string_equal(page_number(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void steps_of_an_axis_are_round(void **state) {
  (void)state;
  for (double range = 0.0007; range < 1e7; range *= 1.37) {
    const double step = page_step(range, 8, 0);
    assert_true(range / step <= 8.001 && range / step > 2.9);
  }
  assert_true(page_step(84, 6, 1) == 20);
  assert_true(page_step(3, 6, 1) == 1);
  assert_true(page_step(0, 6, 1) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_where_nothing_can_be_drawn),
      cmocka_unit_test(a_full_disk_is_noticed),
      cmocka_unit_test(what_is_undecided_is_told),
      cmocka_unit_test(no_frame),
      cmocka_unit_test(one_frame_is_enough),
      cmocka_unit_test(text_is_escaped),
      cmocka_unit_test(outlines_are_where_they_should),
      cmocka_unit_test(the_life_of_a_column),
      cmocka_unit_test(as_much_as_there_can_be),
      cmocka_unit_test(times_have_three_digits_and_a_unit),
      cmocka_unit_test(steps_of_an_axis_are_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
