/* Driver-managed memory: B23. */
#include <string.h>

#include "tools/check_driver/check.h"

/* A buffer for input 0 and one for output 0 of a prepared model. */
struct pair {
    void *buffers[2];
    uint32_t tokens[2];
};

static void find(struct hy_check *check, const struct hy_sample *sample, const char *words)
{
    hy_board_find(check->board, HY_RULE_B23, "%s: %s", sample->vector->name, words);
}

static bool create(struct hy_check *check, const struct hy_sample *sample, struct pair *pair)
{
    void *const prepared[] = {sample->prepared};
    for (uint32_t i = 0; i < 2; i++) {
        const struct hy_buffer_role role = {.is_output = i, .frequency = 1};
        const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                            .prepared = prepared,
                                            .roles = &role,
                                            .prepared_count = 1,
                                            .role_count = 1};
        const int32_t status =
            check->table.buffer_create(check->device, &desc, &pair->tokens[i], &pair->buffers[i]);
        hy_check_status(check, "buffer_create", status);
        if (status != HY_STATUS_OK)
            return false; /* a role that the driver has no buffers for */
        if (!pair->buffers[i] || pair->tokens[i] == 0) {
            find(check, sample, "buffer_create answered OK and gave no buffer or the token 0");
            return false;
        }
    }
    if (pair->tokens[0] == pair->tokens[1])
        find(check, sample, "two buffers have one token");
    return true;
}

/* The trial with the two buffers in the places of input 0 and output 0. */
static void use_buffers(struct hy_trial *trial, const struct pair *pair, struct hy_pool pools[4])
{
    memcpy(pools, trial->pools, sizeof trial->pools);
    for (uint32_t i = 0; i < 2; i++) {
        pools[2 + i] = (struct hy_pool){.kind = HY_POOL_BUFFER,
                                        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                        .fd = -1,
                                        .buffer_token = pair->tokens[i]};
        trial->arguments[i == 0 ? 0 : trial->input_count].location =
            (struct hy_location){.pool = 2 + i};
    }
    trial->request.pools = pools;
    trial->request.pool_count = 4;
}

static int32_t copy(struct hy_check *check, void *buffer, bool is_output, size_t size, void *bytes)
{
    struct hy_memory memory;
    struct hy_error err;
    if (hy_memory_create(HY_POOL_ASHMEM, size, &memory, &err) != HY_OK)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    struct hy_pool pool =
        hy_memory_pool(&memory, HY_POOL_ASHMEM, HY_PROTECT_READ | HY_PROTECT_WRITE);
    pool.size = size;
    if (!is_output)
        memcpy(memory.bytes, bytes, size);
    const int32_t status = is_output ? check->table.buffer_copy_to(buffer, &pool)
                                     : check->table.buffer_copy_from(buffer, &pool, NULL, 0);
    if (is_output)
        memcpy(bytes, memory.bytes, size);
    hy_memory_destroy(&memory);
    return status;
}

static void run(struct hy_check *check, struct hy_sample *sample, const struct pair *pair)
{
    struct hy_trial *trial = &sample->trial;
    const struct hy_location in = trial->arguments[0].location;
    const struct hy_location out = trial->arguments[trial->input_count].location;
    struct hy_pool pools[4];
    struct hy_error words;

    use_buffers(trial, pair, pools);
    if (hy_call_execute(check, sample->prepared, trial) != HY_STATUS_GENERAL_FAILURE)
        find(check, sample, "an input buffer that nobody has written was not refused");
    if (copy(check, pair->buffers[0], false, in.length + 1, trial->memory[0].bytes + in.offset) !=
        HY_STATUS_INVALID_ARGUMENT)
        find(check, sample, "buffer_copy_from took memory of another size");
    if (copy(check, pair->buffers[0], false, in.length, trial->memory[0].bytes + in.offset) !=
        HY_STATUS_OK) {
        find(check, sample, "buffer_copy_from failed");
        return;
    }
    const int32_t status = hy_call_execute(check, sample->prepared, trial);
    trial->arguments[trial->input_count].location = out;
    trial->arguments[0].location = in;
    if (status == HY_STATUS_OK && copy(check, pair->buffers[1], true, out.length,
                                       trial->memory[1].bytes + out.offset) != HY_STATUS_OK)
        find(check, sample, "buffer_copy_to failed");
    else if (hy_trial_judge(trial, status, &words) != HY_TRIAL_GOOD)
        find(check, sample, words.text);
}

static void check_model(struct hy_check *check, struct hy_sample *sample)
{
    struct pair pair = {0};
    hy_board_step(check->board, HY_RULE_B23, "buffers for %s", sample->vector->name);
    if (create(check, sample, &pair))
        run(check, sample, &pair);
    for (uint32_t i = 0; i < 2; i++)
        if (pair.buffers[i])
            check->table.buffer_destroy(pair.buffers[i]);
}

void hy_check_buffers(struct hy_check *check)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!check->table.buffer_create) {
        hy_board_skip(check->board, HY_RULE_B23, "the device has no buffers of its own");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (vector->models[0].inputs.count > 0 && vector->examples[0].inputs[0].length > 0 &&
            hy_sample_make(check, HY_RULE_B23, vector, &form, &sample)) {
            check_model(check, &sample);
            hy_sample_finish(check, &sample);
        }
    }
    hy_board_pass(check->board, HY_RULE_B23);
}
