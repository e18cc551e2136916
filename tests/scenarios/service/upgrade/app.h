#ifndef HY_TESTS_SCENARIOS_SERVICE_UPGRADE_APP_H
#define HY_TESTS_SCENARIOS_SERVICE_UPGRADE_APP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A child process for repeated sums on the sample device of a shared service. The test shares the
 * memory of the counters. */
enum app_way { APP_ORDINARY, APP_BURST };

struct app {
    pid_t pid;
    atomic_uint good, wrong, failed;
    _Atomic int64_t longest_gap_ms; /* between right results */
    atomic_bool stops;
    int first_failure; /* result code; valid like `error_text` if `failed` is not 0 */
    char error_text[512];
    bool ends_on_error; /* after an error waits for `stops` */

    /* Of compilations with a cache: HALYARD_CACHE_* and the reason. */
    atomic_int cached;
    char reason[256];
    atomic_uint compiles; /* requested; the test adds 1 per request */
    atomic_uint compiled;
};

/* Call before the process has other threads. Returns NULL on failure. */
struct app *app_start(enum app_way way, bool ends_on_error, const char *cache_dir);

/* Waits for `more` additional right results. */
bool app_goes_on(const struct app *app, unsigned more);

/* Waits for a failed call. */
bool app_fails(const struct app *app);

/* Requests a compilation with the cache and returns the cache outcome. */
int app_compile(struct app *app);

/* Returns true if the process exits normally. */
bool app_end(struct app *app);

#endif
