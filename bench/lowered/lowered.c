/*
 * An older libneuralnetworks.so on top of the installed libneuralnetworks.so.1: the library exports
 * only the functions of the level in HALYARD_TEST_LEVEL, each at the address in the installed
 * library. Clients choose their calls by the exported functions and by the reported level.
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

/* An ifunc: a lookup by a client returns the result of the resolver. Not every compiler counts the
 * resolver as used. */
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
