#include "plugins/service/wire/fields.h"
#include "plugins/service/wire/model.h"

void hy_verdict_pack(struct hy_pack *out, const struct hy_verdict *verdict)
{
    hy_fields_pack(out, hy_verdict_fields, verdict);
}

static void check(struct hy_unpack *in, const struct hy_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->operation_count && hy_unpack_good(in); i++) {
        if (verdict->supported[i] > 1)
            hy_unpack_fail(in, "operation %u is supported by %u", i, verdict->supported[i]);
    }
    for (uint32_t i = 0; i < verdict->refused_count && hy_unpack_good(in); i++) {
        if (verdict->refused[i].operation >= verdict->operation_count)
            hy_unpack_fail(in, "refuses operation %u of %u", verdict->refused[i].operation,
                           verdict->operation_count);
    }
}

void hy_verdict_unpack(struct hy_unpack *in, uint32_t operation_count, struct hy_verdict *verdict)
{
    struct hy_verdict read = {0};

    hy_fields_unpack(in, hy_verdict_fields, &read);
    if (hy_unpack_good(in) && read.operation_count != operation_count)
        hy_unpack_fail(in, "is about %u operations, needs %u", read.operation_count,
                       operation_count);
    check(in, &read);
    if (hy_unpack_good(in))
        *verdict = read;
}
