#ifndef HY_PLUGINS_SUPPORT_LIBRARY_EXECUTION_H
#define HY_PLUGINS_SUPPORT_LIBRARY_EXECUTION_H

#include "plugins/support_library/memories.h"
#include "plugins/support_library/prepared.h"

/* Whether the request has the arguments of the model. Errors: HY_BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_sl_check_request(const struct hy_sl_prepared *prepared,
                                               const struct hy_request *request,
                                               const struct hy_run_options *options,
                                               struct hy_error *err);

/*
 * Makes an execution of the library with the arguments and options of a request. Memory behind file
 * descriptors goes in as memory objects from `memories`, where it can stay mapped between runs;
 * without `memories` (NULL), and without an id of the pool, it goes in by the address where the
 * host has it mapped already, as memory of the process does.
 * Errors: HY_BAD_DATA (the request is wrong), HY_FAILED (memory that cannot be used),
 * HY_MISSED_DEADLINE_FOR_GOOD, what the library answers.
 */
HY_MUST_CHECK enum hy_code
hy_sl_execution_create(const struct hy_sl_prepared *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_sl_memories *memories,
                       ANeuralNetworksExecution **ret, struct hy_error *err);

/* Whether the caller has room for the answer to its request. Errors: HY_BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_sl_check_result(const struct hy_request *request,
                                              const struct hy_result *result, struct hy_error *err);

/* An execution, and the request that it was made for. */
struct hy_sl_run {
    const struct hy_sl_prepared *prepared;
    const struct hy_request *request;
    ANeuralNetworksExecution *execution;
    bool measure;
};

/*
 * What came of a run that ended with `result`, whose function is `call`: shapes, times, and the
 * code. Shapes that no tensor can have are HY_FAILED.
 */
HY_MUST_CHECK enum hy_code hy_sl_run_answer(const struct hy_sl_run *run, int result,
                                            const char *call, struct hy_result *out,
                                            struct hy_error *err);

/* One of the library's DurationCode figures, HY_NO_TIME if it has none. */
uint64_t hy_sl_execution_time(const struct hy_sl_prepared *prepared,
                              ANeuralNetworksExecution *execution, int32_t figure);

/* Member of struct hy_device. */
int32_t hy_sl_execute(void *prepared, const struct hy_request *request,
                      const struct hy_run_options *options, struct hy_result *result);

#endif
