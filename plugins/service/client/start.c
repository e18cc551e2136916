/* Starts a process in place of an ended process. */
#include "plugins/service/client/service_parts.h"

#include "common/clock.h"
#include "common/own_thread.h"
#include "plugins/service/client/successor.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

/* Delay between two starts: none before the first start, then FIRST_DELAY, doubled each time. A
 * process that has lived for LONG_LIFE resets the delay. A shared service is started by another
 * party, and trying to connect is cheap: only a client that was rejected waits. */
#define FIRST_DELAY   (HY_SECOND / 10)
#define LONGEST_DELAY (30 * HY_SECOND)
#define LONG_LIFE     (30 * HY_SECOND)

/* A shared service that has sent its farewell may come back soon. The client retries for
 * RETURN_TIME, with growing pauses. */
#define RETURN_TIME   (2 * HY_SECOND)
#define FIRST_PAUSE   (HY_SECOND / 1000)
#define LONGEST_PAUSE (HY_SECOND / 50)

static void log_line(const struct hy_service *service, int32_t level, const char *message)
{
    char text[HY_ERROR_TEXT_SIZE + 64];

    snprintf(text, sizeof text, "%s: %s", service->driver_name, message);
    service->host->log(service->host->context, level, text);
}

/* ---- Locks with deadlines -------------------------------------------------------------------- */

bool hy_service_lock(pthread_mutex_t *lock, int64_t deadline)
{
    if (pthread_mutex_trylock(lock) == 0)
        return true;
    if (deadline == HY_NO_DEADLINE)
        return pthread_mutex_lock(lock) == 0;
    if (deadline <= hy_clock_boot())
        return false;
    const struct timespec then = hy_clock_wait_end(hy_clock_left(deadline));
    return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &then) == 0;
}

/* The caller holds the lock. */
static void wait_until(struct hy_service *service, int64_t deadline)
{
    const struct timespec then = hy_clock_wait_end(hy_clock_left(deadline));

    pthread_cond_clockwait(&service->start_is_over, &service->lock, CLOCK_MONOTONIC, &then);
}

/* The caller holds the lock. False: the deadline passed, and the start is still in progress. */
static bool wait_for_start(struct hy_service *service, int64_t deadline)
{
    while (service->is_starting) {
        if (deadline == HY_NO_DEADLINE)
            pthread_cond_wait(&service->start_is_over, &service->lock);
        else if (deadline > hy_clock_boot())
            wait_until(service, deadline);
        else
            return false;
    }
    return true;
}

static bool is_shared(const struct hy_service *service)
{
    return *service->launch.socket != '\0';
}

/* ---- A start --------------------------------------------------------------------------------- */

static enum hy_code connect_once(struct hy_service *service, struct hy_connection **connection,
                                 struct hy_error *err)
{
    return hy_connection_start(&service->launch, service->settings, service->driver_name,
                               service->host, HY_NO_DEADLINE, connection, err);
}

/* Waits for timed-out calls, which may still write to client memory. The calls end with the process
 * at the latest. */
static void await_timed_out_calls(const struct hy_connection *connection)
{
    while (hy_connection_has_left(connection) && !hy_connection_is_gone(connection) &&
           hy_host_process_is_here(connection->process) &&
           atomic_load_explicit(&connection->timed_out_count, memory_order_relaxed) > 0)
        (void)poll(NULL, 0, (int)(FIRST_PAUSE / HY_MILLISECOND));
}

static bool may_be_back(const struct hy_connection *connection)
{
    return hy_connection_has_left(connection) &&
           hy_clock_boot() < atomic_load(&connection->left_at) + RETURN_TIME;
}

/* The old connection is not replaced while the new one is being made. */
static enum hy_code connect(struct hy_service *service, struct hy_connection **connection,
                            struct hy_error *err)
{
    const struct hy_connection *old = service->connection;
    int64_t pause = FIRST_PAUSE;

