/* Prepared models: a program and its instances. */
#ifndef XD_PREPARED_H
#define XD_PREPARED_H

#include <halyard/driver.h>

/* hy_device.prepare, prepared_destroy and execute, on a host. */
int32_t xd_prepare(const struct hy_host *host, const struct hy_model *model,
                   const struct hy_prepare_options *options, void **prepared);
void xd_prepared_destroy(void *prepared);
int32_t xd_execute(void *prepared, const struct hy_request *request,
                   const struct hy_run_options *options, struct hy_result *result);

#endif
