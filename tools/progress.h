#ifndef HY_TOOLS_PROGRESS_H
#define HY_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A line on the terminal for work that takes longer than a second: "running 1234 of 4270". Says
 * nothing where stderr is no terminal.
 */
struct hy_progress {
    const char *what;
    uint64_t total;
    uint64_t next_ns; /* when to speak again */
    bool is_terminal;
    bool has_spoken;
};

void hy_progress_start(struct hy_progress *progress, const char *what, uint64_t total);
void hy_progress_tell(struct hy_progress *progress, uint64_t done);
void hy_progress_end(struct hy_progress *progress); /* takes the line away */

/*
 * The same for one call that cannot say how far it is: a thread tells the time, "compiling
 * model.tflite, 3 s". NULL, which hy_progress_clock_stop takes, where stderr is no terminal.
 */
struct hy_progress_clock;

/* Both texts outlive the clock. */
struct hy_progress_clock *hy_progress_clock_start(const char *what, const char *name);
void hy_progress_clock_stop(struct hy_progress_clock *clock); /* takes the line away */

#endif
