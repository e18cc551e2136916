#ifndef HY_TOOLS_PROGRESS_H
#define HY_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A line on the terminal for work of more than a second: "running 1234 of 4270". Prints nothing if
 * stderr is no terminal.
 */
struct hy_progress {
    const char *what;
    uint64_t total;
    uint64_t next_ns; /* time of the next update */
    bool is_terminal;
    bool has_spoken;
};

void hy_progress_start(struct hy_progress *progress, const char *what, uint64_t total);
void hy_progress_report(struct hy_progress *progress, uint64_t done);
/* Erases the line. */
void hy_progress_end(struct hy_progress *progress);

/*
 * The progress of a single call of unknown length: a thread prints the elapsed time, "compiling
 * model.tflite, 3 s". If stderr is no terminal, start returns NULL, which hy_progress_clock_stop
 * accepts.
 */
struct hy_progress_clock;

/* Both texts outlive the clock. */
struct hy_progress_clock *hy_progress_clock_start(const char *what, const char *name);
/* Erases the line. */
void hy_progress_clock_stop(struct hy_progress_clock *clock);

#endif
