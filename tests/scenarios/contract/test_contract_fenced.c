/* startComputeWithDependencies: what it checks and in which order, and that it is really
 * asynchronous: it returns while its dependencies wait, and starts by itself when they are over. */
#include "tests/scenarios/contract/kit/fake_setup.h"

#include <poll.h>

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

static int start_after(const ANeuralNetworksEvent *dependency, ANeuralNetworksExecution *execution,
                       ANeuralNetworksEvent **event)
{
    return ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1, 0,
                                                                 event);
}

/* It has completed with an error, without a run. */
static void expect_corrupted(struct fake_setup *fake_setup, ANeuralNetworksExecution *execution)
{
    uint32_t rank;

    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
    EXPECT_CONTAINS(halyard_last_error(), "the execution has failed");
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(execution));
    EXPECT_INT(fake_setup->npu.runs, 0);
}

/* ---- Order ----------------------------------------------------------------------------------- */

TEST(contract_fenced, null_comes_before_everything)
{
    struct manual_fence manual_fence;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES) &&
            manual_fence_make(&manual_fence));
    const ANeuralNetworksEvent *list[] = {manual_fence.event, NULL};
    ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent);
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksExecution_startComputeWithDependencies(NULL, NULL, 1, 1, NULL));
    EXPECT_CONTAINS(halyard_last_error(), "event is NULL");
    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksExecution_startComputeWithDependencies(NULL, NULL, 1, 1, &event));
    EXPECT_CONTAINS(halyard_last_error(), "dependencies is NULL");
    EXPECT(event == NULL);
    event = OLD_VALUE(ANeuralNetworksEvent);
    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksExecution_startComputeWithDependencies(NULL, list, 2, 1, &event));
    EXPECT_CONTAINS(halyard_last_error(), "execution is NULL");
    EXPECT(event == NULL);
    event = OLD_VALUE(ANeuralNetworksEvent);
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_startComputeWithDependencies(
                                     execution, list, 2, 1, &event));
    EXPECT_CONTAINS(halyard_last_error(), "dependency 1 is NULL");
    EXPECT(event == NULL);
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true)); /* still in preparation */
    ANeuralNetworksExecution_free(execution);
    manual_fence_free(&manual_fence);
    fake_setup_close(&fake_setup);
}

/* A call that fails `first` and every check after it. */
enum check { STATE, ARGUMENTS, DURATION, SHAPES, DEPENDENCIES, CHECKS };

static const struct {
    int code;
    const char *expected;
} checks[CHECKS] = {
    [STATE] = {ANEURALNETWORKS_BAD_STATE, "has run and is not reusable"},
    [ARGUMENTS] = {ANEURALNETWORKS_BAD_DATA, "input 0 was never set"},
    [DURATION] = {ANEURALNETWORKS_BAD_DATA, "a duration needs a compilation for one device"},
    [SHAPES] = {ANEURALNETWORKS_BAD_DATA, "the shape of output 0 is not known"},
    [DEPENDENCIES] = {ANEURALNETWORKS_OP_FAILED, "dependency 0 has failed"},
};

/* A pipe that nobody can write to any more. */
static ANeuralNetworksEvent *failed_event(void)
{
    ANeuralNetworksEvent *event = NULL;
    int ends[2] = {-1, -1};

    EXPECT_INT(pipe(ends), 0);
    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &event));
    close(ends[0]);
    close(ends[1]);
    return event;
}

static void set_arguments(ANeuralNetworksExecution *execution, bool with_input, bool with_shape)
{
    const uint32_t four = EXTENT;
    const ANeuralNetworksOperandType whole = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four, 0, 0};

    if (with_input)
        EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, with_shape ? &whole : NULL, output,
                                                 BYTES));
}

static void expect_first(enum check first, enum fake_setup_devices devices)
{
    ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent), *failed = failed_event();
    const ANeuralNetworksEvent *dependency = failed;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), devices));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    set_arguments(execution, first > ARGUMENTS, first > SHAPES);
    if (first == STATE)
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_compute(execution));
    EXPECT_CODE(checks[first].code,
                ANeuralNetworksExecution_startComputeWithDependencies(
                    execution, &dependency, 1, first <= DURATION ? 1000000000 : 0, &event));
    EXPECT_CONTAINS(halyard_last_error(), checks[first].expected);
    EXPECT(event == NULL);
    expect_corrupted(&fake_setup, execution);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksEvent_free(failed);
    fake_setup_close(&fake_setup);
}

TEST(contract_fenced, checks_come_in_their_order_and_all_but_that_of_the_state_end_the_execution)
{
    for (enum check first = 0; first < CHECKS; first++) {
        expect_first(first, ALL_DEVICES);
        expect_first(first, TWO_DEVICES);
    }
}

