#ifndef HY_TOOLS_COMMANDS_CONFORMANCE_H
#define HY_TOOLS_COMMANDS_CONFORMANCE_H

#include "tools/device_selection.h"
#include "tools/vectors/files.h"
#include "tools/vectors/report.h"
#include "tools/vectors/survey.h"
#include "tools/vectors/transform.h"
#include "tools/vectors/vector_run.h"

/* Test vectors, their devices and options, and their results. */
struct hy_conformance {
    struct hy_vector_files files;
    const char *filter; /* filter of names, or NULL */
    struct hy_vector_course course;
    struct hy_vector_passes passes;
    struct hy_device_selection devices;
    /* a device with any form of an operation must support all forms of the operation */
    bool complete;
    struct hy_survey survey;
    uint32_t seed;         /* seed of merged tests */
    const char *cache_dir; /* each test is compiled twice with this cache; NULL: no cache */
    struct hy_conformance_report report;
};

bool hy_conformance_wants(const struct hy_conformance *conformance, const struct hy_vector *vector);

/* The number of selected tests of all files. */
uint32_t hy_conformance_count(const struct hy_conformance *conformance);

/*
 * Converts the test to the form of the passes. False: the test does not run; `result` is skipped or
 * failed, and `reason` has the reason.
 */
bool hy_conformance_admits(const struct hy_conformance *conformance, const struct hy_vector *vector,
                           struct hy_arena *arena, struct hy_vector *test,
                           struct hy_test_result *result, struct hy_error *reason);

/*
 * Runs a test in the form of hy_conformance_admits. HY_OK: passed, or `result` is skipped. With a
 * cache the test runs twice, and the second model must come from the cache; the report counts hits.
 */
HY_MUST_CHECK enum hy_code hy_conformance_compute(struct hy_conformance *conformance,
                                                  const struct hy_vector *test,
                                                  struct hy_test_result *result,
                                                  struct hy_error *reason);

/* Runs the `total` selected tests, and fills the report: each test as a separate model, or several
 * tests as one model. OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_conformance_run_each(struct hy_conformance *conformance,
                                                   uint32_t total, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_conformance_run_merged(struct hy_conformance *conformance,
                                                     uint32_t total, struct hy_error *err);

#endif
