/* Bursts: executions of one prepared model that follow each other quickly. */
#ifndef XD_BURST_H
#define XD_BURST_H

#include <halyard/driver.h>

/* The burst group of hy_device. */
int32_t xd_burst_open(void *prepared, void **burst);
int32_t xd_burst_execute(void *burst, const struct hy_request *request,
                         const struct hy_run_options *options, struct hy_result *result);
void xd_burst_release(void *burst, uint64_t pool_id);
void xd_burst_close(void *burst);

#endif
