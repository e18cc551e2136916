#ifndef HY_TOOLS_VECTORS_RUN_H
#define HY_TOOLS_VECTORS_RUN_H

#include "tools/device_choice.h"
#include "tools/run_mode.h"
#include "tools/vectors/cached.h"
#include "tools/vectors/merge.h"
#include "tools/vectors/pool_memory.h"
#include "tools/vectors/skip.h"

/* A test that has to fail, and yet is valid: its loop never ends, and the timeout has to stop it.
 */
bool hy_vector_is_endless(const struct hy_vector *vector);

/* How a test is computed. */
struct hy_vector_course {
    enum hy_run_mode mode;
    bool reused;     /* twice by one reusable execution, and both times what comes out is judged */
    bool in_domains; /* inputs and outputs lie in memory that is made for them */
    bool in_pools;   /* they lie in memory of this kind */
    enum hy_pool_kind pool_kind;
    struct hy_vector_caching *caching; /* see hy_vector_build_compile */
};

/* The rule that keeps a test out of the course, or HY_SKIP_NONE. */
enum hy_skip_rule hy_vector_course_rule(const struct hy_vector *vector,
                                        const struct hy_vector_course *course);

/*
 * Runs a test through the API and judges what comes out. HY_OK: passed. Else the words say what
 * was refused, or which output is wrong and how.
 */
HY_MUST_CHECK enum hy_code hy_vector_run(const struct hy_vector *vector,
                                         const struct hy_device_choice *devices,
                                         const struct hy_vector_course *course,
                                         struct hy_error *err);

/* What is said of one test of several. */
struct hy_vector_verdict {
    enum hy_code code;
    struct hy_error words; /* of a failure */
};

/*
 * The same with several tests as one, of which none has to fail. HY_OK: there is a verdict for each
 * part. Else no part has passed, and the words say why. `*step_count`: of the plan, 0 without one.
 */
HY_MUST_CHECK enum hy_code hy_merge_run(const struct hy_merge *merge,
                                        const struct hy_device_choice *devices,
                                        const struct hy_vector_course *course,
                                        struct hy_vector_verdict *verdicts, uint32_t *step_count,
                                        struct hy_error *err);

#endif
