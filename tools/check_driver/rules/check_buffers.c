/* What buffers hold: B23, B36. */
#include "tools/check_driver/buffer_trial.h"

#include "common/clock.h"

static void use_both(struct hy_buffer_trial *trial)
{
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, 0, &trial->input);
    hy_buffer_trial_put(trial, hy_buffer_trial_output(trial), &trial->output);
}

static int32_t read_output(struct hy_buffer_trial *trial)
{
    const struct hy_location *at = &trial->shared[hy_buffer_trial_output(trial)];
    return hy_buffer_read(trial->check, &trial->output, HY_POOL_ASHMEM,
                          trial->sample.trial.memory[1].bytes + at->offset, at->length);
}

/* ---- They keep what is written --------------------------------------------------------------- */

static void check_contents(struct hy_buffer_trial *trial)
{
    struct hy_error words;
    if (trial->input.token == trial->output.token)
        hy_buffer_trial_find(trial, "two buffers have one token");
    if (hy_buffer_trial_fill(trial) != HY_STATUS_OK) {
        hy_buffer_trial_find(trial, "buffer_copy_from failed");
        return;
    }
    for (uint32_t i = 0; i < 2; i++) { /* read as often as one likes */
        use_both(trial);
        const int32_t status = hy_buffer_trial_run(trial);
        if (!hy_buffer_trial_is_right(trial, status, &words))
            hy_buffer_trial_find(trial, "%.300s", words.text);
        hy_trial_reset(&trial->sample.trial, 0x5a);
    }
}

/* ---- When they hold something ---------------------------------------------------------------- */

static void expect_nothing(struct hy_buffer_trial *trial, const char *words)
{
    const int32_t status = read_output(trial);
    if (status != HY_STATUS_GENERAL_FAILURE)
        hy_buffer_trial_find(trial, "copying out of a buffer %s: %s", words,
                             hy_status_text(status));
}

static void expect_right(struct hy_buffer_trial *trial, const char *words)
{
    struct hy_error wrong;
    use_both(trial);
    const int32_t status = hy_buffer_trial_run(trial);
    if (!hy_buffer_trial_is_right(trial, status, &wrong))
        hy_buffer_trial_find(trial, "%s: %.300s", words, wrong.text);
    hy_trial_reset(&trial->sample.trial, 0x5a);
}

/* An expired deadline: a driver that completes the execution nevertheless has written the
 * buffer. */
static void fail_late(struct hy_buffer_trial *trial)
{
    use_both(trial);
    trial->sample.trial.options.deadline = hy_clock_boot() - 1000000;
    const int32_t status = hy_buffer_trial_run(trial);
    trial->sample.trial.options.deadline = HY_NO_DEADLINE;
    if (status != HY_STATUS_OK)
        expect_nothing(trial, "after an execution that was late");
}

static void check_states(struct hy_buffer_trial *trial)
{
    expect_nothing(trial, "that nobody has written");
    use_both(trial);
    int32_t status = hy_buffer_trial_run(trial);
    if (status != HY_STATUS_GENERAL_FAILURE)
        hy_buffer_trial_find(trial, "an input buffer that nobody has written: %s",
                             hy_status_text(status));
    expect_nothing(trial, "after an execution that failed");
    if (hy_buffer_trial_fill(trial) != HY_STATUS_OK) {
        hy_buffer_trial_find(trial, "buffer_copy_from failed");
        return;
    }
    expect_right(trial, "after a copy");
    fail_late(trial);
    expect_right(trial, "after an execution that was late");
}

void hy_check_buffers(struct hy_check *check)
{
    hy_for_each_buffer_trial(check, HY_RULE_B23, check_contents);
}

void hy_check_buffer_states(struct hy_check *check)
{
    hy_for_each_buffer_trial(check, HY_RULE_B36, check_states);
}
