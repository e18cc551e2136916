#include "common/log_quota.h"

#include "common/clock.h"

enum {
    LOG_LEVELS =
        sizeof((struct hy_log_quota *)0)->levels / sizeof *((struct hy_log_quota *)0)->levels
};

static int32_t index_of(int32_t level)
{
    return level >= 0 && level < LOG_LEVELS ? level : LOG_LEVELS - 1;
}

enum hy_log_decision hy_log_quota_claim(struct hy_log_quota *quota, int32_t level, int64_t now,
                                        uint32_t *left_out)
{
    const int32_t i = index_of(level);

    *left_out = 0;
    if (quota->levels[i].lines == 0 || now - quota->levels[i].since >= HY_SECOND) {
        *left_out = hy_log_quota_consume_left_out(quota, level);
        quota->levels[i].since = now;
        quota->levels[i].lines = 0;
    }
    if (quota->levels[i].lines < HY_LOG_LINES_PER_SECOND)
        return ++quota->levels[i].lines < HY_LOG_LINES_PER_SECOND ? HY_LOG_WRITE
                                                                  : HY_LOG_WRITE_LAST;
    quota->levels[i].left_out += quota->levels[i].left_out < UINT32_MAX;
    return HY_LOG_LEAVE_OUT;
}

uint32_t hy_log_quota_consume_left_out(struct hy_log_quota *quota, int32_t level)
{
    const int32_t i = index_of(level);
    const uint32_t left_out = quota->levels[i].left_out;

    quota->levels[i].left_out = 0;
    return left_out;
}