TEST(contract_fenced, reusable_execution_gets_over_a_call_that_failed)
{
    ANeuralNetworksEvent *event = NULL;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0,
                                                                                1, &event));
    EXPECT_INT(run(&fake_setup, FENCED, execution), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_fenced, shape_given_with_the_output_is_known_and_omitted_outputs_need_none)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y0 = floats(&f, 0), y1 = floats(&f, 0);
    const uint32_t outputs[] = {y0, y1};
    struct fake_setup fake_setup;
    REQUIRE(relu(&f, x, y0) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &x, y1) == HY_OK);
    REQUIRE(hy_app_model_identify(f.model, 1, &x, 2, outputs, &f.err) == HY_OK);
    REQUIRE(finish(&f) == HY_OK && fake_setup_open(&fake_setup, f.model, ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    set_arguments(execution, true, true);
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 1, NULL, NULL, 0));
    EXPECT_INT(run(&fake_setup, FENCED, execution), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Dependencies ---------------------------------------------------------------------------- */

TEST(contract_fenced, call_returns_at_once_and_the_run_starts_by_itself)
{
    ANeuralNetworksEvent *event = NULL;
    int own = -1;
    struct fake_setup fake_setup;
    struct manual_fence manual_fence;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES) &&
            manual_fence_make(&manual_fence));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    memset(output, 0, sizeof output);
    REQUIRE_OK(start_after(manual_fence.event, execution, &event));
    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &own));
    EXPECT_INT(look(own, 20), 0);
    EXPECT_INT(fake_setup.npu.runs, 0);
    manual_fence_signal(&manual_fence);
    EXPECT_INT(look(own, LONG) & (POLLIN | POLLERR), POLLIN); /* nobody waits for the event */
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT(output[3] == chain_result(input[3]));
    close(own);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    manual_fence_free(&manual_fence);
    fake_setup_close(&fake_setup);
}

TEST(contract_fenced, event_may_be_freed_once_others_depend_on_it)
{
    ANeuralNetworksEvent *event = NULL;
    struct fake_setup fake_setup;
    struct manual_fence manual_fence;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES) &&
            manual_fence_make(&manual_fence));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    REQUIRE_OK(start_after(manual_fence.event, execution, &event));
    ANeuralNetworksEvent_free(manual_fence.event);
    manual_fence.event = NULL;
    manual_fence_signal(&manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    manual_fence_free(&manual_fence);
    fake_setup_close(&fake_setup);
}

/* All kinds of events, one of them twice and one that is over already. */
TEST(contract_fenced, run_starts_after_the_last_of_many_dependencies)
{
    ANeuralNetworksEvent *plain = NULL, *over = NULL, *event = NULL;
    pthread_barrier_t inside;
    struct fake_setup fake_setup;
    struct manual_fence gates[2];
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    REQUIRE(manual_fence_make(&gates[0]) && manual_fence_make(&gates[1]));
    ANeuralNetworksExecution *first = fake_setup_ready(&fake_setup, input, output);
    ANeuralNetworksExecution *second = fake_setup_ready(&fake_setup, input, output);
    ANeuralNetworksExecution *last = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_startCompute(first, &over));
    EXPECT_OK(ANeuralNetworksEvent_wait(over));
    pthread_barrier_init(&inside, NULL, 2);
    fake_setup.npu.inside = &inside;
    EXPECT_OK(ANeuralNetworksExecution_startCompute(second, &plain));
    pthread_barrier_wait(&inside);
    fake_setup.npu.inside = NULL;

    const ANeuralNetworksEvent *list[] = {gates[0].event, plain, over, gates[1].event,
                                          gates[0].event};
    REQUIRE_OK(ANeuralNetworksExecution_startComputeWithDependencies(last, list, COUNT_OF(list), 0,
                                                                     &event));
    manual_fence_signal(&gates[1]);
    pthread_barrier_wait(&inside);
    EXPECT_OK(ANeuralNetworksEvent_wait(plain));
    EXPECT_INT(fake_setup.npu.runs, 2);
    manual_fence_signal(&gates[0]);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(fake_setup.npu.runs, 3);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(plain);
    ANeuralNetworksEvent_free(over);
    ANeuralNetworksExecution_free(first);
    ANeuralNetworksExecution_free(second);
    ANeuralNetworksExecution_free(last);
    manual_fence_free(&gates[0]);
    manual_fence_free(&gates[1]);
    pthread_barrier_destroy(&inside);
    fake_setup_close(&fake_setup);
}

TEST(contract_fenced, dependency_that_fails_later_fails_the_run)
{
    ANeuralNetworksEvent *manual_fence = NULL, *event = NULL;
    int ends[2] = {-1, -1};
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES) && pipe(ends) == 0);
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &manual_fence));
    REQUIRE_OK(start_after(manual_fence, execution, &event));
    close(ends[1]);
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksEvent_wait(event));
    EXPECT_CONTAINS(halyard_last_error(), "a dependency failed: sync fence");
    expect_corrupted(&fake_setup, execution);
    close(ends[0]);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(manual_fence);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}
