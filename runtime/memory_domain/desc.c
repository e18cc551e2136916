#include "desc.h"

#include "common/array.h"
#include "domain_target.h"
#include "runtime/compile/compilation.h"
#include "runtime/extension/type_info.h"
#include "runtime/log.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory_object.h"

#include <stdlib.h>
#include <string.h>

struct hy_memory_desc {
    bool finished;
    struct hy_memory_role *roles;
    struct hy_memory_use *uses; /* [role]: its uses; each compilation is retained */
    uint32_t role_count;
    bool has_explicit;                /* a compilation with devices named by the app */
    const struct hy_operand *operand; /* of the first role, whose compilation retains the model */
    struct hy_shape shape;            /* all known extents */
};

enum hy_code hy_memory_desc_create(struct hy_memory_desc **ret, struct hy_error *err)
{
    struct hy_memory_desc *desc = calloc(1, sizeof *desc);
    if (!desc)
        return hy_fail(err, HY_OUT_OF_MEMORY, "memory descriptor of %zu bytes", sizeof *desc);
    *ret = desc;
    return HY_OK;
}

void hy_memory_desc_destroy(struct hy_memory_desc *desc)
{
    if (!desc)
        return;
    for (uint32_t i = 0; i < desc->role_count; i++)
        hy_compilation_release(desc->uses[i].compilation);
    free(desc->uses);
    free(desc->roles);
    free(desc);
}

static enum hy_code check_open(const struct hy_memory_desc *desc, struct hy_error *err)
{
    return desc->finished ? hy_fail(err, HY_BAD_STATE, "the descriptor is finished") : HY_OK;
}

/* ---- Shape ----------------------------------------------------------------------------------- */

static bool is_scalar(const struct hy_operand *operand)
{
    struct hy_type_info type;
    return hy_type_info_find(operand->type, &type) && type.is_scalar;
}

/* `operand` is NULL without roles. */
static enum hy_code combine(const struct hy_memory_desc *desc, const struct hy_operand *operand,
                            uint32_t rank, const uint32_t *dims, struct hy_shape *ret,
                            struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape more;

    if (!hy_shape_set(&more, rank, dims))
        return hy_fail(err, HY_BAD_DATA, "rank %u, at most %u", rank, HY_MAX_RANK);
    if (!hy_shape_combine(&desc->shape, &more, ret))
        return hy_fail(err, HY_BAD_DATA, "shape %s does not fit %s", hy_shape_text(&more, text[0]),
                       hy_shape_text(&desc->shape, text[1]));
    if (operand && is_scalar(operand) && ret->rank != 0)
        return hy_fail(err, HY_BAD_DATA, "a scalar with %u dimensions", ret->rank);
    return HY_OK;
}

enum hy_code hy_memory_desc_set_dims(struct hy_memory_desc *desc, uint32_t rank,
                                     const uint32_t *dims, struct hy_error *err)
{
    struct hy_shape shape;

    enum hy_code code = check_open(desc, err);
    if (code == HY_OK)
        code = combine(desc, desc->operand, rank, dims, &shape, err);
    if (code == HY_OK)
        desc->shape = shape;
    return code;
}

/* ---- Roles ----------------------------------------------------------------------------------- */

/* Finds the operand of a role. */
static enum hy_code find_operand(const struct hy_compilation *compilation,
                                 const struct hy_memory_role *role, const struct hy_operand **ret,
                                 struct hy_error *err)
{
    if (compilation->state != HY_COMPILATION_FINISHED)
        return hy_fail(err, HY_BAD_DATA, "the compilation %s",
                       compilation->state == HY_COMPILATION_FAILED ? "has failed"
                                                                   : "is not finished");
    const struct hy_subgraph *graph = hy_app_model_view(compilation->model)->main;
    const uint32_t count = role->is_output ? graph->output_count : graph->input_count;
    const uint32_t *operands = role->is_output ? graph->outputs : graph->inputs;
    if (role->index >= count)
        return hy_fail(err, HY_BAD_DATA, "the model has %u", count);
    *ret = &graph->operands[operands[role->index]];
    return HY_OK;
}

