#include "tools/commands/streams.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "tools/command.h"
#include "tools/commands/model_command.h"

struct stream {
    const struct hy_streams_plan *plan;
    pthread_barrier_t *start;
    struct hy_session *session;
    pthread_t thread;
    struct hy_samples samples;
    enum hy_code code;
    struct hy_error error;
};

static enum hy_code run_once(struct stream *stream)
{
    const uint64_t start = hy_clock_now();

    const enum hy_code code = hy_session_run(stream->session, &stream->error);
    return code == HY_OK ? hy_samples_add(&stream->samples, hy_clock_now() - start, &stream->error)
                         : code;
}

static void *run(void *context)
{
    struct stream *stream = context;
    const struct hy_streams_plan *plan = stream->plan;

    for (uint32_t i = 0; stream->code == HY_OK && i < plan->warmup; i++)
        stream->code = hy_session_run(stream->session, &stream->error);
    (void)pthread_barrier_wait(stream->start);
    const uint64_t start = hy_clock_now();
    while (stream->code == HY_OK &&
           !hy_measured_length_is_over(&plan->length, stream->samples.count, start))
        stream->code = run_once(stream);
    return NULL;
}

static enum hy_code open_stream(const struct hy_streams_plan *plan, struct stream *stream,
                                struct hy_error *err)
{
    enum hy_code code = hy_session_open(plan->model, plan->settings, &stream->session, err);
    if (code != HY_OK)
        return code;
    if (hy_model_load_inputs("bench", stream->session, plan->inputs, NULL) != HY_EXIT_OK)
        return hy_fail(err, HY_FAILED, "%s: the inputs cannot be read", plan->model);
    hy_session_fill_inputs(stream->session, plan->inputs->count, HY_NOISE_SEED);
    return hy_session_compile(stream->session, err);
}

/* Of all streams together. */
static enum hy_code join_samples(const struct stream *streams, uint32_t count,
                                 struct hy_streams_times *out, struct hy_error *err)
{
    struct hy_samples all = {0};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; code == HY_OK && j < streams[i].samples.count; j++)
            code = hy_samples_add(&all, streams[i].samples.at[j], err);
    }
    if (code == HY_OK && all.count > 0)
        out->run = hy_stats_make(all.at, all.count);
    out->runs = all.count;
    hy_samples_finish(&all);
    return code;
}

/* The main thread waits at the barrier, too. */
static enum hy_code run_all(struct stream *streams, uint32_t count, struct hy_streams_times *out,
                            struct hy_error *err)
{
    pthread_barrier_t start;
    enum hy_code code = HY_OK;

    if (pthread_barrier_init(&start, NULL, count + 1) != 0)
        return hy_fail(err, HY_FAILED, "a barrier for %u threads", count);
    for (uint32_t i = 0; i < count; i++) {
        streams[i].start = &start;
        const int failure = pthread_create(&streams[i].thread, NULL, run, &streams[i]);
        if (failure) { /* those before wait at the barrier for ever: the command ends */
            (void)hy_fail(err, HY_FAILED, "thread %u of %u: %s", i, count, strerror(failure));
            exit(hy_exit_failed("bench", err));
        }
    }
    (void)pthread_barrier_wait(&start);
    const uint64_t begun = hy_clock_now();
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(streams[i].thread, NULL);
        if (code == HY_OK && streams[i].code != HY_OK)
            code = hy_fail(err, streams[i].code, "%s", streams[i].error.text);
    }
    out->wall_ns = hy_clock_now() - begun;
    pthread_barrier_destroy(&start);
    return code == HY_OK ? join_samples(streams, count, out, err) : code;
}

enum hy_code hy_streams_measure(const struct hy_streams_plan *plan, struct hy_streams_times *ret,
                                struct hy_error *err)
{
    struct stream *streams = calloc(plan->count, sizeof *streams);
    if (!streams)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u streams", plan->count);

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < plan->count; i++) {
        streams[i].plan = plan;
        code = open_stream(plan, &streams[i], err);
    }
    if (code == HY_OK)
        code = run_all(streams, plan->count, ret, err);
    for (uint32_t i = 0; i < plan->count; i++) {
        hy_session_close(streams[i].session);
        hy_samples_finish(&streams[i].samples);
    }
    free(streams);
    return code;
}
