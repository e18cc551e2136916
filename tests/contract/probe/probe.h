#ifndef HY_TESTS_CONTRACT_PROBE_PROBE_H
#define HY_TESTS_CONTRACT_PROBE_PROBE_H

/*
 * Calls of every function of the API with arguments of every kind, right and wrong, on objects in
 * every state. Nothing is known of a function but its row in probe_functions.def, and no answer is
 * expected but what holds for all of them: see probe_call().
 *
 * Objects keep the rules of ownership: what another object needs is not freed.
 */
#include "common/random.h"
#include "tests/contract/kit/contract.h"

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
    void *pointer; /* of all kinds but numbers */
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

/* Whether a world has many objects of a kind, in states. A device is no such object. */
bool probe_is_object(enum probe_kind kind);

/* What kind of object a parameter is about: of `freed_event` and `new_event` it is `event`. */
enum probe_kind probe_object_kind(enum probe_kind kind);

/* ---- Objects --------------------------------------------------------------------------------- */

#define PROBE_OBJECTS 96
#define PROBE_LIST    64 /* entries of every list that a call is given */

struct probe_object {
    enum probe_kind kind;
    void *handle;    /* NULL: a free place */
    uint32_t state;  /* that it was made in, see probe_make */
    uint32_t number; /* in the log: "model3" */
    bool is_shared;  /* no call can change it: it stays for all of them */
    uint32_t users;  /* objects that need it */
    uint32_t parent_count;
    struct probe_object *parents[PROBE_OBJECTS]; /* that it needs */
};

/* Memory for arguments. An app may say of a buffer that it has UINT32_MAX bytes: so it has, where
 * nobody looks. */
#define PROBE_BYTES     ((size_t)12 << 30)
#define PROBE_INPUT     ((size_t)6 << 30) /* here begins what is only read */
#define PROBE_ROOM      4096u             /* before it: one for each result */
#define PROBE_FILE_SIZE 8192u

#define PROBE_PATIENCE 30 /* seconds that a call may take */

struct probe_world {
    struct probe_object objects[PROBE_OBJECTS];
    uint32_t made;
    struct probe_object *fresh[PROBE_OBJECTS]; /* that an object needs which is being made */
    uint32_t fresh_count;
    uint64_t seed;
    struct hy_random random;
    int gates[PROBE_OBJECTS]; /* fences that hold executions up until they are opened */
    uint32_t gate_count;
    int signalled_fence, file, pipe[2];
    char *bytes;
    uint32_t room_count;
    const ANeuralNetworksEvent *events[PROBE_LIST];
    union {
        void *object;
        uint64_t number;
        uint32_t numbers[PROBE_LIST];
    } answers[PROBE_PARAMETERS]; /* where calls write to */
    uint32_t calls;
    int last_code; /* of a function that gives one */
    FILE *log;     /* of the calls since the last probe_clear */
    char *log_text;
    size_t log_size;
};

/* The seed is for probe_random. */
struct probe_world *probe_world_create(uint64_t seed);
void probe_world_destroy(struct probe_world *world);

uint32_t probe_random(struct probe_world *world, uint32_t below);

/* States that an object of this kind can be made in, from 0 on; 0 for kinds that are no objects of
 * their own. */
uint32_t probe_state_count(enum probe_kind kind);

/* A new one, and a line in the log. NULL: there is a recorded failure. */
struct probe_object *probe_make(struct probe_world *world, enum probe_kind kind, uint32_t state);

/* The same, but one of those that no call can change any more is made once. */
struct probe_object *probe_share(struct probe_world *world, enum probe_kind kind, uint32_t state);

/* An object that a call has made. probe_need names a parent that the object needs; probe_forget
 * says that the object is gone. */
struct probe_object *probe_adopt(struct probe_world *world, enum probe_kind kind, void *handle);
void probe_need(struct probe_object *object, struct probe_object *parent);
void probe_forget(struct probe_object *object);

struct probe_object *probe_find(struct probe_world *world, const void *handle);

/* One of these, from a random place on; NULL: there is none. `unused`: that nothing needs. */
struct probe_object *probe_pick(struct probe_world *world, enum probe_kind kind, bool unused);

uint32_t probe_live_count(const struct probe_world *world);

/* Frees what is not shared, through the API. */
void probe_clear(struct probe_world *world);

/* No execution waits any more for a fence that only we can signal. */
void probe_open_gates(struct probe_world *world);

/* If a call crashes or hangs, the log of this world is printed. NULL: of none. */
void probe_watch(const struct probe_world *world);

/* ---- Values ---------------------------------------------------------------------------------- */

/* For kinds that are no objects, beside NULL; the plain ones come first. */
uint32_t probe_choice_count(enum probe_kind kind);
union probe_value probe_choose(struct probe_world *world, enum probe_kind kind, uint32_t position,
                               uint32_t choice);

void probe_print(FILE *to, struct probe_world *world, enum probe_kind kind,
                 const union probe_value *value);

/* ---- Calls ----------------------------------------------------------------------------------- */

/*
 * Makes the call, counts no longer than their lists, and checks what holds for every function:
 *   a result code is one of those defined;
 *   NULL where something is required is UNEXPECTED_NULL;
 *   a failure leaves its code, and words that begin with the name of the function;
 *   a success leaves the last error as it was, and has made the object that it is there to make;
 *   no object comes of a failure.
 * Objects that come and go are noted. False: something did not hold; it is recorded, with all calls
 * that led there.
 */
bool probe_call(struct probe_world *world, const struct probe_function *function,
                union probe_value *arguments);

#endif
