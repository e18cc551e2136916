#ifndef HY_TESTS_SUPPORT_LIBRARY_FIXTURE_H
#define HY_TESTS_SUPPORT_LIBRARY_FIXTURE_H

#include "fake_support_library.h"
#include "plugin_fixture.h"
#include "tests/kit/model_builder.h"

/* The fake support library as the only driver, opened through a manifest. Has a model prepared on
 * the first device, and a request in plain memory. */
struct sl_fixture {
    struct plugin_fixture plugins;
    struct fake_support_library *fake; /* reset at the start of the fixture */
    const char *library;               /* path of the library, initially the fake */
    const struct hy_device *table;     /* NULL: no accepted device */
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

/* A host with address mapping for every pool and a log buffer like plugin_fixture. */
bool sl_fixture_init(struct sl_fixture *fixture);
void sl_fixture_finish(struct sl_fixture *fixture); /* expects no live objects */

/* Opens the library; `arguments` is JSON text. If the plugins cannot be opened, records a test
 * failure and returns false. `table` tells about an accepted device. */
bool sl_fixture_open(struct sl_fixture *fixture, const char *arguments);

/* Reopens the library with the faulty call. Expects a single refusal with the given reason. */
void sl_fixture_expect_refusal(struct sl_fixture *fixture, const char *reason);

/* RELU of a float tensor of shape [1, 4]. */
void sl_fixture_relu(struct hy_builder *builder);

/* Opens the library, prepares RELU on the first device, creates a valid request and clears the
 * log. */
bool sl_fixture_prepare(struct sl_fixture *fixture);

/* Prepares the model; `message` receives the text of a failure. */
int32_t sl_fixture_prepare_model(struct sl_fixture *fixture, const struct hy_model *model);

/* Creates a valid request again. */
void sl_fixture_request(struct sl_fixture *fixture);

int32_t sl_fixture_execute(struct sl_fixture *fixture);

/* Moves an argument of the request (0 input, 1 output) to a file descriptor, at `offset` in its
 * pool. sl_fixture_close_fds closes the descriptors. */
void sl_fixture_use_fd(struct sl_fixture *fixture, uint32_t argument, uint64_t id, uint64_t offset);
void sl_fixture_close_fds(struct sl_fixture *fixture);

#endif
