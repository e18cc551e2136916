#include "plugins/service/server/clients/quota_levels.h"

#include "halyard/driver.h"
#include "plugins/service/server/serve.h"

#include <inttypes.h>
#include <stdio.h>

static struct {
    const char *unit;
    uint64_t most[HY_SERVER_QUOTA_SERVICE + 1];
} kinds[HY_SERVER_QUOTA_COUNT] = {
#define QUOTA(name, unit, client, user, service) \
    [HY_SERVER_QUOTA_##name] = {unit, {client, user, service}},
#include "plugins/service/server/clients/quotas.def"
#undef QUOTA
};

void hy_server_quota_init(struct hy_server_quota *quotas, enum hy_server_quota_level level,
                          struct hy_server_quota *above, const char *whose)
{
    *quotas = (struct hy_server_quota){.above = above, .level = level};
    snprintf(quotas->whose, sizeof quotas->whose, "%s", whose);
}

void hy_server_quota_limit_memory(uint64_t bytes, bool is_private)
{
    uint64_t *most = kinds[HY_SERVER_QUOTA_ALLOCATED].most;

    if (bytes == 0)
        bytes = UINT64_MAX;
    most[HY_SERVER_QUOTA_SERVICE] = bytes;
    most[HY_SERVER_QUOTA_USER] = is_private ? bytes : bytes / 2;
    most[HY_SERVER_QUOTA_CLIENT] = is_private ? bytes : bytes / 8 * 3;
}

bool hy_server_quota_is_possible(const struct hy_server_quota *quotas,
                                 enum hy_server_quota_kind kind, uint64_t amount)
{
    while (quotas && amount <= kinds[kind].most[quotas->level])
        quotas = quotas->above;
    return !quotas;
}

static bool charge_level(struct hy_server_quota *quotas, enum hy_server_quota_kind kind,
                         uint64_t amount)
{
    const uint64_t most = kinds[kind].most[quotas->level];
    uint_fast64_t used = atomic_load_explicit(&quotas->used[kind], memory_order_relaxed);

    do {
        if (amount > most || used > most - amount)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&quotas->used[kind], &used, used + amount,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void log_limit(struct hy_server_quota *quotas, enum hy_server_quota_kind kind,
                      const char *text)
{
    char line[HY_ERROR_TEXT_SIZE + 64];

    if (atomic_exchange_explicit(&quotas->is_reported[kind], true, memory_order_relaxed))
        return;
    snprintf(line, sizeof line, "%s; further requests are refused", text);
    hy_serve_note(HY_LOG_WARNING, line);
}

enum hy_code hy_server_quota_charge(struct hy_server_quota *quotas, enum hy_server_quota_kind kind,
                                    uint64_t amount, struct hy_error *err)
{
    struct hy_server_quota *at = quotas;

    while (at && charge_level(at, kind, amount))
        at = at->above;
    if (!at)
        return HY_OK;
    for (struct hy_server_quota *undone = quotas; undone != at; undone = undone->above)
        atomic_fetch_sub_explicit(&undone->used[kind], amount, memory_order_relaxed);
    const uint64_t used = atomic_load_explicit(&at->used[kind], memory_order_relaxed);
    char more[64] = "";
    if (amount > 1)
        snprintf(more, sizeof more, ", a request for %" PRIu64 " more is refused", amount);
    (void)hy_fail(err, HY_EXHAUSTED, "%s has %" PRIu64 " of at most %" PRIu64 " %s%s", at->whose,
                  used, kinds[kind].most[at->level], kinds[kind].unit, more);
    log_limit(at, kind, err->text);
    return HY_EXHAUSTED;
}

void hy_server_quota_release(struct hy_server_quota *quotas, enum hy_server_quota_kind kind,
                             uint64_t amount)
{
    for (; quotas; quotas = quotas->above)
        atomic_fetch_sub_explicit(&quotas->used[kind], amount, memory_order_relaxed);
}
