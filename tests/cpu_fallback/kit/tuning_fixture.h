#ifndef HY_TESTS_CPU_FALLBACK_KIT_TUNING_FIXTURE_H
#define HY_TESTS_CPU_FALLBACK_KIT_TUNING_FIXTURE_H

#include "cpu_fallback/prepared.h"
#include "support/model_builder.h"
#include "tuning_host.h"

#define HY_TUNING_PIXELS 36
#define HY_TUNING_LAYERS 4
#define HY_TUNING_FIRST  8
#define HY_TUNING_IN     256
#define HY_TUNING_OUT    520

/*
 * A device of the CPU driver with a small second cache, and a network of several layers that can be
 * cut in several ways: a 3x3 and three 1x1 convolutions of a 6x6 image, constant weights, float or
 * 8 bits.
 */
struct hy_tuning_fixture {
    struct hy_tuning_host host;
    struct hy_runner runner;
    struct hy_builder builder;
    int is_float;
    void *in, *out;
    size_t in_bytes, out_bytes;
};

/* Opens device `device` and builds the network; prepares nothing yet. */
void hy_tuning_fixture_open(struct hy_tuning_fixture *fixture, uint32_t device, int is_float);
void hy_tuning_fixture_close(struct hy_tuning_fixture *fixture);

/* Prepares the network with cache files, or restores it from them; then sets the request. */
void hy_tuning_fixture_prepare(struct hy_tuning_fixture *fixture);
int32_t hy_tuning_fixture_restore(struct hy_tuning_fixture *fixture);

/* Runs it so often that it is tuned. */
void hy_tuning_fixture_wear(struct hy_tuning_fixture *fixture);

/* Runs it once, and checks that the bytes are `want`. */
void hy_tuning_fixture_expect(struct hy_tuning_fixture *fixture, const void *want);

/* Runs it once. The caller frees the bytes. */
void *hy_tuning_fixture_answer(struct hy_tuning_fixture *fixture);

struct hy_cpu_prepared *hy_tuning_fixture_prepared(struct hy_tuning_fixture *fixture);

/* Whether this machine's kernels have anything to choose. */
int hy_tuning_fixture_has_choices(struct hy_tuning_fixture *fixture);

#endif
