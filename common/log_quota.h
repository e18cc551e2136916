#ifndef HY_COMMON_LOG_QUOTA_H
#define HY_COMMON_LOG_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many lines a stranger may write into a log: so many of each level in a second, which begins
 * with its first line. Lines of one level do not use up those of another. Zeroed at first. Not
 * thread-safe.
 */
#define HY_LOG_LINES_PER_SECOND 100u

struct hy_log_quota {
    struct {
        int64_t since; /* ns: where the second began */
        uint32_t lines;
        uint32_t left_out; /* of the lines since the last report, at most UINT32_MAX */
    } levels[4];           /* HY_LOG_ERROR, ... */
};

enum hy_log_verdict {
    HY_LOG_WRITE,
    HY_LOG_WRITE_LAST, /* the line is written, with a word that more in this second is left out */
    HY_LOG_LEAVE_OUT,
};

/*
 * Asks for one line of `level` (HY_LOG_*; others count as HY_LOG_DEBUG) at the time `now`, in ns of
 * any clock that does not go back. `*left_out`: how many lines were left out before this one and
 * have not been reported; more than 0 only with HY_LOG_WRITE.
 */
enum hy_log_verdict hy_log_quota_claim(struct hy_log_quota *quota, int32_t level, int64_t now,
                                       uint32_t *left_out);

/* How many lines of a level were left out and are not reported yet; they count as reported then. */
uint32_t hy_log_quota_take_left_out(struct hy_log_quota *quota, int32_t level);

#endif
