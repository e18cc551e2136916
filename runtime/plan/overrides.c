#include "runtime/plan/overrides.h"

#include "plugins/discovery/filter.h"
#include "runtime/environment.h"
#include "runtime/extension/code_text.h"
#include "runtime/log.h"
#include "runtime/plan/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- From the environment -------------------------------------------------------------------- */

static enum hy_code read_open_file(int fd, struct hy_assignments *ret, struct hy_error *err)
{
    char *text = malloc(HY_ASSIGNMENT_FILE_MAX_BYTES + 1);
    size_t length = 0;
    ssize_t got = 1;

    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u bytes", HY_ASSIGNMENT_FILE_MAX_BYTES);
    while (got > 0 && length <= HY_ASSIGNMENT_FILE_MAX_BYTES) {
        got = read(fd, text + length, HY_ASSIGNMENT_FILE_MAX_BYTES + 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    enum hy_code code;
    if (got < 0)
        code = hy_fail(err, HY_FAILED, "%s", strerror(errno));
    else if (length > HY_ASSIGNMENT_FILE_MAX_BYTES)
        code = hy_fail(err, HY_BAD_DATA, "the file has more than %u bytes",
                       HY_ASSIGNMENT_FILE_MAX_BYTES);
    else
        code = hy_assignments_parse(text, length, ret, err);
    free(text);
    return code;
}

static void read_assignments(const char *path, struct hy_assignments *ret)
{
    struct hy_error err;
    struct stat file_info;
    enum hy_code code;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0 || fstat(fd, &file_info) != 0)
        code = hy_fail(&err, HY_FAILED, "%s", strerror(errno));
    else if (!S_ISREG(file_info.st_mode))
        code = hy_fail(&err, HY_BAD_DATA, "not a regular file");
    else
        code = read_open_file(fd, ret, &err);
    if (fd >= 0)
        close(fd);
    if (code != HY_OK)
        hy_log(HY_LOG_WARNING, "plan", "HALYARD_PLAN_ASSIGN %s: %s; the file is ignored", path,
               err.text);
}

static uint32_t read_max_steps(const char *text)
{
    char *end;

    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && errno == 0 && value > 0 && value < UINT32_MAX)
        return (uint32_t)value;
    hy_log(HY_LOG_WARNING, "plan", "HALYARD_PLAN_MAX_STEPS is \"%s\", needs a number above 0",
           text);
    return 0;
}

static struct hy_plan_overrides overrides_of_the_environment;

static void read_environment(void)
{
    struct hy_plan_overrides *overrides = &overrides_of_the_environment;
    const struct hy_environment *environment = hy_environment();
    if (!environment)
        return;
    overrides->devices = environment->plan_devices;
    overrides->without = environment->plan_without;
    if (environment->plan_max_steps)
        overrides->max_steps = read_max_steps(environment->plan_max_steps);
    if (environment->plan_assign)
        read_assignments(environment->plan_assign, &overrides->assignments);
}

const struct hy_plan_overrides *hy_plan_overrides(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_environment);
    return &overrides_of_the_environment;
}

/* ---- On a matrix ----------------------------------------------------------------------------- */

static void exclude(struct hy_support_matrix *support_matrix, uint32_t device, uint32_t operation,
                    const char *reason)
{
    const size_t cell = (size_t)device * support_matrix->operation_count + operation;

    if (!support_matrix->supported[cell])
        return; /* keep the device's own reason */
    support_matrix->supported[cell] = 0;
    support_matrix->reasons[cell] = reason;
}

void hy_plan_overrides_pick_devices(const struct hy_plan_overrides *overrides,
                                    struct hy_support_matrix *support_matrix)
{
    const uint32_t count = hy_support_matrix_listed(support_matrix);

    for (uint32_t i = 0; i < count; i++) {
        const char *name = support_matrix->devices[i]->info.name, *reason = NULL;
        if (overrides->devices && !hy_filter_matches(overrides->devices, name))
            reason = "HALYARD_PLAN_DEVICES does not name the device";
        else if (overrides->without && hy_filter_matches(overrides->without, name))
            reason = "HALYARD_PLAN_WITHOUT names the device";
        if (reason) /* for an unselected device */
            support_matrix->query_codes[i] = HY_OK;
        for (uint32_t k = 0; reason && k < support_matrix->operation_count; k++)
            exclude(support_matrix, i, k, reason);
    }
}

/* The last matching assignment. Assignments by number take precedence over types. */
static const struct hy_assignment *find_assignment(const struct hy_assignments *assignments,
                                                   int32_t type, const uint32_t *number)
{
    const struct hy_assignment *found = NULL;

    for (uint32_t i = 0; i < assignments->count; i++) {
        const struct hy_assignment *assignment = &assignments->list[i];
        if (assignment->number == HY_ANY_NUMBER) {
            if (assignment->type == type && !found)
                found = assignment;
        } else if (number && assignment->number == *number) {
            return assignment;
        }
    }
    return found;
}

static uint32_t find_device(const struct hy_support_matrix *support_matrix, const char *name)
{
    for (uint32_t i = 0; i < hy_support_matrix_listed(support_matrix); i++) {
        if (strcmp(support_matrix->devices[i]->info.name, name) == 0)
            return i;
    }
    return HY_NO_DEVICE;
}

/* `number` is used in the texts. */
static enum hy_code assign(const struct hy_assignment *assignment, uint32_t number,
                           uint32_t operation, int32_t type,
                           struct hy_support_matrix *support_matrix, struct hy_arena *arena,
                           struct hy_error *err)
{
    const uint32_t device = find_device(support_matrix, assignment->device);
    char text[HY_ERROR_TEXT_SIZE];

    if (device = = HY_NO_DEVICE | | !hy_support_matrix_can(support_matrix, device, operation)) {
        hy_log(HY_LOG_WARNING, "plan", "HALYARD_PLAN_ASSIGN: operation %u %s cannot run on %s: %s",
               number, hy_operation_text(type), assignment->device,
               device = = HY_NO_DEVICE
                              ? "not among the devices of the compilation"
                              : hy_support_matrix_refusal(support_matrix, device, operation));
        return HY_OK;
    }
    snprintf(text, sizeof text, "HALYARD_PLAN_ASSIGN names %s", assignment->device);
    const char *reason = hy_plan_strdup(arena, text);
    if (!reason)
        return hy_fail(err, HY_OUT_OF_MEMORY, "assignment of operation %u", operation);
    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (i != device)
            exclude(support_matrix, i, operation, reason);
    }
    return HY_OK;
}

enum hy_code hy_plan_overrides_assign(const struct hy_plan_overrides *overrides,
                                      const struct hy_model *model, const uint32_t *order,
                                      struct hy_support_matrix *support_matrix,
                                      struct hy_arena *arena, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (overrides->assignments.count == 0)
        return HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < support_matrix->operation_count; i++) {
        const int32_t type = model->main->operations[i].type;
        const struct hy_assignment *assignment =
            find_assignment(&overrides->assignments, type, order ? &order[i] : NULL);
        if (assignment)
            code = assign(assignment, order ? order[i] : i, i, type, support_matrix, arena, err);
    }
    return code;
}
