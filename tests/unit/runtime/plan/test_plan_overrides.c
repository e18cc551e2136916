/* What HALYARD_PLAN_* ask of plans. */
#include "runtime/extension/code_text.h"
#include "runtime/plan/overrides.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device npu, gpu, cpu;

/* RELU and FLOOR on the CPU alone, MUL and ADD on all three, the NPU being the cheapest. */
static void set_up(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .25f, FAKE_MUL | FAKE_ADD);
    fake_device_init(&gpu, "acme-gpu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_MUL | FAKE_ADD);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

/* The model outlives the plan. */
static enum hy_code make_plan(const struct hy_app_model *model,
                              const struct hy_plan_overrides *overrides, struct hy_plan **ret,
                              struct hy_error *err)
{
    static const struct hy_attributes none;
    const struct hy_runtime_device *devices[] = {&npu.device, &gpu.device, &cpu.device};
    const struct hy_plan_request request = {
        .model = hy_app_model_view(model),
        .operation_order = hy_app_model_operation_order(model),
        .devices = devices,
        .device_count = 3,
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
        .attributes = &none,
        .overrides = overrides,
    };
    return hy_plan_create(&request, ret, err);
}

/* The device of each operation as a letter, and why the first refuses the third. */
static void expect_plan(const struct hy_plan_overrides *overrides, const char *letters,
                        uint32_t step_count, const char *refusal)
{
    struct hy_app_model *model = chain_model();
    struct hy_plan *plan = NULL;
    struct hy_error err;
    char got[5] = "";

    if (make_plan(model, overrides, &plan, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "no plan: %s", err.text);
    } else {
        for (uint32_t i = 0; i < 4; i++)
            got[i] = plan->support_matrix.devices[plan->assigned[i].device]->info.name[5];
        EXPECT_STR(got, letters);
        EXPECT_INT(plan->step_count, step_count);
        EXPECT_STR(hy_support_matrix_refusal(&plan->support_matrix, 0, 2), refusal);
        hy_plan_destroy(plan);
    }
    hy_app_model_release(model);
}

#define NPU "n"
#define GPU "g"
#define CPU "r"

TEST(plan_overrides, without_any_the_cheapest_devices_are_taken)
{
    set_up();
    expect_plan(NULL, CPU NPU NPU CPU, 3, "");
    expect_plan(&(struct hy_plan_overrides){0}, CPU NPU NPU CPU, 3, "");
}

TEST(plan_overrides, only_devices_of_the_list_take_part)
{
    set_up();
    expect_plan(&(struct hy_plan_overrides){.devices = "acme-g*,halyard-cpu"}, CPU GPU GPU CPU, 3,
                "HALYARD_PLAN_DEVICES does not name the device");
}

TEST(plan_overrides, devices_off_the_list_take_no_part)
{
    set_up();
    expect_plan(&(struct hy_plan_overrides){.without = "*-npu"}, CPU GPU GPU CPU, 3,
                "HALYARD_PLAN_WITHOUT names the device");
    expect_plan(&(struct hy_plan_overrides){.without = "acme-*"}, CPU CPU CPU CPU, 1,
                "HALYARD_PLAN_WITHOUT names the device");
}

TEST(plan_overrides, an_override_that_leaves_nobody_fails_and_says_so)
{
    struct hy_app_model *model = chain_model();
    struct hy_plan *plan = NULL;
    struct hy_error err;

    set_up();
    EXPECT_INT(make_plan(model, &(struct hy_plan_overrides){.without = "*"}, &plan, &err),
               HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "operation 0 RELU");
    EXPECT_CONTAINS(err.text, "HALYARD_PLAN_WITHOUT names the device");
    hy_app_model_release(model);
}

/* ---- Assignments ----------------------------------------------------------------------------- */

static void expect_assigned(const char *text, const char *letters, const char *refusal)
{
    struct hy_plan_overrides overrides = {0};
    struct hy_error err;

    set_up();
    if (hy_assignments_parse(text, strlen(text), &overrides.assignments, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    expect_plan(&overrides, letters, 3, refusal);
    hy_assignments_finish(&overrides.assignments);
}

TEST(plan_overrides, operations_go_where_they_are_assigned)
{
    expect_assigned("{\"operations\": {\"2\": \"halyard-cpu\", \"MUL\": \"acme-gpu\"}}",
                    CPU GPU CPU CPU, "HALYARD_PLAN_ASSIGN names halyard-cpu");
}

TEST(plan_overrides, a_number_counts_before_a_type)
{
    expect_assigned("{\"operations\": {\"ADD\": \"acme-gpu\", \"2\": \"acme-npu\"}}",
                    CPU NPU NPU CPU, "");
}

TEST(plan_overrides, an_assignment_that_is_not_possible_counts_for_nothing)
{
    expect_assigned("{\"operations\": {\"RELU\": \"acme-npu\", \"1\": \"nobody\"}}",
                    CPU NPU NPU CPU, "");
}

TEST(plan_overrides, operations_of_extensions_are_assigned_by_name)
{
    static const char text[] = "{\"operations\": {\"com.acme.assigned#3\": \"acme-npu\"}}";
    struct hy_assignments assignments = {0};

    REQUIRE(hy_assignments_parse(text, strlen(text), &assignments, NULL) == HY_OK);
    EXPECT_STR(hy_operation_text(assignments.list[0].type), "com.acme.assigned#3");
    hy_assignments_finish(&assignments);
}

TEST(plan_overrides, wrong_assignment_files_are_refused_with_the_member_that_is_wrong)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "line "},
        {"[]", "needs one member"},
        {"{}", "needs one member"},
        {"{\"operations\": []}", "needs one member"},
        {"{\"operations\": {}, \"more\": 1}", "needs one member"},
        {"{\"operations\": {\"CONV\": \"a\"}}", "\"CONV\" is neither a number nor an operation"},
        {"{\"operations\": {\"\": \"a\"}}", "is neither a number nor an operation"},
        {"{\"operations\": {\"4294967295\": \"a\"}}", "operation 4294967295"},
        {"{\"operations\": {\"1\": 7}}", "operation 1: the device is not a name"},
        {"{\"operations\": {\"1\": \"\"}}", "operation 1: the device is not a name"},
        {"{\"operations\": {\"1\": \"a\", \"1\": \"b\"}}", "duplicate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_assignments assignments = {0};
        struct hy_error err;
        EXPECT_INT(hy_assignments_parse(cases[i].text, strlen(cases[i].text), &assignments, &err),
                   HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, cases[i].expected);
        EXPECT(!assignments.list);
    }
}

/* ---- Number of steps ------------------------------------------------------------------------- */

TEST(plan_overrides, no_more_steps_than_the_limit)
{
    set_up();
    expect_plan(&(struct hy_plan_overrides){.max_steps = 3}, CPU NPU NPU CPU, 3, "");
    expect_plan(&(struct hy_plan_overrides){.max_steps = 2}, CPU CPU CPU CPU, 1, "");
    expect_plan(&(struct hy_plan_overrides){.max_steps = 1}, CPU CPU CPU CPU, 1, "");
}

TEST(plan_overrides, too_few_steps_for_the_devices_are_exceeded)
{
    set_up();
    cpu.operations &= ~(uint32_t)FAKE_MUL;
    expect_plan(&(struct hy_plan_overrides){.max_steps = 1}, CPU NPU NPU CPU, 3, "");
}
