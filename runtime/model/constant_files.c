#include "constant_files.h"

#include "app_model.h"
#include "runtime/memory/memory_check.h"
#include "runtime/memory/memory_object.h"

/* The end of consecutive constants in one memory object. */
struct stretch {
    const struct hy_memory *memory; /* NULL: none so far */
    uint32_t operand;               /* operand with the last end */
    uint64_t end;
};

/* Checks the file once for all constants of the range. */
static enum hy_code check(const struct stretch *stretch, struct hy_error *err)
{
    struct hy_error why;
    if (!stretch->memory)
        return HY_OK;
    const struct hy_pool *pool = hy_memory_pool(stretch->memory);

    if (hy_memory_check_file(pool->fd, pool->offset, stretch->end, &why) == HY_OK)
        return HY_OK;
    return hy_fail(err, HY_UNMAPPABLE, "operand %u: %s", stretch->operand, why.text);
}

static enum hy_code extend(struct stretch *stretch, const struct hy_memory *memory,
                           const struct hy_operand *operand, uint32_t index, struct hy_error *err)
{
    const uint64_t end = operand->location.offset + operand->location.length;
    enum hy_code code = HY_OK;

    if (memory != stretch->memory) {
        code = check(stretch, err);
        *stretch = (struct stretch){.memory = memory};
    }
    if (end > stretch->end) {
        stretch->end = end;
        stretch->operand = index;
    }
    return code;
}

/* Checks only operands of the model itself. */
static enum hy_code check_own(const struct hy_app_model *model, struct hy_error *err)
{
    struct stretch stretch = {0};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < model->operand_count; i++) {
        if (model->sources[i].memory)
            code = extend(&stretch, model->sources[i].memory, &model->operands[i], i, err);
    }
    return code == HY_OK ? check(&stretch, err) : code;
}

/* Uses the list of all bodies. A walk along the references would visit a body once per reference,
 * multiplied for each level of nesting. */
enum hy_code hy_app_model_check_files(const struct hy_app_model *model,
                                      const struct hy_flat_models *bodies, struct hy_error *err)
{
    enum hy_code code = check_own(model, err);

    for (uint32_t i = 0; code == HY_OK && i < bodies->count; i++)
        code = check_own(bodies->models[i], err);
    return code;
}

enum hy_code hy_app_model_check_files_again(const struct hy_app_model *model, struct hy_error *err)
{
    return hy_app_model_check_files(model, &model->flat, err);
}
