/* Buffers on several threads: B38. */
#include <pthread.h>

#include "tools/check_driver/buffer_trial.h"

#define THREADS 4u
#define RUNS    16u

/* The work of one thread: reads the shared buffer with a separate request, and makes, fills and
 * frees a separate buffer. */
struct reader {
    struct hy_buffer_trial *shared;
    struct hy_trial trial;
    struct hy_pool pools[3];
    struct hy_location own; /* where input 0 is in the memory of the trial */
    enum hy_trial_fault fault;
    struct hy_error words;
    pthread_t thread;
    bool is_started;
};

static bool come_and_go(struct reader *reader)
{
    static const struct hy_buffer_use use = {.is_output = 0};
    struct hy_buffer_trial *shared = reader->shared;
    struct hy_buffer buffer = {0};
    int32_t status =
        hy_buffer_make(shared->check, HY_RULE_B38, shared->sample.prepared, &use, 1, &buffer);
    if (status == HY_STATUS_OK)
        status =
            hy_buffer_write(shared->check, &buffer, HY_POOL_ASHMEM,
                            reader->trial.memory[0].bytes + reader->own.offset, reader->own.length);
    hy_buffer_finish(shared->check, &buffer);
    if (status != HY_STATUS_OK)
        hy_error_set(&reader->words, HY_FAILED, __FILE__, __LINE__,
                     "a buffer was not made and filled: %s", hy_status_text(status));
    return status == HY_STATUS_OK;
}

static void *read_again_and_again(void *argument)
{
    struct reader *reader = argument;
    struct hy_trial *trial = &reader->trial;
    for (uint32_t i = 0; i < RUNS && reader->fault == HY_TRIAL_GOOD; i++) {
        trial->arguments[0].location = reader->own;
        hy_trial_reset(trial, (uint8_t)i);
        trial->arguments[0].location = (struct hy_location){.pool = 2};
        const int32_t status = reader->shared->check->table.execute(
            reader->shared->sample.prepared, &trial->request, &trial->options, &trial->result);
        trial->arguments[0].location = reader->own;
        reader->fault = hy_trial_judge(trial, status, &reader->words);
        if (reader->fault == HY_TRIAL_GOOD && !come_and_go(reader))
            reader->fault = HY_TRIAL_STATUS;
    }
    return NULL;
}

static bool reader_init(struct reader *reader, struct hy_buffer_trial *shared)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD};
    *reader = (struct reader){.shared = shared};
    if (hy_trial_make(shared->sample.vector, &form, &reader->trial, &reader->words) != HY_OK)
        return false;
    reader->own = reader->trial.arguments[0].location;
    reader->pools[0] = reader->trial.pools[0];
    reader->pools[1] = reader->trial.pools[1];
    reader->pools[2] = hy_buffer_pool(&shared->input);
    reader->trial.request.pools = reader->pools;
    reader->trial.request.pool_count = 3;
    return true;
}

static void check_readers(struct hy_buffer_trial *trial)
{
    static struct reader readers[THREADS];
    if (hy_buffer_trial_fill(trial) != HY_STATUS_OK) {
        hy_buffer_trial_find(trial, "buffer_copy_from failed");
        return;
    }
    hy_board_step(trial->check->board, HY_RULE_B38, "reading one buffer on %u threads for %s",
                  THREADS, trial->sample.vector->name);
    for (uint32_t i = 0; i < THREADS; i++)
        readers[i].is_started =
            reader_init(&readers[i], trial) &&
            pthread_create(&readers[i].thread, NULL, read_again_and_again, &readers[i]) == 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        if (readers[i].is_started)
            pthread_join(readers[i].thread, NULL);
        if (readers[i].fault != HY_TRIAL_GOOD)
            hy_buffer_trial_find(trial, "read on %u threads: %.300s", THREADS,
                                 readers[i].words.text);
        hy_trial_finish(&readers[i].trial);
    }
}

void hy_check_buffer_threads(struct hy_check *check)
{
    hy_for_each_buffer_trial(check, HY_RULE_B38, check_readers);
}
