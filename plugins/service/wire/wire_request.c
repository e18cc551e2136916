#include "plugins/service/wire/wire_request.h"

#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/records.h"

/* ---- Writing --------------------------------------------------------------------------------- */

/* Returns the sum of the arguments' ranks. */
static uint64_t count_dims(struct hy_pack *out, const char *what,
                           const struct hy_argument *arguments, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].rank > HY_MAX_RANK || (arguments[i].rank > 0 && !arguments[i].dims))
            hy_pack_fail(out, HY_BAD_DATA, "%s %u has rank %u with extents at %p", what, i,
                         arguments[i].rank, (const void *)arguments[i].dims);
        sum += arguments[i].rank;
    }
    return sum;
}

static void pack_arguments(struct hy_pack *out, const struct hy_argument *arguments, uint32_t count)
{
    struct hy_argument_record *records = hy_pack_records(out, count, sizeof *records);

    for (uint32_t i = 0; i < count && records; i++)
        records[i] = (struct hy_argument_record){arguments[i].flags, arguments[i].rank,
                                                 arguments[i].location};
}

static uint32_t *copy_dims(const struct hy_argument *arguments, uint32_t count, uint32_t *dims)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < arguments[i].rank; k++)
            *dims++ = arguments[i].dims[k];
    }
    return dims;
}

void hy_request_pack(struct hy_pack *out, const struct hy_request *request)
{
    uint64_t dim_count = count_dims(out, "input", request->inputs, request->input_count);
    dim_count += count_dims(out, "output", request->outputs, request->output_count);
    const struct hy_request_record record = {request->input_count, request->output_count,
                                             request->pool_count, (uint32_t)dim_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    pack_arguments(out, request->inputs, request->input_count);
    pack_arguments(out, request->outputs, request->output_count);
    uint32_t *dims = hy_pack_records(out, dim_count, sizeof *dims);
    if (dims) {
        dims = copy_dims(request->inputs, request->input_count, dims);
        (void)copy_dims(request->outputs, request->output_count, dims);
    }
    hy_pools_pack(out, request->pools, request->pool_count);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The extents of all arguments, consumed argument by argument. */
struct extents {
    const uint32_t *next;
    uint64_t left;
};

static void unpack_argument(struct hy_unpack *in, const struct hy_argument_record *record,
                            uint32_t pool_count, struct extents *extents,
                            struct hy_argument *argument)
{
    const struct hy_location *location = &record->location;

    if (record->rank > HY_MAX_RANK || record->rank > extents->left)
        hy_unpack_fail(in, "an argument of rank %u, %llu extents are left", record->rank,
                       (unsigned long long)extents->left);
    if (record->flags & ~HY_ARGUMENT_NO_VALUE)
        hy_unpack_fail(in, "an argument with flags %#x", record->flags);
    if (location->length > 0 && location->pool >= pool_count)
        hy_unpack_fail(in, "an argument in pool %u of %u", location->pool, pool_count);
    if (!hy_unpack_good(in))
        return;
    argument->flags = record->flags;
    argument->rank = record->rank;
    argument->location = *location;
    if (record->rank == 0)
        return;
    argument->dims = extents->next;
    extents->next += record->rank;
    extents->left -= record->rank;
}

static struct hy_argument *unpack_arguments(struct hy_unpack *in,
                                            const struct hy_request_record *record,
                                            struct extents *extents)
{
    const uint64_t count = (uint64_t)record->input_count + record->output_count;
    struct hy_argument *arguments =
        hy_unpack_reserve(in, count, sizeof *arguments, sizeof(struct hy_argument_record));
    const struct hy_argument_record *records = hy_unpack_records(in, count, sizeof *records);

    extents->left = record->dim_count;
    extents->next = hy_unpack_records(in, extents->left, sizeof *extents->next);
    for (uint64_t i = 0; i < count && hy_unpack_good(in); i++)
        unpack_argument(in, &records[i], record->pool_count, extents, &arguments[i]);
    return arguments;
}

void hy_request_unpack(struct hy_unpack *in, struct hy_request *request, struct hy_pool **pools)
{
    const struct hy_request_record *record = hy_unpack_records(in, 1, sizeof *record);
    struct extents extents = {0};
    struct hy_pool *read = NULL;
    if (!record)
        return;

    struct hy_argument *arguments = unpack_arguments(in, record, &extents);
    if (hy_unpack_good(in) && extents.left > 0)
        hy_unpack_fail(in, "%llu extents too many", (unsigned long long)extents.left);
    hy_pools_unpack(in, record->pool_count, &read);
    if (!hy_unpack_good(in))
        return;
    *request = (struct hy_request){.struct_size = sizeof *request,
                                   .input_count = record->input_count,
                                   .output_count = record->output_count,
                                   .pool_count = record->pool_count,
                                   .inputs = arguments,
                                   .outputs = arguments ? arguments + record->input_count : NULL,
                                   .pools = read};
    *pools = read;
}
