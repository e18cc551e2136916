#ifndef HY_TESTS_SCENARIOS_CACHING_APP_H
#define HY_TESTS_SCENARIOS_CACHING_APP_H

#include "tests/scenarios/caching/cache_model.h"

#include <halyard/halyard.h>

/*
 * An app: compiles a model for one device, with or without a cache, and runs the model. Uses only
 * the public API. Records no test failures, so any thread or process may call the functions.
 */
#define APP_OUTPUT_MAX 256u

enum app_way { APP_SYNC, APP_BURST, APP_ASYNC, APP_WAY_COUNT };

struct app {
    const struct cache_model *cache_model;
    const ANeuralNetworksDevice *device;
    const char *dir; /* NULL: no cache */
    uint8_t token;   /* first byte of the app's token */
    int32_t preference;
    int32_t priority;
    enum app_way way;
    uint8_t right[CACHE_MODEL_RUNS][APP_OUTPUT_MAX]; /* expected outputs */
};

/* What came of a compilation and its runs. */
struct app_result {
    int code;      /* of the first failed call */
    char call;     /* 'c' compiling, 'r' running */
    bool is_right; /* all outputs match bit for bit */
    int32_t cache; /* HALYARD_CACHE_* */
    char reason[256];
    uint8_t token[HALYARD_TOKEN_SIZE];
};

const ANeuralNetworksDevice *app_device(const char *name); /* NULL if not found */

/* Computes the expected outputs with a compilation without cache. Returns false if a call fails.
 * The caller sets the other members afterwards. */
bool app_init(struct app *app, const struct cache_model *cache_model, const char *device,
              const char *dir);

struct app_result app_compile_and_run(const struct app *app);

/* The two halves of app_compile_and_run. */
ANeuralNetworksCompilation *app_compile(const struct app *app, struct app_result *result);
void app_run(const struct app *app, ANeuralNetworksCompilation *compilation,
             struct app_result *result);

/* True if all calls succeeded and the outputs are right. */
bool app_is_good(const struct app_result *result);

/* "dense on halyard-cpu: stored (reason), right", for failure messages. Thread-local static
 * memory. */
const char *app_describe(const struct app *app, const struct app_result *result);

#endif
