#include "tools/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"

#define FIRST_REPORT_NS 1000000000u
#define INTERVAL_NS     100000000u

void hy_progress_start(struct hy_progress *progress, const char *what, uint64_t total)
{
    *progress = (struct hy_progress){
        .what = what,
        .total = total,
        .next_ns = hy_clock_now() + FIRST_REPORT_NS,
        .is_terminal = isatty(STDERR_FILENO),
    };
}

void hy_progress_report(struct hy_progress *progress, uint64_t done)
{
    if (!progress->is_terminal || hy_clock_now() < progress->next_ns)
        return;
    progress->next_ns = hy_clock_now() + INTERVAL_NS;
    progress->has_spoken = true;
    fprintf(stderr, "\r\033[K%s %llu of %llu", progress->what, (unsigned long long)done,
            (unsigned long long)progress->total);
}

void hy_progress_end(struct hy_progress *progress)
{
    if (progress->has_spoken)
        fputs("\r\033[K", stderr);
    progress->has_spoken = false;
}
