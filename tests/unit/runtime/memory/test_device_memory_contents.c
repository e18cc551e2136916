/* What memory of devices holds: state and shape, copies, and devices that stand in. */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/device_memory_fixture.h"

/* ---- State and shape ------------------------------------------------------------------------- */

TEST(device_memory_contents, holds_something_after_success_and_nothing_after_failure)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled_for(chain_model(), &npu);
    REQUIRE(compilation);
    struct hy_memory *in = one_role(compilation, false, 0), *out = both_roles(compilation);

    EXPECT_INT(run_on(compilation, in, 0, out, 0, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "input 0: the memory has no contents");
    EXPECT_INT(npu.fake.runs, 0);
    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    EXPECT_INT(run_on(compilation, in, 0, out, 0, &err), HY_OK);
    EXPECT(holds(out, EXTENT, result));
    npu.fake.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_on(compilation, in, 0, out, 0, &err), HY_FAILED);
    npu.fake.execute_status = HY_STATUS_OK;
    EXPECT_INT(run_on(compilation, out, 0, in, 0, &err), HY_BAD_DATA); /* no such role */
    EXPECT(!holds(out, EXTENT, result));
    npu.copy_from_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(fill(in, EXTENT, input), HY_FAILED);
    EXPECT_INT(run_on(compilation, in, 0, out, 0, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "has no contents");
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

TEST(device_memory_contents, open_shape_is_set_by_an_output_and_has_to_be_met_by_an_input)
{
    static const float values[6] = {1.5f, -1, 2.5f, 0, 5, 6}, floors[6] = {1, 0, 2, 0, 5, 6};
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled_for(dynamic_model(0, 0, 0), &npu);
    REQUIRE(compilation);
    struct hy_memory *in = both_roles(compilation), *out = both_roles(compilation);
    struct hy_memory *last = both_roles(compilation), *file = file_memory(6, values);

    EXPECT_INT(kind_of(in), HY_POOL_BUFFER);
    EXPECT_INT(hy_memory_pool(in)->size, 0);
    EXPECT_INT(hy_memory_copy(file, in, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the shape of the destination is not known");
    /* The first shape comes from an execution. */
    struct hy_execution *execution = NULL;
    const struct hy_argument_source source = {.memory = file, .length = sizeof values};
    const uint32_t six = 6;
    const struct hy_operand_spec type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &six, 0, 0};
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, &type, &source, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, in, NULL), HY_OK);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT_INT(execution->output_states[0].shape.dims[0], 6);
    hy_execution_release(execution);
    EXPECT(holds(in, 6, floors));

    EXPECT_INT(run_on(compilation, in, 5, out, 0, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "the memory holds shape [6], the request says [5]");
    EXPECT_INT(run_on(compilation, in, 0, out, 0, &err), HY_BAD_DATA); /* not complete */
    EXPECT_INT(run_on(compilation, in, 6, out, 0, &err), HY_OK);
    EXPECT(holds(out, 6, floors));
    EXPECT_INT(run_on(compilation, out, 6, last, 6, &err), HY_OK);
    EXPECT(holds(last, 6, floors));
    EXPECT_INT(fill(out, 6, values), HY_OK); /* its shape is known now */
    EXPECT_INT(fill(out, 5, values), HY_BAD_DATA);
    EXPECT_INT(npu.refusals, 0);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_memory_release(last);
    hy_memory_release(file);
    hy_compilation_release(compilation);
}

TEST(device_memory_contents, reusable_execution_finds_the_shape_each_time)
{
    static const float four[4] = {1, 2, 3, 4};
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled_for(dynamic_model(0, 0, 0), &npu);
    struct hy_compilation *known = compiled_for(dynamic_model(4, 4, 4), &npu);
    REQUIRE(compilation && known);
    struct hy_memory *in = both_roles(compilation), *out = both_roles(compilation);
    struct hy_memory *start = both_roles(known);
    struct hy_execution *execution = NULL;

    EXPECT_INT(fill(start, 4, four), HY_OK);
    EXPECT_INT(hy_memory_copy(start, in, &err), HY_OK);
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    execution->reusable = true;
    EXPECT_INT(set_whole(execution, false, 0, 4, in, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, out, NULL), HY_OK);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_INT(compute(execution, &err), HY_OK);
    npu.copy_from_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(hy_memory_copy(start, in, &err), HY_FAILED);
    EXPECT_INT(compute(execution, &err), HY_FAILED);
    npu.copy_from_status = HY_STATUS_OK;
    EXPECT_INT(hy_memory_copy(start, in, &err), HY_OK);
    EXPECT_INT(compute(execution, &err), HY_OK);
    EXPECT(holds(out, 4, four));
    hy_execution_release(execution);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_memory_release(start);
    hy_compilation_release(compilation);
    hy_compilation_release(known);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

TEST(device_memory_contents, copies_within_a_device_do_not_leave_it)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled_for(chain_model(), &npu);
    REQUIRE(compilation);
    struct hy_memory *a = one_role(compilation, false, 0), *b = one_role(compilation, true, 0);

    EXPECT_INT(fill(a, EXTENT, input), HY_OK);
    EXPECT_INT(hy_memory_copy(a, b, NULL), HY_OK);
    EXPECT_INT(npu.copies_between, 1);
    EXPECT_INT(npu.copies_to, 0);
    EXPECT(holds(b, EXTENT, input));
    npu.wants_shared_sources = true;
    npu.copies_from = npu.copies_to = 0;
    EXPECT_INT(hy_memory_copy(a, b, NULL), HY_OK);
    EXPECT_INT(npu.copies_to, 1);
    EXPECT_INT(npu.copies_from, 1);
    EXPECT(holds(b, EXTENT, input));
    hy_memory_release(a);
    hy_memory_release(b);
    hy_compilation_release(compilation);
}

TEST(device_memory_contents, copies_between_devices_go_through_shared_memory_once)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *a = compiled_for(chain_model(), &npu);
    struct hy_compilation *b = compiled_for(chain_model(), &gpu);
    struct hy_compilation *open = compiled_for(dynamic_model(0, 0, 0), &gpu);
    REQUIRE(a && b && open);
    struct hy_memory *from = one_role(a, false, 0), *to = one_role(b, false, 0);
    struct hy_memory *shaped = one_role(open, false, 0);

    EXPECT_INT(hy_memory_copy(from, to, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the source has no contents");
    EXPECT_INT(fill(from, EXTENT, input), HY_OK);
    EXPECT_INT(hy_memory_copy(from, to, &err), HY_OK);
    EXPECT_INT(npu.copies_to, 1);
    EXPECT_INT(gpu.copies_from, 1);
    EXPECT(holds(to, EXTENT, input));
    EXPECT_INT(hy_memory_copy(from, shaped, &err), HY_OK);
    EXPECT(holds(shaped, EXTENT, input));
    npu.copy_to_status = HY_STATUS_DEVICE_UNAVAILABLE;
    EXPECT_INT(hy_memory_copy(from, to, &err), HY_UNAVAILABLE);
    EXPECT(!holds(to, EXTENT, input));
    hy_memory_release(from);
    hy_memory_release(to);
    hy_memory_release(shaped);
    hy_compilation_release(a);
    hy_compilation_release(b);
    hy_compilation_release(open);
}

TEST(device_memory_contents, copies_of_other_shapes_and_to_read_only_memory_are_refused)
{
    struct hy_error err = {0};
    init_devices(FAKE_ALL);
    struct hy_compilation *a = compiled_for(chain_model(), &npu);
    struct hy_compilation *b = compiled_for(dynamic_model(6, 6, 6), &npu);
    REQUIRE(a && b);
    struct hy_memory *from = one_role(a, false, 0), *to = one_role(b, false, 0);
    struct hy_memory *read_only = shared_memory(sizeof input);

    EXPECT_INT(fill(from, EXTENT, input), HY_OK);
    EXPECT_INT(hy_memory_copy(from, to, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "different shapes");
    EXPECT_INT(hy_memory_copy(from, read_only, &err), HY_UNMAPPABLE);
    EXPECT_INT(hy_memory_copy(read_only, from, &err), HY_OK);
    EXPECT_INT(fill(from, EXTENT + 1, (const float[EXTENT + 1]){0}), HY_BAD_DATA);
    hy_memory_release(from);
    hy_memory_release(to);
    hy_memory_release(read_only);
    hy_compilation_release(a);
    hy_compilation_release(b);
}

/* ---- Stand-ins ------------------------------------------------------------------------------- */

TEST(device_memory_contents, fallback_step_works_on_copies_which_are_counted)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), false);
    REQUIRE(compilation);
    struct hy_memory *in = one_role(compilation, false, 0), *out = one_role(compilation, true, 0);

    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    npu.fake.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_on(compilation, in, 0, out, 0, NULL), HY_OK);
    EXPECT_INT(cpu.runs, 1);
    EXPECT_INT(compilation->copied_bytes, sizeof input + sizeof result);
    EXPECT(holds(out, EXTENT, result));
    npu.fake.execute_status = HY_STATUS_OK;
    EXPECT_INT(run_on(compilation, in, 0, out, 0, NULL), HY_OK); /* by token again */
    EXPECT_INT(npu.tokens_seen, 2);
    EXPECT_INT(npu.refusals, 0);
    EXPECT_INT(compilation->copied_bytes, sizeof input + sizeof result);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

