#ifndef HY_TESTS_ATTACKS_APP_USUAL_H
#define HY_TESTS_ATTACKS_APP_USUAL_H

#include "common/random.h"
#include "service/client/isolated.h"

#include <halyard/halyard.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * An app that computes y = x + c on a device in the app and on one in a process of its own, as it
 * should be: what an attack must not change. What does not hold ends the program.
 */
#define NO_ERROR ANEURALNETWORKS_NO_ERROR

enum { APP_DEVICES = 2, APP_EXTENT = 4, APP_BYTES = APP_EXTENT * sizeof(float) };

#define APP_FAIL(...) \
    do { \
        fprintf(stderr, "attack_app: " __VA_ARGS__); \
        fputc('\n', stderr); \
        abort(); \
    } while (0)

extern const char *const app_device_names[APP_DEVICES]; /* the second one is isolated */

struct app_usual {
    ANeuralNetworksModel *model; /* c is 1, 2, 3, 4 */
    ANeuralNetworksCompilation *compilations[APP_DEVICES];
    pid_t process; /* of the isolated device */
    unsigned long right_results;
};
extern struct app_usual app_usual;

void app_begin(void);
void app_end(void);

/* The model with c in memory, or as above; NULL where the memory is refused. */
ANeuralNetworksModel *app_model(const ANeuralNetworksMemory *constant, size_t offset);

/* One execution, in a burst or without. */
int app_compute(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                const float *in, float *out);

/* The device is right, within a minute: after a series of deaths it rests for a while. */
void app_expect_right(int device, bool by_burst);

/* No more descriptors are open than when this was called first. */
void app_expect_no_descriptors_left(void);

/* Rounds, and what they have done so far. */
void attack_app_descriptors(struct hy_random *chance);
void attack_app_descriptors_report(void);
void attack_app_queues(struct hy_random *chance);
void attack_app_queues_report(void);

#endif
