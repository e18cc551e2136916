#include "plugins/service/wire/ranges.h"

#include "common/checked.h"
#include "common/model/model_view.h"

#include <inttypes.h>

/* The owner of a location, for error texts. */
struct owner {
    const char *what;
    uint32_t index;
};

/* Performance matters: this function runs for every argument of every burst request. */
static inline bool is_inside(const struct hy_location *location, const struct hy_pool *pools,
                             uint32_t pool_count, uint32_t protection)
{
    uint64_t length;

    if (location->length == 0)
        return true;
    if (location->pool >= pool_count)
        return false;
    const struct hy_pool *pool = &pools[location->pool];
    return pool->kind != HY_POOL_HARDWARE_BUFFER && pool->kind != HY_POOL_BUFFER &&
           hy_add_u64(location->length, location->padding, &length) &&
           hy_range_inside(location->offset, length, pool->size) &&
           (pool->protection & protection) == protection;
}

/* Reports the fault of a location outside its pool. */
static __attribute__((cold, noinline)) enum hy_code refuse(const struct hy_location *location,
                                                           const struct hy_pool *pools,
                                                           uint32_t pool_count, uint32_t protection,
                                                           struct owner owner, struct hy_error *err)
{
    uint64_t length;

    if (location->pool >= pool_count)
        return hy_fail(err, HY_BAD_DATA, "%s %u: pool %u of %u", owner.what, owner.index,
                       location->pool, pool_count);
    const struct hy_pool *pool = &pools[location->pool];
    if (pool->kind == HY_POOL_HARDWARE_BUFFER || pool->kind == HY_POOL_BUFFER)
        return hy_fail(err, HY_BAD_DATA,
                       "%s %u: %" PRIu64 " bytes of pool %u of kind %u, needs the whole pool",
                       owner.what, owner.index, location->length, location->pool, pool->kind);
    if (!hy_add_u64(location->length, location->padding, &length) ||
        !hy_range_inside(location->offset, length, pool->size))
        return hy_fail(err, HY_BAD_DATA,
                       "%s %u: %" PRIu64 " bytes at offset %" PRIu64
                       " do not lie inside pool %u of %" PRIu64 " bytes",
                       owner.what, owner.index, location->length, location->offset, location->pool,
                       pool->size);
    return hy_fail(err, HY_BAD_DATA, "%s %u: pool %u has protection %u, needs %u", owner.what,
                   owner.index, location->pool, pool->protection, protection);
}

static inline enum hy_code check(const struct hy_location *location, const struct hy_pool *pools,
                                 uint32_t pool_count, uint32_t protection, struct owner owner,
                                 struct hy_error *err)
{
    return is_inside(location, pools, pool_count, protection)
               ? HY_OK
               : refuse(location, pools, pool_count, protection, owner, err);
}

static enum hy_code check_arguments(const struct hy_request *request, const char *what,
                                    const struct hy_argument *arguments, uint32_t count,
                                    uint32_t protection, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = check(&arguments[i].location, request->pools, request->pool_count, protection,
                     (struct owner){what, i}, err);
    return code;
}

enum hy_code hy_request_check_ranges(const struct hy_request *request, struct hy_error *err)
{
    enum hy_code code = check_arguments(request, "input", request->inputs, request->input_count,
                                        HY_PROTECT_READ, err);
    return code == HY_OK ? check_arguments(request, "output", request->outputs,
                                           request->output_count, HY_PROTECT_WRITE, err)
                         : code;
}

static enum hy_code check_subgraph(const struct hy_model *model, const struct hy_subgraph *subgraph,
                                   struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < subgraph->operand_count && code == HY_OK; i++) {
        const struct hy_operand *operand = &subgraph->operands[i];
        if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
            code = check(&operand->location, model->pools, model->pool_count, HY_PROTECT_READ,
                         (struct owner){"operand", i}, err);
    }
    return code;
}

enum hy_code hy_model_check_ranges(const struct hy_model *model, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i <= model->referenced_count && code == HY_OK; i++)
        code = check_subgraph(model, hy_model_subgraph(model, i), err);
    return code;
}
