#include "copy.h"

#include "domain.h"
#include "memory.h"

#include <inttypes.h>
#include <string.h>

static enum hy_code check_compatible(const struct hy_memory *source,
                                     const struct hy_memory *destination, struct hy_error *err)
{
    const struct hy_domain *from = hy_memory_domain(source), *to = hy_memory_domain(destination);
    const uint64_t from_size = hy_memory_pool(source)->size;
    const uint64_t to_size = hy_memory_pool(destination)->size;

    if (from && !atomic_load(&from->initialised))
        return hy_fail(err, HY_BAD_DATA, "the source holds nothing");
    if (from && to && !hy_operand_is_alike(from->operand, to->operand))
        return hy_fail(err, HY_BAD_DATA, "the memories hold different types");
    if (from && to && !hy_shape_equal(&from->shape, &to->shape))
        return hy_fail(err, HY_BAD_DATA, "the memories hold different shapes");
    if (from_size != to_size)
        return hy_fail(err, HY_BAD_DATA,
                       "the source has %" PRIu64 " bytes, the destination %" PRIu64, from_size,
                       to_size);
    return HY_OK;
}

static enum hy_code copy(const struct hy_memory *source, const struct hy_memory *destination,
                         struct hy_error *err)
{
    enum hy_code code = check_compatible(source, destination, err);
    if (code == HY_OK)
        code = hy_memory_check_mapped(source, HY_PROTECT_READ, err);
    if (code == HY_OK)
        code = hy_memory_check_mapped(destination, HY_PROTECT_WRITE, err);
    if (code == HY_OK) /* both may be views of one file */
        memmove(hy_memory_pool(destination)->address, hy_memory_pool(source)->address,
                hy_memory_pool(source)->size);
    return code;
}

enum hy_code hy_memory_copy(struct hy_memory *source, struct hy_memory *destination,
                            struct hy_error *err)
{
    if (source == destination)
        return HY_OK;

    enum hy_code code = copy(source, destination, err);
    struct hy_domain *domain = hy_memory_domain(destination);
    if (domain)
        atomic_store(&domain->initialised, code == HY_OK);
    return code;
}
