/* halyard/session.h: the operators of networks. */
#include "libhalyard/session/session.h"

/* Call with the lock. */
static enum hy_code make_list(struct halyard_network *network, struct hy_signature *signature,
                              struct hy_error *err)
{
    struct hy_tflite_model *source = NULL;

    enum hy_code code = hy_network_source(network, &source, err);
    if (code != HY_OK)
        return code;
    code = hy_operator_list_create(source, signature->subgraph,
                                   signature->network->budget.memory_limit, &signature->operators,
                                   err);
    hy_tflite_close(source);
    return code;
}

/* The list is made on first use, once for all threads. */
enum hy_code hy_signature_operators(struct halyard_network *network, uint32_t signature,
                                    const struct hy_operator_list **out, struct hy_error *err)
{
    const struct hy_signature *imported = NULL;

    enum hy_code code = hy_signature_imported(network, signature, &imported, err);
    if (code != HY_OK)
        return code;
    pthread_mutex_lock(&network->lock);
    struct hy_signature *found = &network->signatures[signature];
    if (!found->operators)
        code = make_list(network, found, err);
    *out = found->operators;
    pthread_mutex_unlock(&network->lock);
    return code;
}

uint32_t halyard_network_operator_count(struct halyard_network *network, uint32_t signature)
{
    const struct hy_operator_list *list = NULL;

    if (!network || hy_signature_operators(network, signature, &list, NULL) != HY_OK)
        return 0;
    return list->count;
}

static enum hy_code get(struct halyard_network *network, uint32_t signature, uint32_t index,
                        struct halyard_network_operator *out, struct hy_error *err)
{
    const struct hy_operator_list *list = NULL;

    const enum hy_code code = hy_signature_operators(network, signature, &list, err);
    if (code != HY_OK)
        return code;
    if (index >= list->count)
        return hy_fail(err, HY_BAD_DATA, "operator %u does not exist, the signature has %u", index,
                       list->count);
    return hy_public_struct_write(&list->operators[index], sizeof *list->operators, out, err);
}

int halyard_network_get_operator(struct halyard_network *network, uint32_t signature,
                                 uint32_t index, struct halyard_network_operator *out)
{
    static const char name[] = "network_get_operator";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    if (!out)
        return hy_public_null(name, "out");
    return hy_public_result(get(network, signature, index, out, &err), &err);
}
