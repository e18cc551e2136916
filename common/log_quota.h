#ifndef HY_COMMON_LOG_QUOTA_H
#define HY_COMMON_LOG_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A quota for the log lines of an untrusted client: HY_LOG_LINES_PER_SECOND lines of each level per
 * second. A second begins with its first line. Levels have separate quotas. Zeroed at first. Not
 * thread-safe.
 */
#define HY_LOG_LINES_PER_SECOND 100u

struct hy_log_quota {
    struct {
        int64_t since; /* ns: begin of the second */
        uint32_t lines;
        uint32_t left_out; /* dropped lines since the last report, at most UINT32_MAX */
    } levels[4];           /* HY_LOG_ERROR, ... */
};

enum hy_log_decision {
    HY_LOG_WRITE,
    HY_LOG_WRITE_LAST, /* write the line, with a note that further lines are dropped */
    HY_LOG_LEAVE_OUT,
};

/*
 * Requests a line of `level` (HY_LOG_*; other values count as HY_LOG_DEBUG) at the time `now`, in
 * ns of any monotonic clock. `*left_out`: number of dropped lines not yet reported; above 0 only
 * with HY_LOG_WRITE.
 */
enum hy_log_decision hy_log_quota_claim(struct hy_log_quota *quota, int32_t level, int64_t now,
                                        uint32_t *left_out);

/* Returns the number of dropped lines of a level not yet reported, and counts them as reported. */
uint32_t hy_log_quota_consume_left_out(struct hy_log_quota *quota, int32_t level);

#endif
