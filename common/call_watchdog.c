#include "common/call_watchdog.h"

#include "common/clock.h"
#include "common/own_thread.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Number of concurrent threads; a new thread reuses the record of an ended thread. Further threads
 * are not watched. */
enum { MOST_THREADS = 1024 };

/* Aligned to its own cache lines, as its thread writes in each call. */
struct record {
    alignas(128) atomic_bool is_used;

    /* Written by the thread. */
    _Atomic(const char *) device;
    _Atomic(const char *) function; /* NULL: no call */
    atomic_uint_fast64_t sequence;  /* changes after each change of the two */

    /* Used only by the watchdog. */
    uint64_t seen_sequence;
    struct hy_watched_call seen;
    int64_t age_ns;         /* of the call seen */
    int64_t next_report_ns; /* the age at which the call is reported */
    bool is_reported;
};

static struct record records[MOST_THREADS];
static atomic_uint record_count; /* number of records ever used, from the start of the array */
static _Thread_local struct record *own;

/* ---- The threads that call ------------------------------------------------------------------- */

static pthread_key_t at_thread_end;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_back(void *record)
{
    own = NULL;
    atomic_store_explicit(&((struct record *)record)->is_used, false, memory_order_release);
}

static void make_key(void)
{
    has_key = pthread_key_create(&at_thread_end, give_back) == 0;
}

static struct record *find_free(void)
{
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        if (atomic_exchange_explicit(&records[i].is_used, true, memory_order_acquire))
            continue;
        unsigned count = atomic_load_explicit(&record_count, memory_order_relaxed);
        while (count <= i &&
               !atomic_compare_exchange_weak_explicit(&record_count, &count, i + 1,
                                                      memory_order_release, memory_order_relaxed))
            ;
        return &records[i];
    }
    return NULL;
}

static struct record *acquire_record(void)
{
    pthread_once(&once, make_key);
    if (!has_key)
        return NULL;

    struct record *record = find_free();
    if (record && pthread_setspecific(at_thread_end, record) != 0) {
        give_back(record);
        record = NULL;
    }
    return record;
}

static void write_record(struct record *record, struct hy_watched_call call)
{
    const uint64_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed);

    atomic_store_explicit(&record->device, call.device, memory_order_relaxed);
    atomic_store_explicit(&record->function, call.function, memory_order_relaxed);
    atomic_store_explicit(&record->sequence, sequence + 1, memory_order_release);
}

struct hy_watched_call hy_watchdog_current(void)
{
    if (!own)
        return (struct hy_watched_call){0};
    return (struct hy_watched_call){
        .device = atomic_load_explicit(&own->device, memory_order_relaxed),
        .function = atomic_load_explicit(&own->function, memory_order_relaxed),
    };
}

struct hy_watched_call hy_watchdog_enter(const char *device, const char *function)
{
    if (!own)
        own = acquire_record();
    const struct hy_watched_call outer = hy_watchdog_current();
    if (!own)
        return outer;
    write_record(own, (struct hy_watched_call){.device = device, .function = function});
    return outer;
}

void hy_watchdog_leave(struct hy_watched_call outer)
{
    if (own)
        write_record(own, outer);
}

/* ---- Names ------------------------------------------------------------------------------------
 */

struct name {
    struct name *next;
    char text[];
};

const char *hy_watchdog_name(const char *text)
{
    static struct name *names;
    const size_t size = strlen(text) + 1;

    for (const struct name *name = names; name; name = name->next) {
        if (strcmp(name->text, text) == 0)
            return name->text;
    }
    struct name *name = malloc(sizeof *name + size);
    if (!name)
        return NULL;
    memcpy(name->text, text, size);
    name->next = names;
    names = name;
    return name->text;
}

/* ---- The watchdog ---------------------------------------------------------------------------- */

/* The two members may be mixed if the record changes during the read; `turn` shows the change in
 * this round or the next. */
static void look_at(struct record *record, const struct hy_watchdog_rules *rules)
{
    const uint64_t sequence = atomic_load_explicit(&record->sequence, memory_order_acquire);

    if (sequence == record->seen_sequence) {
        record->age_ns += rules->round_ns;
        if (record->seen.function && record->age_ns >= record->next_report_ns) {
            rules->report(record->seen, record->age_ns, false);
            record->is_reported = true;
            record->next_report_ns = 2 * record->age_ns;
        }
        return;
    }
    if (record->is_reported)
        rules->report(record->seen, record->age_ns, true);
    record->seen_sequence = sequence;
    record->seen.device = atomic_load_explicit(&record->device, memory_order_relaxed);
    record->seen.function = atomic_load_explicit(&record->function, memory_order_relaxed);
    record->age_ns = 0;
    record->next_report_ns = rules->hang_timeout_ns;
    record->is_reported = false;
}

static void look_at_all(const struct hy_watchdog_rules *rules)
{
    const unsigned count = atomic_load_explicit(&record_count, memory_order_acquire);
    const struct record *oldest = NULL;

    for (unsigned i = 0; i < count; i++) {
        struct record *record = &records[i];
        look_at(record, rules);
        if (record->seen.function && (!oldest || record->age_ns > oldest->age_ns))
            oldest = record;
    }
    if (rules->end_round)
        rules->end_round(oldest ? oldest->seen : (struct hy_watched_call){0},
                         oldest ? oldest->age_ns : 0);
}

static void *watch(void *argument)
{
    const struct hy_watchdog_rules *rules = argument;

    (void)pthread_setname_np(pthread_self(), "halyard-watch");
    for (;;) {
        struct timespec left = {.tv_sec = (time_t)(rules->round_ns / HY_SECOND),
                                .tv_nsec = (long)(rules->round_ns % HY_SECOND)};
        while (nanosleep(&left, &left) != 0)
            ;
        look_at_all(rules);
    }
    return NULL;
}

bool hy_watchdog_start(const struct hy_watchdog_rules *rules)
{
    static bool is_started;

    if (!is_started)
        is_started = hy_own_thread_start(watch, (void *)rules) == 0;
    return is_started;
}