TEST(device_memory_contents, reusable_execution_returns_to_the_device_after_a_fallback_step)
{
    init_devices(FAKE_ALL);
    struct hy_compilation *compilation = compiled(chain_model(), false);
    REQUIRE(compilation);
    struct hy_memory *in = one_role(compilation, false, 0), *out = one_role(compilation, true, 0);
    struct hy_execution *execution = NULL;

    EXPECT_INT(fill(in, EXTENT, input), HY_OK);
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    execution->reusable = true;
    EXPECT_INT(set_whole(execution, false, 0, 0, in, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, out, NULL), HY_OK);
    for (unsigned i = 0; i < 4; i++) {
        npu.fake.execute_status = i % 2 ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
        EXPECT_INT(compute(execution, NULL), HY_OK);
        EXPECT(holds(out, EXTENT, result));
    }
    EXPECT_INT(cpu.runs, 2);
    EXPECT_INT(npu.tokens_seen, 4);
    hy_execution_release(execution);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

TEST(device_memory_contents,
     nothing_stands_in_where_the_shape_is_open_or_the_memory_is_out_of_reach)
{
    struct hy_error err = {0};
    static const float four[4] = {1, 2, 3, 4};
    init_devices(FAKE_ALL);
    struct hy_compilation *known = compiled(dynamic_model(4, 4, 4), false);
    struct hy_compilation *open = compiled(dynamic_model(0, 0, 0), false);
    REQUIRE(known && open);
    struct hy_memory *start = both_roles(known), *out = both_roles(known);
    struct hy_memory *in = both_roles(open), *shaped = both_roles(open);

    EXPECT_INT(fill(start, 4, four), HY_OK);
    EXPECT_INT(hy_memory_copy(start, in, NULL), HY_OK);
    npu.fake.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_on(open, in, 4, shaped, 0, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "memory of acme-npu has an unknown size");
    EXPECT_INT(run_on(open, in, 4, shaped, 4, &err), HY_OK);
    EXPECT(holds(shaped, 4, four));
    npu.copy_to_status = HY_STATUS_DEAD_OBJECT;
    EXPECT_INT(run_on(known, start, 0, out, 0, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "buffer_copy_to failed");
    hy_memory_release(start);
    hy_memory_release(out);
    hy_memory_release(in);
    hy_memory_release(shaped);
    hy_compilation_release(known);
    hy_compilation_release(open);
}
