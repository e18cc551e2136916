/* Buffers on several threads: B38. */
#include <pthread.h>

#include "tools/check_driver/buffer_case.h"

#define THREADS 4u
#define RUNS    16u

/* The work of one thread: reads the shared buffer with a separate request, and makes, fills and
 * frees a separate buffer. */
struct reader {
    struct hy_buffer_case *shared;
    struct hy_request_case test_case;
    struct hy_pool pools[3];
    struct hy_location own; /* where input 0 is in the memory of the trial */
    enum hy_request_case_fault fault;
    struct hy_error reason;
    pthread_t thread;
    bool is_started;
};

static bool come_and_go(struct reader *reader)
{
    static const struct hy_buffer_use use = {.is_output = 0};
    struct hy_buffer_case *shared = reader->shared;
    struct hy_buffer buffer = {0};
    int32_t status =
        hy_buffer_make(shared->check, HY_RULE_B38, shared->sample.prepared, &use, 1, &buffer);
    if (status == HY_STATUS_OK)
        status = hy_buffer_write(shared->check, &buffer, HY_POOL_ASHMEM,
                                 reader->test_case.memory[0].bytes + reader->own.offset,
                                 reader->own.length);
    hy_buffer_finish(shared->check, &buffer);
    if (status != HY_STATUS_OK)
        hy_error_set(&reader->reason, HY_FAILED, __FILE__, __LINE__,
                     "a buffer cannot be created and filled: %s", hy_status_text(status));
    return status == HY_STATUS_OK;
}

static void *read_again_and_again(void *argument)
{
    struct reader *reader = argument;
    struct hy_request_case *test_case = &reader->test_case;
    for (uint32_t i = 0; i < RUNS && reader->fault == HY_REQUEST_CASE_OK; i++) {
        test_case->arguments[0].location = reader->own;
        hy_request_case_reset(test_case, (uint8_t)i);
        test_case->arguments[0].location = (struct hy_location){.pool = 2};
        const int32_t status = reader->shared->check->table.execute(
            reader->shared->sample.prepared, &test_case->request, &test_case->options,
            &test_case->result);
        test_case->arguments[0].location = reader->own;
        reader->fault = hy_request_case_check(test_case, status, &reader->reason);
        if (reader->fault == HY_REQUEST_CASE_OK && !come_and_go(reader))
            reader->fault = HY_REQUEST_CASE_STATUS;
    }
    return NULL;
}

static bool reader_init(struct reader *reader, struct hy_buffer_case *shared)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    *reader = (struct reader){.shared = shared};
    if (hy_request_case_make(shared->sample.vector, &form, &reader->test_case, &reader->reason) !=
        HY_OK)
        return false;
    reader->own = reader->test_case.arguments[0].location;
    reader->pools[0] = reader->test_case.pools[0];
    reader->pools[1] = reader->test_case.pools[1];
    reader->pools[2] = hy_buffer_pool(&shared->input);
    reader->test_case.request.pools = reader->pools;
    reader->test_case.request.pool_count = 3;
    return true;
}

static void check_readers(struct hy_buffer_case *test_case)
{
    static struct reader readers[THREADS];
    if (hy_buffer_case_fill(test_case) != HY_STATUS_OK) {
        hy_buffer_case_report(test_case, "buffer_copy_from failed");
        return;
    }
    hy_result_page_step(test_case->check->page, HY_RULE_B38,
                        "reading one buffer on %u threads for %s", THREADS,
                        test_case->sample.vector->name);
    for (uint32_t i = 0; i < THREADS; i++)
        readers[i].is_started =
            reader_init(&readers[i], test_case) &&
            pthread_create(&readers[i].thread, NULL, read_again_and_again, &readers[i]) == 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        if (readers[i].is_started)
            pthread_join(readers[i].thread, NULL);
        if (readers[i].fault != HY_REQUEST_CASE_OK)
            hy_buffer_case_report(test_case, "read on %u threads: %.300s", THREADS,
                                  readers[i].reason.text);
        hy_request_case_finish(&readers[i].test_case);
    }
}

void hy_check_buffer_threads(struct hy_check *check)
{
    hy_for_each_buffer_case(check, HY_RULE_B38, check_readers);
}
