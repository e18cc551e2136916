#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_TUNING_FIXTURE_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_TUNING_FIXTURE_H

#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/model_builder.h"
#include "tuning_host.h"

#define HY_TUNING_PIXELS 36
#define HY_TUNING_LAYERS 4
#define HY_TUNING_FIRST  8
#define HY_TUNING_IN     256
#define HY_TUNING_OUT    520

/*
 * A CPU driver device with a small second-level cache, and a network for tuning. The network has a
 * 3x3 and three 1x1 convolutions of a 6x6 image, with constant weights, in float or 8 bits. Its
 * layers have several possible blockings.
 */
struct hy_tuning_fixture {
    struct hy_tuning_host host;
    struct hy_runner runner;
    struct hy_builder builder;
    int is_float;
    void *in, *out;
    size_t in_bytes, out_bytes;
};

/* Opens device `device` and builds the network without preparing. */
void hy_tuning_fixture_open(struct hy_tuning_fixture *fixture, uint32_t device, int is_float);
void hy_tuning_fixture_close(struct hy_tuning_fixture *fixture);

/* Prepares the network with cache files, or restores the network from the files. Sets the
 * request. */
void hy_tuning_fixture_prepare(struct hy_tuning_fixture *fixture);
int32_t hy_tuning_fixture_restore(struct hy_tuning_fixture *fixture);

/* Runs the network until tuning is due. */
void hy_tuning_fixture_wear(struct hy_tuning_fixture *fixture);

/* Runs the network once and expects the output bytes `want`. */
void hy_tuning_fixture_expect(struct hy_tuning_fixture *fixture, const void *want);

/* Runs the network once and returns the output bytes; the caller frees the bytes. */
void *hy_tuning_fixture_run(struct hy_tuning_fixture *fixture);

struct hy_cpu_prepared *hy_tuning_fixture_prepared(struct hy_tuning_fixture *fixture);

/* Whether the kernels of this machine have several blockings. */
int hy_tuning_fixture_has_blockings(struct hy_tuning_fixture *fixture);

#endif
