#ifndef HY_TESTS_FUZZ_MEMORY_MEMORY_WORLD_H
#define HY_TESTS_FUZZ_MEMORY_MEMORY_WORLD_H

#include "common/random.h"
#include "tests/fuzz/memory/memory_model.h"
#include "tests/runtime/kit/domain_fixture.h"

/* What memory_calls.c calls upon, and beside each thing what it should be. */

enum { FAULTY = 2, COMPILATIONS = 9, MEMORIES = 10, EXECUTIONS = 4 };

/* Memory; kept by its place and by executions. */
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
    struct hy_execution *execution; /* NULL: there is none */
    struct model_compilation compilation;
    struct object *in, *out;
    uint32_t in_extent, out_extent;
};

extern struct world {
    uint64_t seed;
    struct hy_random random;
    uint32_t call; /* number of this call */
    uint32_t last_id;
    struct buffer_device devices[FAULTY]; /* by enum model_place; MODEL_CPU is halyard-cpu itself */
    struct fake_device cpu;
    struct model_device faults[MODEL_DEVICES];
    struct compiled compilations[COMPILATIONS];
    struct object *objects[MEMORIES];
    struct prepared executions[EXECUTIONS];
} world;

void world_open(uint64_t seed);
void world_close(void); /* nothing is left, and no request was illegal */
void world_compile(uint32_t index);

/* A number below `count`. */
uint32_t chance(uint32_t count);

/* Ends the process where it is not so. */
void expect(bool is_right, const char *call, enum hy_code is, enum hy_code should,
            const struct hy_error *err);
void expect_code(const char *call, enum hy_code is, enum hy_code should,
                 const struct hy_error *err);

/* Puts memory in a place; what was there goes. */
struct object *object_put(uint32_t place, struct hy_memory *memory,
                          const struct model_memory *model);
struct object *object_retain(struct object *object);
void object_release(struct object *object); /* takes NULL */

/* New contents for a file. */
void object_write(struct object *file);

/* An object at a random place, or NULL where the place is empty. */
struct object *object_any(void);

/* The calls of memory_executions.c. */
void world_execute(void);
void world_run_again(void);
void prepared_drop(struct prepared *prepared);

#endif
