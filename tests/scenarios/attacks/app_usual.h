#ifndef HY_TESTS_SCENARIOS_ATTACKS_APP_USUAL_H
#define HY_TESTS_SCENARIOS_ATTACKS_APP_USUAL_H

#include "common/random.h"
#include "tests/unit/plugins/service/client/isolated.h"

#include <halyard/halyard.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * A normal app under attack. The app computes y = x + c on an in-process device and on an isolated
 * device. Attacks must not change the results. A failed check ends the program.
 */
#define NO_ERROR ANEURALNETWORKS_NO_ERROR

enum { APP_DEVICES = 2, APP_EXTENT = 4, APP_BYTES = APP_EXTENT * sizeof(float) };

#define APP_FAIL(...) \
    do { \
        fprintf(stderr, "attack_app: " __VA_ARGS__); \
        fputc('\n', stderr); \
        abort(); \
    } while (0)

extern const char *const app_device_names[APP_DEVICES]; /* [1] is isolated */

struct app_usual {
    ANeuralNetworksModel *model; /* with c = 1, 2, 3, 4 */
    ANeuralNetworksCompilation *compilations[APP_DEVICES];
    pid_t process; /* service process of the isolated device */
    unsigned long right_results;
};
extern struct app_usual app_usual;

void app_begin(void);
void app_end(void);

/* Builds the model y = x + c with c read from `constant` at `offset`. If `constant` is NULL, c is
 * 1, 2, 3, 4. Returns NULL if the runtime refuses the memory. */
ANeuralNetworksModel *app_model(const ANeuralNetworksMemory *constant, size_t offset);

/* Runs one execution and returns its result code. A NULL `burst` means a plain compute call. */
int app_compute(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                const float *in, float *out);

/* Expects a right result from the device within a minute. After a series of process deaths the
 * runtime quarantines a device for a while, hence the retries. */
void app_expect_right(int device, bool by_burst);

/* Expects no more open descriptors than at the first call. */
void app_expect_no_descriptors_left(void);

/* One round of an attack, and a report of the rounds so far. */
void attack_app_descriptors(struct hy_random *chance);
void attack_app_descriptors_report(void);
void attack_app_queues(struct hy_random *chance);
void attack_app_queues_report(void);

#endif
