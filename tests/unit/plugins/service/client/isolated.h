#ifndef HY_TESTS_SERVICE_ISOLATED_H
#define HY_TESTS_SERVICE_ISOLATED_H

#include "halyard/halyard.h"
#include "tests/kit/small_model.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Isolated devices, seen through the public API. */

/* Returns NULL if not found. */
ANeuralNetworksDevice *isolated_device(const char *name);
struct halyard_device_info isolated_info(const char *name);
pid_t isolated_pid(const char *name);

/* Compiles the small model for the given devices only. Returns NULL on failure. */
ANeuralNetworksCompilation *isolated_compile(ANeuralNetworksModel *model, const char *const *names,
                                             uint32_t count);

/* Sends the signal to the device's process. */
void isolated_signal(const char *name, int signal);

/* Kills the device's process and waits until the runtime has noticed its end. */
void isolated_kill(const char *name);

/* Stops a process and waits until all its threads have stopped. */
void isolated_stop(pid_t pid);

/* Milliseconds of a monotonic clock. */
int64_t isolated_clock(void);

#endif
