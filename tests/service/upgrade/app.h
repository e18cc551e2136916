#ifndef HY_TESTS_SERVICE_UPGRADE_APP_H
#define HY_TESTS_SERVICE_UPGRADE_APP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process of its own that runs a sum on the sample device of a shared service, again
 * and again. What it counts lies in memory that the test sees, too. */
enum app_way { APP_ORDINARY, APP_BURST };

struct app {
    pid_t pid;
    atomic_uint good, wrong, failed;
    _Atomic int64_t longest_gap_ms; /* between two right answers */
    atomic_bool stops;
    int first_failure; /* the code; read it and the words when `failed` is not 0 */
    char words[512];
    bool ends_on_error; /* and waits to be stopped */

    /* Of compilations with a cache: HALYARD_CACHE_*, and why. */
    atomic_int cached;
    char reason[256];
    atomic_uint compiles; /* wanted by the test, which adds one for each */
    atomic_uint compiled;
};

/* Before this process has other threads. NULL: that failed. */
struct app *app_start(enum app_way way, bool ends_on_error, const char *cache_folder);

/* Waits for so many more right answers. */
bool app_goes_on(const struct app *app, unsigned more);

/* Waits for a call that has failed. */
bool app_fails(const struct app *app);

/* Has it compile with its cache: what became of that. */
int app_compile(struct app *app);

/* True: it has ended as it should. */
bool app_end(struct app *app);

#endif
