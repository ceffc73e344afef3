// What travels between ports and slot state, as bits: lowest bit of each field of agg_pkg's structs.
#ifndef WEIR_UNIT_SLOT_WORDS_H
#define WEIR_UNIT_SLOT_WORDS_H

/// verdict_t; V_WORDS words of 32 bits.
enum { V_MSGID = 0, V_FREED = 32, V_SLOT = 35, V_RANK = 49, V_CONN = 53, V_FATE = 61, V_PORT = 66, V_WORDS = 3 };
/// commit_t, C_BITS bits.
enum { C_MSGID = 0, C_FREED = 32, C_SLOT = 35, C_RANK = 49, C_FIRST = 53, C_PORT = 54, C_BITS = 58 };

#endif
