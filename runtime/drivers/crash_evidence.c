#include "runtime/drivers/crash_evidence.h"

#include "common/signal_name.h"

#include <stdio.h>
#include <string.h>

#define DAY INT64_C(86400)

static bool are_within_a_day(int64_t a, int64_t b)
{
    return a > b ? b >= a - DAY : a >= b - DAY;
}

/* Two records count together if both ended inside a driver call. An end between two calls is no
 * fault of the driver. */
static bool are_partners(const struct hy_crash_record *a, const struct hy_crash_record *b)
{
    return a->cause == HY_CRASH_UNKNOWN && a->call[0] && b->cause == HY_CRASH_UNKNOWN &&
           b->call[0] && are_within_a_day(a->time, b->time) &&
           hy_driver_build_is_same(&a->build, &b->build);
}

/* NULL: the record alone does not count. */
static const struct hy_crash_record *partner_of(const struct hy_crash_file_list *list,
                                                uint32_t index)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (i != index && are_partners(&list->items[index].record, &list->items[i].record))
            return &list->items[i].record;
    }
    return NULL;
}

/* ---- Records that count ---------------------------------------------------------------------- */

#define UNTIL \
    "the driver is not opened until its library changes or 'halyard devices --retry %s' is run"

static void describe_end(const struct hy_crash_record *record, char *text, size_t size)
{
    if (record->cause == HY_CRASH_HANG)
        snprintf(text, size, "did not return within %g s", record->number / 1e3);
    else if (record->cause == HY_CRASH_EXIT)
        snprintf(text, size, "ended a process by exit(%d)", record->number);
    else
        snprintf(text, size, "ended a process by %s (%d)", hy_signal_name(record->number),
                 record->number);
}

static enum hy_code refuse_seen(const struct hy_crash_record *record, struct hy_error *err)
{
    const char *last_line = record->last_line, *before = *last_line ? "; last output: " : "";
    char end[64];

    describe_end(record, end, sizeof end);
    return hy_crash_record_is_fault(record)
               ? hy_fail(err, HY_FAILED, "%s %s; " UNTIL "%s%s", record->call, end,
                         record->build.driver, before, last_line)
               : hy_fail(err, HY_FAILED, "%s %s%s%s", record->call, end, before, last_line);
}

static enum hy_code refuse_orphaned(const struct hy_crash_record *a,
                                    const struct hy_crash_record *b, struct hy_error *err)
{
    const struct hy_crash_record *last = a->time > b->time ? a : b;
    return hy_fail(err, HY_FAILED,
                   "two processes ended within a day while they opened the driver, the last one "
                   "(%d) in %s; " UNTIL,
                   (int)last->process.process, last->call, last->build.driver);
}

enum hy_code hy_crash_evidence_check(const struct hy_crash_file_list *list,
                                     const struct hy_driver_build *build, struct hy_error *err)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct hy_crash_record *record = &list->items[i].record;
        if (!hy_driver_build_is_same(&record->build, build))
            continue;
        if (record->cause != HY_CRASH_UNKNOWN)
            return refuse_seen(record, err);
        const struct hy_crash_record *partner = partner_of(list, i);
        if (partner)
            return refuse_orphaned(record, partner, err);
    }
    return HY_OK;
}

/* ---- Records that no longer count ------------------------------------------------------------ */

static bool is_replaced(const struct hy_crash_record *record)
{
    struct hy_driver_build now;

    return hy_driver_build_read(record->build.driver, record->build.library, &now)
               ? !hy_driver_build_is_same(&record->build, &now)
               : hy_crash_record_is_older(record, DAY);
}

/* Concurrent processes may leave more than two records. */
static bool has_two_newer(const struct hy_crash_file_list *list, uint32_t index)
{
    const struct hy_crash_record *record = &list->items[index].record;
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count && count < 2; i++) {
        const struct hy_crash_record *other = &list->items[i].record;
        const bool is_newer =
            other->time > record->time || (other->time == record->time && i > index);
        count += is_newer && are_partners(record, other);
    }
    return count == 2;
}

bool hy_crash_evidence_is_over(const struct hy_crash_file_list *list, uint32_t index)
{
    const struct hy_crash_record *record = &list->items[index].record;

    if (is_replaced(record))
        return true;
    return record->cause == HY_CRASH_UNKNOWN &&
           (!record->call[0] || has_two_newer(list, index) ||
            (hy_crash_record_is_older(record, DAY) && !partner_of(list, index)));
}
