#ifndef HY_TESTS_FUZZ_MEMORY_MEMORY_WORLD_H
#define HY_TESTS_FUZZ_MEMORY_MEMORY_WORLD_H

#include "common/random.h"
#include "tests/fuzz/memory/memory_model.h"
#include "tests/unit/runtime/kit/domain_fixture.h"

/* The objects under test, each together with its expected state. */

enum { FAULTY = 2, COMPILATIONS = 9, MEMORIES = 10, EXECUTIONS = 4 };

/* Memory, referenced by its slot and by executions. */
struct object {
    unsigned references;
    struct hy_memory *memory;
    struct model_memory model;
};

struct compiled {
    struct hy_compilation *compilation;
    struct model_compilation model;
};

/* A reusable execution. */
struct prepared {
    struct hy_execution *execution; /* NULL: none */
    struct model_compilation compilation;
    struct object *in, *out;
    uint32_t in_extent, out_extent;
};

extern struct world {
    uint64_t seed;
    struct hy_random random;
    uint32_t call; /* number of the current call */
    uint32_t last_id;
    struct buffer_device devices[FAULTY]; /* by enum model_target; MODEL_CPU is halyard-cpu */
    struct fake_device cpu;
    struct model_device faults[MODEL_DEVICES];
    struct compiled compilations[COMPILATIONS];
    struct object *objects[MEMORIES];
    struct prepared executions[EXECUTIONS];
} world;

void world_open(uint64_t seed);
void world_close(void); /* expects no leaks and no invalid requests */
void world_compile(uint32_t index);

/* A random number below `count`. */
uint32_t chance(uint32_t count);

/* Ends the process unless `is_right`, with the actual and the expected code. */
void expect(bool is_right, const char *call, enum hy_code is, enum hy_code should,
            const struct hy_error *err);
void expect_code(const char *call, enum hy_code is, enum hy_code should,
                 const struct hy_error *err);

/* Stores memory in a slot and releases the previous object of the slot. */
struct object *object_put(uint32_t target, struct hy_memory *memory,
                          const struct model_memory *model);
struct object *object_retain(struct object *object);
void object_release(struct object *object); /* accepts NULL */

/* Writes new random contents to a file. */
void object_write(struct object *file);

/* The object of a random slot, or NULL for an empty slot. */
struct object *object_any(void);

/* Calls of memory_executions.c. */
void world_execute(void);
void world_run_again(void);
void prepared_drop(struct prepared *prepared);

#endif
