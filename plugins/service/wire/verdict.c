#include "plugins/service/wire/model.h"

struct verdict_record {
    uint32_t operation_count;
    uint32_t refused_count;
};

void hy_verdict_pack(struct hy_pack *out, const struct hy_verdict *verdict)
{
    const struct verdict_record record = {.operation_count = verdict->operation_count,
                                          .refused_count = verdict->refused_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_copy(out, verdict->supported, verdict->operation_count, 1);
    for (uint32_t i = 0; i < verdict->refused_count && out->code == HY_OK; i++) {
        const uint64_t operation = verdict->refused[i].operation;
        hy_pack_copy(out, &operation, 1, sizeof operation);
        hy_pack_text(out, verdict->refused[i].reason);
    }
}

static void unpack_refused(struct hy_unpack *in, uint32_t operation_count,
                           struct hy_refused *refused)
{
    const uint64_t *operation = hy_unpack_records(in, 1, sizeof *operation);

    if (operation && *operation >= operation_count)
        hy_unpack_fail(in, "refuses operation %llu of %u", (unsigned long long)*operation,
                       operation_count);
    refused->reason = hy_unpack_text(in);
    refused->operation = operation ? (uint32_t)*operation : 0;
}

static void check_supported(struct hy_unpack *in, const uint8_t *supported, uint32_t count)
{
    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++) {
        if (supported[i] > 1)
            hy_unpack_fail(in, "operation %u is supported by %u", i, supported[i]);
    }
}

void hy_verdict_unpack(struct hy_unpack *in, uint32_t operation_count, struct hy_verdict *verdict)
{
    const struct verdict_record *record = hy_unpack_records(in, 1, sizeof *record);
    if (!record)
        return;

    if (record->operation_count != operation_count)
        hy_unpack_fail(in, "is about %u operations, needs %u", record->operation_count,
                       operation_count);
    const uint8_t *supported = hy_unpack_records(in, record->operation_count, 1);
    check_supported(in, supported, record->operation_count);
    struct hy_refused *refused =
        hy_unpack_reserve(in, record->refused_count, sizeof *refused, 2 * sizeof(uint64_t));
    for (uint32_t i = 0; i < record->refused_count && hy_unpack_good(in); i++)
        unpack_refused(in, operation_count, &refused[i]);
    if (hy_unpack_good(in))
        *verdict = (struct hy_verdict){.supported = supported,
                                       .refused = refused,
                                       .operation_count = operation_count,
                                       .refused_count = record->refused_count};
}
