#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool xd_refuse(struct xd_source *source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(source->reason, sizeof source->reason, format, args);
    va_end(args);
    return false;
}

bool xd_run_out(struct xd_source *source)
{
    source->is_exhausted = true;
    return xd_refuse(source, "out of memory");
}

bool xd_refuse_as(struct xd_source *source, const char *name)
{
    char reason[XD_REASON_SIZE];
    memcpy(reason, source->reason, sizeof reason);
    return xd_refuse(source, "%s: %s", name, reason);
}

bool xd_is_constant(const struct hy_operand *operand)
{
    return operand->lifetime == HY_LIFETIME_CONSTANT_COPY ||
           operand->lifetime == HY_LIFETIME_CONSTANT_POOL;
}

static const uint8_t *pool_constant(struct xd_source *source, const struct hy_location *location)
{
    if (location->pool >= source->model->pool_count) {
        xd_refuse(source, "a constant lies in pool %u of %u", location->pool,
                  source->model->pool_count);
        return NULL;
    }
    const struct hy_pool *pool = &source->model->pools[location->pool];
    if (location->offset > pool->size || location->length > pool->size - location->offset) {
        xd_refuse(source, "a constant of %llu bytes at %llu leaves its pool of %llu bytes",
                  (unsigned long long)location->length, (unsigned long long)location->offset,
                  (unsigned long long)pool->size);
        return NULL;
    }
    void *address = NULL;
    if (source->host->map(source->host->context, pool, HY_PROTECT_READ, &address) != HY_STATUS_OK) {
        xd_refuse(source, "a constant lies in memory of kind %u that cannot be mapped", pool->kind);
        return NULL;
    }
    return (const uint8_t *)address + location->offset;
}

const uint8_t *xd_constant(struct xd_source *source, const struct hy_operand *operand,
                           uint64_t length)
{
    const struct hy_location *location = &operand->location;
    if (!xd_is_constant(operand) || location->length != length) {
        xd_refuse(source, "a constant of %llu bytes is needed, not one of %llu",
                  (unsigned long long)length, (unsigned long long)location->length);
        return NULL;
    }
    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
        return pool_constant(source, location);

    const struct hy_model *model = source->model;
    if (location->offset > model->values_size || length > model->values_size - location->offset) {
        xd_refuse(source, "a constant of %llu bytes at %llu lies outside the model's values",
                  (unsigned long long)length, (unsigned long long)location->offset);
        return NULL;
    }
    return source->values + location->offset;
}
