#ifndef HY_PLUGINS_SUPPORT_LIBRARY_EXECUTION_H
#define HY_PLUGINS_SUPPORT_LIBRARY_EXECUTION_H

#include "plugins/support_library/sl_memories.h"
#include "plugins/support_library/sl_prepared.h"

/* Checks the arguments of a request against the model. Errors: HY_BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_sl_check_request(const struct hy_sl_prepared *prepared,
                                               const struct hy_request *request,
                                               const struct hy_run_options *options,
                                               struct hy_error *err);

/*
 * Creates an execution of the library with the arguments and options of a request. Memory with a
 * file descriptor is passed as a memory object from `memories`, which keeps the memory mapped
 * between runs. Without `memories` (NULL), or for a pool without an id, such memory is passed by
 * the host's mapped address, like memory of the process. The caller frees `*ret`. Errors:
 * HY_BAD_DATA (the request is wrong), HY_FAILED (unusable memory), HY_MISSED_DEADLINE_FOR_GOOD, the
 * library's own codes.
 */
HY_MUST_CHECK enum hy_code
hy_sl_execution_create(const struct hy_sl_prepared *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_sl_memories *memories,
                       ANeuralNetworksExecution **ret, struct hy_error *err);

/* Checks the struct size of the caller's `result`, and its number of outputs against the request.
 * Errors: HY_BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_sl_check_result(const struct hy_request *request,
                                              const struct hy_result *result, struct hy_error *err);

/* An execution with its request. */
struct hy_sl_run {
    const struct hy_sl_prepared *prepared;
    const struct hy_request *request;
    ANeuralNetworksExecution *execution;
    bool measure;
};

/*
 * Fills `out` with the shapes, times and code of a run. `result` is the code returned by the
 * library's function `call`. Impossible shapes give HY_FAILED.
 */
HY_MUST_CHECK enum hy_code hy_sl_run_result(const struct hy_sl_run *run, int result,
                                            const char *call, struct hy_result *out,
                                            struct hy_error *err);

/* Returns the duration `figure` (a DurationCode) in ns; HY_NO_TIME if the library reports none. */
uint64_t hy_sl_execution_time(const struct hy_sl_prepared *prepared,
                              ANeuralNetworksExecution *execution, int32_t figure);

/* Member of struct hy_device. */
int32_t hy_sl_execute(void *prepared, const struct hy_request *request,
                      const struct hy_run_options *options, struct hy_result *result);

#endif
