#include "runtime/cache/outcome.h"

#include "runtime/cache/use.h"

struct hy_cache_account hy_cache_outcome_account(const struct hy_cache_outcome *outcome)
{
    struct hy_cache_account account = {.kind = outcome->kind,
                                       .reason = outcome->reason,
                                       .bytes = outcome->bytes,
                                       .find_ns = outcome->find_ns,
                                       .keep_ns = outcome->keep_ns};
    const struct hy_cache_use *use = outcome->use;
    const uint64_t updated = use ? atomic_load(&use->updated_bytes) : 0;

    if (account.kind == HY_CACHE_NOT_STORED && updated > 0) {
        account.kind = HY_CACHE_STORED;
        account.reason = "the device wrote the entry after it was compiled";
        account.bytes = updated;
    }
    return account;
}
