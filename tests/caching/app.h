#ifndef HY_TESTS_CACHING_APP_H
#define HY_TESTS_CACHING_APP_H

#include "tests/caching/subject.h"

#include <halyard/halyard.h>

/*
 * An app that compiles a model for one device, with a cache or without, and runs it: through the
 * public API alone. Nothing here records failures, so that threads and processes may use it.
 */
#define APP_OUTPUT_MAX 256u

enum app_way { APP_SYNC, APP_BURST, APP_ASYNC, APP_WAY_COUNT };

struct app {
    const struct subject *subject;
    const ANeuralNetworksDevice *device;
    const char *folder; /* NULL: no cache */
    uint8_t token;      /* first byte of the app's token */
    int32_t preference;
    int32_t priority;
    enum app_way way;
    uint8_t right[SUBJECT_RUNS][APP_OUTPUT_MAX]; /* answers */
};

/* What came of a compilation and its runs. */
struct app_result {
    int code;      /* of the first call that failed */
    char call;     /* 'c'ompiling or 'r'unning */
    bool is_right; /* all answers to the bit */
    int32_t cache; /* HALYARD_CACHE_* */
    char reason[256];
    uint8_t token[HALYARD_TOKEN_SIZE];
};

const ANeuralNetworksDevice *app_device(const char *name); /* NULL: there is none */

/* Learns the answers from a compilation without a cache. False: that has failed. Other members are
 * set before or after. */
bool app_init(struct app *app, const struct subject *subject, const char *device,
              const char *folder);

struct app_result app_compile_and_run(const struct app *app);

/* The two halves. */
ANeuralNetworksCompilation *app_compile(const struct app *app, struct app_result *result);
void app_run(const struct app *app, ANeuralNetworksCompilation *compilation,
             struct app_result *result);

/* Everything went well, and the answers are right. */
bool app_is_good(const struct app_result *result);

/* "dense on halyard-cpu: stored (reason), right", for failures. In static memory of the thread. */
const char *app_words(const struct app *app, const struct app_result *result);

#endif