    await_timed_out_calls(old);
    enum hy_code code = connect_once(service, connection, err);
    while (code == HY_UNAVAILABLE && may_be_back(old)) {
        (void)poll(NULL, 0, (int)(pause / HY_MILLISECOND));
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
        code = connect_once(service, connection, err);
    }
    return code;
}

/* `*was_cheap`: the start failed because no service listens, at no cost. */
static enum hy_code start(struct hy_service *service, struct hy_connection **connection,
                          bool *was_cheap, struct hy_error *err)
{
    enum hy_code code = connect(service, connection, err);

    *was_cheap = code == HY_UNAVAILABLE;
    if (code != HY_OK) {
        hy_error_prefix(err, code,
                        "the driver process has ended, and another process cannot be started");
        log_line(service, HY_LOG_WARNING, err->text);
        return err->code = code == HY_OUT_OF_MEMORY || code == HY_EXHAUSTED ? code : HY_UNAVAILABLE;
    }
    code = hy_successor_check(&service->hello_info, &(*connection)->hello_info, err);
    if (code != HY_OK) {
        hy_connection_release(*connection);
        log_line(service, HY_LOG_ERROR, err->text);
    }
    return code;
}

/* Other threads may still wait for the old connection. */
static void replace_connection(struct hy_service *service, struct hy_connection *connection)
{
    pthread_mutex_lock(&service->lock);
    struct hy_connection *old = service->connection;
    service->may_write &= old->pid == connection->pid;
    service->may_write |= hy_connection_may_still_write(old) && old->pid == connection->pid;
    service->connection = connection;
    service->restarts++;
    pthread_mutex_unlock(&service->lock);
    hy_connection_release(old);
}

static void log_build_change(const struct hy_service *service, const struct hy_hello_info *now)
{
    const struct hy_hello_info *first = &service->hello_info;
    char was[HY_BUILD_TEXT_SIZE], is[HY_BUILD_TEXT_SIZE], message[HY_ERROR_TEXT_SIZE];

    for (uint32_t i = 0; i < first->device_count; i++) {
        if (hy_successor_can_use_files(first, now, i))
            continue;
        hy_successor_describe_build(first, i, was);
        hy_successor_describe_build(now, i, is);
        snprintf(message, sizeof message,
                 "%.48s is another build now (%s; was %s); the cache is used again after a restart "
                 "of the app",
                 first->devices[i].info.name, is, was);
        log_line(service, HY_LOG_INFO, message);
    }
}

static void use(struct hy_service *service, struct hy_connection *connection)
{
    char message[HY_ERROR_TEXT_SIZE];

    snprintf(message, sizeof message, "process %d replaces a process that has ended",
             (int)connection->pid);
    log_build_change(service, &connection->hello_info);
    replace_connection(service, connection);
    log_line(service, HY_LOG_INFO, message);
}

/* The service is not accessed after the final unlock. */
static void run_start(struct hy_service *service)
{
    struct hy_connection *connection = NULL;
    struct hy_error err = {.code = HY_OK};
    bool was_cheap = false;

    if (start(service, &connection, &was_cheap, &err) == HY_OK)
        use(service, connection);
    else
        connection = NULL;
    pthread_mutex_lock(&service->lock);
    service->start_failure = connection ? (struct hy_error){.code = HY_OK} : err;
    if (is_shared(service) && (connection || was_cheap))
        service->delay = service->next_start = 0;
    service->is_starting = false;
    pthread_cond_broadcast(&service->start_is_over);
    pthread_mutex_unlock(&service->lock);
}

