#ifndef HY_TOOLS_VECTORS_VECTOR_RUN_H
#define HY_TOOLS_VECTORS_VECTOR_RUN_H

#include "tools/device_selection.h"
#include "tools/run_mode.h"
#include "tools/vectors/cached.h"
#include "tools/vectors/merge.h"
#include "tools/vectors/pool_memory.h"
#include "tools/vectors/skip.h"

/* True for a valid test with an expected failure: its loop never ends, and the timeout must stop
 * the loop. */
bool hy_vector_is_endless(const struct hy_vector *vector);

/* The way to run a test. */
struct hy_vector_course {
    enum hy_run_mode mode;
    bool reused;     /* two computations of one reusable execution, and both results are checked */
    bool in_domains; /* inputs and outputs lie in memory made from descriptors */
    bool in_pools;   /* inputs and outputs lie in memory of kind `pool_kind` */
    enum hy_pool_kind pool_kind;
    struct hy_vector_caching *caching; /* see hy_vector_build_compile */
};

/* The rule that excludes a test from the course, or HY_SKIP_NONE. */
enum hy_skip_rule hy_vector_course_rule(const struct hy_vector *vector,
                                        const struct hy_vector_course *course);

/*
 * Runs a test with the API and checks the results. HY_OK: passed. Else the error text names the
 * refused call, or the wrong output with its fault.
 */
HY_MUST_CHECK enum hy_code hy_vector_run(const struct hy_vector *vector,
                                         const struct hy_device_selection *devices,
                                         const struct hy_vector_course *course,
                                         struct hy_error *err);

/* The result of one test of a merged model. */
struct hy_vector_result {
    enum hy_code code;
    struct hy_error reason; /* error text of a failure */
};

/*
 * As hy_vector_run, with several tests as one model; no test has an expected failure. HY_OK:
 * `verdicts` has a result for each part. Else no part has passed, and the error text has the
 * reason. `*step_count`: steps of the plan, 0 without a plan.
 */
HY_MUST_CHECK enum hy_code hy_merge_run(const struct hy_merge *merge,
                                        const struct hy_device_selection *devices,
                                        const struct hy_vector_course *course,
                                        struct hy_vector_result *results, uint32_t *step_count,
                                        struct hy_error *err);

#endif
