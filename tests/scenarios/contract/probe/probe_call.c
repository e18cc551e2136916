#include "probe.h"

#include <unistd.h>

/* ---- What the arguments ask for -------------------------------------------------------------- */

/* Whether the call says of a list or buffer that there is something in it. */
static bool has_length(const struct probe_function *function, uint32_t at,
                       const union probe_value *arguments)
{
    switch (function->kinds[at]) {
    case PROBE_bytes:
    case PROBE_out_buffer:
        return arguments[at + 1].length != 0;
    case PROBE_events:
        return arguments[at + 1].count != 0;
    case PROBE_extents:
        return arguments[at - 1].count != 0;
    default:
        return false;
    }
}

/* Whether NULL stands where something is required. */
static bool has_forbidden_null(const struct probe_function *function,
                               const union probe_value *arguments)
{
    for (uint32_t i = 0; i < function->count; i++) {
        const enum probe_nature nature = probe_nature(function->kinds[i]);
        if (nature == PROBE_VALUE || nature == PROBE_FREED || arguments[i].pointer)
            continue;
        if (nature != PROBE_MAY || has_length(function, i, arguments))
            return true;
    }
    return false;
}

/* ---- What must hold -------------------------------------------------------------------------- */

static bool complain(struct probe_world *world, const struct probe_function *function,
                     const char *complaint)
{
    hy_test_fail(__FILE__, __LINE__, "seed %llu: %s: %s; the calls that led there were printed",
                 (unsigned long long)world->seed, function->name, complaint);
    fprintf(stderr, "seed %llu, %s: %s\n%.*s", (unsigned long long)world->seed, function->name,
            complaint, (int)world->log_size, world->log_text);
    return false;
}

static bool check_error_text(struct probe_world *world, const struct probe_function *function,
                             int code)
{
    const char *name = contract_short_name(function->name), *message = halyard_last_error();
    const size_t length = strlen(name);

    if (halyard_last_error_code() != code)
        return complain(world, function, "the last error has another code than the call");
    if (code == ANEURALNETWORKS_NO_ERROR)
        return *message ? complain(world, function, "a success has left words") : true;
    if (strncmp(message, name, length) != 0 || strncmp(message + length, ": ", 2) != 0 ||
        message[length + 2] == '\0')
        return complain(world, function, "the words of the failure do not name the function");
    return true;
}

/* What a function that makes an object has put in its place. */
static bool check_made(struct probe_world *world, const struct probe_function *function,
                       const union probe_value *arguments, int code)
{
    for (uint32_t i = 0; i < function->count; i++) {
        if (probe_nature(function->kinds[i]) != PROBE_MAKES || !arguments[i].pointer)
            continue;
        const void *made = *(void **)arguments[i].pointer;
        if (code != ANEURALNETWORKS_NO_ERROR && made)
            return complain(world, function, "a failure has given an object");
        if (code == ANEURALNETWORKS_NO_ERROR && (!made || made == OLD_VALUE(void)))
            return complain(world, function, "a success has given no object");
    }
    return true;
}

static bool check_code(struct probe_world *world, const struct probe_function *function,
                       const union probe_value *arguments, int code)
{
    const bool is_null = has_forbidden_null(function, arguments);

    if (code < ANEURALNETWORKS_NO_ERROR || code > ANEURALNETWORKS_DEAD_OBJECT)
        return complain(world, function, "the result code is none of those defined");
    if (is_null && code != ANEURALNETWORKS_UNEXPECTED_NULL)
        return complain(world, function, "a NULL was not unexpected");
    return check_error_text(world, function, code) && check_made(world, function, arguments, code);
}

/* ---- What it changes in the world ------------------------------------------------------------ */

static void need_handle(struct probe_world *world, const struct probe_function *function,
                        const union probe_value *arguments, uint32_t at,
                        struct probe_object *object)
{
    struct probe_object *given = probe_find(world, arguments[at].pointer);
    if (given && probe_nature(function->kinds[at]) == PROBE_HANDLE)
        probe_need(object, given);
}

/* A new object needs everything that the call was given: rather too much than too little. */
static void need_all(struct probe_world *world, const struct probe_function *function,
                     const union probe_value *arguments, struct probe_object *object)
{
    for (uint32_t i = 0; i < function->count; i++) {
        need_handle(world, function, arguments, i, object);
        if (function->kinds[i] != PROBE_events || !arguments[i].pointer)
            continue;
        for (uint32_t k = 0; k < arguments[i + 1].count; k++) {
            struct probe_object *event = probe_find(world, arguments[i].events[k]);
            if (event)
                probe_need(object, event);
        }
    }
}

