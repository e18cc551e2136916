#include "runtime/drivers/crash_record.h"

#include "common/printable.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define HOUR INT64_C(3600)

static const char magic[8] = "HYCRASH\1";

static_assert(sizeof(struct hy_crash_record) == 1568, "files have it, without holes");

/* ---- The driver ------------------------------------------------------------------------------ */

static bool copy_name(char *to, size_t size, const char *from)
{
    const size_t length = strlen(from);
    if (length >= size || !hy_text_is_clean(from))
        return false;
    memcpy(to, from, length + 1);
    return true;
}

bool hy_driver_build_read(const char *driver, const char *library, struct hy_driver_build *ret)
{
    struct stat info;

    memset(ret, 0, sizeof *ret);
    if (!copy_name(ret->driver, sizeof ret->driver, driver) ||
        !copy_name(ret->library, sizeof ret->library, library) || stat(library, &info) != 0)
        return false;
    ret->inode = info.st_ino;
    ret->size = (uint64_t)info.st_size;
    ret->modified_seconds = info.st_mtim.tv_sec;
    ret->modified_nanoseconds = info.st_mtim.tv_nsec;
    return true;
}

bool hy_driver_build_is_same(const struct hy_driver_build *a, const struct hy_driver_build *b)
{
    return a->inode == b->inode && a->size == b->size &&
           a->modified_seconds == b->modified_seconds &&
           a->modified_nanoseconds == b->modified_nanoseconds &&
           strcmp(a->library, b->library) == 0 && strcmp(a->driver, b->driver) == 0;
}

/* ---- A record -------------------------------------------------------------------------------- */

void hy_crash_record_init(struct hy_crash_record *record, const struct hy_process_identity *process,
                          const struct hy_driver_build *build)
{
    memset(record, 0, sizeof *record);
    memcpy(record->magic, magic, sizeof magic);
    record->size = sizeof *record;
    record->time = (int64_t)time(NULL);
    record->process = *process;
    record->build = *build;
}

bool hy_crash_record_is_older(const struct hy_crash_record *record, int64_t seconds)
{
    const int64_t now = (int64_t)time(NULL);
    return record->time > now || record->time < now - seconds;
}

bool hy_crash_record_is_orphaned(const struct hy_crash_record *record,
                                 const struct hy_process_identity *own)
{
    const enum hy_process_state state = hy_process_identity_state(&record->process, own);

    return state == HY_PROCESS_HAS_ENDED ||
           (state == HY_PROCESS_IS_ELSEWHERE && hy_crash_record_is_older(record, HOUR));
}

static bool is_fault_signal(int32_t number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGILL ||
           number == SIGFPE;
}

bool hy_crash_record_is_fault(const struct hy_crash_record *record)
{
    return record->cause == HY_CRASH_EXIT ||
           (record->cause == HY_CRASH_SIGNAL && is_fault_signal(record->number));
}

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) && hy_text_is_clean(text);
}

bool hy_crash_record_parse(const void *bytes, size_t size, struct hy_crash_record *ret)
{
    struct hy_crash_record record;

    if (size != sizeof record)
        return false;
    memcpy(&record, bytes, sizeof record);
    if (memcmp(record.magic, magic, sizeof magic) != 0 || record.size != sizeof record ||
        (record.cause != HY_CRASH_UNKNOWN && !hy_crash_record_is_fault(&record)) ||
        record.time < 0 || record.process.process <= 0 ||
        !is_text(record.process.position, sizeof record.process.position) ||
        !is_text(record.build.driver, sizeof record.build.driver) ||
        !is_text(record.build.library, sizeof record.build.library) ||
        !is_text(record.call, sizeof record.call) ||
        !is_text(record.last_line, sizeof record.last_line))
        return false;
    *ret = record;
    return true;
}
