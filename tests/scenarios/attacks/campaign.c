#include "campaign.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 };

static char seed_line[64]; /* of the round that is under way */

static void report_seed(int signal)
{
    (void)!write(STDERR_FILENO, seed_line, strlen(seed_line));
    if (signal == SIGALRM) {
        static const char text[] = "the round does not end\n";
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        abort();
    }
}

/* AddressSanitizer calls it before it ends the program. */
void __asan_on_error(void);

void __asan_on_error(void)
{
    report_seed(0);
}

static void run_round(const struct campaign *campaign, uint64_t seed)
{
    struct hy_random chance = {seed};

    snprintf(seed_line, sizeof seed_line, "seed %llu\n", (unsigned long long)seed);
    alarm(TIMEOUT_S);
    campaign->round(&chance);
    alarm(0);
}

/* What a sanitizer looks after is its own to handle. */
static void watch(void)
{
    static const int signals[] = {SIGABRT, SIGALRM, SIGBUS, SIGSEGV};
    const struct sigaction action = {.sa_handler = report_seed, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &action, NULL);
    }
}

unsigned long campaign_run(const struct campaign *campaign, int argc, char **argv)
{
    const char *option = argc > 1 ? argv[0] : "";
    const unsigned long long number = argc > 0 ? strtoull(argv[argc - 1], NULL, 10) : 0;
    const time_t end = strcmp(option, "--seconds") == 0 ? time(NULL) + (time_t)number : 0;
    const uint64_t first = end ? (uint64_t)time(NULL) << 24 : 1;
    unsigned long done = 0;

    watch();
    if (strcmp(option, "--seed") == 0) {
        run_round(campaign, number);
        return 1;
    }
    for (; end ? time(NULL) < end : done < (number ? number : campaign->rounds); done++)
        run_round(campaign, first + done);
    seed_line[0] = '\0';
    return done;
}