static void adopt_result(struct probe_world *world, const struct probe_function *function,
                         const union probe_value *arguments, uint32_t at)
{
    const enum probe_kind kind = function->kinds[at];

    if (probe_nature(kind) == PROBE_MAKES) {
        struct probe_object *object =
            probe_adopt(world, probe_object_kind(kind), *(void **)arguments[at].pointer);
        if (object)
            need_all(world, function, arguments, object);
    } else if (kind == PROBE_out_fd) {
        close(*arguments[at].out_fd);
    }
}

/* An execution that is running is not freed, which leaves words. */
static void drop_argument(struct probe_world *world, const struct probe_function *function,
                          const union probe_value *arguments)
{
    struct probe_object *object =
        function->count > 0 && probe_nature(function->kinds[0]) == PROBE_FREED
            ? probe_find(world, arguments[0].pointer)
            : NULL;
    if (object && halyard_last_error_code() == ANEURALNETWORKS_NO_ERROR)
        probe_drop(object);
}

/* Calls that add something to an object: it needs that from now on. */
static bool adds(const struct probe_function *function)
{
    const enum probe_kind to = function->kinds[0];
    return to == PROBE_model || to == PROBE_desc || (to == PROBE_execution && function->count > 2);
}

static void note_changes(struct probe_world *world, const struct probe_function *function,
                         const union probe_value *arguments)
{
    struct probe_object *first = adds(function) ? probe_find(world, arguments[0].pointer) : NULL;

    for (uint32_t i = 1; first && i < function->count; i++)
        need_handle(world, function, arguments, i, first);
    for (uint32_t i = 0; i < function->count; i++)
        adopt_result(world, function, arguments, i);
}

/* ---- The call -------------------------------------------------------------------------------- */

static void log_call(struct probe_world *world, const struct probe_function *function,
                     const union probe_value *arguments)
{
    fprintf(world->log, "    %s(", function->name);
    for (uint32_t i = 0; i < function->count; i++) {
        fprintf(world->log, i ? ", " : "");
        probe_print(world->log, world, function->kinds[i], &arguments[i]);
    }
    fprintf(world->log, ")");
    fflush(world->log); /* it has to be there if the call does not return */
}

static void log_result(struct probe_world *world, const struct probe_function *function,
                       int64_t result)
{
    if (function->result == PROBE_CODE)
        fprintf(world->log, ": %s\n", contract_code_name((int)result));
    else
        fprintf(world->log, "\n");
    fflush(world->log);
}

static void prepare(struct probe_world *world, const struct probe_function *function)
{
    for (uint32_t i = 0; i < function->count; i++) {
        if (function->kinds[i] == PROBE_waited_event || function->kinds[i] == PROBE_freed_event)
            probe_signal_fences(world);
        world->results[i].object = OLD_VALUE(void);
    }
    halyard_clear_last_error();
    alarm(PROBE_TIMEOUT_S);
}

/* A count may be anything where there is no list. */
static void limit_counts(const struct probe_function *function, union probe_value *arguments)
{
    for (uint32_t i = 0; i + 1 < function->count; i++) {
        const bool is_first = function->kinds[i] == PROBE_count;
        union probe_value *count = &arguments[is_first ? i : i + 1];
        const union probe_value *list = &arguments[is_first ? i + 1 : i];
        if ((is_first || function->kinds[i + 1] == PROBE_count) && list->pointer &&
            count->count > PROBE_LIST)
            count->count = PROBE_LIST;
    }
}

bool probe_call(struct probe_world *world, const struct probe_function *function,
                union probe_value *arguments)
{
    limit_counts(function, arguments);
    log_call(world, function, arguments);
    prepare(world, function);
    const int64_t result = function->call(arguments);
    alarm(0);
    log_result(world, function, result);
    world->calls++;
    world->last_code = (int)result;

    if (function->result == PROBE_NOTHING)
        drop_argument(world, function, arguments);
    if (function->result != PROBE_CODE)
        return true;
    if (!check_code(world, function, arguments, (int)result))
        return false;
    if (result == ANEURALNETWORKS_NO_ERROR)
        note_changes(world, function, arguments);
    return true;
}
