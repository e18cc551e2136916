/* What buffers hold: B23, B36. */
#include "tools/check_driver/buffer_case.h"

#include "common/clock.h"

static void use_both(struct hy_buffer_case *test_case)
{
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, 0, &test_case->input);
    hy_buffer_case_put(test_case, hy_buffer_case_output(test_case), &test_case->output);
}

static int32_t read_output(struct hy_buffer_case *test_case)
{
    const struct hy_location *at = &test_case->shared[hy_buffer_case_output(test_case)];
    return hy_buffer_read(test_case->check, &test_case->output, HY_POOL_ASHMEM,
                          test_case->sample.test_case.memory[1].bytes + at->offset, at->length);
}

/* ---- They keep what is written --------------------------------------------------------------- */

static void check_contents(struct hy_buffer_case *test_case)
{
    struct hy_error reason;
    if (test_case->input.token == test_case->output.token)
        hy_buffer_case_report(test_case, "two buffers have the same token");
    if (hy_buffer_case_fill(test_case) != HY_STATUS_OK) {
        hy_buffer_case_report(test_case, "buffer_copy_from failed");
        return;
    }
    for (uint32_t i = 0; i < 2; i++) { /* read as often as one likes */
        use_both(test_case);
        const int32_t status = hy_buffer_case_run(test_case);
        if (!hy_buffer_case_is_correct(test_case, status, &reason))
            hy_buffer_case_report(test_case, "%.300s", reason.text);
        hy_request_case_reset(&test_case->sample.test_case, 0x5a);
    }
}

/* ---- When they hold something ---------------------------------------------------------------- */

static void expect_nothing(struct hy_buffer_case *test_case, const char *description)
{
    const int32_t status = read_output(test_case);
    if (status != HY_STATUS_GENERAL_FAILURE)
        hy_buffer_case_report(test_case, "copying out of a buffer %s: %s", description,
                              hy_status_text(status));
}

static void expect_right(struct hy_buffer_case *test_case, const char *description)
{
    struct hy_error wrong;
    use_both(test_case);
    const int32_t status = hy_buffer_case_run(test_case);
    if (!hy_buffer_case_is_correct(test_case, status, &wrong))
        hy_buffer_case_report(test_case, "%s: %.300s", description, wrong.text);
    hy_request_case_reset(&test_case->sample.test_case, 0x5a);
}

/* An expired deadline: a driver that completes the execution nevertheless has written the
 * buffer. */
static void fail_expired(struct hy_buffer_case *test_case)
{
    use_both(test_case);
    test_case->sample.test_case.options.deadline = hy_clock_boot() - 1000000;
    const int32_t status = hy_buffer_case_run(test_case);
    test_case->sample.test_case.options.deadline = HY_NO_DEADLINE;
    if (status != HY_STATUS_OK)
        expect_nothing(test_case, "after an execution that missed its deadline");
}

static void check_states(struct hy_buffer_case *test_case)
{
    expect_nothing(test_case, "without contents");
    use_both(test_case);
    int32_t status = hy_buffer_case_run(test_case);
    if (status != HY_STATUS_GENERAL_FAILURE)
        hy_buffer_case_report(test_case, "an input buffer without contents: %s",
                              hy_status_text(status));
    expect_nothing(test_case, "after an execution that failed");
    if (hy_buffer_case_fill(test_case) != HY_STATUS_OK) {
        hy_buffer_case_report(test_case, "buffer_copy_from failed");
        return;
    }
    expect_right(test_case, "after a copy");
    fail_expired(test_case);
    expect_right(test_case, "after an execution that missed its deadline");
}

void hy_check_buffers(struct hy_check *check)
{
    hy_for_each_buffer_case(check, HY_RULE_B23, check_contents);
}

void hy_check_buffer_states(struct hy_check *check)
{
    hy_for_each_buffer_case(check, HY_RULE_B36, check_states);
}
