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
  };
  return (unsigned)fate < FATE_COUNT ? names[fate] : "?";
}
