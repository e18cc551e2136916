#ifndef HY_TESTS_SCENARIOS_CONTRACT_PROBE_PROBE_H
#define HY_TESTS_SCENARIOS_CONTRACT_PROBE_PROBE_H

/*
 * Calls every API function with valid and invalid arguments of every kind, on objects in every
 * state. A row in probe_functions.def is the only knowledge about a function. Expected results are
 * the rules shared by all functions, see probe_call().
 *
 * The probe obeys the ownership rules: an object in use by another object is not freed.
 */
#include "common/random.h"
#include "tests/scenarios/contract/kit/contract.h"

#include <stdint.h>
#include <stdio.h>

/* ---- Functions and the kinds of their parameters --------------------------------------------- */

enum probe_kind {
#define KIND(name, type, nature) PROBE_##name,
#include "probe_kinds.def"
#undef KIND
    PROBE_KINDS,
};

enum probe_nature { PROBE_HANDLE, PROBE_FREED, PROBE_MAKES, PROBE_FILLS, PROBE_MAY, PROBE_VALUE };

union probe_value {
    void *pointer; /* all kinds but numbers */
#define KIND(name, type, nature) type name;
#include "probe_kinds.def"
#undef KIND
};

enum probe_result { PROBE_CODE, PROBE_NUMBER, PROBE_NOTHING };

#define PROBE_PARAMETERS 6

struct probe_function {
    const char *name; /* "ANeuralNetworksModel_finish" */
    enum probe_result result;
    uint32_t count;
    enum probe_kind kinds[PROBE_PARAMETERS];
    int64_t (*call)(const union probe_value *arguments);
};

extern const struct probe_function probe_functions[];
extern const uint32_t probe_function_count;

enum probe_nature probe_nature(enum probe_kind kind);

/* True if worlds hold objects of the kind in several states. Devices are excluded. */
bool probe_is_object(enum probe_kind kind);

/* The object kind of a parameter kind, such as `event` for `freed_event` and `new_event`. */
enum probe_kind probe_object_kind(enum probe_kind kind);

/* ---- Objects --------------------------------------------------------------------------------- */

#define PROBE_OBJECTS 96
#define PROBE_LIST    64 /* length of every list argument */

struct probe_object {
    enum probe_kind kind;
    void *handle;        /* NULL: a free slot */
    uint32_t state;      /* state at creation, see probe_make */
    uint32_t number;     /* number in the log: "model3" */
    bool is_shared;      /* immutable, reused by all calls */
    uint32_t dependents; /* number of dependent objects */
    uint32_t parent_count;
    struct probe_object *parents[PROBE_OBJECTS]; /* objects needed by this object */
};

/* Memory for arguments. Large enough for buffers with a claimed length of UINT32_MAX bytes. */
#define PROBE_BYTES        ((size_t)12 << 30)
#define PROBE_INPUT        ((size_t)6 << 30) /* start of the part only read by calls */
#define PROBE_OUTPUT_BYTES 4096u             /* bytes per result buffer, below PROBE_INPUT */
#define PROBE_FILE_SIZE    8192u

#define PROBE_TIMEOUT_S 30 /* seconds per call */

struct probe_world {
    struct probe_object objects[PROBE_OBJECTS];
    uint32_t made;
    struct probe_object *fresh[PROBE_OBJECTS]; /* created so far for the object in progress */
    uint32_t fresh_count;
    uint64_t seed;
    struct hy_random random;
    int fences[PROBE_OBJECTS]; /* fences for blocking executions, until opened */
    uint32_t fence_count;
    int signalled_fence, file, pipe[2];
    char *bytes;
    uint32_t output_buffer_count;
    const ANeuralNetworksEvent *events[PROBE_LIST];
    union {
        void *object;
        uint64_t number;
        uint32_t numbers[PROBE_LIST];
    } results[PROBE_PARAMETERS]; /* out-parameters of calls */
    uint32_t calls;
    int last_code; /* of a function with a result code */
    FILE *log;     /* calls since the last probe_clear */
    char *log_text;
    size_t log_size;
};

/* `seed` starts probe_random. */
struct probe_world *probe_world_create(uint64_t seed);
void probe_world_destroy(struct probe_world *world);

uint32_t probe_random(struct probe_world *world, uint32_t below);

/* Number of states for creating an object of the kind: 0 to count - 1. Returns 0 for kinds without
 * objects of their own. */
uint32_t probe_state_count(enum probe_kind kind);

/* Creates an object and logs a line. On failure records a test failure and returns NULL. */
struct probe_object *probe_make(struct probe_world *world, enum probe_kind kind, uint32_t state);

/* Like probe_make, but immutable objects are created once and shared. */
struct probe_object *probe_get_shared(struct probe_world *world, enum probe_kind kind,
                                      uint32_t state);

/* Registers an object created by a call. probe_need adds a parent needed by the object.
 * probe_drop drops a freed object. */
struct probe_object *probe_adopt(struct probe_world *world, enum probe_kind kind, void *handle);
void probe_need(struct probe_object *object, struct probe_object *parent);
void probe_drop(struct probe_object *object);

struct probe_object *probe_find(struct probe_world *world, const void *handle);

/* An object of the kind, searched from a random slot, or NULL. With `unused` skips objects needed
 * by other objects. */
struct probe_object *probe_pick(struct probe_world *world, enum probe_kind kind, bool unused);

uint32_t probe_live_count(const struct probe_world *world);

/* Frees all unshared objects through the API. */
void probe_clear(struct probe_world *world);

/* Signals all fences of the world, so no execution stays blocked by a test fence. */
void probe_signal_fences(struct probe_world *world);

/* Prints the log of the world if a call crashes or hangs. NULL stops watching. */
void probe_watch(const struct probe_world *world);

/* ---- Values ---------------------------------------------------------------------------------- */

/* Choices for kinds without objects, NULL excluded. The plain choices come first. */
uint32_t probe_value_count(enum probe_kind kind);
union probe_value probe_choose(struct probe_world *world, enum probe_kind kind, uint32_t position,
                               uint32_t value_index);

void probe_print(FILE *to, struct probe_world *world, enum probe_kind kind,
                 const union probe_value *value);

/* ---- Calls ----------------------------------------------------------------------------------- */

/*
 * Makes the call with counts limited to the list lengths, and checks the rules of all functions:
 *
 *   - A result code is a defined code.
 *   - NULL for a required pointer is UNEXPECTED_NULL.
 *   - A failure sets the last error to its code and a text with the function's name as prefix.
 *   - A success leaves the last error unchanged and creates the promised object.
 *   - A failure creates no object.
 *
 * Created and freed objects are registered. Returns false after recording a violated rule with all
 * calls since the last probe_clear.
 */
bool probe_call(struct probe_world *world, const struct probe_function *function,
                union probe_value *arguments);

#endif
