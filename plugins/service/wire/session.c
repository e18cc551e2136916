#include "plugins/service/wire/session.h"

#include "halyard/driver.h"
#include "plugins/manifest.h"
#include "plugins/service/wire/messages.h"

/* ---- HELLO ----------------------------------------------------------------------------------- */

/* The first member never changes its place: it says whether the rest is understood. */
struct hello_record {
    uint32_t version;
    uint32_t abi;
    int32_t pid;
    uint32_t has_pidfd;
};

void hy_hello_pack(struct hy_pack *out, const struct hy_hello *hello)
{
    const struct hello_record record = {.version = HY_WIRE_VERSION,
                                        .abi = hello->abi,
                                        .pid = hello->pid,
                                        .has_pidfd = hello->pidfd >= 0};

    hy_pack_copy(out, &record, 1, sizeof record);
    if (record.has_pidfd)
        hy_pack_fd(out, hello->pidfd);
}

void hy_hello_unpack(struct hy_unpack *in, struct hy_hello *hello)
{
    const struct hello_record *record = hy_unpack_records(in, 1, sizeof *record);

    if (record && record->version != HY_WIRE_VERSION)
        hy_unpack_fail(in, "speaks version %u of the protocol, needs %u", record->version,
                       HY_WIRE_VERSION);
    if (record && record->has_pidfd > 1)
        hy_unpack_fail(in, "%u descriptors of the process", record->has_pidfd);
    const int pidfd = record && record->has_pidfd ? hy_unpack_fd(in) : -1;
    if (hy_unpack_good(in))
        *hello = (struct hy_hello){.abi = record->abi, .pid = record->pid, .pidfd = pidfd};
}

/* ---- OPEN ------------------------------------------------------------------------------------ */

struct opening_record {
    uint16_t manifest_kind;
    uint16_t capabilities;
    uint32_t device_file_count;
};

void hy_opening_pack(struct hy_pack *out, const struct hy_opening *opening)
{
    const struct opening_record record = {.manifest_kind = (uint16_t)opening->manifest_kind,
                                          .capabilities = (uint16_t)opening->capabilities,
                                          .device_file_count = opening->device_file_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_text(out, opening->library);
    hy_pack_text(out, opening->arguments);
    for (uint32_t i = 0; i < opening->device_file_count; i++)
        hy_pack_text(out, opening->device_files[i]);
}

void hy_opening_unpack(struct hy_unpack *in, struct hy_opening *opening)
{
    const struct opening_record *record = hy_unpack_records(in, 1, sizeof *record);
    const uint32_t count = record ? record->device_file_count : 0;

    if (record && (record->capabilities & ~(unsigned)HY_MANIFEST_CAPABILITIES))
        hy_unpack_fail(in, "capabilities 0x%x", record->capabilities);
    const char *library = hy_unpack_text(in);
    const char *arguments = hy_unpack_text(in);
    const char **device_files = hy_unpack_reserve(in, count, sizeof *device_files, 8);

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++)
        device_files[i] = hy_unpack_text(in);
    if (hy_unpack_good(in))
        *opening = (struct hy_opening){.library = library,
                                       .arguments = arguments,
                                       .device_files = device_files,
                                       .device_file_count = count,
                                       .manifest_kind = record->manifest_kind,
                                       .capabilities = record->capabilities};
}

struct opened_record {
    uint32_t abi;
    uint32_t device_count;
};

void hy_opened_pack(struct hy_pack *out, const struct hy_opened *opened)
{
    const struct opened_record record = {.abi = opened->abi, .device_count = opened->device_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_text(out, opened->driver);
    hy_pack_text(out, opened->sandbox);
}

void hy_opened_unpack(struct hy_unpack *in, struct hy_opened *opened)
{
    const struct opened_record *record = hy_unpack_records(in, 1, sizeof *record);
    const char *driver = hy_unpack_text(in);
    const char *sandbox = hy_unpack_text(in);

    if (hy_unpack_good(in))
        *opened = (struct hy_opened){.driver = driver,
                                     .sandbox = sandbox,
                                     .abi = record->abi,
                                     .device_count = record->device_count};
}

/* ---- One value or two ------------------------------------------------------------------------ */

void hy_channel_pack(struct hy_pack *out, int fd)
{
    hy_pack_fd(out, fd);
}

void hy_channel_unpack(struct hy_unpack *in, int *fd)
{
    const int read = hy_unpack_fd(in);

    if (hy_unpack_good(in))
        *fd = read;
}

void hy_log_line_pack(struct hy_pack *out, int32_t level, const char *text)
{
    hy_pack_copy(out, &level, 1, sizeof level);
    hy_pack_text(out, text);
}

void hy_log_line_unpack(struct hy_unpack *in, int32_t *level, const char **text)
{
    const int32_t *read = hy_unpack_records(in, 1, sizeof *read);
    const char *line = hy_unpack_text(in);

    if (read && (*read < HY_LOG_ERROR || *read > HY_LOG_DEBUG))
        hy_unpack_fail(in, "level %d", *read);
    if (!hy_unpack_good(in))
        return;
    *level = *read;
    *text = line;
}

void hy_farewell_pack(struct hy_pack *out, const char *text)
{
    hy_pack_text(out, text);
}

void hy_farewell_unpack(struct hy_unpack *in, const char **text)
{
    const char *read = hy_unpack_text(in);

    if (hy_unpack_good(in))
        *text = read;
}

void hy_deadline_pack(struct hy_pack *out, int64_t deadline)
{
    hy_pack_copy(out, &deadline, 1, sizeof deadline);
}

void hy_deadline_unpack(struct hy_unpack *in, int64_t *deadline)
{
    const int64_t *read = hy_unpack_records(in, 1, sizeof *read);

    if (read && *read < HY_NO_DEADLINE)
        hy_unpack_fail(in, "deadline %lld", (long long)*read);
    if (hy_unpack_good(in))
        *deadline = *read;
}
