#include "runtime/execute/argument.h"

#include "runtime/extension/code_text.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/memory_object.h"
#include "runtime/model/model.h"

static bool is_scalar(const struct hy_operand *operand)
{
    struct hy_type_info type;
    return hy_type_info_find(operand->type, &type) && type.is_scalar;
}

static enum hy_code combine(const struct hy_shape *declared, const struct hy_operand_spec *type,
                            struct hy_shape *ret, struct hy_error *err)
{
    struct hy_shape given;
    if (!hy_shape_set(&given, type->rank, type->dims) ||
        (declared->rank != 0 && given.rank != declared->rank))
        return hy_fail(err, HY_BAD_DATA, "rank %u, the model has %u", type->rank, declared->rank);

    /* A known extent must be repeated: an output of the app may not leave a known extent open. */
    for (uint32_t i = 0; i < declared->rank; i++) {
        if (declared->dims[i] != 0 && declared->dims[i] != given.dims[i])
            return hy_fail(err, HY_BAD_DATA, "dimension %u is %u, the model has %u", i,
                           given.dims[i], declared->dims[i]);
    }
    *ret = given;
    return HY_OK;
}

/* Merges the extents of the model in `shape` with the type. */
static enum hy_code apply_type(const struct hy_operand *operand, const struct hy_operand_spec *type,
                               struct hy_shape *shape, struct hy_error *err)
{
    if (type->type != operand->type)
        return hy_fail(err, HY_BAD_DATA, "type is %s, the model has %s",
                       hy_operand_type_text(type->type), hy_operand_type_text(operand->type));
    enum hy_code code = hy_operand_spec_check(type, err);
    return code == HY_OK ? combine(shape, type, shape, err) : code;
}

enum hy_code hy_argument_check_type(const struct hy_operand *operand,
                                    const struct hy_operand_spec *type, bool complete,
                                    struct hy_shape *ret, struct hy_error *err)
{
    struct hy_shape shape;
    char text[HY_SHAPE_TEXT_SIZE];
    enum hy_code code = HY_OK;

    if (!hy_shape_set(&shape, operand->rank, operand->dims))
        return hy_fail(err, HY_BAD_DATA, "rank %u, at most %u", operand->rank, HY_MAX_RANK);
    if (type)
        code = apply_type(operand, type, &shape, err);
    if (code != HY_OK)
        return code;
    if (complete && !is_scalar(operand) && !hy_shape_is_complete(&shape))
        return hy_fail(err, HY_BAD_DATA, "shape %s is not complete", hy_shape_text(&shape, text));
    *ret = shape;
    return HY_OK;
}

enum hy_code hy_argument_check_length(const struct hy_operand *operand,
                                      const struct hy_shape *shape, uint64_t length, bool padded,
                                      struct hy_bound_argument *argument, struct hy_error *err)
{
    struct hy_type_info type;
    const bool known = hy_type_info_find(operand->type, &type) && type.element_bytes != 0 &&
                       (type.is_scalar || hy_shape_is_complete(shape));
    uint64_t raw = length;

    if (known && !hy_shape_bytes(shape, type.element_bytes, &raw))
        return hy_fail(err, HY_BAD_DATA, "the shape needs more than 2^64 bytes");
    if (raw > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "the shape needs %llu bytes, at most %u",
                       (unsigned long long)raw, UINT32_MAX);
    if (length == 0 || length < raw || (length > raw && !padded))
        return hy_fail(err, HY_BAD_DATA, "length is %llu, the shape needs %llu%s",
                       (unsigned long long)length, (unsigned long long)raw,
                       padded ? " or more" : "");
    argument->length = raw;
    argument->padding = length - raw < UINT32_MAX ? length - raw : UINT32_MAX;
    return HY_OK;
}

bool hy_argument_is_repeated(const struct hy_bound_argument *argument,
                             const struct hy_argument_source *source, bool padded)
{
    /* Compares ids, as a new memory may have the address of a freed one. */
    const uint64_t id = source->memory ? hy_memory_pool(source->memory)->id : 0;

    return argument->is_plain && argument->was_padded == padded && argument->memory_id == id &&
           argument->buffer == source->buffer && argument->offset == source->offset &&
           argument->given_length == source->length;
}
