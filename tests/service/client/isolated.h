#ifndef HY_TESTS_SERVICE_ISOLATED_H
#define HY_TESTS_SERVICE_ISOLATED_H

#include "halyard/halyard.h"
#include "support/small_model.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Devices in processes of their own, seen through the public API. */

/* NULL: there is none of the name. */
ANeuralNetworksDevice *isolated_device(const char *name);
struct halyard_device_info isolated_info(const char *name);
pid_t isolated_pid(const char *name);

/* The small model, compiled for these devices alone. NULL: that failed. */
ANeuralNetworksCompilation *isolated_compile(ANeuralNetworksModel *model, const char *const *names,
                                             uint32_t count);

/* Sends the signal to the process of the device. */
void isolated_signal(const char *name, int signal);

/* Kills it, and waits until it is gone and that has been noticed. */
void isolated_kill(const char *name);

/* Stops a process, and waits until all its threads stand still. */
void isolated_stop(pid_t pid);

/* Milliseconds of some clock that does not go back. */
int64_t isolated_clock(void);

#endif
