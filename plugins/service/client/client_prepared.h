#ifndef HY_SERVICE_CLIENT_PREPARED_H
#define HY_SERVICE_CLIENT_PREPARED_H

#include "plugins/service/client/saved_model.h"
#include "plugins/service/client/service_parts.h"

/*
 * A model prepared in the driver's process, with all data needed to prepare the model again in the
 * next process. hy_service_prepare, hy_service_prepare_from_cache, hy_service_prepared_destroy and
 * hy_service_execute implement struct hy_device.
 */
struct hy_service_prepared {
    struct hy_service_device *device;

    pthread_mutex_t lock; /* protects the members below; held while the model is prepared again */
    struct hy_connection *connection; /* to the process that has the prepared model; retained */
    uint64_t id;                      /* names the prepared model in the process */
    struct hy_saved_model model;
    bool has_model; /* `model` is set; false: the model came from the cache */
    struct hy_saved_options *options;
    uint32_t restore_deaths; /* number of processes in a row that died while restoring the model
                                from cache files */
};

int32_t hy_service_prepare(void *device, const struct hy_model *model,
                           const struct hy_prepare_options *options, void **ret);
int32_t hy_service_prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                      void **ret);
void hy_service_prepared_destroy(void *prepared);

/*
 * Ensures that a live process has the prepared model; prepares the model again if its process has
 * ended. `*connection` is retained for the caller, and `*id` names the model in the process.
 * `deadline` is in ns of CLOCK_BOOTTIME. Returns a HY_STATUS_* value, with the message of a failure
 * in `err`.
 */
int32_t hy_service_prepared_locate(struct hy_service_prepared *prepared, int64_t deadline,
                                   struct hy_connection **connection, uint64_t *id,
                                   struct hy_error *err);

/* Same as hy_service_prepared_locate, and acquires a channel for a call. The caller ends the use of
 * the channel with hy_channel_release. */
int32_t hy_service_prepared_enter(struct hy_service_prepared *prepared,
                                  const struct hy_call_limits *limits, struct hy_channel **channel,
                                  uint64_t *id, struct hy_error *err);

/* Checks that `result` has as many outputs as `request`. False: a mismatch, with a message in
 * `err`. */
bool hy_service_check_capacity(const struct hy_request *request, const struct hy_result *result,
                               struct hy_error *err);

int32_t hy_service_execute(void *prepared, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result);

/* Reads the reply of an execution that ended with `status`. Only OK and OUTPUT_INSUFFICIENT_SIZE
 * have a result to read. Returns `status`, or an error status if the reply is malformed. */
int32_t hy_service_read_result(struct hy_channel *channel, int32_t status, struct hy_result *result,
                               struct hy_error *err);

#endif
