/* A process in the place of one that has ended. */
#include "plugins/service/client/service_parts.h"

#include "common/clock.h"
#include "common/own_thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* From one start to the next: nothing before the first, then this, and twice as much each time. A
 * process that has lived long enough ends the series. A shared service is started by somebody else,
 * and whether it listens is found out at no cost: only who was turned away by it waits. */
#define FIRST_DELAY   (HY_SECOND / 10)
#define LONGEST_DELAY (30 * HY_SECOND)
#define LONG_LIFE     (30 * HY_SECOND)

static void log_line(const struct hy_service *service, int32_t level, const char *words)
{
    char text[HY_ERROR_TEXT_SIZE + 64];

    snprintf(text, sizeof text, "%s: %s", service->title, words);
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

/* With the lock held. */
static void wait_until(struct hy_service *service, int64_t deadline)
{
    const struct timespec then = hy_clock_wait_end(hy_clock_left(deadline));

    pthread_cond_clockwait(&service->start_is_over, &service->lock, CLOCK_MONOTONIC, &then);
}

/* With the lock held. False: the start is still under way, and the deadline has come. */
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

/* A model that one driver has compiled is nothing to another one. */
static bool is_the_same(const struct hy_introduction *first, const struct hy_introduction *now)
{
    bool same = first->device_count == now->device_count && first->abi == now->abi &&
                strcmp(first->driver, now->driver) == 0;

    for (uint32_t i = 0; same && i < first->device_count; i++)
        same = first->texts[i].length == now->texts[i].length &&
               memcmp(first->texts[i].data, now->texts[i].data, first->texts[i].length) == 0;
    return same;
}

/* `*was_cheap`: it cost nobody anything that it was in vain. */
static enum hy_code start(struct hy_service *service, struct hy_connection **connection,
                          bool *was_cheap, struct hy_error *err)
{
    enum hy_code code = hy_connection_start(&service->launch, service->settings, service->title,
                                            service->host, HY_NO_DEADLINE, connection, err);
    *was_cheap = code == HY_UNAVAILABLE;
    if (code == HY_OK)
        return HY_OK;
    hy_error_prefix(err, code, "its process has ended, and no other one can be started");
    log_line(service, HY_LOG_WARNING, err->text);
    return err->code = code == HY_OUT_OF_MEMORY || code == HY_EXHAUSTED ? code : HY_UNAVAILABLE;
}

/* Others may still be waiting for the one that is replaced. */
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

static void use(struct hy_service *service, struct hy_connection *connection)
{
    char words[HY_ERROR_TEXT_SIZE];

    snprintf(words, sizeof words, "process %d takes the place of one that has ended",
             (int)connection->pid);
    replace_connection(service, connection);
    log_line(service, HY_LOG_INFO, words);
}

/* Nothing touches the service after its end. */
static void run_start(struct hy_service *service)
{
    struct hy_connection *connection = NULL;
    struct hy_error err = {.code = HY_OK};
    bool is_other = false, was_cheap = false;

    if (start(service, &connection, &was_cheap, &err) == HY_OK) {
        is_other = !is_the_same(&service->introduction, &connection->introduction);
        if (is_other) {
            hy_connection_release(connection);
            log_line(service, HY_LOG_ERROR,
                     "a new process describes the driver differently: it is not used any more");
        } else {
            use(service, connection);
        }
    }
    pthread_mutex_lock(&service->lock);
    service->is_other = is_other;
    service->start_failure = err;
    if (is_shared(service) && (err.code == HY_OK || was_cheap))
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

static enum hy_code check_other(const struct hy_service *service, struct hy_error *err)
{
    return service->is_other
               ? hy_fail(err, HY_UNAVAILABLE,
                         "its process has ended, and a new one describes the driver differently")
               : HY_OK;
}

static enum hy_code check_delay(struct hy_service *service, struct hy_error *err)
{
    const int64_t now = hy_clock_boot(), left = (service->next_start - now) / 1000000 + 1;
    const int64_t started = service->connection->started;
    const int64_t last_attempt = service->next_start - service->delay;

    if (started >= last_attempt && now - started >= LONG_LIFE)
        service->delay = 0;
    else if (now < service->next_start && is_shared(service))
        return hy_fail(err, HY_UNAVAILABLE, "%s; the next attempt is made in %" PRId64 " ms",
                       service->start_failure.text, left);
    else if (now < service->next_start)
        return hy_fail(err, HY_UNAVAILABLE,
                       "its process has ended; another one may be started in %" PRId64 " ms", left);
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

/* With the lock held. A thread of its own starts the process: the first call to need it may have
 * less time than that takes, and so may the next. */
static enum hy_code begin_start(struct hy_service *service, struct hy_error *err)
{
    enum hy_code code = check_other(service, err);
    if (code == HY_OK)
        code = check_delay(service, err);
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

/* With the lock held: until another start may be made, or somebody has made one. */
static void wait_for_turn(struct hy_service *service, int64_t deadline)
{
    const int64_t last =
        deadline == HY_NO_DEADLINE ? hy_clock_boot() + HY_SERVICE_REST_NS : deadline;

    while (hy_connection_is_dead(service->connection) && !service->is_starting &&
           !service->is_other && service->next_start < last && check_delay(service, NULL) != HY_OK)
        wait_until(service, service->next_start);
}

/* With the lock held: a connection that lives, or why there is none. */
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
                       "its process has ended, and is being started again");
    if (service->start_failure.code != HY_OK) {
        *err = service->start_failure;
        return err->code;
    }
    code = check_other(service, err);
    if (code == HY_OK && hy_connection_is_dead(service->connection))
        code = hy_fail(err, HY_DEAD, "its process has ended as soon as it had been started");
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

int32_t hy_service_connect_later(struct hy_service *service, int64_t deadline,
                                 struct hy_connection **ret, struct hy_error *err)
{
    *ret = NULL;
    pthread_mutex_lock(&service->lock);
    wait_for_turn(service, deadline);
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
