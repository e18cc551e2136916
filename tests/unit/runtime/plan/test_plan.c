/* Which device runs what, and how a model is split into steps. */
#include "runtime/compile/compile.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

/* How many steps the plan has, and the device name of an operation as the app numbered it. */
static const char *device_of(const struct hy_compilation *compilation, uint32_t number)
{
    const struct hy_plan *plan = compilation->plan;
    return plan->steps[plan->step_of[plan->index_of[number]]].device->info.name;
}

static struct fake_device npu, dsp, cpu, reference;

static void init_fakes(float npu_cost, uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, npu_cost, npu_operations);
    fake_device_init(&dsp, "acme-dsp", HALYARD_DEVICE_IN_PROCESS, .8f, FAKE_RELU | FAKE_FLOOR);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    fake_device_init(&reference, "nnapi-reference", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

static struct fake_device *const npu_cpu[] = {&npu, &cpu};
static struct fake_device *const all[] = {&npu, &dsp, &cpu, &reference};

TEST(plan, lowest_cost_takes_the_whole_model_as_it_is)
{
    init_fakes(.5f, FAKE_ALL);
    struct hy_app_model *model = chain_model();
    const struct hy_model *view = hy_app_model_view(model);
    struct hy_compilation *compilation = compile(model, all, 4, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 1);
    EXPECT(compilation->plan->steps[0].model == view);
    EXPECT(npu.last_model == view);
    EXPECT_INT(npu.prepared, 1);
    EXPECT_INT(cpu.prepare_count, 0);
    EXPECT_INT(compilation->plan->fallback_count, 0);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.prepared, 0);
}

