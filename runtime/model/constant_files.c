#include "constant_files.h"

#include "app_model.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/memory_check.h"

/* Where the constants that follow one another in one memory object end. */
struct stretch {
    const struct hy_memory *memory; /* NULL: none so far */
    uint32_t operand;               /* the one that ends last */
    uint64_t end;
};

/* One look at the file for the whole stretch. */
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

enum hy_code hy_app_model_check_files(const struct hy_app_model *model, struct hy_error *err)
{
    struct stretch stretch = {0};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < model->operand_count; i++) {
        const struct hy_value_source *source = &model->sources[i];
        if (source->model)
            code = hy_app_model_check_files(source->model, err);
        else if (source->memory)
            code = extend(&stretch, source->memory, &model->operands[i], i, err);
    }
    return code == HY_OK ? check(&stretch, err) : code;
}
