#include "wire/fate.h"

const char *fate_name(enum fate fate) {
  static const char *const names[FATE_COUNT] = {
      [FATE_PASSED] = "passed",
      [FATE_STORED] = "stored",
      [FATE_DUPLICATE] = "duplicate",
      [FATE_FRAME_ERROR] = "frame_error",
      [FATE_OVERSIZE] = "oversize",
      [FATE_BAD_ICRC] = "bad_icrc",
      [FATE_BAD_HEADER] = "bad_header",
      [FATE_UNREGISTERED] = "unregistered",
      [FATE_RANK_CONFLICT] = "rank_conflict",
      [FATE_TABLE_FULL] = "table_full",
      [FATE_UNKNOWN_MESSAGE] = "unknown_message",
      [FATE_PSN_CONFLICT] = "psn_conflict",
      [FATE_STALE] = "stale",
      [FATE_WINDOW_VIOLATION] = "window_violation",
      [FATE_TYPE_MISMATCH] = "type_mismatch",
      [FATE_LENGTH_MISMATCH] = "length_mismatch",
      [FATE_BAD_LENGTH] = "bad_length",
      [FATE_RETIRED] = "retired",
      [FATE_CLOSED] = "closed",
      [FATE_MEMORY_ERROR] = "memory_error",
  };
  return (unsigned)fate < FATE_COUNT ? names[fate] : "?";
}

const char *fate_meaning(enum fate fate) {
  static const char *const meanings[FATE_COUNT] = {
      [FATE_PASSED] = "No gradient of a known ring: it leaves as it came.",
      [FATE_STORED] = "The first packet of its rank in its column: its payload goes into the sum.",
      [FATE_DUPLICATE] = "Its rank's packet is in the column already: it only asks for the result once more.",
      [FATE_FRAME_ERROR] = "The MAC flagged an error in the frame.",
      [FATE_OVERSIZE] = "The frame is longer than 9,728 bytes.",
      [FATE_BAD_ICRC] = "The ICRC at its end is wrong: bytes were changed on the way.",
      [FATE_BAD_HEADER] = "Its INA header is missing where a message begins, or contradicts the ring or what is known of the "
                          "connection.",
      [FATE_UNREGISTERED] = "Its connection is unknown, and its ring does not learn connections.",
      [FATE_RANK_CONFLICT] = "Its connection is new, but another one speaks for its rank already.",
      [FATE_TABLE_FULL] = "Its connection is new, and the table of connections is full.",
      [FATE_UNKNOWN_MESSAGE] =
          "Its PSN is in no message known of its connection: the message's first packet has not come, or the "
          "message is long over.",
      [FATE_PSN_CONFLICT] = "Its message is known with another PSN, MsgLen or type.",
      [FATE_STALE] = "Its message is older than what the connection or the slot is at by now.",
      [FATE_WINDOW_VIOLATION] = "Its slot holds an unfinished column of an older message: the host is ahead of its window.",
      [FATE_TYPE_MISMATCH] = "Its element type or operation is not that of the column.",
      [FATE_LENGTH_MISMATCH] = "Its tensor part is not as long as that of the column.",
      [FATE_BAD_LENGTH] =
          "Its headers do not fit into it, or its tensor part is longer than a slot or no whole number of elements.",
      [FATE_RETIRED] =
          "Its connection is one that the device knew and was told to forget, or of a ring that is disabled: whoever "
          "receives it could take one rank's numbers for the sum.",
      [FATE_CLOSED] =
          "No packet of a known ring, and its port is not open for such; or its ring is set to drop, or is being flushed.",
      [FATE_MEMORY_ERROR] = "A memory of the device has lost what its connection, its message or its slot was.",
  };
  return (unsigned)fate < FATE_COUNT ? meanings[fate] : "";
}

uint64_t fate_drops(const uint64_t fates[FATE_COUNT]) {
  uint64_t sum = 0;
  for (int f = FATE_FIRST_DROP; f < FATE_COUNT; f++) sum += fates[f];
  return sum;
}
