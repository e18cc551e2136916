#include "tests/fuzz/memory/memory_model.h"

#include <math.h>
#include <string.h>

float model_result(const struct model_compilation *compilation, float input)
{
    const float positive = input > 0 ? input : 0;
    return compilation->is_chain ? floorf(positive * 3 + .5f) : floorf(positive);
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static bool has_role(const struct model_memory *memory, const struct model_compilation *compilation,
                     bool is_output)
{
    for (uint32_t i = 0; i < memory->role_count; i++) {
        if (memory->roles[i].compilation_id == compilation->id &&
            memory->roles[i].is_output == is_output)
            return true;
    }
    return false;
}

static bool combine(uint32_t a, uint32_t b, uint32_t *ret)
{
    *ret = a ? a : b;
    return !a || !b || a == b;
}

enum hy_code model_add_role(struct model_memory *desc, const struct model_compilation *compilation,
                            bool is_output, uint32_t index, float frequency)
{
    uint32_t declared;

    if (index != 0 || has_role(desc, compilation, is_output) ||
        !combine(desc->declared, compilation->extent, &declared) || !(frequency > 0) ||
        frequency > 1)
        return HY_BAD_DATA;
    desc->declared = declared;
    desc->roles[desc->role_count++] = (struct model_role){compilation, compilation->id, is_output};
    return HY_OK;
}

enum hy_code model_set_extent(struct model_memory *desc, uint32_t extent)
{
    uint32_t declared;

    if (!combine(desc->declared, extent, &declared))
        return HY_BAD_DATA;
    desc->declared = declared;
    return HY_OK;
}

enum hy_code model_create(struct model_memory *desc, const struct model_device *devices)
{
    const enum model_target target = desc->roles[0].compilation->target;
    bool has_several = false, is_named = false;

    for (uint32_t i = 0; i < desc->role_count; i++) {
        has_several |= desc->roles[i].compilation->target != target;
        is_named |= desc->roles[i].compilation->has_devices;
    }
    desc->target = has_several ? MODEL_SHARED : target;
    if (desc->target != MODEL_SHARED && devices[target].fails_create) {
        if (is_named)
            return HY_FAILED;
        desc->target = MODEL_SHARED;
    }
    if ((has_several && is_named) || (desc->target == MODEL_SHARED && desc->declared == 0))
        return HY_FAILED;
    desc->extent = desc->declared;
    return HY_OK;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static bool is_on_device(const struct model_memory *memory)
{
    return !memory->is_file && memory->target != MODEL_SHARED;
}

static bool fails_to_move(const struct model_memory *from, const struct model_memory *to,
                          const struct model_device *devices)
{
    const bool fails_to_write = is_on_device(to) && devices[to->target].fails_copy_from;

    if (is_on_device(from) && is_on_device(to) && from->target == to->target && !fails_to_write &&
        !devices[to->target].wants_shared_sources)
        return false; /* it does not leave the device */
    return fails_to_write || (is_on_device(from) && devices[from->target].fails_copy_to);
}

static enum hy_code predict_copy(const struct model_memory *from, const struct model_memory *to,
                                 const struct model_device *devices)
{
    if (!from->is_file && !from->is_initialised)
        return HY_BAD_DATA;
    if (!from->is_file && !to->is_file && to->declared && to->declared != from->extent)
        return HY_BAD_DATA;
    if ((from->is_file || to->is_file) && from->extent != to->extent)
        return HY_BAD_DATA;
    return fails_to_move(from, to, devices) ? HY_FAILED : HY_OK;
}

enum hy_code model_copy(const struct model_memory *from, struct model_memory *to,
                        const struct model_device *devices)
{
    if (from == to)
        return HY_OK;
    const enum hy_code code = predict_copy(from, to, devices);
    to->is_initialised = code == HY_OK;
    if (code == HY_OK) {
        to->extent = from->extent;
        memcpy(to->values, from->values, sizeof to->values);
    }
    return code;
}

/* ---- Executions ------------------------------------------------------------------------------ */

enum hy_code model_set(const struct model_compilation *compilation,
                       const struct model_memory *memory, bool is_output, uint32_t given,
                       uint32_t *extent)
{
    if (!combine(compilation->extent, given, extent) || (!is_output && *extent == 0))
        return HY_BAD_DATA;
    if (memory->is_file)
        return *extent == 0 || *extent == memory->extent ? HY_OK : HY_BAD_DATA;
    if (!has_role(memory, compilation, is_output) || !combine(*extent, memory->declared, extent))
        return HY_BAD_DATA;
    return HY_OK;
}

/* Where another device runs, memory of the device is copied there and back. */
static enum hy_code predict_fallback(const struct model_compilation *compilation,
                                     const struct model_memory *in, const struct model_memory *out,
                                     uint32_t out_extent, const struct model_device *devices)
{
    if (!is_on_device(in) && !is_on_device(out))
        return HY_OK;
    if (is_on_device(in) && devices[compilation->target].fails_copy_to)
        return HY_FAILED;
    if (is_on_device(out) && (out_extent == 0 || devices[compilation->target].fails_copy_from))
        return HY_FAILED;
    return HY_OK;
}

static enum hy_code predict_run(const struct model_compilation *compilation,
                                const struct model_memory *in, uint32_t in_extent,
                                const struct model_memory *out, uint32_t out_extent,
                                const struct model_device *devices)
{
    if (!in->is_file && (!in->is_initialised || in->extent != in_extent))
        return HY_FAILED;
    if (compilation->target != MODEL_SHARED && devices[compilation->target].fails_execute) {
        if (compilation->has_devices)
            return HY_FAILED;
        const enum hy_code code = predict_fallback(compilation, in, out, out_extent, devices);
        if (code != HY_OK)
            return code;
    }
    if (out_extent != 0)
        return out_extent == in_extent ? HY_OK : HY_FAILED;
    return out->is_file && out->extent < in_extent ? HY_INSUFFICIENT_SIZE : HY_OK;
}

enum hy_code model_run(const struct model_compilation *compilation, const struct model_memory *in,
                       uint32_t in_extent, struct model_memory *out, uint32_t out_extent,
                       const struct model_device *devices)
{
    const enum hy_code code = predict_run(compilation, in, in_extent, out, out_extent, devices);

    out->is_initialised = code == HY_OK;
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < in_extent; i++)
        out->values[i] = model_result(compilation, in->values[i]);
    if (!out->is_file)
        out->extent = in_extent;
    return HY_OK;
}