static enum hy_code grow_roles(struct hy_memory_desc *desc, struct hy_error *err)
{
    struct hy_memory_role *roles = hy_array_grow(desc->roles, desc->role_count, sizeof *roles);
    if (roles)
        desc->roles = roles;
    struct hy_memory_use *uses = hy_array_grow(desc->uses, desc->role_count, sizeof *uses);
    if (uses)
        desc->uses = uses;
    if (!roles || !uses)
        return hy_fail(err, HY_OUT_OF_MEMORY, "role %u", desc->role_count);
    return HY_OK;
}

static enum hy_code append(struct hy_memory_desc *desc, struct hy_compilation *compilation,
                           const struct hy_memory_role *role, float frequency, struct hy_error *err)
{
    enum hy_code code = grow_roles(desc, err);
    if (code != HY_OK)
        return code;
    desc->uses[desc->role_count] = (struct hy_memory_use){
        .compilation = hy_compilation_retain(compilation), .role = *role, .frequency = frequency};
    desc->roles[desc->role_count++] = *role;
    desc->has_explicit |= compilation->explicit_devices;
    return HY_OK;
}

static enum hy_code add_role(struct hy_memory_desc *desc, struct hy_compilation *compilation,
                             const struct hy_memory_role *role, float frequency,
                             struct hy_error *err)
{
    const struct hy_operand *operand;
    struct hy_shape shape;

    if (hy_memory_role_is_listed(desc->roles, desc->role_count, role))
        return hy_fail(err, HY_BAD_DATA, "the role was added before");
    enum hy_code code = find_operand(compilation, role, &operand, err);
    if (code != HY_OK)
        return code;
    if (desc->operand && !hy_operand_is_alike(desc->operand, operand))
        return hy_fail(err, HY_BAD_DATA, "the type or quantisation differs from the earlier roles");
    code = combine(desc, operand, operand->rank, operand->dims, &shape, err);
    if (code == HY_OK && !(frequency > 0 && frequency <= 1))
        code = hy_fail(err, HY_BAD_DATA, "frequency %g is not in (0, 1]", (double)frequency);
    if (code == HY_OK)
        code = append(desc, compilation, role, frequency, err);
    if (code != HY_OK)
        return code;

    desc->shape = shape;
    if (!desc->operand)
        desc->operand = operand;
    return HY_OK;
}

enum hy_code hy_memory_desc_add_role(struct hy_memory_desc *desc,
                                     struct hy_compilation *compilation, bool is_output,
                                     uint32_t index, float frequency, struct hy_error *err)
{
    const struct hy_memory_role role = {compilation->id, index, is_output};

    enum hy_code code = check_open(desc, err);
    if (code != HY_OK)
        return code;
    code = add_role(desc, compilation, &role, frequency, err);
    return code == HY_OK
               ? code
               : hy_error_prefix(err, code, "%s %u", is_output ? "output" : "input", index);
}

enum hy_code hy_memory_desc_finish(struct hy_memory_desc *desc, struct hy_error *err)
{
    enum hy_code code = check_open(desc, err);
    if (code == HY_OK && desc->role_count == 0)
        code = hy_fail(err, HY_BAD_DATA, "the descriptor has no role");
    if (code == HY_OK)
        desc->finished = true;
    return code;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum hy_code measure(const struct hy_memory_desc *desc, uint64_t *ret, struct hy_error *err)
{
    char text[HY_SHAPE_TEXT_SIZE];
    struct hy_type_info type;

    if (!hy_type_info_find(desc->operand->type, &type) || type.element_bytes == 0 ||
        (!type.is_scalar && !hy_shape_is_complete(&desc->shape)) ||
        !hy_shape_bytes(&desc->shape, type.element_bytes, ret))
        return hy_fail(err, HY_FAILED,
                       "the size of the memory is unknown: shape %s, %u bytes per element",
                       hy_shape_text(&desc->shape, text), type.element_bytes);
    return HY_OK;
}

static struct hy_domain *make_domain(const struct hy_memory_desc *desc, struct hy_error *err)
{
    struct hy_domain *domain =
        hy_domain_create(desc->roles, desc->role_count, desc->operand, &desc->shape);

