#include "tests/fuzz/zoo_session.h"

#include <halyard/session.h>
#include <string.h>

/* A mutant's operators beyond these are not worth the time. */
enum { MOST_OPERATORS = 64, MOST_SIGNATURES = 4 };

#define DEADLINE_NS 500000000u

static void ask_about_tensors(const struct halyard_network *network, uint32_t signature)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};

    for (uint32_t i = 0; i < halyard_network_input_count(network, signature); i++)
        (void)halyard_network_get_input(network, signature, i, &info);
    for (uint32_t i = 0; i < halyard_network_output_count(network, signature); i++)
        (void)halyard_network_get_output(network, signature, i, &info);
}

static void ask_about_operators(struct halyard_network *network, uint32_t signature)
{
    struct halyard_network_operator operator_ = {.struct_size = sizeof operator_};
    const uint32_t count = halyard_network_operator_count(network, signature);

    for (uint32_t i = 0; i < count; i++)
        (void)halyard_network_get_operator(network, signature, i, &operator_);
}

/* NULL: no device has the name. */
static const ANeuralNetworksDevice *device_of(const char *name)
{
    uint32_t count = 0;

    (void)ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *found = "";
        if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &found) == ANEURALNETWORKS_NO_ERROR &&
            strcmp(found, name) == 0)
            return device;
    }
    return NULL;
}

static unsigned run(struct halyard_network *network, uint32_t signature, uint64_t max_memory,
                    const char *device_name)
{
    const ANeuralNetworksDevice *device = device_name ? device_of(device_name) : NULL;
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;

    options.signature = signature;
    options.device_count = device != NULL;
    options.devices = &device;
    options.max_memory = max_memory;
    options.deadline_ns = DEADLINE_NS;
    options.compile_deadline_ns = DEADLINE_NS;
    if (halyard_session_create(network, &options, &session) != ANEURALNETWORKS_NO_ERROR)
        return 0;
    for (uint32_t i = 0; i < halyard_session_input_count(session); i++) {
        void *bytes = NULL;
        size_t length = 0;
        if (halyard_session_input_buffer(session, i, &bytes, &length) == ANEURALNETWORKS_NO_ERROR)
            memset(bytes, (int)i + 1, length);
    }
    unsigned ran = halyard_session_run(session) == ANEURALNETWORKS_NO_ERROR;
    if (ran > 0) /* and from the states that the first run has left */
        ran += halyard_session_run(session) == ANEURALNETWORKS_NO_ERROR;
    halyard_session_free(session);
    return ran;
}

unsigned hy_zoo_session_try(const uint8_t *bytes, size_t length, uint64_t max_memory,
                            uint64_t run_bytes, const char *device)
{
    const struct halyard_network_options options = {
        .struct_size = sizeof options, .max_operations = 10000, .max_memory = max_memory};
    struct halyard_network *network = NULL;
    unsigned ran = 0;

    if (halyard_network_open_memory(bytes, length, &options, &network) != ANEURALNETWORKS_NO_ERROR)
        return 0;
    for (uint32_t i = 0; i < halyard_network_signature_count(network) && i < MOST_SIGNATURES; i++) {
        struct halyard_network_memory memory = {.struct_size = sizeof memory};
        ask_about_tensors(network, i);
        ask_about_operators(network, i);
        if (halyard_network_get_memory(network, i, &memory) == ANEURALNETWORKS_NO_ERROR &&
            memory.peak <= run_bytes &&
            halyard_network_operator_count(network, i) <= MOST_OPERATORS)
            ran += run(network, i, max_memory, device);
    }
    halyard_network_close(network);
    return ran;
}
