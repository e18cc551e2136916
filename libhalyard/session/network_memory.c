/* halyard/session.h: the memory of networks. */
#include "libhalyard/session/session.h"

static enum hy_code get(struct halyard_network *network, uint32_t signature,
                        struct halyard_network_memory *memory, struct hy_error *err)
{
    const struct hy_signature *found = NULL;

    const enum hy_code code = hy_signature_imported(network, signature, &found, err);
    return code == HY_OK ? hy_public_struct_write(&found->memory, sizeof found->memory, memory, err)
                         : code;
}

int halyard_network_get_memory(struct halyard_network *network, uint32_t signature,
                               struct halyard_network_memory *memory)
{
    static const char name[] = "network_get_memory";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    if (!memory)
        return hy_public_null(name, "memory");
    return hy_public_result(get(network, signature, memory, &err), &err);
}
