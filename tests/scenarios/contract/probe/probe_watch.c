/* What is printed when a call crashes or does not return. */
#include "probe.h"

#include <signal.h>
#include <unistd.h>

/* Of the sanitizers, where there is one: they catch crashes themselves. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static const struct probe_world *watched;

static void print_log(void)
{
    static const char text[] = "\nthe calls that led here; the last has not returned:\n";

    if (!watched)
        return;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, watched->log_text, watched->log_size);
    (void)!write(STDERR_FILENO, "\n", 1);
}

static void end(int signal_number)
{
    print_log();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void probe_watch(const struct probe_world *world)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    watched = world;
    signal(SIGALRM, end);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(print_log);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(crashes); i++)
        signal(crashes[i], end);
}