    if (!domain)
        hy_fail(err, HY_OUT_OF_MEMORY, "memory with %u roles", desc->role_count);
    return domain;
}

static enum hy_code make_shared(const struct hy_memory_desc *desc, struct hy_memory **ret,
                                struct hy_error *err)
{
    uint64_t size;

    enum hy_code code = measure(desc, &size, err);
    if (code != HY_OK)
        return code;
    struct hy_domain *domain = make_domain(desc, err);
    return domain ? hy_memory_from_domain(domain, size, ret, err) : HY_OUT_OF_MEMORY;
}

static void release_compilation(void *compilation)
{
    hy_compilation_release(compilation);
}

static enum hy_code hold_compilations(const struct hy_domain_target *target,
                                      struct hy_buffer_holds *ret, struct hy_error *err)
{
    const uint32_t count = target->prepared_count;
    void **objects = calloc((size_t)count + 1, sizeof *objects);
    if (!objects)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u compilations", count);

    for (uint32_t i = 0; i < count; i++)
        objects[i] = hy_compilation_retain(target->compilations[i]);
    *ret = (struct hy_buffer_holds){objects, count, release_compilation};
    return HY_OK;
}

static enum hy_code make_on_device(const struct hy_memory_desc *desc,
                                   const struct hy_domain_target *target, struct hy_memory **ret,
                                   struct hy_error *err)
{
    const struct hy_buffer_desc wanted = {
        .struct_size = sizeof wanted,
        .rank = desc->shape.rank,
        .dims = desc->shape.rank ? desc->shape.dims : NULL,
        .prepared = target->prepared,
        .roles = target->roles,
        .prepared_count = target->prepared_count,
        .role_count = target->role_count,
    };
    struct hy_domain *domain = make_domain(desc, err);
    if (!domain)
        return HY_OUT_OF_MEMORY;

    struct hy_buffer_holds holds;
    enum hy_code code = hold_compilations(target, &holds, err);
    if (code == HY_OK)
        code = hy_device_memory_create(target->device, &wanted, &holds, &domain->device, err);
    if (code != HY_OK) {
        hy_domain_destroy(domain);
        return code;
    }
    return hy_memory_from_device(domain, ret, err);
}

/*
 * If all roles lead to one device with buffers, the device allocates. Otherwise shared memory is
 * used, unless the app has named devices: then the call fails. Devices without buffers, the CPU
 * first, use shared memory.
 */
static enum hy_code make_memory(const struct hy_memory_desc *desc,
                                const struct hy_domain_target *target, struct hy_memory **ret,
                                struct hy_error *err)
{
    if (target->device && hy_device_has_memory(target->device)) {
        struct hy_error own, why;
        enum hy_code code = make_on_device(desc, target, ret, &own);
        if (code != HY_OK && !desc->has_explicit && make_shared(desc, ret, &why) == HY_OK) {
            hy_log(HY_LOG_WARNING, "memory", "%s; shared memory is used instead", own.text);
            code = HY_OK;
        }
        if (code != HY_OK && err)
            *err = own;
        return code;
    }
    if (target->has_several && !target->is_interpreted && desc->has_explicit)
        return hy_fail(err, HY_FAILED,
                       "the roles need memory of several devices, which cannot share");
    return make_shared(desc, ret, err);
}

enum hy_code hy_memory_from_desc(const struct hy_memory_desc *desc, struct hy_memory **ret,
                                 struct hy_error *err)
{
    struct hy_domain_target target;

    if (!desc->finished)
        return hy_fail(err, HY_BAD_STATE, "the descriptor is not finished");
    enum hy_code code = hy_domain_target_find(desc->uses, desc->role_count, &target, err);
    if (code != HY_OK)
        return code;
    code = make_memory(desc, &target, ret, err);
    hy_domain_target_finish(&target);
    return code;
}
