#include "plugins/service/server/clients/ration.h"

#include "halyard/driver.h"
#include "plugins/service/server/serve.h"

#include <inttypes.h>
#include <stdio.h>

static struct {
    const char *words;
    uint64_t most[HY_RATION_SERVICE + 1];
} kinds[HY_RATION_COUNT] = {
#define RATION(name, words, client, user, service) \
    [HY_RATION_##name] = {words, {client, user, service}},
#include "plugins/service/server/clients/rations.def"
#undef RATION
};

void hy_ration_init(struct hy_ration *ration, enum hy_ration_level level, struct hy_ration *above,
                    const char *whose)
{
    *ration = (struct hy_ration){.above = above, .level = level};
    snprintf(ration->whose, sizeof ration->whose, "%s", whose);
}

void hy_ration_limit_memory(uint64_t bytes, bool is_private)
{
    uint64_t *most = kinds[HY_RATION_ALLOCATED].most;

    if (bytes == 0)
        bytes = UINT64_MAX;
    most[HY_RATION_SERVICE] = bytes;
    most[HY_RATION_USER] = is_private ? bytes : bytes / 2;
    most[HY_RATION_CLIENT] = is_private ? bytes : bytes / 8 * 3;
}

bool hy_ration_is_possible(const struct hy_ration *ration, enum hy_ration_kind kind,
                           uint64_t amount)
{
    while (ration && amount <= kinds[kind].most[ration->level])
        ration = ration->above;
    return !ration;
}

static bool take_here(struct hy_ration *ration, enum hy_ration_kind kind, uint64_t amount)
{
    const uint64_t most = kinds[kind].most[ration->level];
    uint_fast64_t used = atomic_load_explicit(&ration->used[kind], memory_order_relaxed);

    do {
        if (amount > most || used > most - amount)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&ration->used[kind], &used, used + amount,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void tell(struct hy_ration *ration, enum hy_ration_kind kind, const char *words)
{
    char line[HY_ERROR_TEXT_SIZE + 64];

    if (atomic_exchange_explicit(&ration->is_told[kind], true, memory_order_relaxed))
        return;
    snprintf(line, sizeof line, "%s: more are refused", words);
    hy_serve_note(HY_LOG_WARNING, line);
}

enum hy_code hy_ration_take(struct hy_ration *ration, enum hy_ration_kind kind, uint64_t amount,
                            struct hy_error *err)
{
    struct hy_ration *at = ration;

    while (at && take_here(at, kind, amount))
        at = at->above;
    if (!at)
        return HY_OK;
    for (struct hy_ration *undone = ration; undone != at; undone = undone->above)
        atomic_fetch_sub_explicit(&undone->used[kind], amount, memory_order_relaxed);
    const uint64_t used = atomic_load_explicit(&at->used[kind], memory_order_relaxed);
    char more[48] = "";
    if (amount > 1)
        snprintf(more, sizeof more, ", %" PRIu64 " more are too many", amount);
    (void)hy_fail(err, HY_EXHAUSTED, "%s has %" PRIu64 " of at most %" PRIu64 " %s%s", at->whose,
                  used, kinds[kind].most[at->level], kinds[kind].words, more);
    tell(at, kind, err->text);
    return HY_EXHAUSTED;
}

void hy_ration_give(struct hy_ration *ration, enum hy_ration_kind kind, uint64_t amount)
{
    for (; ration; ration = ration->above)
        atomic_fetch_sub_explicit(&ration->used[kind], amount, memory_order_relaxed);
}
