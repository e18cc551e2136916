#ifndef HY_TESTS_SCENARIOS_ATTACKS_PARTY_H
#define HY_TESTS_SCENARIOS_ATTACKS_PARTY_H

#include "attack_client.h"

/* A client of halyard-cpu with its own objects, either an owner or an intruder. A failure of an
 * honest call ends the program. */
enum { PARTY_EXTENT = 4, PARTY_BYTES = 16 };

struct party {
    struct raw_client client;
    struct hy_pool memory; /* two inputs and an output */
    float *values;         /* mapped `memory`: PARTY_EXTENT floats each */
    uint64_t prepared, buffer;
    uint32_t token; /* of the buffer, whose values are `secret` and the next numbers */
};

/* Connects and creates memory with the given id and a buffer with the given secret. */
void party_enter(struct party *party, bool is_attacker, uint64_t id, float secret);
void party_leave(struct party *party);

void party_make_buffer(struct party *party, float secret);
void party_destroy_buffer(struct party *party);

/* Expects the buffer and the prepared model to be unchanged. */
void party_expect_unharmed(struct party *party, float secret);

/* Copies between buffer `buffer` and the first PARTY_EXTENT floats. Returns the status. */
int32_t party_copy(struct party *party, enum hy_wire_kind kind, uint64_t buffer);

void party_fill(float *values, float first);
bool party_is_filled(const float *values, float first);

#endif
