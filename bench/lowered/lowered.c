/*
 * An older libneuralnetworks.so, made of whatever libneuralnetworks.so.1 is found: it has only the
 * functions of the level that HALYARD_TEST_LEVEL says, each at the address that it has there.
 * Clients decide by what is there, and by what it says of itself, how they compile and compute.
 */
#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <stdlib.h>

static int64_t test_level(void)
{
    const char *level = getenv("HALYARD_TEST_LEVEL");
    return level ? strtol(level, NULL, 10) : ANEURALNETWORKS_FEATURE_LEVEL_1;
}

typedef void (*function)(void);

/* POSIX promises that a function's address fits a void pointer. */
static function find_function(int64_t since, const char *name)
{
    void *library = test_level() >= since ? dlopen("libneuralnetworks.so.1", RTLD_LAZY) : NULL;
    return library ? (function)(uintptr_t)dlsym(library, name) : NULL;
}

/* Looked up by a client, each gives what its finder returns. Not every compiler takes that for a
 * use. */
#define FUNCTION(since, name) \
    __attribute__((used)) static function find_##name(void) \
    { \
        return find_function(since, #name); \
    } \
    void name##_found(void) __asm__(#name) __attribute__((ifunc("find_" #name)));
#include "functions.def"

__attribute__((used)) static function find_level(void)
{
    return test_level() >= ANEURALNETWORKS_FEATURE_LEVEL_5 ? (function)(uintptr_t)test_level : NULL;
}

void level_found(void) __asm__("ANeuralNetworks_getRuntimeFeatureLevel")
    __attribute__((ifunc("find_level")));
