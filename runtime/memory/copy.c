#include "copy.h"

#include "bytes.h"
#include "device_memory.h"
#include "hardware_buffer.h"
#include "memory_check.h"
#include "runtime/memory/domain.h"

#include <inttypes.h>

/* One side of a copy, at the start. */
struct end {
    struct hy_memory *memory;
    struct hy_domain *domain; /* NULL unless from a descriptor */
    struct hy_device_memory *device;
    struct hy_domain_state state;
    uint64_t size;
    bool has_size;
};

static struct end look_at(struct hy_memory *memory)
{
    struct end end = {
        .memory = memory, .domain = hy_memory_domain(memory), .size = hy_memory_pool(memory)->size};

    end.has_size = end.size > 0;
    if (end.domain) {
        end.device = end.domain->device;
        hy_domain_look(end.domain, &end.state);
        end.has_size =
            end.state.is_known && hy_domain_measure(end.domain, &end.state.shape, &end.size);
    }
    return end;
}

/* Checks two memories from descriptors. A destination with an open shape gets the shape of the
 * source. */
static enum hy_code check_domains(const struct end *from, const struct end *to,
                                  struct hy_shape *ret, struct hy_error *err)
{
    if (!hy_operand_is_alike(&from->domain->operand, &to->domain->operand))
        return hy_fail(err, HY_BAD_DATA, "the memories hold different types");
    if (!hy_shape_fits(&to->domain->shape, &from->state.shape))
        return hy_fail(err, HY_BAD_DATA, "the memories hold different shapes");
    *ret = from->state.shape;
    return HY_OK;
}

/* `ret`: the new shape of a destination from a descriptor. */
static enum hy_code check_compatible(const struct end *from, const struct end *to,
                                     struct hy_shape *ret, struct hy_error *err)
{
    if (from->domain && !from->state.is_initialised)
        return hy_fail(err, HY_BAD_DATA, "the source has no contents");
    if (from->domain && to->domain)
        return check_domains(from, to, ret, err);
    if (to->domain && !to->state.is_known)
        return hy_fail(err, HY_BAD_DATA, "the shape of the destination is not known");
    if (from->has_size && to->has_size && from->size != to->size)
        return hy_fail(err, HY_BAD_DATA,
                       "the source has %" PRIu64 " bytes, the destination %" PRIu64, from->size,
                       to->size);
    *ret = to->state.shape;
    return HY_OK;
}

/* Copies from a device to shared memory, and from there to the other device. */
static enum hy_code bounce(const struct end *from, const struct end *to,
                           const struct hy_shape *shape, struct hy_error *err)
{
    struct hy_memory *between = NULL;
    if (!from->has_size)
        return hy_fail(err, HY_FAILED, "the size of the source is not known");

    enum hy_code code = hy_memory_from_domain(NULL, from->size ? from->size : 1, &between, err);
    if (code != HY_OK)
        return code;
    struct hy_pool pool = *hy_memory_pool(between);
    pool.size = from->size;
    code = hy_device_memory_read(from->device, &pool, err);
    if (code == HY_OK)
        code = hy_device_memory_write(to->device, &pool, shape, err);
    hy_memory_release(between);
    return code;
}

static enum hy_code copy_between_devices(const struct end *from, const struct end *to,
                                         const struct hy_shape *shape, struct hy_error *err)
{
    if (hy_device_memory_device(from->device) == hy_device_memory_device(to->device) &&
        hy_device_memory_write(to->device, hy_memory_pool(from->memory), shape, err) == HY_OK)
        return HY_OK;
    return bounce(from, to, shape, err);
}

/* At least one side is mapped. */
static enum hy_code move(const struct end *from, const struct end *to, const struct hy_shape *shape,
                         struct hy_error *err)
{
    const struct hy_pool *source = hy_memory_pool(from->memory);
    const struct hy_pool *destination = hy_memory_pool(to->memory);

    if (from->device)
        return hy_device_memory_read(from->device, destination, err);
    if (to->device)
        return hy_device_memory_write(to->device, source, shape, err);
    if (!from->has_size || !to->has_size)
        return hy_fail(err, HY_FAILED, "the size of the %s is not known",
                       from->has_size ? "destination" : "source");
    return hy_memory_move_bytes(source, destination, err);
}

/* Either side may be a dma-buf. */
static enum hy_code move_in_access(const struct end *from, const struct end *to,
                                   const struct hy_shape *shape, struct hy_error *err)
{
    enum hy_code code = hy_memory_access_begin(from->memory, HY_PROTECT_READ, err);
    if (code != HY_OK)
        return code;
    code = hy_memory_access_begin(to->memory, HY_PROTECT_WRITE, err);
    if (code == HY_OK) {
        code = move(from, to, shape, err);
        const enum hy_code end =
            hy_memory_access_end(to->memory, HY_PROTECT_WRITE, code == HY_OK ? err : NULL);
        code = code == HY_OK ? end : code;
    }
    const enum hy_code end =
        hy_memory_access_end(from->memory, HY_PROTECT_READ, code == HY_OK ? err : NULL);
    return code == HY_OK ? end : code;
}

static enum hy_code check_end(const struct end *end, const char *name, uint32_t protection,
                              struct hy_error *err)
{
    enum hy_code code = hy_memory_check_mapped(end->memory, protection, err);

    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", name);
}

static enum hy_code copy(const struct end *from, const struct end *to, const struct hy_shape *shape,
                         struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (from->device && to->device)
        return copy_between_devices(from, to, shape, err);
    if (!from->device)
        code = check_end(from, "source", HY_PROTECT_READ, err);
    if (code == HY_OK && !to->device)
        code = check_end(to, "destination", HY_PROTECT_WRITE, err);
    if (code != HY_OK)
        return code;
    if (hy_memory_is_image(from->memory) || hy_memory_is_image(to->memory))
        return hy_fail(err, HY_FAILED, "images are not copied: lock the hardware buffer");
    return move_in_access(from, to, shape, err);
}

enum hy_code hy_memory_copy(struct hy_memory *source, struct hy_memory *destination,
                            struct hy_error *err)
{
    if (source == destination)
        return HY_OK;

    const struct end from = look_at(source), to = look_at(destination);
    struct hy_shape shape = {0};
    enum hy_code code = check_compatible(&from, &to, &shape, err);
    if (code == HY_OK)
        code = copy(&from, &to, &shape, err);
    if (to.domain)
        hy_domain_note(to.domain, code == HY_OK, &shape);
    return code;
}
