/*
 * A hostile app at real services: plays a script (tests/fuzz/session/session_script.h) of frames,
 * packets, rewritten queues and odd descriptors against a process of halyard-driverd, which must
 * live, serve others rightly meanwhile, and hold nothing afterwards.
 */
#include "tests/fuzz/fuzz.h"

#include "live.h"
#include "tests/fuzz/session/session_play.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WARM_UP = 13,       /* the seeds: what they open for the first time stays open for good */
    CHECK_EVERY = 128,  /* scripts, at each service */
    PRIVATE_EVERY = 24, /* a process for each of those */
};

static struct session_count count;
static unsigned long scripts[LIVE_DRIVERS], private_scripts;

static void report(void)
{
    printf("%lu scripts at halyard-cpu, %lu at the sample driver, %lu at private services: %llu "
           "frames, %llu packets, %llu words of queues rewritten\n",
           scripts[LIVE_CPU], scripts[LIVE_SAMPLE], private_scripts,
           (unsigned long long)count.frames, (unsigned long long)count.packets,
           (unsigned long long)count.rewrites);
}

static void check_at_the_end(void)
{
    for (int i = 0; i < LIVE_DRIVERS; i++)
        live_expect_rest((enum live_driver)i);
    report();
}

static void begin(void)
{
    live_start(LIVE_CPU);
    live_start(LIVE_SAMPLE);
    if (atexit(check_at_the_end) != 0)
        live_fail("atexit");
}

static void play_shared(enum live_driver driver, const uint8_t *data, size_t size)
{
    session_play(live_connect(driver), live_opening(driver), data, size, &count);
    scripts[driver]++;
    if (scripts[driver] == WARM_UP)
        live_note_rest(driver);
    else if (scripts[driver] % CHECK_EVERY == 0)
        live_expect_rest(driver);
}

static void play_private(enum live_driver driver, const uint8_t *data, size_t size)
{
    const int control = live_start_private();

    session_play(control, live_opening(driver), data, size, &count);
    live_await_private();
    private_scripts++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned long number;

    if (number == 0)
        begin();
    if (++number <= WARM_UP) {
        play_shared(LIVE_CPU, data, size);
        play_shared(LIVE_SAMPLE, data, size);
    } else if (number % PRIVATE_EVERY == 0) {
        play_private((enum live_driver)(number / PRIVATE_EVERY % LIVE_DRIVERS), data, size);
    } else {
        play_shared((enum live_driver)(number % LIVE_DRIVERS), data, size);
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    return session_file(SESSION_DIR "/calls", index, length);
}
