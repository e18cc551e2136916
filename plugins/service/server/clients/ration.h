#ifndef HY_SERVICE_SERVER_RATION_H
#define HY_SERVICE_SERVER_RATION_H

#include "common/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What may be had of a service at once. A client takes from its own ration, which counts towards
 * that of its user, which counts towards that of the service: nobody takes what is others'.
 */
enum hy_ration_kind {
#define RATION(name, words, client, user, service) HY_RATION_##name,
#include "plugins/service/server/clients/rations.def"
#undef RATION
    HY_RATION_COUNT
};

enum hy_ration_level { HY_RATION_CLIENT, HY_RATION_USER, HY_RATION_SERVICE };

struct hy_ration {
    struct hy_ration *above; /* NULL: none; outlives this one */
    enum hy_ration_level level;
    char whose[48]; /* "user 1000": for words */
    atomic_uint_fast64_t used[HY_RATION_COUNT];
    atomic_bool is_told[HY_RATION_COUNT]; /* the log has it that there was no more */
};

void hy_ration_init(struct hy_ration *ration, enum hy_ration_level level, struct hy_ration *above,
                    const char *whose);

/*
 * Takes so much on all levels, or nothing. The first refusal of a kind on a level is a line in the
 * log of the service. Thread-safe; a NULL ration is without limits. Errors: EXHAUSTED.
 */
HY_MUST_CHECK enum hy_code hy_ration_take(struct hy_ration *ration, enum hy_ration_kind kind,
                                          uint64_t amount, struct hy_error *err);

/* Whether the amount is within all limits, whatever is in use now. */
bool hy_ration_is_possible(const struct hy_ration *ration, enum hy_ration_kind kind,
                           uint64_t amount);

/*
 * Limits HY_RATION_ALLOCATED of all rations of this process, before there are clients: the service
 * gets `bytes`, a user half of `bytes`, a client three quarters of the user's half. The one client
 * of a private process (`is_private`) gets all of `bytes`. Without a call, and with 0, nothing is
 * limited.
 */
void hy_ration_limit_memory(uint64_t bytes, bool is_private);

/* Gives back what was taken. */
void hy_ration_give(struct hy_ration *ration, enum hy_ration_kind kind, uint64_t amount);

#endif
