#include "plugins/service/wire/fields.h"
#include "plugins/service/wire/wire_model.h"

void hy_supported_ops_reply_pack(struct hy_pack *out,
                                 const struct hy_supported_ops_reply *supported_ops_reply)
{
    hy_fields_pack(out, hy_supported_ops_reply_fields, supported_ops_reply);
}

static void check(struct hy_unpack *in, const struct hy_supported_ops_reply *supported_ops_reply)
{
    for (uint32_t i = 0; i < supported_ops_reply->operation_count && hy_unpack_good(in); i++) {
        if (supported_ops_reply->supported[i] > 1)
            hy_unpack_fail(in, "operation %u has support %u, needs 0 or 1", i,
                           supported_ops_reply->supported[i]);
    }
    for (uint32_t i = 0; i < supported_ops_reply->refused_count && hy_unpack_good(in); i++) {
        if (supported_ops_reply->refused[i].operation >= supported_ops_reply->operation_count)
            hy_unpack_fail(in, "refused operation %u does not exist, there are %u",
                           supported_ops_reply->refused[i].operation,
                           supported_ops_reply->operation_count);
    }
}

void hy_supported_ops_reply_unpack(struct hy_unpack *in, uint32_t operation_count,
                                   struct hy_supported_ops_reply *supported_ops_reply)
{
    struct hy_supported_ops_reply read = {0};

    hy_fields_unpack(in, hy_supported_ops_reply_fields, &read);
    if (hy_unpack_good(in) && read.operation_count != operation_count)
        hy_unpack_fail(in, "the reply has %u operations, needs %u", read.operation_count,
                       operation_count);
    check(in, &read);
    if (hy_unpack_good(in))
        *supported_ops_reply = read;
}
