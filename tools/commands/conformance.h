#ifndef HY_TOOLS_COMMANDS_CONFORMANCE_H
#define HY_TOOLS_COMMANDS_CONFORMANCE_H

#include "tools/device_choice.h"
#include "tools/vectors/files.h"
#include "tools/vectors/report.h"
#include "tools/vectors/run.h"
#include "tools/vectors/survey.h"
#include "tools/vectors/transform.h"

/* Test vectors, what they run on and how, and what came out. */
struct hy_conformance {
    struct hy_vector_files files;
    const char *filter; /* of names, or NULL */
    struct hy_vector_course course;
    struct hy_vector_passes passes;
    struct hy_device_choice devices;
    bool complete; /* the devices have to take every form of an operation that they have at all */
    struct hy_survey survey;
    uint32_t seed;            /* of merged tests */
    const char *cache_folder; /* each test is compiled twice with this cache; NULL: without one */
    struct hy_conformance_report report;
};

bool hy_conformance_wants(const struct hy_conformance *conformance, const struct hy_vector *vector);

/* Of all files. */
uint32_t hy_conformance_count(const struct hy_conformance *conformance);

/*
 * Gives the test in the form of the passes. False: it does not run, and `result` says that it is
 * skipped or failed, and with `words` why.
 */
bool hy_conformance_admits(const struct hy_conformance *conformance, const struct hy_vector *vector,
                           struct hy_arena *arena, struct hy_vector *test,
                           struct hy_test_result *result, struct hy_error *words);

/*
 * Runs a test in the form that it was admitted in. HY_OK: passed, or `result` says that it is
 * skipped. With a cache it runs twice, its second model has to come from there, and the report
 * counts that.
 */
HY_MUST_CHECK enum hy_code hy_conformance_compute(struct hy_conformance *conformance,
                                                  const struct hy_vector *test,
                                                  struct hy_test_result *result,
                                                  struct hy_error *words);

/* Runs the tests that are wanted, of which there are `total`, and fills the report: each as a model
 * of its own, or several as one. OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_conformance_run_each(struct hy_conformance *conformance,
                                                   uint32_t total, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_conformance_run_merged(struct hy_conformance *conformance,
                                                     uint32_t total, struct hy_error *err);

#endif
