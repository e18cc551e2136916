#include "op_case.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"

void hy_op_case_init(struct hy_op_case *test, int32_t operation)
{
    *test = (struct hy_op_case){.operation = operation};
    hy_builder_init(&test->builder);
}

void hy_op_case_finish(struct hy_op_case *test)
{
    hy_builder_finish(&test->builder);
}

struct hy_builder_type hy_op_case_type(int32_t type, uint32_t rank, const uint32_t *dims)
{
    bool is_quantised = hy_operand_type_is_quantised(type);
    struct hy_builder_type result = {
        .type = type,
        .scale = is_quantised ? 0.5f : 0,
        .zero_point = is_quantised ? 5 : 0,
        .rank = rank,
    };

    if (rank > 0)
        memcpy(result.dims, dims, rank * sizeof *dims);
    return result;
}

void hy_op_case_tensor(struct hy_op_case *test, const struct hy_builder_type *type,
                       const void *data, bool is_constant)
{
    struct hy_shape shape;
    uint64_t length = 0;

    (void)hy_shape_set(&shape, type->rank, type->dims);
    (void)hy_shape_bytes(&shape, hy_operand_type_bytes(type->type), &length);
    if (is_constant) {
        test->inputs[test->input_count++] = hy_builder_constant(&test->builder, type, data, length);
        return;
    }
    test->inputs[test->input_count++] = hy_builder_input(&test->builder, type);
    test->given[test->given_count].data = data;
    test->given[test->given_count++].length = length;
}

void hy_op_case_ints(struct hy_op_case *test, uint32_t rank, const uint32_t *dims,
                     const int32_t *data, bool is_constant)
{
    struct hy_builder_type type = hy_op_case_type(ANEURALNETWORKS_TENSOR_INT32, rank, dims);

    hy_op_case_tensor(test, &type, data, is_constant);
}

void hy_op_case_int(struct hy_op_case *test, int32_t value)
{
    test->inputs[test->input_count++] = hy_builder_int(&test->builder, value);
}

void hy_op_case_float(struct hy_op_case *test, float value)
{
    test->inputs[test->input_count++] = hy_builder_float(&test->builder, value);
}

void hy_op_case_bool(struct hy_op_case *test, bool value)
{
    test->inputs[test->input_count++] = hy_builder_bool(&test->builder, value);
}

void hy_op_case_no_value(struct hy_op_case *test, int32_t type)
{
    struct hy_builder_type unknown = {.type = type};

    test->inputs[test->input_count++] = hy_builder_no_value(&test->builder, &unknown);
}

void hy_op_case_output(struct hy_op_case *test, const struct hy_builder_type *type, void *data,
                       uint64_t length)
{
    struct hy_builder_type unknown = *type;

    memset(unknown.dims, 0, sizeof unknown.dims);
    test->wanted[test->output_count].data = data;
    test->wanted[test->output_count].length = length;
    test->outputs[test->output_count++] = hy_builder_output(&test->builder, &unknown);
}

int32_t hy_op_case_run(struct hy_op_case *test, uint32_t device)
{
    return hy_op_case_run_within(test, device, "{}");
}

int32_t hy_op_case_run_within(struct hy_op_case *test, uint32_t device, const char *sets)
{
    struct hy_runner opened = {0}, *runner = &opened;

    if (test->builder.operation_count == 0)
        hy_builder_operation(&test->builder, test->operation, test->input_count, test->inputs,
                             test->output_count, test->outputs);
    int32_t status = hy_runner_open_with(runner, sets, hy_cpu_driver(), device);
    if (status != HY_STATUS_OK)
        return status;
    status = hy_runner_prepare(runner, hy_builder_model(&test->builder));
    if (status == HY_STATUS_OK) {
        hy_runner_clear(runner);
        for (uint32_t i = 0; i < test->given_count; i++)
            hy_runner_input(runner, test->given[i].data, test->given[i].length, 0, NULL);
        for (uint32_t i = 0; i < test->output_count; i++)
            hy_runner_output(runner, (void *)test->wanted[i].data, test->wanted[i].length, 0, NULL);
        status = hy_runner_execute(runner);
    }
    memcpy(test->message, runner->message, sizeof test->message);
    memcpy(test->shapes, runner->shapes, sizeof test->shapes);
    hy_runner_close(runner);
    return status;
}
