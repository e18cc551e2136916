#ifndef HY_TESTS_SUPPORT_LIBRARY_FIXTURE_H
#define HY_TESTS_SUPPORT_LIBRARY_FIXTURE_H

#include "fake_support_library.h"
#include "plugin_fixture.h"
#include "support/model_builder.h"

/* The fake support library as the only driver, opened through a manifest; a model prepared on its
 * first device; and a request in plain memory. */
struct sl_fixture {
    struct plugin_fixture plugins;
    struct fake_support_library *fake; /* forgets all that was said before the fixture */
    const char *library;               /* what is opened; the fake at first */
    const struct hy_device *table;     /* NULL: no device was accepted */
    void *device;
    void *prepared;
    struct hy_prepare_options prepare_options;
    char message[256];

    float in[4], out[4];
    struct hy_argument arguments[2];
    struct hy_pool pools[2];
    uint32_t dims[2];
    struct hy_request request;
    struct hy_run_options options;
    struct hy_output_shape shape;
    struct hy_result result;
};

/* A host that maps every pool by its address, and keeps the log like that of plugin_fixture. */
bool sl_fixture_init(struct sl_fixture *fixture);
void sl_fixture_finish(struct sl_fixture *fixture); /* and checks that no object is left */

/* Opens the library; `arguments` is JSON text. False (and a failed test) if the plugins cannot be
 * opened; whether there is a device then, `table` tells. */
bool sl_fixture_open(struct sl_fixture *fixture, const char *arguments);

/* Opens it again with the faulty call; the only refusal has to have this reason. */
void sl_fixture_expect_refusal(struct sl_fixture *fixture, const char *reason);

/* RELU of a float tensor of shape [1, 4]. */
void sl_fixture_relu(struct hy_builder *builder);

/* Opens the library, prepares RELU on its first device and makes a good request; then the log is
 * empty. */
bool sl_fixture_prepare(struct sl_fixture *fixture);

/* Prepares the model; the words of a failure are in `message`. */
int32_t sl_fixture_prepare_model(struct sl_fixture *fixture, const struct hy_model *model);

/* A good request, once more. */
void sl_fixture_request(struct sl_fixture *fixture);

int32_t sl_fixture_execute(struct sl_fixture *fixture);

/* Puts an argument of the request (0 input, 1 output) behind a file descriptor, at `offset` of its
 * pool. Closed with sl_fixture_close_fds. */
void sl_fixture_use_fd(struct sl_fixture *fixture, uint32_t argument, uint64_t id, uint64_t offset);
void sl_fixture_close_fds(struct sl_fixture *fixture);

#endif