static void *serve(void *argument)
{
    prctl(PR_SET_NAME, "halyard-start");
    run_start(argument);
    return NULL;
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static enum hy_code check_delay(struct hy_service *service, struct hy_error *err)
{
    const int64_t now = hy_clock_boot(), left = (service->next_start - now) / 1000000 + 1;
    const int64_t started = service->connection->started;
    const int64_t last_attempt = service->next_start - service->delay;

    if (started >= last_attempt && now - started >= LONG_LIFE)
        service->delay = 0;
    else if (now < service->next_start && service->start_failure.code != HY_OK)
        return hy_fail(err, HY_UNAVAILABLE, "%s; the next attempt follows in %" PRId64 " ms",
                       service->start_failure.text, left);
    else if (now < service->next_start)
        return hy_fail(err, HY_UNAVAILABLE,
                       "the driver process has ended; the next start is allowed in %" PRId64 " ms",
                       left);
    return HY_OK;
}

static void note_start(struct hy_service *service)
{
    service->delay = service->delay == 0                  ? FIRST_DELAY
                     : service->delay < LONGEST_DELAY / 2 ? 2 * service->delay
                                                          : LONGEST_DELAY;
    service->next_start = hy_clock_boot() + service->delay;
    service->is_starting = true;
}

/* The caller holds the lock. Starts the process on a thread of its own, as a start may take longer
 * than the deadline of the first call, and of the next ones. */
static enum hy_code begin_start(struct hy_service *service, struct hy_error *err)
{
    enum hy_code code = check_delay(service, err);
    if (code != HY_OK)
        return code;
    note_start(service);
    if (hy_own_thread_start(serve, service) != 0) {
        pthread_mutex_unlock(&service->lock);
        run_start(service);
        pthread_mutex_lock(&service->lock);
    }
    return HY_OK;
}

/* The caller holds the lock. Waits until another start is allowed or has been made. */
static void wait_for_delay(struct hy_service *service, int64_t deadline)
{
    const int64_t last =
        deadline == HY_NO_DEADLINE ? hy_clock_boot() + HY_SERVICE_REST_NS : deadline;

    while (hy_connection_is_dead(service->connection) && !service->is_starting &&
           service->next_start < last && check_delay(service, NULL) != HY_OK)
        wait_until(service, service->next_start);
}

/* The caller holds the lock. Finds a live connection, or the reason why none exists. */
static enum hy_code find_connection(struct hy_service *service, int64_t deadline,
                                    struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (!hy_connection_is_dead(service->connection))
        return HY_OK;
    if (!service->is_starting)
        code = begin_start(service, err);
    if (code != HY_OK)
        return code;
    if (!wait_for_start(service, deadline))
        return hy_fail(err, HY_MISSED_DEADLINE,
                       "the driver process has ended and is being started again");
    if (service->start_failure.code != HY_OK) {
        *err = service->start_failure;
        return err->code;
    }
    if (hy_connection_is_dead(service->connection))
        code = hy_fail(err, HY_DEAD, "the driver process ended right after its start");
    return code;
}

int32_t hy_service_connect(struct hy_service *service, int64_t deadline, struct hy_connection **ret,
                           struct hy_error *err)
{
    *ret = NULL;
    pthread_mutex_lock(&service->lock);
    const enum hy_code code = find_connection(service, deadline, err);
    if (code == HY_OK)
        *ret = hy_connection_retain(service->connection);
    pthread_mutex_unlock(&service->lock);
    return hy_status_of(code);
}

int32_t hy_service_connect_after_delay(struct hy_service *service, int64_t deadline,
                                       struct hy_connection **ret, struct hy_error *err)
{
    *ret = NULL;
    pthread_mutex_lock(&service->lock);
    wait_for_delay(service, deadline);
    enum hy_code code = find_connection(service, deadline, err);
    if (code == HY_OK)
        *ret = hy_connection_retain(service->connection);
    pthread_mutex_unlock(&service->lock);
    if (code == HY_MISSED_DEADLINE || code == HY_DEAD)
        code = HY_UNAVAILABLE;
    return hy_status_of(code);
}

void hy_service_await_start(struct hy_service *service)
{
    pthread_mutex_lock(&service->lock);
    (void)wait_for_start(service, HY_NO_DEADLINE);
    pthread_mutex_unlock(&service->lock);
}
