#include "runtime/execute/boundary/open_tensors.h"

#include "runtime/plan/plan_counters.h"

/* Reading steps come after the writing step. */
typedef void visit(struct hy_binding *binding, uint32_t step, struct hy_argument *input,
                   uint32_t tensor);

static void visit_readers(struct hy_binding *binding, uint32_t tensor, visit *function)
{
    const struct hy_plan *plan = binding->plan;
    const struct hy_boundary_tensor *plan_tensor = &plan->tensors[tensor];

    for (uint32_t i = plan_tensor->first_step + 1; i <= plan_tensor->last_step; i++) {
        for (uint32_t k = 0; k < plan->steps[i].input_count; k++) {
            if (plan->steps[i].inputs[k].tensor == tensor)
                function(binding, i, &binding->steps[i].arguments[k], tensor);
        }
    }
}

static void set_shape(struct hy_binding *binding, uint32_t step, struct hy_argument *input,
                      uint32_t tensor)
{
    const struct hy_open_tensor *open = &binding->memory.open[tensor];

    input->rank = open->shape.rank;
    input->dims = open->shape.rank ? open->shape.dims : NULL;
    input->location.length = open->bytes;
    hy_binding_invalidate_step(binding, step);
}

static void pass_on(struct hy_binding *binding, uint32_t tensor,
                    const struct hy_bound_output *output, const struct hy_output_shape *reported)
{
    struct hy_open_tensor *open = &binding->memory.open[tensor];
    struct hy_shape shape;

    (void)hy_shape_set(&shape, reported->rank,
                       reported->dims); /* cannot fail: results are checked */
    if (open->is_passed_on && hy_shape_equal(&shape, &open->shape))
        return;
    open->shape = shape;
    open->is_passed_on = true;
    open->bytes = output->capacity; /* if the type has no element size */
    if (output->element_bytes > 0)
        (void)hy_shape_bytes(&shape, output->element_bytes, &open->bytes);
    if (open->own)
        hy_plan_counters_note_need(binding->plan->counters, tensor, open->bytes);
    visit_readers(binding, tensor, set_shape);
}

void hy_open_tensors_pass_on(struct hy_binding *binding, const struct hy_bound_step *bound)
{
    const struct hy_plan *plan = binding->plan;
    const struct hy_step *step = &plan->steps[bound - binding->steps];

    for (uint32_t i = 0; i < step->output_count; i++) {
        const uint32_t tensor = step->outputs[i].tensor;
        if (tensor != HY_NO_TENSOR && plan->tensors[tensor].bytes == 0)
            pass_on(binding, tensor, &bound->outputs[i], &bound->shapes[i]);
    }
}

/* ---- Growth ---------------------------------------------------------------------------------- */

static bool is_too_small(const struct hy_bound_step *bound, uint32_t output)
{
    return !bound->outputs[output].is_omitted && !bound->shapes[output].sufficient;
}

static void move(const struct hy_binding *binding, struct hy_bound_step *bound,
                 const struct hy_argument *argument, uint32_t tensor)
{
    struct hy_pool *pool = &bound->pools[argument->location.pool];

    pool->address = hy_boundary_memory_address(&binding->memory, tensor);
    pool->size = binding->memory.open[tensor].capacity;
}

static void move_input(struct hy_binding *binding, uint32_t step, struct hy_argument *input,
                       uint32_t tensor)
{
    move(binding, &binding->steps[step], input, tensor);
    hy_binding_invalidate_step(binding, step);
}

/* The size of the shape. Without a reported shape, twice the old capacity. */
static uint64_t need_of(const struct hy_bound_output *output,
                        const struct hy_output_shape *reported)
{
    struct hy_shape shape;
    uint64_t bytes = 0;

    (void)hy_shape_set(&shape, reported->rank, reported->dims);
    (void)hy_shape_bytes(&shape, output->element_bytes, &bytes);
    return bytes > output->capacity ? bytes : 2 * output->capacity;
}

static enum hy_code grow(struct hy_binding *binding, struct hy_bound_step *bound, uint32_t index,
                         struct hy_error *err)
{
    const uint32_t step = (uint32_t)(bound - binding->steps);
    struct hy_argument *argument =
        &bound->arguments[binding->plan->steps[step].input_count + index];
    struct hy_bound_output *output = &bound->outputs[index];
    const uint64_t need = need_of(output, &bound->shapes[index]);

    enum hy_code code = hy_boundary_memory_grow(&binding->memory, output->tensor, need, err);
    if (code != HY_OK)
        return code;
    output->capacity = argument->location.length = binding->memory.open[output->tensor].capacity;
    move(binding, bound, argument, output->tensor);
    visit_readers(binding, output->tensor, move_input);
    return HY_OK;
}

enum hy_code hy_open_tensors_grow(struct hy_binding *binding, struct hy_bound_step *bound,
                                  struct hy_error *err)
{
    const uint32_t count = bound->request.output_count;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count; i++) {
        if (is_too_small(bound, i) && bound->outputs[i].tensor == HY_NO_TENSOR)
            return HY_INSUFFICIENT_SIZE;
    }
    hy_binding_invalidate_step(binding, (uint32_t)(bound - binding->steps));
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        if (is_too_small(bound, i))
            code = grow(binding, bound, i, err);
    }
    return code;
}