TEST(plan, equal_costs_go_to_the_cpu)
{
    init_fakes(1, FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    EXPECT_INT(compilation->plan->fallback_count, 0);
    hy_compilation_release(compilation);
}

TEST(plan, equal_costs_without_cpu_go_to_the_earlier_device)
{
    init_fakes(.8f, FAKE_RELU | FAKE_FLOOR);
    struct fake_device *const two[] = {&dsp, &npu};
    struct hy_compilation *compilation =
        compile(dynamic_model(EXTENT, EXTENT, EXTENT), two, 2, true, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "acme-dsp");
    hy_compilation_release(compilation);
}

TEST(plan, reference_serves_only_where_nobody_else_can)
{
    init_fakes(100, FAKE_ALL);
    reference.performance.performance = (struct hy_performance){.001f, .001f};
    struct fake_device *const two[] = {&reference, &npu};
    struct hy_compilation *compilation = compile(chain_model(), two, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    hy_compilation_release(compilation);

    npu.operations = 0;
    compilation = compile(chain_model(), two, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "nnapi-reference");
    hy_compilation_release(compilation);
}

TEST(plan, low_power_counts_power)
{
    init_fakes(.5f, FAKE_ALL);
    npu.performance.performance.power_usage = 3;
    struct hy_compilation *compilation = compile_start(chain_model(), npu_cpu, 2, false);
    REQUIRE(compilation);
    compilation->preference = HY_PREFER_LOW_POWER;
    compilation->priority = HY_PRIORITY_HIGH;
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    EXPECT_INT(cpu.last_preference, HY_PREFER_LOW_POWER);
    EXPECT_INT(cpu.last_priority, HY_PRIORITY_HIGH);
    EXPECT_INT(cpu.last_prepare_deadline, HY_NO_DEADLINE);
    hy_compilation_release(compilation);
}

TEST(plan, unlisted_operand_type_is_as_slow_as_can_be)
{
    init_fakes(.5f, FAKE_ALL);
    npu.performance.type = ANEURALNETWORKS_TENSOR_INT32;
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    hy_compilation_release(compilation);
}

TEST(plan, relaxed_models_use_relaxed_figures)
{
    init_fakes(5, FAKE_ALL);
    npu.device.capabilities.relaxed_tensor = (struct hy_performance){.1f, .1f};
    struct fixture f = fixture_relu();
    REQUIRE(hy_app_model_relax(f.model, true, NULL) == HY_OK && finish(&f) == HY_OK);
    struct hy_compilation *compilation = compile(f.model, npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    hy_compilation_release(compilation);
}

TEST(plan, neighbours_on_one_device_are_one_step)
{
    init_fakes(.5f, FAKE_MUL | FAKE_ADD);
    struct hy_app_model *model = chain_model();
    const struct hy_model *view = hy_app_model_view(model);
    struct hy_compilation *compilation = compile(model, npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    const struct hy_plan *plan = compilation->plan;
    REQUIRE(plan->step_count == 3);
    EXPECT_INT(plan->steps[0].operation_count, 1);
    EXPECT_INT(plan->steps[1].operation_count, 2);
    EXPECT_INT(plan->steps[2].operation_count, 1);
    EXPECT_STR(device_of(compilation, 1), "acme-npu");
    EXPECT_INT(npu.prepare_count, 1);
    EXPECT_INT(npu.last_input_count, 1);
    EXPECT_INT(npu.last_output_count, 1);

    /* Constants are where the app's model has them. */
    EXPECT(npu.last_values == view->values);
    EXPECT(npu.last_pools == view->pools);

    /* The result of MUL stays inside the step, those of RELU and ADD cross the boundary. */
    EXPECT_INT(plan->tensor_count, 2);
    EXPECT_INT(plan->tensor_bytes, 2 * EXTENT * sizeof(float));
    EXPECT_INT(plan->fallback_count, 2);
    hy_compilation_release(compilation);
}

/* Two chains of RELU and FLOOR side by side, added at the end. */
static struct hy_app_model *two_chains(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t c = floats(&f, EXTENT), d = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t none = constant(&f, 0);
    bool ok = relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &a, b) == HY_OK &&
              relu(&f, x, c) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &c, d) == HY_OK &&
              add_op(&f, b, d, none, y) == HY_OK && identify(&f, x, y) == HY_OK &&
              finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(plan, parallel_branches_share_steps)
{
    init_fakes(.5f, FAKE_RELU);
    struct hy_compilation *compilation = compile(two_chains(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 2); /* both RELUs, then the rest */
    EXPECT_INT(compilation->plan->steps[0].operation_count, 2);
    hy_compilation_release(compilation);
}

TEST(plan, search_state_is_freed_once_the_plan_is_prepared)
{
    init_fakes(.5f, FAKE_RELU | FAKE_ADD);
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 4); /* so that there was something to search */
    EXPECT(compilation->plan->search == NULL);
    hy_compilation_release(compilation);
}

TEST(plan, tensors_that_do_not_live_together_share_memory)
{
    init_fakes(.5f, FAKE_RELU | FAKE_ADD); /* every operation of the chain is a step */
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    const struct hy_plan *plan = compilation->plan;
    REQUIRE(plan->step_count == 4 && plan->tensor_count == 3);
    EXPECT_INT(plan->layout.arena_bytes, 2 * HY_BOUNDARY_ALIGNMENT);
    EXPECT(plan->layout.offsets[0] != plan->layout.offsets[1]);
    EXPECT(plan->layout.offsets[1] != plan->layout.offsets[2]);
    hy_compilation_release(compilation);
}

TEST(plan, result_that_nobody_reads_is_still_an_output_of_its_step)
{
    init_fakes(.5f, FAKE_RELU);
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT), dead = floats(&f, EXTENT);
    REQUIRE(op(&f, ANEURALNETWORKS_FLOOR, 1, &x, y) == HY_OK && relu(&f, x, dead) == HY_OK &&
            identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    struct hy_compilation *compilation = compile(f.model, npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(npu.last_output_count, 1);
    hy_compilation_release(compilation);
}

TEST(plan, failed_prepare_leaves_the_device_out)
{
    init_fakes(.5f, FAKE_MUL);
    npu.prepare_status = HY_STATUS_INVALID_ARGUMENT;
    struct hy_compilation *compilation = compile(chain_model(), all, 4, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 1), "halyard-cpu");
    EXPECT_STR(device_of(compilation, 0), "acme-dsp");
    EXPECT_INT(npu.prepare_count, 1);
    EXPECT_INT(compilation->plan->fallback_count, 2); /* ADD was never taken by others either */
    hy_compilation_release(compilation);
    EXPECT_INT(cpu.prepared, 0);
    EXPECT_INT(dsp.prepared, 0);
}

TEST(plan, success_without_a_prepared_model_is_a_failure)
{
    init_fakes(.5f, FAKE_ALL);
    npu.prepare_nothing = true;
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    hy_compilation_release(compilation);
}

TEST(plan, exhausted_list_tells_every_device_and_reason)
{
    struct hy_error err = {0};

    init_fakes(.5f, FAKE_RELU | FAKE_MUL);
    npu.reason = "no adder";
    struct fake_device *const two[] = {&npu, &dsp};
    EXPECT(!compile(chain_model(), two, 2, true, &err));
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_STR(err.text, "operation 2 ADD: no device supports the operation: acme-npu: no adder; "
                         "acme-dsp: no reason given");
}

TEST(plan, exhausted_by_failures_gives_the_drivers_code_and_words)
{
    struct hy_error err = {0};

    init_fakes(.5f, FAKE_ALL);
    npu.prepare_status = HY_STATUS_MISSED_DEADLINE_PERSISTENT;
    struct fake_device *const one[] = {&npu};
    EXPECT(!compile(chain_model(), one, 1, true, &err));
    EXPECT_INT(err.code, HY_MISSED_DEADLINE_FOR_GOOD);
    EXPECT_CONTAINS(err.text, "acme-npu: prepare failed: the compiler tripped");
    EXPECT_INT(npu.prepare_count, 1);
}

TEST(plan, device_that_cannot_say_what_it_supports_supports_nothing)
{
    init_fakes(.5f, FAKE_ALL);
    npu.support_status = HY_STATUS_GENERAL_FAILURE;
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    EXPECT_INT(compilation->plan->fallback_count, 4);
    hy_compilation_release(compilation);

    npu.support_status = HY_STATUS_OK;
    npu.support_byte = 2;
    compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    hy_compilation_release(compilation);
}

TEST(plan, device_of_a_lower_level_sees_what_it_can_understand)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t y = floats(&f, EXTENT);

    init_fakes(.5f, FAKE_ALL);
    REQUIRE(relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_ABS, 1, &a, b) == HY_OK &&
            relu(&f, b, y) == HY_OK && identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    EXPECT_INT(hy_app_model_view(f.model)->feature_level, 3);
    npu.device.info.feature_level = 2;
    cpu.operations |= FAKE_ABS;
    struct hy_compilation *compilation = compile(f.model, npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(npu.last_asked_count, 2);
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    EXPECT_STR(device_of(compilation, 1), "halyard-cpu");
    EXPECT_STR(device_of(compilation, 2), "acme-npu");
    EXPECT_STR(hy_support_matrix_refusal(&compilation->plan->support_matrix, 0, 1),
               "the operation needs feature level 3, the device has 2");
    EXPECT_INT(compilation->plan->steps[0].model->feature_level, 1);
    EXPECT_INT(compilation->plan->steps[1].model->feature_level, 3);
    hy_compilation_release(compilation);
}

TEST(plan, device_of_no_level_is_not_asked)
{
    init_fakes(.5f, FAKE_ALL);
    npu.device.info.feature_level = 0;
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(npu.last_asked_count, 0);
    EXPECT_CONTAINS(hy_support_matrix_refusal(&compilation->plan->support_matrix, 0, 0),
                    "feature level");
    hy_compilation_release(compilation);
}

TEST(plan, tensor_whose_size_follows_from_the_inputs_is_no_obstacle)
{
    init_fakes(.5f, FAKE_RELU);
    struct hy_compilation *compilation =
        compile(dynamic_model(EXTENT, 0, EXTENT), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    hy_compilation_release(compilation);
}

TEST(plan, tensor_of_unknown_size_is_no_obstacle)
{
    init_fakes(.5f, FAKE_RELU);
    struct hy_compilation *compilation =
        compile(dynamic_model(0, 0, EXTENT), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(device_of(compilation, 0), "acme-npu");
    EXPECT_INT(compilation->plan->tensor_bytes, 0);
    EXPECT_INT(compilation->plan->open_tensor_count, 1);
    EXPECT_INT(compilation->plan->fallback_count, 1); /* FLOOR, which the NPU refuses */
    hy_compilation_release(compilation);
}

/* Inside of the whole model the device might find the size itself. */
TEST(plan, device_is_asked_again_where_a_tensor_leaves_the_size_open)
{
    init_fakes(.5f, FAKE_FLOOR);
    npu.refuses_open_inputs = true;
    struct hy_compilation *compilation =
        compile(dynamic_model(0, 0, EXTENT), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 1);
    EXPECT_STR(device_of(compilation, 0), "halyard-cpu");
    EXPECT_CONTAINS(compilation->plan->why[1],
                    "the device refuses the operation in a step whose inputs have unknown sizes");
    EXPECT_INT(npu.prepare_count, 0);
    hy_compilation_release(compilation);

    npu.reason = "no shape";
    compilation = compile(dynamic_model(0, 0, EXTENT), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_CONTAINS(compilation->plan->why[1], "no shape");
    hy_compilation_release(compilation);
}

TEST(plan, operation_that_nobody_takes_between_steps_of_unknown_size_is_an_error)
{
    struct hy_error err = {0};

    init_fakes(.5f, FAKE_FLOOR);
    npu.refuses_open_inputs = true;
    cpu.operations = FAKE_RELU;
    EXPECT(!compile(dynamic_model(0, 0, EXTENT), npu_cpu, 2, true, &err));
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "FLOOR: no device supports the operation");
}

TEST(plan, settings_and_finish_come_once)
{
    struct hy_error err = {0};

    init_fakes(.5f, FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), npu_cpu, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(hy_compilation_finish(compilation, &err), HY_BAD_STATE);
    EXPECT_INT(compilation->state, HY_COMPILATION_FINISHED);
    hy_compilation_release(compilation);
}

TEST(plan, long_chains_are_planned_in_linear_time)
{
    enum { LENGTH = 20000 };
    init_fakes(.5f, FAKE_RELU);
    npu.prepare_nothing = cpu.prepare_nothing = true; /* only the plan is wanted here */
    struct fixture f = fixture_create();
    uint32_t before = floats(&f, EXTENT), first = before;
    bool ok = true;
    for (uint32_t i = 0; i < LENGTH; i++) {
        uint32_t after = floats(&f, EXTENT);
        ok &= (i % 2 ? relu(&f, before, after)
                     : op(&f, ANEURALNETWORKS_FLOOR, 1, &before, after)) == HY_OK;
        before = after;
    }
    REQUIRE(ok && identify(&f, first, before) == HY_OK && finish(&f) == HY_OK);
    struct hy_error err = {0};
    EXPECT(!compile(f.model, npu_cpu, 2, true, &err)); /* 20000 steps, and then nobody prepares */
    EXPECT_CONTAINS(err.text, "OK without a prepared model");
}

TEST(plan, large_constants_are_used_where_they_are)
{
    enum { COUNT = 40 };
    static float addends[COUNT];
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, COUNT), k = floats(&f, COUNT), a = floats(&f, COUNT);
    uint32_t y = floats(&f, COUNT), none = constant(&f, 0);

    init_fakes(.5f, FAKE_ADD);
    REQUIRE(set(&f, k, addends, sizeof addends) == HY_OK && add_op(&f, x, k, none, a) == HY_OK &&
            op(&f, ANEURALNETWORKS_FLOOR, 1, &a, y) == HY_OK && identify(&f, x, y) == HY_OK &&
            finish(&f) == HY_OK);
    struct hy_compilation *compilation = compile(f.model, npu_cpu, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 2);
    const struct hy_model *model = compilation->plan->steps[0].model;
    const struct hy_operand *operand = &model->main->operands[1];
    EXPECT_INT(operand->lifetime, HY_LIFETIME_CONSTANT_POOL);
    EXPECT(model->pools[operand->location.pool].address == addends);
    hy_compilation_release(compilation);
}
