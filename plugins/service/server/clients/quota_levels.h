#ifndef HY_SERVICE_SERVER_QUOTA_LEVELS_H
#define HY_SERVICE_SERVER_QUOTA_LEVELS_H

#include "common/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Limits on the resources of a service. A client's quota is part of its user's quota, and the
 * user's quota is part of the service's quota, so a client cannot consume the share of other
 * clients.
 */
enum hy_server_quota_kind {
#define QUOTA(name, unit, client, user, service) HY_SERVER_QUOTA_##name,
#include "plugins/service/server/clients/quotas.def"
#undef QUOTA
    HY_SERVER_QUOTA_COUNT
};

enum hy_server_quota_level {
    HY_SERVER_QUOTA_CLIENT,
    HY_SERVER_QUOTA_USER,
    HY_SERVER_QUOTA_SERVICE
};

struct hy_server_quota {
    struct hy_server_quota *above; /* the next level; NULL: none; must outlive this quota */
    enum hy_server_quota_level level;
    char whose[48]; /* for error texts, for example "user 1000" */
    atomic_uint_fast64_t used[HY_SERVER_QUOTA_COUNT];
    atomic_bool is_reported[HY_SERVER_QUOTA_COUNT]; /* the first refusal has been logged */
};

void hy_server_quota_init(struct hy_server_quota *quotas, enum hy_server_quota_level level,
                          struct hy_server_quota *above, const char *whose);

/*
 * Claims `amount` on all levels, or nothing. The first refusal of a kind on a level is logged.
 * Thread-safe. A NULL quota is unlimited. Errors: EXHAUSTED.
 */
HY_MUST_CHECK enum hy_code hy_server_quota_charge(struct hy_server_quota *quotas,
                                                  enum hy_server_quota_kind kind, uint64_t amount,
                                                  struct hy_error *err);

/* Returns true if `amount` is within all limits, regardless of current use. */
bool hy_server_quota_is_possible(const struct hy_server_quota *quotas,
                                 enum hy_server_quota_kind kind, uint64_t amount);

/*
 * Limits HY_SERVER_QUOTA_ALLOCATED of all quotas in this process; call before the first client
 * connects. The service gets `bytes`, a user half of `bytes`, and a client three quarters of the
 * user's half. The only client of a private process (`is_private`) gets all of `bytes`. 0, the
 * default, sets no limit.
 */
void hy_server_quota_limit_memory(uint64_t bytes, bool is_private);

/* Returns a claimed amount on all levels. */
void hy_server_quota_release(struct hy_server_quota *quotas, enum hy_server_quota_kind kind,
                             uint64_t amount);

#endif
