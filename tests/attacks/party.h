#ifndef HY_TESTS_ATTACKS_PARTY_H
#define HY_TESTS_ATTACKS_PARTY_H

#include "attack_client.h"

/* A client of halyard-cpu: the owner of something, or an intruder. A failure of one of its honest
 * calls ends the program. */
enum { PARTY_EXTENT = 4, PARTY_BYTES = 16 };

struct party {
    struct raw_client client;
    struct hy_pool memory; /* two inputs and an output */
    float *values;         /* in it: PARTY_EXTENT each */
    uint64_t prepared, buffer;
    uint32_t token; /* of the buffer, which holds `secret` and the numbers after it */
};

/* Its memory has the id, its buffer the secret. */
void party_enter(struct party *party, bool is_attacker, uint64_t id, float secret);
void party_leave(struct party *party);

void party_make_buffer(struct party *party, float secret);
void party_destroy_buffer(struct party *party);

/* Its buffer and its model are as they were. */
void party_expect_unharmed(struct party *party, float secret);

/* A copy between the buffer of that number and the first values; the status. */
int32_t party_copy(struct party *party, enum hy_wire_kind kind, uint64_t buffer);

void party_fill(float *values, float first);
bool party_is_filled(const float *values, float first);

#endif
