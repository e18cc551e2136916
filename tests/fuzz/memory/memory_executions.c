/* Executions with memory in random places. */
#include "tests/fuzz/memory/memory_world.h"

static enum hy_code set_one(struct hy_execution *execution, bool is_output, struct object *object,
                            uint32_t given, struct hy_error *err)
{
    const struct hy_operand_spec type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &given, 0, 0};
    const struct hy_argument_source source = {
        .memory = object->memory,
        .length = object->model.is_file ? hy_memory_pool(object->memory)->size : 0};
    return hy_execution_set(execution, is_output, 0, given ? &type : NULL, &source, err);
}

static uint32_t some_extent(const struct object *object)
{
    return chance(8) ? (chance(4) ? object->model.extent : 4) : chance(7);
}

/* What an execution is to be made of. */
struct run_case {
    const struct compiled *of;
    struct object *in, *out;
    uint32_t in_given, out_given; /* extents that the app says; 0: none */
};

static bool fits(const struct run_case *run_case)
{
    uint32_t extent;

    return run_case->in && run_case->out && run_case->in != run_case->out &&
           model_set(&run_case->of->model, &run_case->in->model, false, run_case->in_given,
                     &extent) == HY_OK &&
           model_set(&run_case->of->model, &run_case->out->model, true, run_case->out_given,
                     &extent) == HY_OK;
}

/* Mostly one whose arguments will be taken. An output that is the input as well is for no rule. */
static bool choose(struct run_case *run_case)
{
    for (uint32_t i = 0; i == 0 || (i < 50 && !fits(run_case)); i++) {
        run_case->of = &world.compilations[chance(COMPILATIONS)];
        run_case->in = object_any();
        run_case->out = object_any();
        run_case->in_given = run_case->in ? some_extent(run_case->in) : 0;
        run_case->out_given = run_case->out && chance(2) ? some_extent(run_case->out) : 0;
        if (chance(32) == 0)
            break;
    }
    return run_case->in && run_case->out && run_case->in != run_case->out;
}

/* An execution with arguments, or one that is refused. */
static bool prepare(struct prepared *prepared, const struct run_case *run_case)
{
    struct hy_error err = {0};

    expect_code("create execution",
                hy_execution_create(run_case->of->compilation, &prepared->execution, &err), HY_OK,
                &err);
    enum hy_code code = set_one(prepared->execution, false, prepared->in, run_case->in_given, &err);
    expect_code("set input", code,
                model_set(&prepared->compilation, &prepared->in->model, false, run_case->in_given,
                          &prepared->in_extent),
                &err);
    if (code == HY_OK) {
        code = set_one(prepared->execution, true, prepared->out, run_case->out_given, &err);
        expect_code("set output", code,
                    model_set(&prepared->compilation, &prepared->out->model, true,
                              run_case->out_given, &prepared->out_extent),
                    &err);
    }
    if (code != HY_OK)
        hy_execution_release(prepared->execution);
    return code == HY_OK;
}

static void run(const struct prepared *prepared)
{
    struct hy_error err = {0};

    const enum hy_code code = compute(prepared->execution, &err);
    expect_code("compute", code,
                model_run(&prepared->compilation, &prepared->in->model, prepared->in_extent,
                          &prepared->out->model, prepared->out_extent, world.faults),
                &err);
    if (code != HY_OK && prepared->out->model.is_file)
        object_write(prepared->out);
}

void prepared_drop(struct prepared *prepared)
{
    if (!prepared->execution)
        return;
    hy_execution_release(prepared->execution);
    object_release(prepared->in);
    object_release(prepared->out);
    *prepared = (struct prepared){0};
}

/* Half of them stay, to run again. */
void world_execute(void)
{
    struct prepared *target = &world.executions[chance(EXECUTIONS)];
    struct run_case run_case;

    if (!choose(&run_case))
        return;
    struct prepared prepared = {
        .compilation = run_case.of->model, .in = run_case.in, .out = run_case.out};
    if (!prepare(&prepared, &run_case))
        return;
    if (chance(2)) {
        run(&prepared);
        hy_execution_release(prepared.execution);
        return;
    }
    prepared_drop(target);
    object_retain(prepared.in);
    object_retain(prepared.out);
    *target = prepared;
    target->execution->reusable = true;
    run(target);
}

void world_run_again(void)
{
    const struct prepared *prepared = &world.executions[chance(EXECUTIONS)];
    if (prepared->execution)
        run(prepared);
}
