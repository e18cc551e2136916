#ifndef HY_SERVICE_SERVER_RATION_H
#define HY_SERVICE_SERVER_RATION_H

#include "common/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Limits on the resources of a service. A client's quota is part of its user's quota, and the
 * user's quota is part of the service's quota, so a client cannot consume the share of other
 * clients.
 */
enum hy_ration_kind {
#define RATION(name, words, client, user, service) HY_RATION_##name,
#include "plugins/service/server/clients/rations.def"
#undef RATION
    HY_RATION_COUNT
};

enum hy_ration_level { HY_RATION_CLIENT, HY_RATION_USER, HY_RATION_SERVICE };

struct hy_ration {
    struct hy_ration *above; /* the next level; NULL: none; must outlive this quota */
    enum hy_ration_level level;
    char whose[48]; /* for error texts, for example "user 1000" */
    atomic_uint_fast64_t used[HY_RATION_COUNT];
    atomic_bool is_told[HY_RATION_COUNT]; /* the first refusal has been logged */
};

void hy_ration_init(struct hy_ration *ration, enum hy_ration_level level, struct hy_ration *above,
                    const char *whose);

/*
 * Claims `amount` on all levels, or nothing. The first refusal of a kind on a level is logged.
 * Thread-safe. A NULL quota is unlimited. Errors: EXHAUSTED.
 */
HY_MUST_CHECK enum hy_code hy_ration_take(struct hy_ration *ration, enum hy_ration_kind kind,
                                          uint64_t amount, struct hy_error *err);

/* Returns true if `amount` is within all limits, regardless of current use. */
bool hy_ration_is_possible(const struct hy_ration *ration, enum hy_ration_kind kind,
                           uint64_t amount);

/*
 * Limits HY_RATION_ALLOCATED of all quotas in this process; call before the first client connects.
 * The service gets `bytes`, a user half of `bytes`, and a client three quarters of the user's half.
 * The only client of a private process (`is_private`) gets all of `bytes`. 0, the default, sets no
 * limit.
 */
void hy_ration_limit_memory(uint64_t bytes, bool is_private);

/* Returns a claimed amount on all levels. */
void hy_ration_give(struct hy_ration *ration, enum hy_ration_kind kind, uint64_t amount);

#endif
