#include "probe.h"

/* ---- One way to call them all ---------------------------------------------------------------- */

#define RETURN_CODE(call)   return (call)
#define RETURN_NUMBER(call) return (int64_t)(call)
#define RETURN_NOTHING(call) \
    do { \
        (call); \
        return 0; \
    } while (0)

#define THUNK(name, result, ...) \
    static int64_t call_##name(const union probe_value *v) \
    { \
        (void)v; \
        RETURN_##result(ANeuralNetworks##name(__VA_ARGS__)); \
    }
#define PROBE_0(name, result)             THUNK(name, result, )
#define PROBE_1(name, result, a)          THUNK(name, result, v[0].a)
#define PROBE_2(name, result, a, b)       THUNK(name, result, v[0].a, v[1].b)
#define PROBE_3(name, result, a, b, c)    THUNK(name, result, v[0].a, v[1].b, v[2].c)
#define PROBE_4(name, result, a, b, c, d) THUNK(name, result, v[0].a, v[1].b, v[2].c, v[3].d)
#define PROBE_5(name, result, a, b, c, d, e) \
    THUNK(name, result, v[0].a, v[1].b, v[2].c, v[3].d, v[4].e)
#define PROBE_6(name, result, a, b, c, d, e, f) \
    THUNK(name, result, v[0].a, v[1].b, v[2].c, v[3].d, v[4].e, v[5].f)
#include "probe_functions.def"
#undef PROBE_0
#undef PROBE_1
#undef PROBE_2
#undef PROBE_3
#undef PROBE_4
#undef PROBE_5
#undef PROBE_6

#define ROW(name, result, count, ...) \
    {"ANeuralNetworks" #name, PROBE_##result, count, {__VA_ARGS__}, call_##name},
#define PROBE_0(name, result)          ROW(name, result, 0, 0)
#define PROBE_1(name, result, a)       ROW(name, result, 1, PROBE_##a)
#define PROBE_2(name, result, a, b)    ROW(name, result, 2, PROBE_##a, PROBE_##b)
#define PROBE_3(name, result, a, b, c) ROW(name, result, 3, PROBE_##a, PROBE_##b, PROBE_##c)
#define PROBE_4(name, result, a, b, c, d) \
    ROW(name, result, 4, PROBE_##a, PROBE_##b, PROBE_##c, PROBE_##d)
#define PROBE_5(name, result, a, b, c, d, e) \
    ROW(name, result, 5, PROBE_##a, PROBE_##b, PROBE_##c, PROBE_##d, PROBE_##e)
#define PROBE_6(name, result, a, b, c, d, e, f) \
    ROW(name, result, 6, PROBE_##a, PROBE_##b, PROBE_##c, PROBE_##d, PROBE_##e, PROBE_##f)
const struct probe_function probe_functions[] = {
#include "probe_functions.def"
};

const uint32_t probe_function_count = COUNT_OF(probe_functions);

/* ---- Kinds ----------------------------------------------------------------------------------- */

enum probe_nature probe_nature(enum probe_kind kind)
{
    static const enum probe_nature natures[] = {
#define KIND(name, type, nature) PROBE_##nature,
#include "probe_kinds.def"
#undef KIND
    };
    return natures[kind];
}

bool probe_is_object(enum probe_kind kind)
{
    return probe_nature(kind) <= PROBE_FREED && probe_state_count(probe_object_kind(kind)) > 0;
}

enum probe_kind probe_object_kind(enum probe_kind kind)
{
    switch (kind) {
    case PROBE_freed_model:
    case PROBE_new_model:
        return PROBE_model;
    case PROBE_freed_compilation:
    case PROBE_new_compilation:
        return PROBE_compilation;
    case PROBE_freed_execution:
    case PROBE_new_execution:
        return PROBE_execution;
    case PROBE_freed_burst:
    case PROBE_new_burst:
        return PROBE_burst;
    case PROBE_freed_event:
    case PROBE_new_event:
    case PROBE_waited_event:
        return PROBE_event;
    case PROBE_freed_memory:
    case PROBE_new_memory:
        return PROBE_memory;
    case PROBE_freed_desc:
    case PROBE_new_desc:
        return PROBE_desc;
    default:
        return kind;
    }
}
