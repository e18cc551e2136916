/* Fenced executions: B22. */
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/sync_fence.h"
#include "tools/check_driver/rules/check.h"

#define QUIET_MS 20
#define WAIT_MS  5000

/* The poll events of the fence within a time; 0: none. */
static uint32_t look(int fence, int milliseconds)
{
    struct pollfd poller = {.fd = fence, .events = POLLIN};
    return poll(&poller, 1, milliseconds) == 1 ? (uint32_t)poller.revents : 0;
}

static void find(struct hy_check *check, const struct hy_sample *sample, const char *text)
{
    hy_result_page_report(check->page, HY_RULE_B22, "%s: %s", sample->vector->name, text);
}

/* Checks the reply and the results after the end of the work. */
static void check_end(struct hy_check *check, struct hy_sample *sample, void *fenced)
{
    struct hy_fenced_result reported = {.struct_size = sizeof reported, .status = -1};
    struct hy_error reason;
    const int32_t status = check->table.fenced_result(fenced, &reported);
    hy_check_status(check, "fenced_result", status);
    if (status != HY_STATUS_OK || reported.status != HY_STATUS_OK) {
        find(check, sample, "fenced_result does not report success");
        return;
    }
    /* fenced executions report no shapes: use the shapes of the model */
    for (uint32_t i = 0; i < sample->test_case.output_count; i++) {
        const struct hy_vector_model *model = &sample->vector->models[0];
        const struct hy_vector_operand *operand = &model->operands[model->outputs.items[i]];
        sample->test_case.shapes[i] =
            (struct hy_output_shape){.rank = operand->rank, .sufficient = 1};
        for (uint32_t d = 0; d < operand->rank && d < HY_MAX_RANK; d++)
            sample->test_case.shapes[i].dims[d] = operand->dims[d];
    }
    if (hy_request_case_check(&sample->test_case, HY_STATUS_OK, &reason) != HY_REQUEST_CASE_OK)
        find(check, sample, reason.text);
}

static void check_waiting(struct hy_check *check, const struct hy_sample *sample, int fence,
                          void *fenced)
{
    struct hy_fenced_result reported = {.struct_size = sizeof reported};
    if (fence < 0 || look(fence, QUIET_MS))
        find(check, sample, "the execution ended before the fence to wait for was signalled");
    else if (check->table.fenced_result(fenced, &reported) != HY_STATUS_GENERAL_FAILURE)
        find(check, sample, "fenced_result returns other than GENERAL_FAILURE before the end");
}

/* The views of a request are valid during the call only: they are overwritten after its return. */
static int32_t launch(struct hy_check *check, struct hy_sample *sample, const int32_t *gate,
                      uint32_t dependency_count, int32_t *fence, void **fenced)
{
    struct hy_request_case *test_case = &sample->test_case;
    struct hy_request request = test_case->request;
    struct hy_run_options options = test_case->options;
    struct hy_pool pools[2];
    struct hy_arena arena = {0};
    const size_t count = (size_t)test_case->input_count + test_case->output_count;
    struct hy_argument *arguments =
        hy_arena_copy(&arena, test_case->arguments, count, sizeof *arguments);
    if (!arguments)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    memcpy(pools, test_case->pools, sizeof pools);
    request.inputs = arguments;
    request.outputs = arguments + test_case->input_count;
    request.pools = pools;
    const int32_t status = check->table.execute_fenced(sample->prepared, &request, &options, gate,
                                                       dependency_count, fence, fenced);
    memset(arguments, 0xff, count * sizeof *arguments);
    memset(pools, 0xff, sizeof pools);
    memset(&request, 0xff, sizeof request);
    memset(&options, 0xff, sizeof options);
    hy_arena_finish(&arena);
    return status;
}

static void check_fence(struct hy_check *check, struct hy_sample *sample, bool has_to_wait)
{
    struct hy_request_case *test_case = &sample->test_case;
    int32_t fence = -2, gate = eventfd(0, EFD_CLOEXEC);
    void *fenced = NULL;
    hy_result_page_step(check->page, HY_RULE_B22, "a fenced execution of %s", sample->vector->name);
    hy_request_case_reset(test_case, 0x5a);
    const int32_t status = launch(check, sample, &gate, has_to_wait ? 1 : 0, &fence, &fenced);
    hy_check_status(check, "execute_fenced", status);
    if (status != HY_STATUS_OK || !fenced || fence < -1) {
        find(check, sample, "execute_fenced failed, or returned no object or no fence");
        close(gate);
        return;
    }
    if (has_to_wait)
        check_waiting(check, sample, fence, fenced);
    if (has_to_wait && eventfd_write(gate, 1) != 0)
        find(check, sample, "the fence to wait for could not be signalled");
    if (fence >= 0 && hy_sync_fence_result(fence, look(fence, WAIT_MS)) != 0)
        find(check, sample,
             "the fence of the execution is not signalled within 5 s, or is in error");
    else
        check_end(check, sample, fenced);
    check->table.fenced_destroy(fenced);
    if (fence >= 0)
        close(fence);
    close(gate);
}

void hy_check_fenced(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!check->table.execute_fenced) {
        hy_result_page_skip(check->page, HY_RULE_B22,
                            "the device does not offer fenced executions");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B22, vector, &form, &sample)) {
            check_fence(check, &sample, false);
            check_fence(check, &sample, true);
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B22);
}
