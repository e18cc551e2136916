#ifndef HY_SERVICE_PREPARED_H
#define HY_SERVICE_PREPARED_H

#include "plugins/service/client/kept_model.h"
#include "plugins/service/client/service_parts.h"

/*
 * A model that was prepared in the process, and what is needed to prepare it in the next one. The
 * functions below are those of struct hy_device.
 */
struct hy_service_prepared {
    struct hy_service_device *device;

    pthread_mutex_t lock;             /* of what follows; held while it is prepared again */
    struct hy_connection *connection; /* to the process that has it */
    uint64_t id;                      /* there */
    struct hy_kept_model model;
    bool has_model; /* else it came from the cache */
    struct hy_kept_options *options;
    uint32_t restore_deaths; /* of processes in a row, while they restored the model again */
};

int32_t hy_service_prepare(void *device, const struct hy_model *model,
                           const struct hy_prepare_options *options, void **ret);
int32_t hy_service_prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                      void **ret);
void hy_service_prepared_destroy(void *prepared);

/*
 * Sees to it that the model is in a process that lives, and gives the connection to that, retained,
 * and what the model is called there. The status with words in `err`.
 */
int32_t hy_service_prepared_place(struct hy_service_prepared *prepared, int64_t deadline,
                                  struct hy_connection **connection, uint64_t *id,
                                  struct hy_error *err);

/* The same, and a channel to call it over. */
int32_t hy_service_prepared_enter(struct hy_service_prepared *prepared,
                                  const struct hy_call_limits *limits, struct hy_channel **channel,
                                  uint64_t *id, struct hy_error *err);

/* Whether the result has room for what the request gives; words if not. */
bool hy_service_check_room(const struct hy_request *request, const struct hy_result *result,
                           struct hy_error *err);

int32_t hy_service_execute(void *prepared, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result);

/* Reads what an execution answers that has ended with `status`; gives the status that counts. */
int32_t hy_service_read_result(struct hy_channel *channel, int32_t status, struct hy_result *result,
                               struct hy_error *err);

#endif
