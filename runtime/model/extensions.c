/* Extensions of a model: the data of operands, and the list of names and prefixes. */
#include "extensions.h"

#include "common/operations/operand_type.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"

#include <stdlib.h>

/* ---- Data of operands ------------------------------------------------------------------------ */

static enum hy_code set_data(struct hy_app_model *model, struct hy_operand *operand,
                             const void *data, size_t length, struct hy_error *err)
{
    const void *copy = NULL;

    if (!hy_type_is_extension(operand->type))
        return hy_fail(err, HY_BAD_DATA, "%s has no extension data",
                       hy_operand_type_text(operand->type));
    if ((data == NULL) != (length == 0))
        return hy_fail(err, HY_BAD_DATA, "data is %s, but length is %zu",
                       data ? "not NULL" : "NULL", length);
    if (length > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "%zu bytes are above the limit of %u", length, UINT32_MAX);
    if (data && !(copy = hy_arena_copy(&model->arena, data, length, 1)))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu bytes of extension data", length);
    operand->extension_data = copy;
    operand->extension_length = (uint32_t)length;
    return HY_OK;
}

enum hy_code hy_app_model_set_extension_data(struct hy_app_model *model, uint32_t operand,
                                             const void *data, size_t length, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        code = hy_app_model_check_operand(model, operand, err);
    if (code != HY_OK)
        return code;

    code = set_data(model, &model->operands[operand], data, length, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "operand %u", operand);
}

/* ---- The list -------------------------------------------------------------------------------- */

/* The prefixes found. Without a list they are only counted. */
struct collection {
    struct hy_extension_prefix *list;
    size_t count;
};

static void collect(struct collection *to, uint32_t prefix)
{
    if (to->list)
        to->list[to->count].prefix = prefix;
    to->count++;
}

static void collect_all(const struct hy_app_model *model, struct collection *to)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        const struct hy_app_model *other = model->sources[i].model;
        if (hy_type_is_extension(model->operands[i].type))
            collect(to, hy_extension_prefix_of(model->operands[i].type));
        for (uint32_t k = 0; other && k < other->extension_count; k++)
            collect(to, other->extensions[k].prefix);
    }
    for (uint32_t i = 0; i < model->operation_count; i++) {
        if (hy_type_is_extension(model->operations[i].type))
            collect(to, hy_extension_prefix_of(model->operations[i].type));
    }
}

static int by_prefix(const void *a, const void *b)
{
    const struct hy_extension_prefix *left = a, *right = b;
    return (left->prefix > right->prefix) - (left->prefix < right->prefix);
}

enum hy_code hy_app_model_list_extensions(const struct hy_app_model *model,
                                          struct hy_extension_prefix **ret, uint32_t *ret_count,
                                          struct hy_error *err)
{
    struct collection met = {0};
    uint32_t retained = 0;

    *ret = NULL;
    *ret_count = 0;
    collect_all(model, &met);
    if (met.count == 0)
        return HY_OK;
    met.list = calloc(met.count, sizeof *met.list);
    if (!met.list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu uses of extensions", met.count);

    met.count = 0;
    collect_all(model, &met);
    qsort(met.list, met.count, sizeof *met.list, by_prefix);
    for (size_t i = 0; i < met.count; i++) {
        if (i == 0 || met.list[i].prefix != met.list[retained - 1].prefix)
            met.list[retained++] = met.list[i];
    }
    for (uint32_t i = 0; i < retained; i++)
        met.list[i].name = hy_extension_name(met.list[i].prefix);
    *ret = met.list;
    *ret_count = retained;
    return HY_OK;
}
