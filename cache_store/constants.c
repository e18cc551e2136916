#include "cache_store/constants.h"

#include "cache_store/digest/xxh3.h"
#include "common/checked.h"
#include "common/model/model_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes from which waking another thread pays off. */
#define SHARED_BYTES (UINT64_C(2) << 20)

/* Smaller constants are many and quickly read, so they are not distributed. */
#define LARGE_BYTES (UINT64_C(16) << 10)

/* ---- Finding --------------------------------------------------------------------------------- */

static enum hy_code find(const struct hy_model *model, const struct hy_operand *operand,
                         struct hy_constant *ret, struct hy_error *err)
{
    const struct hy_location *at = &operand->location;
    const uint8_t *start = model->values;
    uint64_t size = model->values_size;

    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL) {
        if (at->pool >= model->pool_count)
            return hy_fail(err, HY_BAD_DATA, "constant in pool %u of %u", at->pool,
                           model->pool_count);
        start = model->pools[at->pool].address;
        size = model->pools[at->pool].size;
    }
    if (!hy_range_inside(at->offset, at->length, size))
        return hy_fail(err, HY_BAD_DATA, "constant of %llu bytes at offset %llu, the pool has %llu",
                       (unsigned long long)at->length, (unsigned long long)at->offset,
                       (unsigned long long)size);
    if (!start)
        return hy_fail(err, HY_FAILED, "constant in pool %u, the pool has no address", at->pool);
    *ret = (struct hy_constant){.bytes = start + at->offset, .length = at->length};
    return HY_OK;
}

/* `ret->items` has space for all. */
static enum hy_code list_in(const struct hy_model *model, const struct hy_subgraph *graph,
                            struct hy_constants *ret, struct hy_error *err)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        if (!hy_lifetime_is_constant(graph->operands[i].lifetime))
            continue;
        enum hy_code code = find(model, &graph->operands[i], &ret->items[ret->count++], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operand %u", i);
    }
    return HY_OK;
}

static size_t count_in(const struct hy_subgraph *graph)
{
    size_t count = 0;

    for (uint32_t i = 0; i < graph->operand_count; i++)
        count += hy_lifetime_is_constant(graph->operands[i].lifetime);
    return count;
}

static enum hy_code list(const struct hy_model *model, struct hy_constants *ret,
                         struct hy_error *err)
{
    enum hy_code code = HY_OK;
    size_t count = 0;

    for (uint32_t i = 0; i <= model->referenced_count; i++)
        count += count_in(hy_model_subgraph(model, i));
    ret->items = count < UINT32_MAX ? calloc(count + 1, sizeof *ret->items) : NULL;
    if (!ret->items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %zu constants", count);
    for (uint32_t i = 0; code == HY_OK && i <= model->referenced_count; i++) {
        code = list_in(model, hy_model_subgraph(model, i), ret, err);
        if (code != HY_OK && i < model->referenced_count)
            (void)hy_error_prefix(err, code, "subgraph %u", i);
    }
    return code;
}

/* ---- Reading --------------------------------------------------------------------------------- */

void hy_constant_read(struct hy_constant *constant)
{
    XXH128_canonical_t canonical;

    if (constant->length <= HY_CONSTANT_SHORT)
        return;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(constant->bytes, constant->length));
    memcpy(constant->digest, canonical.digest, sizeof constant->digest);
}

static void read_task(void *argument, uint32_t index)
{
    struct hy_constant **large = argument;

    hy_constant_read(large[index]);
}

/* The longest first, so that all threads end at the same time. */
static int compare_lengths(const void *left, const void *right)
{
    const struct hy_constant *const *a = left, *const *b = right;

    return ((*a)->length < (*b)->length) - ((*a)->length > (*b)->length);
}

static enum hy_code read_shared(struct hy_constants *constants, uint32_t large_count,
                                hy_parallel_for_fn *parallel_for, struct hy_error *err)
{
    struct hy_constant **large = calloc(large_count, sizeof(struct hy_constant *));
    uint32_t count = 0;

    if (!large)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u constants", large_count);
    for (uint32_t i = 0; i < constants->count; i++) {
        if (constants->items[i].length >= LARGE_BYTES)
            large[count++] = &constants->items[i];
    }
    qsort(large, count, sizeof(struct hy_constant *), compare_lengths);
    parallel_for(count, read_task, large);
    free(large);
    return HY_OK;
}

/* The number of large constants; 0 if they are too small for several threads. */
static uint32_t count_large(const struct hy_constants *constants)
{
    uint64_t bytes = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < constants->count; i++) {
        const uint64_t length = constants->items[i].length;
        if (length >= LARGE_BYTES) {
            bytes += length < SHARED_BYTES ? length : SHARED_BYTES; /* avoids overflow */
            count++;
        }
    }
    return bytes >= SHARED_BYTES ? count : 0;
}

enum hy_code hy_constants_read(const struct hy_model *model, hy_parallel_for_fn *parallel_for,
                               struct hy_constants *ret, struct hy_error *err)
{
    struct hy_constants constants = {0};

    enum hy_code code = list(model, &constants, err);
    const uint32_t shared = code == HY_OK && parallel_for ? count_large(&constants) : 0;
    for (uint32_t i = 0; code == HY_OK && i < constants.count; i++) {
        const uint64_t length = constants.items[i].length;
        if (length > HY_CONSTANT_SHORT && (shared == 0 || length < LARGE_BYTES))
            hy_constant_read(&constants.items[i]);
    }
    if (code == HY_OK && shared > 0)
        code = read_shared(&constants, shared, parallel_for, err);
    if (code == HY_OK)
        *ret = constants;
    else
        hy_constants_finish(&constants);
    return code;
}

void hy_constants_finish(struct hy_constants *constants)
{
    free(constants->items);
    *constants = (struct hy_constants){0};
}
