#include "plugins/service/wire/bursts.h"

#include "plugins/service/wire/pools.h"

void hy_burst_rings_pack(struct hy_pack *out, int fd)
{
    hy_pack_fd(out, fd);
}

void hy_burst_rings_unpack(struct hy_unpack *in, int *fd)
{
    const int read = hy_unpack_fd(in);

    if (hy_unpack_good(in))
        *fd = read;
}

void hy_burst_slot_pack(struct hy_pack *out, int32_t slot, const struct hy_pool *pool)
{
    const int64_t told = slot;

    hy_pack_copy(out, &told, 1, sizeof told);
    hy_pools_pack(out, pool, 1);
}

void hy_burst_slot_unpack(struct hy_unpack *in, int32_t *slot, struct hy_pool *pool)
{
    const int64_t *told = hy_unpack_records(in, 1, sizeof *told);
    struct hy_pool *read = NULL;

    if (told && (*told < 0 || *told > INT32_MAX))
        hy_unpack_fail(in, "slot %lld", (long long)*told);
    hy_pools_unpack(in, 1, &read);
    if (!hy_unpack_good(in))
        return;
    *slot = (int32_t)*told;
    *pool = *read;
}
