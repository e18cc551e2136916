/* Where the tensors between steps lie in the border memory of an execution. */
#include "runtime/plan/step_model.h"
#include "runtime/plan/take.h"

/* How many free pieces are looked at for one border, so that placing stays linear. */
#define LOOKED_AT 16u

/* Free pieces, the newest last. */
struct free_list {
    uint32_t *borders; /* whose place is free */
    uint32_t count;
};

/* The first recently freed piece that is large enough, or HY_NO_BORDER. */
static uint32_t take_free(struct free_list *list, const uint64_t *room, uint64_t need)
{
    for (uint32_t i = 0; i < list->count && i < LOOKED_AT; i++) {
        uint32_t *entry = &list->borders[list->count - 1 - i];
        if (room[*entry] < need)
            continue;
        const uint32_t found = *entry;
        *entry = list->borders[--list->count];
        return found;
    }
    return HY_NO_BORDER;
}

static enum hy_code place(struct hy_plan *plan, struct free_list *list, uint64_t *room,
                          uint32_t index, struct hy_error *err)
{
    struct hy_border *border = &plan->borders[index];
    size_t need;
    if (border->bytes == 0)
        return hy_fail(err, HY_FAILED, "border operand %u of unknown size", border->operand);
    if (!hy_round_up_size(border->bytes, HY_BORDER_ALIGNMENT, &need))
        return hy_fail(err, HY_OUT_OF_MEMORY, "border operand %u", border->operand);

    const uint32_t reused = take_free(list, room, need);
    if (reused != HY_NO_BORDER) {
        border->offset = plan->borders[reused].offset;
        room[index] = room[reused];
        return HY_OK;
    }
    border->offset = plan->arena_bytes;
    room[index] = need;
    if (!hy_add_u64(plan->arena_bytes, need, &plan->arena_bytes))
        return hy_fail(err, HY_OUT_OF_MEMORY, "border operand %u", border->operand);
    return HY_OK;
}

/* Chains the borders by the step after which they are free: first[step], then next[border]. */
static void sort_by_end(const struct hy_plan *plan, uint32_t *first, uint32_t *next)
{
    memset(first, 0xff, plan->step_count * sizeof *first);
    for (uint32_t i = 0; i < plan->border_count; i++) {
        const uint32_t last = plan->borders[i].last_step;
        next[i] = first[last];
        first[last] = i;
    }
}

enum hy_code hy_borders_place(struct hy_plan *plan, struct hy_error *err)
{
    const uint32_t count = plan->border_count;
    struct free_list list = {.borders = hy_plan_take(&plan->arena, count, sizeof(uint32_t))};
    uint64_t *room = hy_plan_take(&plan->arena, count, sizeof *room);
    uint32_t *first = hy_plan_take(&plan->arena, plan->step_count, sizeof *first);
    uint32_t *next = hy_plan_take(&plan->arena, count, sizeof *next);
    if (!list.borders || !room || !first || !next)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u borders", count);

    plan->arena_bytes = 0;
    plan->border_bytes = 0;
    sort_by_end(plan, first, next);
    for (uint32_t step = 0, border = 0; step < plan->step_count; step++) {
        /* Borders were made in the order of the steps that write them. */
        for (; border < count && plan->borders[border].first_step == step; border++) {
            enum hy_code code = place(plan, &list, room, border, err);
            if (code != HY_OK)
                return code;
            plan->border_bytes += plan->borders[border].bytes;
        }
        for (uint32_t i = first[step]; i != HY_NO_BORDER; i = next[i])
            list.borders[list.count++] = i;
    }
    return HY_OK;
}
